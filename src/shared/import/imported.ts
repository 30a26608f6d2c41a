import type { DocumentList } from "../../contract/document.ts";
import { omit } from "../../contract/omit.ts";
import { type ApiClient, ClientStoppedError } from "./client.ts";
import { type FileIds, type ImportItem, type OnProgress, shortDigest } from "./item.ts";
import { z } from "./zod.ts";

// Each imported document carries a mark in its content, written in the same transaction. Unlike an Idempotency-Key it
// never expires. Its values are numbers, because search indexes every string of the content.

const ImportMark = z.object({
  /** Digests of the imported folder, of the path in it, and of the file's own name. */
  source: z.number(),
  origin: z.number(),
  name: z.number(),
  content: z.number(),
  rest: z.number(),
  version: z.number(),
  /** Digest of the files that it needs, as far as they were uploaded. */
  files: z.number().optional(),
  /** Digest of the source of its front matter, which earlier releases did not keep. */
  written: z.number().optional(),
});
export type ImportMark = z.infer<typeof ImportMark>;

/** The mark of earlier releases: digests of the full path, and of everything. */
const OldImportMark = z.object({ origin: z.number(), checksum: z.number() });
export type OldImportMark = z.infer<typeof OldImportMark>;

export type ImportedDocument = {
  id: string;
  version: number;
  title: string;
  tags: string[];
  folder_id: string | null;
  mark: ImportMark | OldImportMark;
};

export const isOldMark = (mark: ImportMark | OldImportMark): mark is OldImportMark => "checksum" in mark;

/** Whether the document was changed since its import. Old marks cannot tell, so they count as changed. */
export const isEditedSinceImport = ({ mark, version }: ImportedDocument) =>
  isOldMark(mark) || mark.version !== version;

const filesDigest = (sizes: ReadonlyMap<string, number>, ids: FileIds | undefined) => {
  const uploaded = [...sizes].filter(([path]) => !ids || ids.has(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return uploaded.length > 0 && { files: shortDigest(JSON.stringify(uploaded)) };
};

function contentDigests({ front_matter_source: source, ...content }: ImportItem["content"]) {
  const written = typeof source === "string" && { written: shortDigest(source) };
  return { content: shortDigest(JSON.stringify(content)), ...written };
}

/** Whether the source of the front matter changed. Unknown for marks of earlier releases, so false. */
export const isFrontMatterRewritten = (before: ImportMark, next: ImportMark): boolean =>
  before.written !== undefined && before.written !== next.written;

/** Paths and names are compared in NFC, because file systems change their Unicode form. */
export const nameDigest = (name: string) => shortDigest(name.normalize("NFC"));

/** `ids`: the uploaded files; without it, all files that the item needs count as uploaded. */
export const createImportMark = (
  { source, path, name, title, content, tags, files }: ImportItem,
  version: number,
  ids?: FileIds,
): ImportMark => ({
  source: shortDigest(source),
  origin: nameDigest(path),
  name: nameDigest(name),
  ...contentDigests(content),
  rest: shortDigest(JSON.stringify([title, tags])),
  version,
  ...(files && filesDigest(files.sizes, ids)),
});

/** Whether writing the item would change nothing, also if some of its files could not be uploaded. */
export const isUpToDate = (before: ImportMark | OldImportMark, next: ImportMark): boolean =>
  !isOldMark(before) &&
  before.content === next.content &&
  before.rest === next.rest &&
  before.files === next.files &&
  !isFrontMatterRewritten(before, next);

export function createOldImportMark(item: ImportItem): OldImportMark {
  const { source, path, title, tags, folders } = item;
  const content = omit(item.content, "front_matter_source");
  return {
    origin: shortDigest(path.startsWith("#") ? source + path : `${source}/${path}`),
    checksum: shortDigest(JSON.stringify([title, content, tags, folders])),
  };
}

const PAGE = 100;
const ATTEMPTS = 3;

/** All imported documents; undefined if documents were added or deleted during listing. */
async function listConsistently(client: ApiClient, onProgress: OnProgress) {
  const found = new Map<string, DocumentList["items"][number]>();
  for (let offset = 0; ; offset += PAGE) {
    const query = `source_type=import&content_key=imported&sort=created_at&order=asc&limit=${PAGE}&offset=${offset}`;
    const path = `/api/documents?${query}`;
    const { items, total } = await client.send<DocumentList>({ method: "GET", path });
    for (const item of items) found.set(item.id, item);
    onProgress(found.size, total);
    if (items.length === PAGE) continue;
    return found.size === total ? [...found.values()].flatMap(readMark) : undefined;
  }
}

function readMark({ content, ...document }: DocumentList["items"][number]): ImportedDocument[] {
  const { success, data } = z.union([ImportMark, OldImportMark]).safeParse(content?.imported);
  return success ? [{ ...document, mark: data }] : [];
}

/** Reads the documents that earlier imports wrote. Throws `ClientStoppedError` if documents keep changing meanwhile. */
export async function readImportedDocuments(
  client: ApiClient,
  onProgress: OnProgress,
): Promise<ImportedDocument[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const imported = await listConsistently(client, onProgress);
    if (imported) return imported;
  }
  throw new ClientStoppedError("Another import into this account is running");
}

export type PlannedItem = { item: ImportItem } & (
  | { kind: "create" | "skip" }
  /** `moved`: same text, another folder or file name. `edited`: the document was changed in the account. */
  | { kind: "update" | "moved" | "edited"; document: ImportedDocument }
);
