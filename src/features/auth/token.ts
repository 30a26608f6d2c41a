import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { v4 as uuid } from "uuid";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { hex, sha256 } from "../../platform/core/bytes.ts";
import { AppError, unauthorized } from "../../platform/core/errors.ts";

/** Lifetime of an access token in seconds (spec.md section 5). */
export const ACCESS_SECONDS = 900;

const MIN_KEY_BYTES = 32;

/** A signing key. `id`: the `kid` that tokens carry. `secret`: other keys are derived from it. */
export type SigningKey = { id: string; secret: Uint8Array; key: CryptoKey };

export type SigningKeys = [SigningKey, ...SigningKey[]];

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** Imported keys: importing one takes longer than checking a token with it. */
const importedKeys = new Map<string, SigningKey>();

const missingSecret = (name: string, what: string) =>
  new AppError(
    503,
    `${name} ${what}: set it to a random secret of at least ${MIN_KEY_BYTES} bytes, with ` +
      `\`npx wrangler secret put ${name}\` or, on your own machine, in .dev.vars`,
    { "Retry-After": "60" },
  );

async function signingKey(name: string, text = ""): Promise<SigningKey> {
  const imported = importedKeys.get(text);
  if (imported) return imported;
  const secret = new TextEncoder().encode(text);
  if (secret.length < MIN_KEY_BYTES)
    throw missingSecret(name, secret.length === 0 ? "is not set" : "is too short");
  const id = hex((await sha256(text)).subarray(0, 4));
  const key = await crypto.subtle.importKey("raw", secret, HMAC, false, ["sign", "verify"]);
  importedKeys.set(text, { id, secret, key });
  return { id, secret, key };
}

/** The deployment's keys. Throws 503 when JWT_SECRET is missing or too short. */
export async function signingKeys(env: Env): Promise<SigningKeys> {
  const current = await signingKey("JWT_SECRET", env.JWT_SECRET);
  if (!env.JWT_SECRET_PREVIOUS) return [current];
  return [current, await signingKey("JWT_SECRET_PREVIOUS", env.JWT_SECRET_PREVIOUS)];
}

/** What tokens of one purpose have in common. Tokens of other purposes are rejected. */
type TokenPurpose = {
  type: string;
  audience: string;
  issuer?: string;
  /** Lifetime in seconds. */
  seconds: number;
  requiredClaims?: string[];
  /** Error text for an expired or invalid token. */
  refusal?: string;
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
  { type: typ, audience, issuer, requiredClaims = ["exp"], refusal }: TokenPurpose,
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
    { algorithms: ["HS256"], audience, typ, requiredClaims, currentDate: now, ...(issuer && { issuer }) },
  ).catch((problem: unknown) => {
    throw problem instanceof errors.JOSEError ? unauthorized(refusal) : problem;
  });
  return payload;
}

/** Access tokens (RFC 9068). */
const ACCESS = {
  type: "at+jwt",
  audience: "commonplace-api",
  issuer: "commonplace",
  seconds: ACCESS_SECONDS,
  requiredClaims: ["sub", "sid", "jti", "iat", "exp"],
};

export type AccessClaims = { userId: string; sessionId: string; home: number; owner: number };

export const signAccessToken = (
  keys: SigningKeys,
  { userId: sub, sessionId: sid, home, owner: num }: AccessClaims,
  now: Date,
): Promise<string> => signClaims(keys, ACCESS, { iss: ACCESS.issuer, sub, sid, jti: uuid(), home, num }, now);

/** Verifies an access token. `owner` is undefined in tokens of older versions. Throws 401 for any other string. */
export async function verifyAccessToken(
  keys: SigningKeys,
  token: string,
  now: Date,
): Promise<Omit<AccessClaims, "owner"> & { owner: number | undefined }> {
  const { sub, sid, home, num } = await readClaims<Record<string, unknown>>(keys, ACCESS, token, now);
  return {
    userId: String(sub),
    sessionId: String(sid),
    home: typeof home === "number" ? home : FIRST_SHARD,
    owner: typeof num === "number" ? num : undefined,
  };
}
