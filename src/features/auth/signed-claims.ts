import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { unauthorized } from "../../platform/core/errors.ts";
import type { SigningKeys } from "./token.ts";

/** What tokens of one purpose have in common. Tokens of other purposes are rejected. */
export type TokenPurpose = {
  type: string;
  audience: string;
  /** Lifetime in seconds. */
  seconds: number;
  /** Error text for an expired or invalid token. */
  refusal: string;
};

/** A token with these claims, signed with the deployment's key (RFC 7519). */
export function signClaims(
  [current]: SigningKeys,
  { type, audience, seconds }: TokenPurpose,
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

/** The claims of a token. Throws 401 if it has expired, has another purpose, or is not a token. */
export async function readClaims<Claims>(
  keys: SigningKeys,
  { type: typ, audience, refusal }: TokenPurpose,
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
