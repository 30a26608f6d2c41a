import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { FILE_SCHEME } from "../../contract/file-limits.ts";
import { filesIn } from "../../contract/files/named.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { listOf } from "../../platform/db/list.ts";

// What a document's text names belongs to it, and what it no longer names does not.

/** So many at most: one text could name 20,000 ids. */
const MOST_NAMED = 1000;

type Content = Record<string, unknown> | null | undefined;

const namedIn = (content: Content): string[] =>
  content ? filesIn(JSON.stringify(content)).slice(0, MOST_NAMED) : [];

/**
 * Attaches the files that a document names now, and detaches those that it named before. Ids that are not the caller's are
 * nothing but text. Those in the trash are attached as well, for when they come back. Nothing is sent when no file is named.
 */
export function namingStatements(
  ctx: Ctx,
  id: string,
  { before, after }: { before?: Content; after: Content },
): BatchItem<"sqlite">[] {
  const named = namedIn(after);
  const gone = namedIn(before).filter((file) => !named.includes(file));
  return [
    ...(named.length > 0 ? [attached(ctx, id, named)] : []),
    ...(gone.length > 0
      ? [
          ctx.db.run(sql`DELETE FROM document_files
            WHERE document_id = ${id} AND owner = ${ctx.owner} AND file_id IN ${listOf(gone)}`),
        ]
      : []),
  ];
}

const attached = (ctx: Ctx, id: string, named: readonly string[]) =>
  ctx.db.run(sql`INSERT INTO document_files (document_id, file_id, owner, created_at)
    SELECT ${id}, files.id, owner, ${ctx.now.toISOString()} FROM files
    WHERE files.id IN ${listOf(named)} AND owner = ${ctx.owner} ON CONFLICT DO NOTHING`);

/** Attaches files to documents that name them: pairs of both ids. */
export const attachNamed = (ctx: Ctx, pairs: readonly [document: string, file: string][]) =>
  ctx.db.run(sql`INSERT INTO document_files (document_id, file_id, owner, created_at)
    SELECT pair.value ->> 0, files.id, files.owner, ${ctx.now.toISOString()}
    FROM json_each(${JSON.stringify(pairs)}) AS pair CROSS JOIN files ON files.id = pair.value ->> 1
    WHERE files.owner = ${ctx.owner} ON CONFLICT DO NOTHING`);

/** Detaches what a stored document names and another content does not: sent before that is written. */
export const unnamingStatement = (ctx: Ctx, id: string, after: Content) =>
  ctx.db.run(sql`DELETE FROM document_files WHERE document_id = ${id} AND owner = ${ctx.owner}
    AND file_id NOT IN ${listOf(namedIn(after))}
    AND instr((SELECT lower(content) FROM documents WHERE id = ${id}), ${FILE_SCHEME} || file_id) > 0`);
