import { existsSync, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { parse } from "smol-toml";
import { UPLOAD_PART_BYTES } from "../../src/contract/file.ts";
import type { Cloudflare, WranglerConfig } from "./cloudflare.ts";
import { findRunningOperator } from "./copy-databases.ts";
import { bucketKeyPages, type OperatorEndpoint } from "./operator.ts";
import { stoppedRuntime } from "./stopped-runtime.ts";

// The bytes of files: in an R2 bucket on Cloudflare, or in Miniflare's bucket of a local copy, running or stopped.

export type FileBucket = {
  keys: () => AsyncGenerator<string>;
  /** The bytes under a key; undefined if the key does not exist. */
  read: (key: string) => Promise<Readable | undefined>;
  /** Stores a file of this machine under a key. Throws for a running copy. */
  write: (key: string, file: string) => Promise<void>;
  remove: (key: string) => Promise<void>;
  close: () => Promise<void>;
};

const BINDING = "FILES";

async function* readParts(handle: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(UPLOAD_PART_BYTES), 0, UPLOAD_PART_BYTES);
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    if (bytesRead < UPLOAD_PART_BYTES) return;
  }
}

/** Uploads in parts, so that no file is held in memory. */
async function writeParts(bucket: R2Bucket, key: string, file: string): Promise<void> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size <= UPLOAD_PART_BYTES) return void (await bucket.put(key, await handle.readFile()));
    const upload = await bucket.createMultipartUpload(key);
    const stored: R2UploadedPart[] = [];
    for await (const part of readParts(handle)) stored.push(await upload.uploadPart(stored.length + 1, part));
    await upload.complete(stored);
  } finally {
    await handle.close();
  }
}

const toNodeStream = (object: R2ObjectBody): Readable =>
  Readable.fromWeb(object.body as unknown as ReadableStream<Uint8Array>);

/** The bucket's name in wrangler.toml; undefined if the operator removed it. */
const bucketName = (): string | undefined => {
  const { r2_buckets = [] } = parse(readFileSync("wrangler.toml", "utf8")) as Pick<
    WranglerConfig,
    "r2_buckets"
  >;
  return r2_buckets.find(({ binding }) => binding === BINDING)?.bucket_name;
};

/** The bucket of a stopped copy. */
async function stoppedBucket(stateDir: string, name: string): Promise<FileBucket> {
  const runtime = stoppedRuntime(stateDir, { r2Buckets: { [BINDING]: name } });
  const bucket = (await runtime.getR2Bucket(BINDING)) as unknown as R2Bucket;
  return {
    keys: async function* () {
      for await (const page of bucketKeyPages(bucket)) yield* page;
    },
    read: async (key) => {
      const object = await bucket.get(key);
      return object ? toNodeStream(object) : undefined;
    },
    write: (key, file) => writeParts(bucket, key, file),
    remove: (key) => bucket.delete(key),
    close: () => runtime.dispose(),
  };
}

/** The bucket of a running copy, through its operator endpoint (operator.ts). */
function runningBucket({ port, secret }: OperatorEndpoint): FileBucket {
  const request = (path: string, method = "GET") =>
    fetch(`http://127.0.0.1:${port}/${path}`, { method, headers: { Authorization: `Bearer ${secret}` } });
  return {
    keys: async function* () {
      yield* (await (await request("bucket")).json()) as string[];
    },
    read: async (key) => {
      const answer = await request(`bucket/${encodeURIComponent(key)}`);
      if (answer.status === 404) return undefined;
      if (!answer.ok || !answer.body) throw new Error(`The running copy answered ${answer.status}`);
      return Readable.fromWeb(answer.body as unknown as ReadableStream<Uint8Array>);
    },
    write: async () => {
      throw new Error("Files cannot be written while the service is running: stop it first");
    },
    remove: async (key) => void (await request(`bucket/${encodeURIComponent(key)}`, "DELETE")),
    close: async () => undefined,
  };
}

/** The bucket of the copy on this machine; undefined without one. Throws while the copy is starting. */
export async function localBucket(stateDir: string): Promise<FileBucket | undefined> {
  const name = bucketName();
  if (!name || !existsSync(stateDir)) return undefined;
  const copy = await findRunningOperator(stateDir);
  return copy ? runningBucket(copy) : stoppedBucket(stateDir, name);
}

type ObjectEntry = { key: string };

/** The bucket of the deployment on Cloudflare, through the HTTP API; undefined without one. */
export function remoteBucket({ call, send, account, config }: Cloudflare): FileBucket | undefined {
  const name = config.r2_buckets?.find(({ binding }) => binding === BINDING)?.bucket_name;
  if (!name) return undefined;
  const objects = `/accounts/${account}/r2/buckets/${name}/objects`;
  const objectPath = (key: string) => `${objects}/${encodeURIComponent(key)}`;
  return {
    keys: async function* () {
      let cursor: string | undefined;
      do {
        const query = new URLSearchParams({ per_page: "1000", ...(cursor && { cursor }) });
        const { result, result_info } = await call<ObjectEntry[]>(`${objects}?${query}`);
        yield* result.map(({ key }) => key);
        cursor = result_info?.cursor;
      } while (cursor);
    },
    read: async (key) => {
      const answer = await send(objectPath(key));
      if (answer.status === 404) return undefined;
      if (!answer.ok || !answer.body) throw new Error(`Cloudflare answered ${answer.status} for ${key}`);
      return Readable.fromWeb(answer.body as unknown as ReadableStream<Uint8Array>);
    },
    write: async (key, file) => {
      const handle = await open(file);
      const body = (await handle.readFile()) as unknown as BodyInit;
      await handle.close();
      const answer = await send(objectPath(key), { method: "PUT", body });
      if (!answer.ok) throw new Error(`Cloudflare answered ${answer.status} for ${key}`);
    },
    remove: async (key) => void (await call(objectPath(key), undefined, "DELETE")),
    close: async () => undefined,
  };
}
