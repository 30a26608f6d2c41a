import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";
import { hmac } from "../../../platform/core/bytes.ts";
import type { SigningKey, SigningKeys } from "../token.ts";

// The secrets of second factors are stored encrypted (AES-256-GCM, as compact JWE) with a key that is derived from
// JWT_SECRET, so that whoever reads only the database cannot make codes. `kid` tells which secret that was.

const keyOf = ({ secret }: SigningKey) => hmac(secret, "commonplace second-factor");

/** Encrypts a secret with the current key. */
export const sealSecret = async ([current]: SigningKeys, secret: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(secret))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: current.id })
    .encrypt(await keyOf(current));

/** The key with which a secret was encrypted; undefined when the deployment no longer has it. */
const keyFor = (keys: SigningKeys, sealed: string) =>
  keys.find(({ id }) => id === decodeProtectedHeader(sealed).kid);

/** Whether a secret should be encrypted again, because the key has been changed. */
export const isSealedBefore = (keys: SigningKeys, sealed: string) => keyFor(keys, sealed) !== keys[0];

/** Decrypts a secret; undefined when the key is gone. */
export async function openSecret(keys: SigningKeys, sealed: string): Promise<string | undefined> {
  const key = keyFor(keys, sealed);
  if (!key) return undefined;
  const { plaintext } = await compactDecrypt(sealed, await keyOf(key));
  return new TextDecoder().decode(plaintext);
}
