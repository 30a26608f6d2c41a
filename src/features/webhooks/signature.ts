import { Buffer } from "node:buffer";
import { base64, hmac } from "../../platform/core/bytes.ts";

// Standard Webhooks 1.0. Its library is not used because it brings its own SHA-256; the tests verify against it.

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export const newSigningSecret = () => PREFIX + base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

const decodeSecret = (secret: string) => Buffer.from(secret.slice(PREFIX.length), "base64");

/** Signed with each secret: two while one is being replaced. `id` is the same for every attempt. */
export async function signedHeaders(
  secrets: string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = secrets.map(
    async (secret) => `v1,${base64(await hmac(decodeSecret(secret), `${id}.${timestamp}.${body}`))}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": (await Promise.all(signed)).join(" "),
  };
}
