import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { AttachmentExportLine, FileExportLine } from "../../contract/file.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { TypedLine } from "./format.ts";
import { readPages } from "./pages.ts";

/** `thumbnails`: JSON object whose keys are the widths. */
export type FileWithThumbnails = Omit<FileExportLine, "type"> & { thumbnails: string };

const PAGE = 1000;

/** The caller's files outside the trash, oldest first. Files added meanwhile may or may not be included. */
export async function* filesByAge(ctx: Ctx): AsyncGenerator<FileWithThumbnails> {
  const read = (last?: FileWithThumbnails) =>
    ctx.db.all<FileWithThumbnails>(sql`
      SELECT id, sha256, name, type AS media_type, bytes, alt, width, height, created_at, thumbnails
      FROM files INDEXED BY files_owner_created_at_idx
      WHERE owner = ${ctx.owner} AND trashed_at IS NULL
        AND (created_at, id) > (${last?.created_at ?? ""}, ${last?.id ?? ""})
      ORDER BY created_at, id LIMIT ${PAGE}`);
  for await (const rows of readPages(PAGE, read)) yield* rows;
}

type Link = {
  of: string | number;
  file_id: string;
  sha256: string;
  trashed_at: string | null;
  created_at: string;
};

const LINKS = {
  document_id: { from: sql.raw("document_files AS l INDEXED BY document_files_owner_idx"), first: "" },
  memory_id: { from: sql.raw("memory_files AS l"), first: 0 },
} as const;

/** Attachments of files outside the trash, ordered by the document or record that they belong to. */
async function* attachmentsBy(ctx: Ctx, column: keyof typeof LINKS): AsyncGenerator<Link> {
  const { from, first } = LINKS[column];
  const holder = sql.raw(`l.${column}`);
  const read = (last?: Link) =>
    ctx.db.all<Link>(sql`
      SELECT ${holder} AS "of", l.file_id, f.sha256, f.trashed_at, l.created_at
      FROM ${from} CROSS JOIN files AS f ON f.id = l.file_id AND f.owner = l.owner
      WHERE l.owner = ${ctx.owner} AND (${holder}, l.file_id) > (${last?.of ?? first}, ${last?.file_id ?? ""})
      ORDER BY ${holder}, l.file_id LIMIT ${PAGE}`);
  for await (const rows of readPages(PAGE, read))
    for (const row of rows) if (row.trashed_at === null) yield row;
}

const NOTHING = { document_id: null, memory_id: null };

/** The lines of all files, followed by those of all attachments. */
export async function* fileLines(ctx: Ctx): AsyncGenerator<TypedLine> {
  for await (const { thumbnails: _, ...file } of filesByAge(ctx))
    yield { type: "file", line: JSON.stringify({ type: "file", ...file } satisfies FileExportLine) };
  for (const column of ["document_id", "memory_id"] as const)
    for await (const { of, sha256, created_at } of attachmentsBy(ctx, column)) {
      const line = { type: "attachment", sha256, ...NOTHING, [column]: of, created_at };
      yield { type: "attachment", line: JSON.stringify(line as z.infer<typeof AttachmentExportLine>) };
    }
}
