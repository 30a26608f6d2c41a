import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { EXPORT_SECTIONS, FILE_INDEX_NAME, isExportPartName } from "../../contract/export-format.ts";
import { FILE_SCHEME } from "../../contract/file-limits.ts";
import type { Import } from "../../contract/import-state.ts";
import { FILE_REFERENCE } from "../files/file-references.ts";
import { type ApiClient, RequestRejectedError } from "./client.ts";
import type { FileEntries, FileSource } from "./entries.ts";
import { decodeUtf8, type ImportProblem, type OnProgress } from "./item.ts";
import { byteLines } from "./lines.ts";
import { readExistingFiles, type UploadedFiles, uploadAll, uploadFile, uploadThumbnails } from "./upload.ts";
import { z } from "./zod.ts";

// A whole account, as `GET /api/export?format=zip` writes it, packed or unpacked.

export type AccountExport = {
  lines: () => AsyncGenerator<Uint8Array>;
  /** Total size of the export lines in bytes. */
  size: number;
  fileList: FileSource | undefined;
  fileAt: (path: string) => FileSource | undefined;
};

async function* readChunks(bytes: FileSource): AsyncGenerator<Uint8Array> {
  const reader = bytes.stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

async function* readAllChunks(parts: readonly FileSource[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* readChunks(part);
}

/** The account export among these files, at the top or in the only top-level folder; undefined without one. */
export function findAccountExport(entries: FileEntries): AccountExport | undefined {
  const first = [...entries.keys()].find((path) => /^(?:[^/]+\/)?commonplace-00001\.ndjson$/.test(path));
  if (first === undefined) return undefined;
  const folder = first.slice(0, first.lastIndexOf("/") + 1);
  const names = [...entries.keys()].filter(
    (path) => path.startsWith(folder) && isExportPartName(path.slice(folder.length)),
  );
  const parts = names.sort().flatMap((name) => entries.get(name) ?? []);
  return {
    lines: () => readAllChunks(parts),
    size: parts.reduce((sum, { size }) => sum + size, 0),
    fileList: entries.get(folder + FILE_INDEX_NAME),
    fileAt: (path) => entries.get(folder + path),
  };
}

const ListedFile = z.object({
  path: z.string(),
  sha256: z.string(),
  name: z.string(),
  id: z.string(),
  thumbnails: z.record(z.string(), z.string()).optional(),
});
type ListedFile = z.infer<typeof ListedFile>;

async function readFileList(list: FileSource): Promise<ListedFile[]> {
  const all: ListedFile[] = [];
  for await (const line of byteLines(readChunks(list)))
    if (line.length > 0) all.push(ListedFile.parse(JSON.parse(decodeUtf8(line))));
  return all;
}

const NO_FILE_STORAGE =
  "This service has no file storage, so the files in the zip were skipped. Everything else was imported";

const thumbnailSources = (account: AccountExport, thumbnails: Record<string, string>) =>
  new Map(
    Object.entries(thumbnails).flatMap(([width, path]): [number, FileSource][] => {
      const bytes = account.fileAt(path);
      return bytes ? [[Number(width), bytes]] : [];
    }),
  );

/** Uploads the files of an account, before its lines. A file that fails is reported; the others continue. */
export async function uploadAccountFiles(
  client: ApiClient,
  account: AccountExport,
  onProgress: OnProgress = () => {},
): Promise<UploadedFiles> {
  if (!account.fileList) return { ids: new Map(), refused: [] };
  const existing = await readExistingFiles(client);
  if (!existing) return { ids: new Map(), refused: [{ where: "Files", why: NO_FILE_STORAGE }] };
  const upload = async (file: ListedFile, ids: UploadedFiles["ids"]) => {
    const { id, sha256: sum, name, path, thumbnails = {} } = file;
    const bytes = account.fileAt(path);
    if (!bytes) throw new RequestRejectedError(404, "is not in the zip");
    const newId = await uploadFile(client, { name, bytes, sha256: sum }, existing);
    ids.set(id, newId);
    await uploadThumbnails(client, newId, thumbnailSources(account, thumbnails), existing);
  };
  return uploadAll(await readFileList(account.fileList), upload, { where: ({ path }) => path, onProgress });
}

const replaceFileIds = (line: string, ids: UploadedFiles["ids"]): string =>
  line.replace(FILE_REFERENCE, (whole, id: string) => {
    const newId = ids.get(id.toLowerCase());
    return newId === undefined ? whole : FILE_SCHEME + newId;
  });

const digestOf = (hash: ReturnType<typeof sha256.create>) => bytesToHex(hash.clone().digest());

const DAMAGED = "The export is damaged, so nothing was imported";

function rewriteManifest(line: string, sums: Map<string, ReturnType<typeof sha256.create>>): string {
  const manifest = JSON.parse(line) as { sections: Record<string, { count: number; sha256: string }> };
  const sections = Object.entries(manifest.sections).map(([name, section]) => {
    const hash = sums.get(name);
    return [name, hash ? { ...section, sha256: digestOf(hash) } : section];
  });
  return JSON.stringify({ ...manifest, sections: Object.fromEntries(sections) });
}

/**
 * The lines with the new file ids and matching checksums. All ids have the same length, so the size does not change.
 * Throws when the lines do not match their original checksum.
 */
export async function* withNewFileIds(
  lines: AsyncIterable<Uint8Array>,
  ids: UploadedFiles["ids"],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const [before, after] = [sha256.create(), sha256.create()];
  const sums = new Map(EXPORT_SECTIONS.map((name) => [name as string, sha256.create()]));
  const rewrite = (type: string, line: string) => {
    if (type === "manifest") return rewriteManifest(line, sums);
    if (type === "end") return JSON.stringify({ type, sha256: digestOf(after) });
    return replaceFileIds(line, ids);
  };
  let isComplete = false;
  for await (const bytes of byteLines(lines)) {
    if (bytes.length === 0) continue;
    const line = decodeUtf8(bytes);
    const [, type = ""] = /^\{"type":"(\w+)"/.exec(line) ?? [];
    if (type === "end") {
      isComplete = line === JSON.stringify({ type, sha256: digestOf(before) });
      if (!isComplete) throw new Error(DAMAGED);
    }
    before.update(bytes).update(LINE_FEED);
    const next = utf8ToBytes(`${rewrite(type, line)}\n`) as Uint8Array<ArrayBuffer>;
    after.update(next);
    sums.get(type)?.update(next);
    yield next;
  }
  if (!isComplete) throw new Error(DAMAGED);
}

const PART_BYTES = 4 * 1024 * 1024;

async function* requestParts(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const line of lines) {
    pieces.push(line);
    size += line.length;
    if (size < PART_BYTES) continue;
    yield concatBytes(...pieces) as Uint8Array<ArrayBuffer>;
    [pieces, size] = [[], 0];
  }
  if (size > 0) yield concatBytes(...pieces) as Uint8Array<ArrayBuffer>;
}

const NDJSON = { "Content-Type": "application/x-ndjson", Prefer: "wait=20" };

/**
 * Imports an account export into another account; existing data stays. Files are uploaded first, with `onProgress`
 * called for each. Throws for a damaged export, in which case nothing is imported.
 */
export async function importAccount(
  client: ApiClient,
  account: AccountExport,
  onProgress?: OnProgress,
): Promise<{ done: Import; refused: ImportProblem[] }> {
  const { ids, refused } = await uploadAccountFiles(client, account, onProgress);
  let current: Import | undefined;
  let start = 0;
  const send = (raw: Uint8Array<ArrayBuffer> | string, headers: Record<string, string>) => {
    const path = current ? `/api/import/${current.id}` : "/api/import?mode=skip";
    return client.send<Import>({ method: "POST", path, raw, headers: { ...NDJSON, ...headers } });
  };
  try {
    for await (const part of requestParts(withNewFileIds(account.lines(), ids))) {
      current = await send(part, { "Content-Range": `bytes ${start}-${start + part.length - 1}/*` });
      start += part.length;
    }
  } catch (problem) {
    if (current) await client.send({ method: "DELETE", path: `/api/import/${current.id}` });
    throw problem;
  }
  while (current?.status !== "done") current = await send("", {});
  return { done: current, refused };
}

const LINE_FEED = utf8ToBytes("\n");
