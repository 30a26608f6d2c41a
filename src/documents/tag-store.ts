import { and, sql } from "drizzle-orm";
import { breathe } from "../platform/turns/yield.ts";
import type { Ctx } from "../platform/core/ctx.ts";
import { firstOf } from "../platform/db/in-steps.ts";
import { documents } from "../db/tables.ts";
import type { DocumentRow } from "../contract/document.ts";
import { living, replaceVersion, shown } from "./store.ts";

/** True in SQL for the caller's documents that have the tag. Not a correlated subquery: the ids are looked up once. */
export const hasTag = (ctx: Ctx, tag: string) =>
  sql`${documents.id} IN (SELECT document_id FROM document_tags WHERE owner = ${ctx.owner} AND tag = ${tag})`;

/** How many documents of the caller have the tag. */
export const countTagged = (ctx: Ctx, tag: string) =>
  ctx.db.all<{ total: number }>(
    sql`SELECT documents AS total FROM tag_totals WHERE owner = ${ctx.owner} AND tag = ${tag}`,
  );

/** How many documents one step rewrites, and how many bytes of content, unless a single one has more. */
const RETAGGED_AT_ONCE = 8;
const RETAGGED_BYTES = 256 * 1024;

/**
 * Replaces a tag on every document of the caller that has it, or removes it if `next` is null, in bounded steps. An
 * interrupted run leaves each document with either the old tag or the new one; another run continues.
 */
export async function retagDocuments(ctx: Ctx, tag: string, next: string | null): Promise<void> {
  for (;;) {
    const rows = await nextTagged(ctx, tag);
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => retag(ctx, row, tag, next)));
    await breathe();
  }
}

/** The next documents that have the tag: at least one, if there are any. */
function nextTagged(ctx: Ctx, tag: string) {
  const some = sql`SELECT ${documents.id}, coalesce(octet_length(${documents.content}), 0) AS bytes FROM ${documents}
    WHERE ${and(living(ctx), hasTag(ctx, tag))} LIMIT ${RETAGGED_AT_ONCE}`;
  return ctx.db
    .select(shown)
    .from(documents)
    .where(sql`${documents.id} IN (${firstOf(some, RETAGGED_BYTES)})`);
}

async function retag(ctx: Ctx, row: DocumentRow, tag: string, next: string | null): Promise<void> {
  const replaced = row.tags.map((name) => (name === tag ? next : name)).filter((name) => name !== null);
  const tags = [...new Set(replaced)];
  const changed = { ...row, tags, version: row.version + 1, updated_at: ctx.now.toISOString() };
  await replaceVersion(ctx, { row, next: changed }, { source_type: "api" });
}
