import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { FileList, StoredFile, Upload } from "../../contract/file.ts";
import { MAX_THUMBNAIL_BYTES, MAX_UPLOAD_BYTES, UPLOAD_PART_BYTES } from "../../contract/file-limits.ts";
import { encodeFileName } from "../files/links.ts";
import { type ApiClient, RequestRejectedError } from "./client.ts";
import type { FileSource } from "./entries.ts";
import { errorMessage, type ImportProblem, type OnProgress } from "./item.ts";

// Files are uploaded before the documents that refer to them. Equal bytes are one file, so nothing is uploaded twice.

const PAGE = 100;

const NO_FILE_STORAGE_STATUS = 501;

/** An account's files outside the trash. */
export type ExistingFiles = {
  /** File ids by SHA-256. */
  ids: Map<string, string>;
  sizes: Set<number>;
  /** Thumbnail widths by file id. */
  thumbnails: Map<string, readonly number[]>;
};

/** Undefined if the service has no file storage. */
export async function readExistingFiles(client: ApiClient): Promise<ExistingFiles | undefined> {
  const existing: ExistingFiles = { ids: new Map(), sizes: new Set(), thumbnails: new Map() };
  const page = (cursor: string) =>
    client.send<FileList>({ method: "GET", path: `/api/files?limit=${PAGE}${cursor}` });
  try {
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const { items, next_cursor }: FileList = await page(cursor);
      for (const { id, sha256: sum, bytes, thumbnails } of items) {
        existing.ids.set(sum, id);
        existing.sizes.add(bytes);
        existing.thumbnails.set(id, thumbnails);
      }
      cursor = next_cursor ? `&cursor=${encodeURIComponent(next_cursor)}` : undefined;
    }
  } catch (problem) {
    if (problem instanceof RequestRejectedError && problem.status === NO_FILE_STORAGE_STATUS)
      return undefined;
    throw problem;
  }
  return existing;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** A file that cannot be unpacked, or is gone from the disk, only fails itself. */
const readNext = (reader: Reader): ReturnType<Reader["read"]> =>
  reader.read().catch((problem: unknown) => {
    throw new RequestRejectedError(0, `cannot be read: ${errorMessage(problem)}`);
  });

/** The bytes in pieces of exactly this size, except for the last. Throws if the total differs from the declared size. */
async function* piecesOf(file: FileSource, piece: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { size } = file;
  const reader = file.stream().getReader();
  let rest = new Uint8Array(Math.min(piece, size));
  let [filled, received] = [0, 0];
  try {
    for (let read = await readNext(reader); !read.done; read = await readNext(reader)) {
      received += read.value.length;
      if (received > size) break;
      for (let chunk = read.value; chunk.length > 0; ) {
        const taken = chunk.subarray(0, rest.length - filled);
        rest.set(taken, filled);
        filled += taken.length;
        chunk = chunk.subarray(taken.length);
        if (filled < rest.length) continue;
        yield rest;
        rest = new Uint8Array(Math.min(piece, size - received + chunk.length));
        filled = 0;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (received !== size)
    throw new RequestRejectedError(0, "is damaged: its size differs from the one listed");
}

async function hashFile(bytes: FileSource): Promise<string> {
  const hash = sha256.create();
  for await (const piece of piecesOf(bytes, UPLOAD_PART_BYTES)) hash.update(piece);
  return bytesToHex(hash.digest());
}

/** A file to upload. `sha256`: the expected checksum, which the service verifies. */
type FileToUpload = { name: string; bytes: FileSource; sha256?: string | undefined };

const digestHeader = (sum: string) => {
  const bytes = sum.match(/../g)?.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))) ?? [];
  return { "Repr-Digest": `sha-256=:${btoa(bytes.join(""))}:` };
};

