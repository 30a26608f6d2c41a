import { existsSync, openAsBlob } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { UPLOAD_PART_BYTES } from "../../src/contract/file.ts";
import { type CloudflareClient, undefinedIfMissing } from "./cloudflare.ts";
import { findRunningOperator } from "./copy-databases.ts";
import { bucketKeyPages, callOperator, type OperatorEndpoint, toNodeStream } from "./operator.ts";
import { stoppedRuntime } from "./stopped-runtime.ts";
import { readWranglerConfig, type WranglerConfig } from "./wrangler.ts";

// The bytes of files: in an R2 bucket on Cloudflare, or in Miniflare's bucket of a local copy, running or stopped.

export type FileBucket = {
  keys: () => AsyncGenerator<string>;
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

/** The bucket's name in wrangler.toml; undefined if the operator removed it. */
const bucketName = ({ r2_buckets = [] }: WranglerConfig): string | undefined =>
  r2_buckets.find(({ binding }) => binding === BINDING)?.bucket_name;

/** The body of an answer; undefined for 404. Throws for other errors. */
function readBody({ status, ok, body }: Response, failure: (status: number) => string): Readable | undefined {
  if (status === 404) return undefined;
  if (!ok || !body) throw new Error(failure(status));
  return toNodeStream(body);
}

async function stoppedBucket(stateDir: string, name: string): Promise<FileBucket> {
  const runtime = stoppedRuntime(stateDir, { r2Buckets: { [BINDING]: name } });
  const bucket = (await runtime.getR2Bucket(BINDING)) as unknown as R2Bucket;
  return {
    keys: async function* () {
      for await (const page of bucketKeyPages(bucket)) yield* page;
    },
    read: async (key) => {
      const object = await bucket.get(key);
      return object ? toNodeStream(object.body) : undefined;
    },
    write: (key, file) => writeParts(bucket, key, file),
    remove: (key) => bucket.delete(key),
    close: () => runtime.dispose(),
  };
}

function runningBucket(operator: OperatorEndpoint): FileBucket {
  const failure = (status: number) => `The running copy answered ${status}`;
  const request = (key: string, method = "GET") =>
    callOperator(operator, `bucket/${encodeURIComponent(key)}`, { method });
  return {
    keys: async function* () {
      yield* (await (await callOperator(operator, "bucket")).json()) as string[];
    },
    read: async (key) => readBody(await request(key), failure),
    write: async () => {
      throw new Error("Files cannot be written while the service is running: stop it first");
    },
    remove: async (key) => {
      const { ok, status } = await request(key, "DELETE");
      if (!ok) throw new Error(failure(status));
    },
    close: async () => undefined,
  };
}

/** The bucket of the copy on this machine; undefined without one. Throws while the copy is starting. */
export async function localBucket(stateDir: string): Promise<FileBucket | undefined> {
  const name = bucketName(readWranglerConfig());
  if (!name || !existsSync(stateDir)) return undefined;
  const copy = await findRunningOperator(stateDir);
  return copy ? runningBucket(copy) : stoppedBucket(stateDir, name);
}

/** A bucket on Cloudflare, through the HTTP API: https://developers.cloudflare.com/api/resources/r2/ */
export function namedBucket({ call, pages, send, account }: CloudflareClient, name: string): FileBucket {
  const objects = `/accounts/${account}/r2/buckets/${name}/objects`;
  const objectPath = (key: string) => `${objects}/${encodeURIComponent(key)}`;
  const failure = (key: string) => (status: number) => `Cloudflare answered ${status} for ${key}`;
  return {
    keys: async function* () {
      for await (const page of pages<{ key: string }>(objects, { per_page: "1000" }))
        yield* page.map(({ key }) => key);
    },
    read: async (key) => readBody(await send(objectPath(key)), failure(key)),
    write: async (key, file) => {
      // A file on disk as a Blob is sent without being read into memory first.
      const { ok, status } = await send(objectPath(key), { method: "PUT", body: await openAsBlob(file) });
      if (!ok) throw new Error(failure(key)(status));
    },
    // Nothing is there any more if the answer to an earlier attempt was lost.
    remove: async (key) => void (await undefinedIfMissing(call(objectPath(key), undefined, "DELETE"))),
    close: async () => undefined,
  };
}

/** The bucket of the deployment on Cloudflare; undefined without one. */
export function remoteBucket(cloudflare: CloudflareClient): FileBucket | undefined {
  const name = bucketName(cloudflare.config);
  return name ? namedBucket(cloudflare, name) : undefined;
}
