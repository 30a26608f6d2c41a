import { base64url } from "jose";

/** The key pair that identifies this service to push services (RFC 8292), in base64url. */
export type VapidKeys = { public_key: string; private_key: string };

export async function newVapidKeys(): Promise<VapidKeys> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const { d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const point = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  return { public_key: base64url.encode(new Uint8Array(point)), private_key: d ?? "" };
}

/** Whether these bytes, in base64url, are a valid public key of a browser: a point of P-256. */
export async function isPublicKey(key: string): Promise<boolean> {
  const algorithm = { name: "ECDH", namedCurve: "P-256" };
  try {
    await crypto.subtle.importKey("raw", base64url.decode(key), algorithm, false, []);
    return true;
  } catch {
    return false;
  }
}
