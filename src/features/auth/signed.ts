import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { unauthorized } from "../../platform/core/errors.ts";
import type { SigningKeys } from "./token.ts";

/** What tokens of one purpose have in common. One of another purpose is refused. */
export type Purpose = {
  type: string;
  audience: string;
  /** For how long a token is good, in seconds. */
  seconds: number;
  /** What somebody is told whose token is no longer good, or never was. */
  refusal: string;
};

/** A token with these claims, signed by the deployment (RFC 7519). */
export function signClaims(
  [current]: SigningKeys,
  { type, audience, seconds }: Purpose,
  claims: JWTPayload,
  now: Date,
): Promise<string> {
  const issued = Math.floor(now.getTime() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: type, kid: current.id })
    .setAudience(audience)
    .setIssuedAt(issued)
    .setExpirationTime(issued + seconds)
    .sign(current.key);
}

/** The claims of a token. Throws 401 for an expired one, one of another purpose, and any other string. */
export async function readClaims<Claims>(
  keys: SigningKeys,
  { type: typ, audience, refusal }: Purpose,
  token: string,
  now: Date,
): Promise<Claims & JWTPayload> {
  const { payload } = await jwtVerify<Claims>(
    token,
    ({ kid }) => {
      const key = keys.find(({ id }) => id === kid);
      if (!key) throw unauthorized(refusal);
      return key.key;
    },
    { algorithms: ["HS256"], audience, typ, requiredClaims: ["exp"], currentDate: now },
  ).catch((problem: unknown) => {
    throw problem instanceof errors.JOSEError ? unauthorized(refusal) : problem;
  });
  return payload;
}
