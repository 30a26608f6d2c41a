import { sql } from "drizzle-orm";
import type { Document } from "../../contract/document.ts";
import { DOCUMENT as DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { fileOf } from "../../contract/files/note.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { inGroups } from "../../platform/core/groups.ts";
import { turns } from "../../platform/turns/fair.ts";
import { rowBytes } from "../billing/sizes.ts";
import { parentsFirst } from "./parents-first.ts";
import { namesTo, placesOf, type StoredFolder } from "./paths.ts";
import { foldersById } from "./store.ts";
import type { ZipFile } from "./zip.ts";

/** How many bytes one call reads, unless a single document has more. */
const GROUP_BYTES = 2 * 1024 * 1024;
const MEASURED = 5000;

type Measured = { id: string; bytes: number };

const documentBytes = rowBytes(DOCUMENT_FIELDS);

/** The documents outside of the trash, in these folders or anywhere, by their ids, in groups that fit into memory. */
async function* groups(ctx: Ctx, folders: string[] | undefined): AsyncGenerator<Measured[]> {
  const index = folders ? "documents_owner_folder_id_idx" : "documents_owner_id_idx";
  const inFolders = folders
    ? sql`AND folder_id IN (SELECT value FROM json_each(${JSON.stringify(folders)}))`
    : sql``;
  for (let after = ""; ; ) {
    const rows = await ctx.db.all<Measured>(sql`SELECT id, ${documentBytes} AS bytes
      FROM documents INDEXED BY ${sql.raw(index)}
      WHERE owner = ${ctx.owner} AND trashed_at IS NULL ${inFolders} AND id > ${after} ORDER BY id LIMIT ${MEASURED}`);
    yield* inGroups(rows, ({ bytes }) => bytes, GROUP_BYTES);
    if (rows.length < MEASURED) return;
    after = rows.at(-1)?.id ?? "";
  }
}

type Row = Pick<Document, "title" | "folder_id" | "created_at" | "updated_at"> & {
  tags: string;
  content: string | null;
};

/** A group's documents, but for those that have been moved to the trash or out of the folders since it was measured. */
const documentsOf = (ctx: Ctx, group: Measured[]) =>
  ctx.db.all<Row>(sql`SELECT title, folder_id, created_at, updated_at, tags, content FROM documents
    WHERE owner = ${ctx.owner} AND trashed_at IS NULL
      AND id IN (SELECT value FROM json_each(${JSON.stringify(group.map(({ id }) => id))})) ORDER BY id`);

const documentIn = ({ tags, content, ...row }: Row) => ({
  ...row,
  tags: JSON.parse(tags) as string[],
  ...(content !== null && { content: JSON.parse(content) as Record<string, unknown> }),
});

const encoder = new TextEncoder();

async function* filesIn(
  ctx: Ctx,
  places: ReturnType<typeof placesOf>,
  folder: string | undefined,
): AsyncGenerator<ZipFile> {
  const wanted = folder === undefined ? undefined : new Set(places.ids);
  const turn = turns();
  for await (const group of groups(ctx, wanted && [...wanted])) {
    for (const row of await documentsOf(ctx, group)) {
      if (wanted && !wanted.has(row.folder_id ?? "")) continue;
      const document = documentIn(row);
      const place = places.of(document.folder_id);
      const { ending, text } = await turn(() => fileOf(document, namesTo(place)));
      const path = places.fileIn(place, document.title, ending);
      yield { path, modified: new Date(document.updated_at), bytes: encoder.encode(text) };
    }
  }
}

/**
 * The caller's documents as files, of all folders or of one with those in it, and the name of that one. Concurrent changes
 * may or may not be in it; each document is in it once. Throws 404.
 */
export async function readFiles(
  ctx: Ctx,
  folder?: string,
): Promise<{ folder: string | undefined; files: AsyncGenerator<ZipFile> }> {
  const folders: StoredFolder[] = [];
  for await (const { id, name, parent_id } of parentsFirst(foldersById(ctx)))
    folders.push({ id, name, parent_id });
  const name = folders.find(({ id }) => id === folder)?.name;
  if (folder !== undefined && name === undefined) throw notFound();
  return { folder: name, files: filesIn(ctx, placesOf(folders, folder), folder) };
}
