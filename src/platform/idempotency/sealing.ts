import { CompactEncrypt, compactDecrypt } from "jose";
import { hex, hmac } from "../core/bytes.ts";

// Protects stored data from those who have only the database. Changing JWT_SECRET makes it unreadable.

const encoder = new TextEncoder();

const keyFor = (secret: string, use: string) => hmac(encoder.encode(secret), `commonplace ${use}`);

/** A keyed digest in hexadecimal, which does not allow guessing passwords without the secret. */
export const keyedDigest = async (secret: string, text: string): Promise<string> =>
  hex(await hmac(await keyFor(secret, "digest"), text));

export async function seal(secret: string, text: string): Promise<string> {
  return new CompactEncrypt(encoder.encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(await keyFor(secret, "seal"));
}

/** Decrypts a text that was sealed with the same secret. Throws for any other string. */
export async function unseal(secret: string, sealed: string): Promise<string> {
  const { plaintext } = await compactDecrypt(sealed, await keyFor(secret, "seal"));
  return new TextDecoder().decode(plaintext);
}
