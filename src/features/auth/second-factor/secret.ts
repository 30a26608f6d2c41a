import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";
import { hmac } from "../../../platform/core/bytes.ts";
import type { SigningKey, SigningKeys } from "../token.ts";

// TOTP secrets are stored encrypted (AES-256-GCM, compact JWE), with a key derived from the JWT_SECRET that `kid` names.

const encryptionKey = ({ secret }: SigningKey) => hmac(secret, "commonplace second-factor");

export const sealSecret = async ([current]: SigningKeys, secret: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(secret))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: current.id })
    .encrypt(await encryptionKey(current));

const signingKeyOf = (keys: SigningKeys, sealed: string) =>
  keys.find(({ id }) => id === decodeProtectedHeader(sealed).kid);

/** Whether a secret must be encrypted again because the key has changed. */
export const isSealedWithOldKey = (keys: SigningKeys, sealed: string) =>
  signingKeyOf(keys, sealed) !== keys[0];

export async function openSecret(keys: SigningKeys, sealed: string): Promise<string | undefined> {
  const key = signingKeyOf(keys, sealed);
  if (!key) return undefined;
  const { plaintext } = await compactDecrypt(sealed, await encryptionKey(key));
  return new TextDecoder().decode(plaintext);
}
