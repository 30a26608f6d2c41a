import { Buffer } from "node:buffer";
import { sql } from "drizzle-orm";
import type { Document } from "../../contract/document.ts";
import { DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { exportPartName } from "../../contract/export-format.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { createYieldingRunner } from "../../platform/queue/yielding.ts";
import { renderDocumentFile } from "../../shared/files/note.ts";
import { rowBytes } from "../billing/sizes.ts";
import type { StoredFolder } from "../documents/folder-path.ts";
import { readGroups } from "./pages.ts";
import { parentsFirst } from "./parents-first.ts";
import { exportPaths, folderNames } from "./paths.ts";
import { exportLines, foldersById } from "./store.ts";
import { readUploadedFiles, type UploadedFiles } from "./uploaded-files-store.ts";
import type { StreamedZipFile, ZipFile } from "./zip.ts";

type Measured = { id: string; bytes: number };

const documentBytesSql = rowBytes(DOCUMENT_FIELDS);

/** The documents outside the trash, in these folders or in all, ordered by id, in groups that fit into memory. */
function documentGroups(ctx: Ctx, folders: Set<string> | undefined): AsyncGenerator<Measured[]> {
  const index = folders ? "documents_owner_folder_id_idx" : "documents_owner_id_idx";
  const inFolders = folders ? sql`AND folder_id IN ${sqlList(folders)}` : sql``;
  return readGroups<Measured>((last, limit) =>
    ctx.db.all(sql`SELECT id, ${documentBytesSql} AS bytes FROM documents INDEXED BY ${sql.raw(index)}
      WHERE owner = ${ctx.owner} AND trashed_at IS NULL ${inFolders} AND id > ${last?.id ?? ""} ORDER BY id LIMIT ${limit}`),
  );
}

type Row = Pick<Document, "title" | "folder_id" | "created_at" | "updated_at"> & {
  tags: string;
  content: string | null;
  files: string;
};

/** The documents of a group, without those trashed since it was measured. `updated_at` is when their text was last changed. */
const readGroup = (ctx: Ctx, group: Measured[]) =>
  ctx.db.all<Row>(sql`SELECT title, folder_id, created_at, changed_at AS updated_at, tags, content,
      (SELECT json_group_array(file_id) FROM (SELECT file_id FROM document_files AS l
        WHERE l.document_id = documents.id AND l.owner = documents.owner ORDER BY created_at, file_id)) AS files
    FROM documents WHERE owner = ${ctx.owner} AND trashed_at IS NULL
      AND id IN ${sqlList(group.map(({ id }) => id))} ORDER BY id`);

const parseDocument = ({ tags, content, files, ...row }: Row) => ({
  ...row,
  tags: JSON.parse(tags) as string[],
  files: JSON.parse(files) as string[],
  ...(content !== null && { content: JSON.parse(content) as Record<string, unknown> }),
});

const encoder = new TextEncoder();

type Source = {
  places: ReturnType<typeof exportPaths>;
  added: UploadedFiles;
  /** Only this folder and its subfolders. */
  folder?: string | undefined;
};

async function* documentFiles(ctx: Ctx, { places, added, folder }: Source): AsyncGenerator<ZipFile> {
  const folderIds = folder === undefined ? undefined : new Set(places.ids);
  const turn = createYieldingRunner();
  for await (const group of documentGroups(ctx, folderIds)) {
    for (const row of await readGroup(ctx, group)) {
      if (folderIds && !folderIds.has(row.folder_id ?? "")) continue;
      const document = parseDocument(row);
      const place = places.of(document.folder_id);
      const linkOf = added.linksFrom(place.path);
      const files = document.files.flatMap((id) => linkOf(id) ?? []);
      const { ending, text } = await turn(() =>
        renderDocumentFile(document, { folders: folderNames(place), files, linkOf }),
      );
      const path = places.fileIn(place, document.title, ending);
      yield { path, modified: new Date(document.updated_at), bytes: encoder.encode(text) };
    }
  }
}

async function readFolders(ctx: Ctx): Promise<StoredFolder[]> {
  const folders: StoredFolder[] = [];
  for await (const { id, name, parent_id } of parentsFirst(foldersById(ctx)))
    folders.push({ id, name, parent_id });
  return folders;
}

async function* documentsWithFiles(ctx: Ctx, source: Source): AsyncGenerator<ZipFile | StreamedZipFile> {
  yield* documentFiles(ctx, source);
  yield* source.added.named();
}

/**
 * The caller's documents as files, of all folders or of one with its subfolders, followed by the uploaded files that they link
 * to or that are attached to them, and the name of the folder. Concurrent changes may or may not be included; each document
 * is included once. Throws 404.
 */
export async function readMarkdownFiles(ctx: Ctx, folder?: string) {
  const folders = await readFolders(ctx);
  const name = folders.find(({ id }) => id === folder)?.name;
  if (folder !== undefined && name === undefined) throw notFound();
  const places = exportPaths(folders, folder);
  const added = await readUploadedFiles(ctx, places);
  return { folder: name, files: documentsWithFiles(ctx, { places, added, folder }) };
}

/** Bytes of export lines per file of the zip. */
const LINES_BYTES = 2 * 1024 * 1024;

/** The export lines split into files, which concatenated are the export. Each is held in memory: its size precedes it. */
async function* linesAsFiles(ctx: Ctx): AsyncGenerator<ZipFile> {
  let pieces: Uint8Array[] = [];
  let [size, number] = [0, 0];
  const file = (): ZipFile => {
    const bytes = Buffer.concat(pieces);
    [pieces, size] = [[], 0];
    number += 1;
    return { path: exportPartName(number), modified: ctx.now, bytes };
  };
  for await (const line of exportLines(ctx)) {
    pieces.push(line);
    size += line.length;
    if (size >= LINES_BYTES) yield file();
  }
  yield file();
}

/** Everything that the caller owns: the export lines, the documents as files, and all uploaded files. */
export async function* readAccountFiles(ctx: Ctx): AsyncGenerator<ZipFile | StreamedZipFile> {
  yield* linesAsFiles(ctx);
  const places = exportPaths(await readFolders(ctx));
  const added = await readUploadedFiles(ctx, places);
  yield* documentFiles(ctx, { places, added });
  yield* added.all();
}
