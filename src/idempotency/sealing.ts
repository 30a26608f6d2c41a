import { CompactEncrypt, compactDecrypt } from "jose";
import { hex, hmac } from "../core/bytes.ts";

// What has to stand in the database for a while, and must say nothing to whoever has the database alone. The keys come
// from JWT_SECRET, one for each use. When that secret is changed, what was sealed before cannot be opened any more.

const encoder = new TextEncoder();

const keyFor = (secret: string, use: string) => hmac(encoder.encode(secret), `commonplace ${use}`);

/** A digest that nobody can try passwords on without the secret. In hexadecimal digits. */
export const keyedDigest = async (secret: string, text: string): Promise<string> =>
  hex(await hmac(await keyFor(secret, "digest"), text));

/** Encrypts a text (AES-256-GCM, as compact JWE). */
export async function seal(secret: string, text: string): Promise<string> {
  return new CompactEncrypt(encoder.encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(await keyFor(secret, "seal"));
}

/** The text that was sealed with the same secret. Throws for every other string. */
export async function unseal(secret: string, sealed: string): Promise<string> {
  const { plaintext } = await compactDecrypt(sealed, await keyFor(secret, "seal"));
  return new TextDecoder().decode(plaintext);
}
