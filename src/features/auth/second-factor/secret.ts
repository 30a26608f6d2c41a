import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";
import { hmac } from "../../../platform/core/bytes.ts";
import type { SigningKey, SigningKeys } from "../token.ts";

// Stored encrypted (AES-256-GCM, compact JWE) with a key derived from the JWT_SECRET that `kid` names.

const keyOf = ({ secret }: SigningKey) => hmac(secret, "commonplace second-factor");

export const sealSecret = async ([current]: SigningKeys, secret: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(secret))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: current.id })
    .encrypt(await keyOf(current));

const keyFor = (keys: SigningKeys, sealed: string) =>
  keys.find(({ id }) => id === decodeProtectedHeader(sealed).kid);

/** Whether a secret should be encrypted again, because the key has been changed. */
export const isSealedBefore = (keys: SigningKeys, sealed: string) => keyFor(keys, sealed) !== keys[0];

export async function openSecret(keys: SigningKeys, sealed: string): Promise<string | undefined> {
  const key = keyFor(keys, sealed);
  if (!key) return undefined;
  const { plaintext } = await compactDecrypt(sealed, await keyOf(key));
  return new TextDecoder().decode(plaintext);
}
