import { sql } from "drizzle-orm";
import { FILE_SCHEME } from "../../contract/file-limits.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { fileIdsIn } from "../../shared/files/file-references.ts";

// A document's attachments follow the file references in its text.

/** A limit, because one text could reference 20,000 ids. */
const MAX_REFERENCES = 1000;

type Content = Record<string, unknown> | null | undefined;

const referencedFiles = (content: Content): string[] =>
  content ? fileIdsIn(JSON.stringify(content)).slice(0, MAX_REFERENCES) : [];

/** Attaches the files that a document references now, and detaches the others. Ids that are not the caller's are ignored. */
export function fileReferenceStatements(
  ctx: Ctx,
  id: string,
  { before, after }: { before?: Content; after: Content },
): BatchItem[] {
  const referenced = referencedFiles(after);
  const removed = referencedFiles(before).filter((file) => !referenced.includes(file));
  const attach = sql`INSERT INTO document_files (document_id, file_id, owner, created_at)
    SELECT ${id}, files.id, owner, ${ctx.now.toISOString()} FROM files
    WHERE files.id IN ${sqlList(referenced)} AND owner = ${ctx.owner} ON CONFLICT DO NOTHING`;
  const detach = sql`DELETE FROM document_files
    WHERE document_id = ${id} AND owner = ${ctx.owner} AND file_id IN ${sqlList(removed)}`;
  return [
    ...(referenced.length > 0 ? [ctx.db.run(attach)] : []),
    ...(removed.length > 0 ? [ctx.db.run(detach)] : []),
  ];
}

export const attachReferencedFiles = (ctx: Ctx, pairs: readonly [document: string, file: string][]) =>
  ctx.db.run(sql`INSERT INTO document_files (document_id, file_id, owner, created_at)
    SELECT pair.value ->> 0, files.id, files.owner, ${ctx.now.toISOString()}
    FROM json_each(${JSON.stringify(pairs)}) AS pair CROSS JOIN files ON files.id = pair.value ->> 1
    WHERE files.owner = ${ctx.owner} ON CONFLICT DO NOTHING`);

/** Detaches files that the stored document references but the new content does not. Must run before the content is written. */
export const detachRemovedReferences = (ctx: Ctx, id: string, after: Content) =>
  ctx.db.run(sql`DELETE FROM document_files WHERE document_id = ${id} AND owner = ${ctx.owner}
    AND file_id NOT IN ${sqlList(referencedFiles(after))}
    AND instr((SELECT lower(content) FROM documents WHERE id = ${id}), ${FILE_SCHEME} || file_id) > 0`);
