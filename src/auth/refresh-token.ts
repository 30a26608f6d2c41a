import { base64url } from "jose";
import type { SigningKey } from "./token.ts";

const BYTES = 32;

/** A new opaque refresh token of 256 bits. */
export const newRefreshToken = () => base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));

/** What is stored of a token. 256 random bits need no salt and no slow hash. */
export async function hashRefreshToken(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return base64url.encode(new Uint8Array(digest));
}

/**
 * The one token that may follow this one. It is derived, not drawn: a client that repeats a refresh because
 * the answer was lost gets the same successor, although only hashes are stored.
 */
export async function successorOf(token: string, key: SigningKey): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const hmac = await crypto.subtle.importKey("raw", key.secret, algorithm, false, ["sign"]);
  const message = new TextEncoder().encode(`refresh-successor:${token}`);
  return base64url.encode(new Uint8Array(await crypto.subtle.sign("HMAC", hmac, message)));
}
