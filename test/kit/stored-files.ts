import { env } from "cloudflare:workers";
import type { z } from "zod";
import { StoredFile } from "../../src/contract/file.ts";
import type { Env } from "../../src/env.ts";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import type { Client } from "./client.ts";

// Files of people, as a browser sends them and as they lie in the bucket.

export const BUCKET = (env as unknown as Env).FILES as R2Bucket;

const encoder = new TextEncoder();
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(encoder.encode(text));

/** The smallest picture that is one: its signature, and something that differs. */
export const png = (about = crypto.randomUUID()): Uint8Array<ArrayBuffer> =>
  new Uint8Array([0x89, ...bytesOf("PNG\r\n"), 0x1a, 0x0a, ...bytesOf(about)]);

export const webp = (about = ""): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...bytesOf("RIFF"), 0, 0, 0, 0, ...bytesOf(`WEBPVP8 ${about}`)]);

type Sending = { name?: string; query?: string; headers?: Record<string, string> };

/** Sends a file whole. */
export const sendFile = (
  client: Client,
  bytes: Uint8Array<ArrayBuffer>,
  { name = "picture.png", query = "", headers = {} }: Sending = {},
): Promise<Response> =>
  client.fetch(`/api/files${query}`, {
    method: "POST",
    body: bytes,
    headers: {
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      "Content-Length": String(bytes.length),
      ...headers,
    },
  });

/** A file that was stored now. */
export async function upload(
  client: Client,
  bytes = png(),
  sending: Sending = {},
): Promise<z.infer<typeof StoredFile>> {
  const answer = await sendFile(client, bytes, sending);
  if (answer.status >= 300) throw new Error(`${answer.status} ${await answer.text()}`);
  return StoredFile.parse(await answer.json());
}

export const userIdOf = async (client: Client): Promise<string> => (await client.ok(getMeRoute)).id;

/** The keys in the bucket of a person's files. */
export const keysOf = async (client: Client): Promise<string[]> => keysIn(await userIdOf(client));

/** The keys in the bucket, of one account or of all. */
export async function keysIn(prefix = ""): Promise<string[]> {
  const { objects } = await BUCKET.list({ prefix });
  return objects.map(({ key }) => key);
}

export const sha256Of = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
