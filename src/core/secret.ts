import { base64url } from "jose";

const BYTES = 32;

/** A new random secret of 256 bits, to be shown once. */
export const newSecret = () => base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));

/** What is stored of a secret. 256 random bits need no salt and no slow hash. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return base64url.encode(new Uint8Array(digest));
}
