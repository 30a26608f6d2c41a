import { base64url } from "jose";

/** A key pair with which the service identifies itself to push services (RFC 8292), in base64url. */
export type VapidKeys = { public_key: string; private_key: string };

/** A new key pair on P-256. */
export async function newVapidKeys(): Promise<VapidKeys> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const { d } = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const point = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  return { public_key: base64url.encode(new Uint8Array(point)), private_key: d ?? "" };
}
