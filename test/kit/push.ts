import { subscribeToPushRoute } from "../../src/features/push/routes.ts";
import type { Client } from "./client.ts";
import { Receiver } from "./hooks.ts";
import { base64url } from "./oauth.ts";

/** The keys of a browser's subscription, with those that only the browser has. */
type BrowserKeys = { p256dh: string; auth: string };

type Secrets = { pair: CryptoKeyPair; point: Uint8Array<ArrayBuffer>; auth: Uint8Array<ArrayBuffer> };

/** What a browser generates when it subscribes. */
async function browserSecrets(): Promise<Secrets> {
  const pair = (await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, [
    "deriveBits",
  ])) as CryptoKeyPair;
  const point = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
  return { pair, point, auth: crypto.getRandomValues(new Uint8Array(16)) };
}

export const keysOf = ({ point, auth }: Secrets): BrowserKeys => ({
  p256dh: base64url(point.buffer),
  auth: base64url(auth.buffer),
});

export const browserKeys = async (): Promise<BrowserKeys> => keysOf(await browserSecrets());

const ascii = (text: string) => new TextEncoder().encode(text);
const joined = (...parts: Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));

async function hkdf(secret: Uint8Array<ArrayBuffer>, salt: Uint8Array, info: Uint8Array, bytes: number) {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(salt), info: new Uint8Array(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, bytes * 8));
}

/** Decrypts a message as a browser does (RFC 8188 and RFC 8291, one record). */
async function decrypted(body: Uint8Array<ArrayBuffer>, { pair, point, auth }: Secrets): Promise<string> {
  const salt = body.slice(0, 16);
  const length = body[20] ?? 0;
  const sender = body.slice(21, 21 + length);
  const publicKey = await crypto.subtle.importKey(
    "raw",
    sender,
    { name: "ECDH", namedCurve: "P-256" },
    false,
    [],
  );
  const shared = await crypto.subtle.deriveBits(
    { name: "ECDH", public: publicKey } as unknown as SubtleCryptoDeriveKeyAlgorithm,
    pair.privateKey,
    256,
  );
  const info = joined(ascii("WebPush: info\0"), point, sender);
  const ikm = await hkdf(new Uint8Array(shared), auth, info, 32);
  const key = await hkdf(ikm, salt, ascii("Content-Encoding: aes128gcm\0"), 16);
  const iv = await hkdf(ikm, salt, ascii("Content-Encoding: nonce\0"), 12);
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const plain = new Uint8Array(
    await crypto.subtle.decrypt({ name: "AES-GCM", iv }, aes, body.slice(21 + length)),
  );
  return new TextDecoder().decode(plain.slice(0, plain.lastIndexOf(2)));
}

/** A browser of this person that is notified. */
export async function browserOf(client: Client) {
  const [service, secrets] = [new Receiver(), await browserSecrets()];
  const json = { endpoint: service.url, keys: keysOf(secrets) };
  const subscription = await client.ok(subscribeToPushRoute, { json });
  const read = async () =>
    Promise.all(
      (await service.received()).map(async ({ bytes }) =>
        JSON.parse(await decrypted(new Uint8Array(bytes), secrets)),
      ),
    );
  return { service, subscription, read };
}
