import { CompactEncrypt, compactDecrypt } from "jose";

// What has to stand in the database for a while, and must say nothing to whoever has the database alone. The keys come
// from JWT_SECRET, one for each use. When that secret is changed, what was sealed before cannot be opened any more.

const encoder = new TextEncoder();

async function mac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}

const keyFor = (secret: string, use: string) =>
  mac(new Uint8Array(encoder.encode(secret)), `commonplace ${use}`);

/** A digest that nobody can try passwords on without the secret. In hexadecimal digits. */
export async function keyedDigest(secret: string, text: string): Promise<string> {
  const bytes = await mac(await keyFor(secret, "digest"), text);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

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
