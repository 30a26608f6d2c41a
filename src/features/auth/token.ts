import { errors, jwtVerify, SignJWT } from "jose";
import { v4 as uuid } from "uuid";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { hex, sha256 } from "../../platform/core/bytes.ts";
import { AppError, unauthorized } from "../../platform/core/errors.ts";

/** Lifetime of an access token in seconds (spec.md section 5). */
export const ACCESS_SECONDS = 900;

const ISSUER = "commonplace";
const AUDIENCE = "commonplace-api";
const TYPE = "at+jwt";
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

export type AccessClaims = { userId: string; sessionId: string; home: number; owner: number };

/** A signed access token (RFC 9068), valid for ACCESS_SECONDS from `now`. */
export function signAccessToken(keys: SigningKeys, claims: AccessClaims, now: Date): Promise<string> {
  const issued = Math.floor(now.getTime() / 1000);
  return new SignJWT({
    sub: claims.userId,
    sid: claims.sessionId,
    jti: uuid(),
    home: claims.home,
    num: claims.owner,
  })
    .setProtectedHeader({ alg: "HS256", typ: TYPE, kid: keys[0].id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(issued)
    .setExpirationTime(issued + ACCESS_SECONDS)
    .sign(keys[0].key);
}

const VERIFICATION = {
  algorithms: ["HS256"],
  issuer: ISSUER,
  audience: AUDIENCE,
  typ: TYPE,
  requiredClaims: ["sub", "sid", "jti", "iat", "exp"],
};

/** Verifies an access token. `owner` is undefined in tokens of older versions. Throws 401 for any other string. */
export async function verifyAccessToken(
  keys: SigningKeys,
  token: string,
  now: Date,
): Promise<Omit<AccessClaims, "owner"> & { owner: number | undefined }> {
  const { payload } = await jwtVerify(
    token,
    ({ kid }) => {
      const key = keys.find(({ id }) => id === kid);
      if (!key) throw unauthorized();
      return key.key;
    },
    { ...VERIFICATION, currentDate: now },
  ).catch((problem: unknown) => {
    throw problem instanceof errors.JOSEError ? unauthorized() : problem;
  });
  const { sub, sid, home, num } = payload;
  return {
    userId: String(sub),
    sessionId: String(sid),
    home: typeof home === "number" ? home : FIRST_SHARD,
    owner: typeof num === "number" ? num : undefined,
  };
}
