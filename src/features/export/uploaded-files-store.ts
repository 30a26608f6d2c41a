import { FILE_INDEX_NAME } from "../../contract/export-format.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { relativeLink } from "../../shared/files/links.ts";
import { fileKey, readBytes, thumbnailKey } from "../files/bytes.ts";
import { type FileWithThumbnails, filesByAge } from "./file-lines-store.ts";
import type { exportPaths } from "./paths.ts";
import type { StreamedZipFile, ZipFile } from "./zip.ts";

// Uploaded files in a zip. Their bytes are streamed from the bucket.

type UploadedFile = Pick<FileWithThumbnails, "id" | "sha256" | "name" | "bytes" | "created_at"> & {
  /** Paths of its thumbnails by width. */
  thumbnails: Record<string, string>;
  /** Path in the zip, set on first use. */
  path?: string;
};

export type UploadedFiles = Awaited<ReturnType<typeof readUploadedFiles>>;

const PIECE_BYTES = 256 * 1024;

/** The stream in large pieces. By default pieces have 4 kB, and each costs a turn of the event loop. */
async function* largePieces(body: ReadableStream): AsyncGenerator<Uint8Array> {
  const reader = body.getReader({ mode: "byob" });
  try {
    for (;;) {
      const { value, done } = await reader.readAtLeast(PIECE_BYTES, new Uint8Array(PIECE_BYTES));
      if (value && value.length > 0) yield value;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const encoder = new TextEncoder();

const fileIndex = (all: UploadedFile[], pathOf: (added: UploadedFile) => string): Uint8Array => {
  const lines = all.map((added) => {
    const { id, sha256, name, thumbnails } = added;
    const small = Object.keys(thumbnails).length > 0 && { thumbnails };
    return `${JSON.stringify({ path: pathOf(added), sha256, name, id, ...small })}\n`;
  });
  return encoder.encode(lines.join(""));
};

/** The files outside the trash; none without file storage. A file gets its path when it is first used. */
export async function readUploadedFiles(ctx: Ctx, places: ReturnType<typeof exportPaths>) {
  const { bucket } = ctx;
  const known = new Map<string, UploadedFile>();
  if (bucket)
    for await (const { id, sha256, name, bytes, created_at, thumbnails } of filesByAge(ctx)) {
      const widths = Object.keys(JSON.parse(thumbnails));
      const small = Object.fromEntries(widths.map((width) => [width, places.thumbnail(id, width)]));
      known.set(id, { id, sha256, name, bytes, created_at, thumbnails: small });
    }
  const { id: user } = await ctx.user();
  const pathOf = (added: UploadedFile) => {
    added.path ??= places.addedFile(added.name);
    return added.path;
  };
  const streamedFile = (added: UploadedFile): StreamedZipFile => ({
    path: pathOf(added),
    modified: new Date(added.created_at),
    open: async () => {
      const whole = { start: 0, end: added.bytes - 1 };
      const body = bucket && (await readBytes(bucket, fileKey(user, added.id), whole));
      return body ? largePieces(body) : undefined;
    },
  });
  /** Thumbnails are small enough to be held in memory instead of being read twice. */
  async function* thumbnailsOf({ id, created_at, thumbnails }: UploadedFile): AsyncGenerator<ZipFile> {
    for (const [width, path] of Object.entries(thumbnails)) {
      const found = await bucket?.get(thumbnailKey(fileKey(user, id), width));
      if (!found) continue;
      yield { path, modified: new Date(created_at), bytes: new Uint8Array(await found.arrayBuffer()) };
    }
  }
  return {
    /** Returns links to files, relative to a folder whose path ends with a slash. */
    linksFrom: (folder: string) => (id: string) => {
      const added = known.get(id);
      return added && relativeLink(folder, pathOf(added));
    },
    /** The files that were linked to. */
    named: function* () {
      for (const added of known.values()) if (added.path !== undefined) yield streamedFile(added);
    },
    /** The list of files, then all files with their thumbnails. */
    all: async function* () {
      const modified = ctx.now;
      if (known.size > 0)
        yield { path: FILE_INDEX_NAME, modified, bytes: fileIndex([...known.values()], pathOf) };
      for (const added of known.values()) {
        yield streamedFile(added);
        yield* thumbnailsOf(added);
      }
    },
  };
}
