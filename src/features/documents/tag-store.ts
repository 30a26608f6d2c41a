import { and, type SQL, sql } from "drizzle-orm";
import type { DocumentRow } from "../../contract/document.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { firstOf } from "../../platform/db/in-steps.ts";
import { isNamed } from "../../platform/db/spellings.ts";
import { documents } from "../../platform/db/tables.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { replaceVersion } from "./change-store.ts";
import { columns, notTrashed } from "./row-store.ts";

const tagged = ({ owner }: Ctx, condition: SQL) =>
  sql`FROM document_tags WHERE owner = ${owner} AND ${condition}`;

/** True in SQL for documents with the tag in any spelling. Not correlated: the ids are looked up once. */
export const hasTag = (ctx: Ctx, tag: string) =>
  sql`${documents.id} IN (SELECT document_id ${tagged(ctx, isNamed(ctx, sql`tag`, "tag", tag))})`;

export const countTagged = (ctx: Ctx, tag: string) =>
  ctx.db.all<{ total: number }>(sql`
    SELECT iif(count(*) > 1,
      (SELECT count(DISTINCT document_id) ${tagged(ctx, isNamed(ctx, sql`tag`, "tag", tag))}),
      max(documents)) AS total
    FROM tag_totals WHERE owner = ${ctx.owner} AND ${isNamed(ctx, sql`tag`, "tag", tag)}`);

/** The tags on the caller's documents that a name means: the one that is spelled so, or else those that differ in case. */
export async function tagsMeant(ctx: Ctx, name: string): Promise<string[]> {
  const rows = await ctx.db.all<{ tag: string }>(sql`SELECT tag FROM tag_totals
    WHERE owner = ${ctx.owner} AND ${isNamed(ctx, sql`tag`, "tag", name)}`);
  const tags = rows.map(({ tag }) => tag);
  return tags.includes(name) ? [name] : tags;
}

/** How many documents one step rewrites, and how many bytes of content, unless a single one has more. */
const RETAGGED_AT_ONCE = 8;
const RETAGGED_BYTES = 256 * 1024;

/** Replaces or removes a tag everywhere, in bounded steps; another run continues an interrupted one. */
export async function retagDocuments(ctx: Ctx, tag: string, next: string | null): Promise<void> {
  for (;;) {
    const rows = await nextTagged(ctx, tag);
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => retag(ctx, row, tag, next)));
    await yieldToOthers();
  }
}

function nextTagged(ctx: Ctx, tag: string) {
  const has = sql`${documents.id} IN (SELECT document_id ${tagged(ctx, sql`tag = ${tag}`)})`;
  const some = sql`SELECT ${documents.id}, coalesce(octet_length(${documents.content}), 0) AS bytes FROM ${documents}
    WHERE ${and(notTrashed(ctx), has)} LIMIT ${RETAGGED_AT_ONCE}`;
  return ctx.db
    .select(columns)
    .from(documents)
    .where(sql`${documents.id} IN (${firstOf(some, RETAGGED_BYTES)})`);
}

async function retag(ctx: Ctx, row: DocumentRow, tag: string, next: string | null): Promise<void> {
  const replaced = row.tags.map((name) => (name === tag ? next : name)).filter((name) => name !== null);
  const tags = [...new Set(replaced)];
  const changed = { ...row, tags, version: row.version + 1, updated_at: ctx.now.toISOString() };
  await replaceVersion(ctx, { row, next: changed }, { source_type: "api" });
}
