import { type SQL, sql } from "drizzle-orm";
import type { DocumentRow } from "../../contract/document.ts";
import { normalizeName } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { hasName, taggedWithAll } from "../../platform/db/spellings.ts";
import { documents } from "../../platform/db/tables.ts";
import { versionStatements } from "./change-store.ts";
import { type DocumentIndexing, newDocumentIndexing } from "./index-store.ts";
import { documentColumns, notTrashed } from "./row-store.ts";
import type { Statements } from "./statement-store.ts";

const taggedSql = ({ owner }: Ctx, condition: SQL) =>
  sql`FROM document_tags WHERE owner = ${owner} AND ${condition}`;

/** SQL: the document has all these tags, in any spelling. */
export const hasTags = (ctx: Ctx, tags: readonly string[]) =>
  sql`${documents.id} IN ${taggedWithAll(ctx, tags, { table: "document_tags", record: "document_id" })}`;

export const countTaggedStatement = (ctx: Ctx, tag: string) =>
  ctx.db.all<{ total: number }>(sql`
    SELECT iif(count(*) > 1,
      (SELECT count(DISTINCT document_id) ${taggedSql(ctx, hasName(ctx, sql`tag`, "tag", tag))}),
      max(documents)) AS total
    FROM tag_totals WHERE owner = ${ctx.owner} AND ${hasName(ctx, sql`tag`, "tag", tag)}`);

/** The caller's document tags with exactly this name, else those that differ in case. */
export async function resolveTag(ctx: Ctx, name: string): Promise<{ tag: string; documents: number }[]> {
  const rows = await ctx.db.all<{ tag: string; documents: number }>(sql`SELECT tag, documents FROM tag_totals
    WHERE owner = ${ctx.owner} AND ${hasName(ctx, sql`tag`, "tag", name)}`);
  // An earlier release may have stored the same name in NFD.
  const exact = rows.filter(({ tag }) => normalizeName(tag) === normalizeName(name));
  return exact.length > 0 ? exact : rows;
}

/** Documents, and bytes of content, that one step rewrites. A single document may have more. */
const DOCUMENTS_PER_STEP = 20;
const BYTES_PER_STEP = 256 * 1024;

type TagReplacement = { tag: string; next: string | null };

/**
 * Replaces or removes a tag on some of the documents that have it, in one transaction with `progressStatements`. Returns
 * whether there may be more. Throws 403 if the account is too full for a longer tag.
 */
export async function retagStep(
  ctx: Ctx,
  retagging: TagReplacement,
  progressStatements: (count: number) => Statements,
): Promise<boolean> {
  const rows = await nextTagged(ctx, retagging.tag);
  if (rows.length === 0) return false;
  const indexing = newDocumentIndexing(ctx);
  const each = await Promise.all(rows.map((row) => retagStatements(ctx, row, retagging, indexing)));
  // If one of them has just been changed, the step is repeated.
  const { refusal } = await catchRefusal(
    sendBatch(ctx, [...progressStatements(rows.length), ...each.flat()]),
    "stale",
  );
  if (!refusal) await indexing.finish();
  return true;
}

function nextTagged(ctx: Ctx, tag: string) {
  // From the tag to its documents; the other way, each step would read all documents with the tag.
  const some = sql`SELECT ${documents.id}, coalesce(octet_length(${documents.content}), 0) AS bytes
    FROM document_tags CROSS JOIN ${documents} ON ${documents.id} = document_tags.document_id
    WHERE document_tags.owner = ${ctx.owner} AND tag = ${tag} AND ${notTrashed(ctx)} LIMIT ${DOCUMENTS_PER_STEP}`;
  return ctx.db
    .select(documentColumns)
    .from(documents)
    .where(sql`${documents.id} IN (${firstIdsWithin(some, BYTES_PER_STEP)})`);
}

async function retagStatements(
  ctx: Ctx,
  row: DocumentRow,
  { tag, next }: TagReplacement,
  indexing: DocumentIndexing,
) {
  const replaced = row.tags.map((name) => (name === tag ? next : name)).filter((name) => name !== null);
  const changed = {
    ...row,
    tags: [...new Set(replaced)],
    version: row.version + 1,
    updated_at: ctx.now.toISOString(),
  };
  return versionStatements(ctx, { row, next: changed }, { source_type: "api" }, indexing);
}