async function sendWhole(client: ApiClient, { name, bytes, sha256: sum }: FileToUpload): Promise<StoredFile> {
  let raw = new Uint8Array();
  for await (const piece of piecesOf(bytes, bytes.size)) raw = piece;
  const headers = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeFileName(name)}`,
    ...(sum !== undefined && digestHeader(sum)),
  };
  return client.send<StoredFile>({ method: "POST", path: "/api/files", raw, headers });
}

async function sendInParts(
  client: ApiClient,
  { name, bytes, sha256: sum }: FileToUpload,
): Promise<StoredFile> {
  const body = { name, bytes: bytes.size, ...(sum !== undefined && { sha256: sum }) };
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const { id } = await client.send<Upload>({ method: "POST", path: "/api/files/uploads", body, headers });
  try {
    await sendParts(client, id, bytes);
    return await client.send<StoredFile>({ method: "POST", path: `/api/files/${id}/complete` });
  } catch (problem) {
    // An unfinished upload would use storage until it expires after a day.
    if (problem instanceof RequestRejectedError)
      await client.send({ method: "DELETE", path: `/api/files/${id}/parts` }).catch(() => undefined);
    throw problem;
  }
}

async function sendParts(client: ApiClient, id: string, bytes: FileSource): Promise<void> {
  const headers = { "Content-Type": "application/octet-stream" };
  let part = 0;
  for await (const raw of piecesOf(bytes, UPLOAD_PART_BYTES)) {
    part += 1;
    await client.send({ method: "PUT", path: `/api/files/${id}/parts/${part}`, raw, headers });
  }
}

const MAX_NAME = 255;

/** Shortens names that are too long for the service, keeping the extension. */
const fitName = (name: string) =>
  name.length <= MAX_NAME
    ? name
    : name.slice(0, MAX_NAME - 20).toWellFormed() + name.slice(-20).toWellFormed();

/**
 * Uploads a file unless it exists, and returns its id. Throws `RequestRejectedError` with the reason, or
 * `ClientStoppedError`.
 */
export async function uploadFile(
  client: ApiClient,
  given: FileToUpload,
  { ids, sizes }: ExistingFiles,
): Promise<string> {
  const { bytes } = given;
  if (bytes.size > MAX_UPLOAD_BYTES)
    throw new RequestRejectedError(413, "is larger than 1 GB, the limit for a file");
  if (bytes.size === 0) throw new RequestRejectedError(422, "is empty");
  const sum = given.sha256 ?? (sizes.has(bytes.size) ? await hashFile(bytes) : undefined);
  const known = sum === undefined ? undefined : ids.get(sum);
  if (known !== undefined) return known;
  const send = bytes.size > UPLOAD_PART_BYTES ? sendInParts : sendWhole;
  const file = await send(client, { ...given, name: fitName(given.name) });
  ids.set(file.sha256, file.id);
  sizes.add(file.bytes);
  return file.id;
}

/** Uploads missing thumbnails by width. Rejected ones are ignored: the app then shows the picture itself. */
export async function uploadThumbnails(
  client: ApiClient,
  id: string,
  pictures: ReadonlyMap<number, FileSource>,
  { thumbnails }: ExistingFiles,
): Promise<void> {
  const missing = [...pictures].filter(([width]) => !thumbnails.get(id)?.includes(width));
  for (const [width, bytes] of missing) {
    const path = `/api/files/${id}/thumbnails/${width}`;
    try {
      if (bytes.size > MAX_THUMBNAIL_BYTES) continue;
      for await (const raw of piecesOf(bytes, bytes.size))
        await client.send({ method: "PUT", path, raw, headers: { "Content-Type": "image/webp" } });
    } catch (problem) {
      if (!(problem instanceof RequestRejectedError)) throw problem;
    }
  }
}

/** Concurrent uploads: each waits for the service several times. */
const CONCURRENCY = 4;

export type UploadedFiles = {
  /** New file ids by the id in a zip, or by path. */
  ids: Map<string, string>;
  refused: ImportProblem[];
};

/** Uploads files. One that fails is reported, as `where` names it; the others continue. */
export async function uploadAll<One>(
  all: readonly One[],
  upload: (one: One, ids: UploadedFiles["ids"]) => Promise<void>,
  { where, onProgress }: { where: (one: One) => string; onProgress: OnProgress },
): Promise<UploadedFiles> {
  const uploaded: UploadedFiles = { ids: new Map(), refused: [] };
  const next = all.values();
  const work = async () => {
    for (const one of next) {
      onProgress(uploaded.ids.size + uploaded.refused.length, all.length);
      try {
        await upload(one, uploaded.ids);
      } catch (problem) {
        if (!(problem instanceof RequestRejectedError)) throw problem;
        uploaded.refused.push({ where: where(one), why: problem.message });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return uploaded;
}
