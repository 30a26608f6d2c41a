const encoder = new TextEncoder();

export const sha256 = async (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));

/** HMAC with SHA-256 (RFC 2104) of a text in UTF-8: 32 bytes. */
export async function hmac(key: Uint8Array, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Bytes as base64 with padding (RFC 4648 section 4). */
export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
