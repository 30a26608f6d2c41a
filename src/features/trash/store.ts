import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { DocumentWithPath } from "../../contract/document.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { Timestamp } from "../../contract/fields.ts";
import { TRASH_DAYS } from "../../contract/life-cycle.ts";
import {
  TRASHED_MEMORY_FIELDS,
  type TrashEmptyQuery,
  type TrashedDocument,
  type TrashList,
  type TrashListQuery,
} from "../../contract/trash.ts";
import { forgetEntriesStatement } from "../../platform/activity/store.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { cutPage, isAfterCursor, type Keyset } from "../../platform/db/keyset.ts";
import { documents, memories } from "../../platform/db/tables.ts";
import { placedDocumentColumns } from "../documents/list-store.ts";
import { nextIdsToErase } from "../documents/trash-store.ts";
import { currentColumns } from "../memories/row-store.ts";
import { eraseTrashedMemories } from "../memories/trash-store.ts";

type Kind = "documents" | "memories";

const kindsOf = (type: TrashListQuery["type"]): Kind[] =>
  type === "all" ? ["documents", "memories"] : [type];

/** Statements that record how many items, in SQL, are erased. */
type ProgressStatements = (count: SQL) => readonly BatchItem[];

/** Erases a batch of trashed documents; returns whether there may be more. */
async function eraseTrashedDocuments(ctx: BaseCtx, which: SQL, progress: ProgressStatements) {
  // The search entry of a document was deleted when it was trashed.
  const ids = nextIdsToErase(sql`trashed_at IS NOT NULL AND ${which} ORDER BY trashed_at, id`);
  const results = await ctx.db.batch([
    forgetEntriesStatement(ctx, "document", sql`SELECT owner, id FROM documents WHERE id IN (${ids})`),
    ...progress(sql`(SELECT count(*) FROM (${ids}))`),
    ctx.db.returning(sql`DELETE FROM documents WHERE id IN (${ids}) RETURNING id`),
  ]);
  return (results.at(-1) as unknown[]).length > 0;
}

const ERASE = { documents: eraseTrashedDocuments, memories: eraseTrashedMemories };

export type TrashSelection = { type: TrashEmptyQuery["type"]; before: string };

const isSelected = (ctx: Ctx, { before }: TrashSelection) =>
  sql`owner = ${ctx.owner} AND trashed_at <= ${before}`;

export async function countTrashed(ctx: Ctx, emptying: TrashSelection): Promise<number> {
  const counts = kindsOf(emptying.type).map(
    (kind) => sql`(SELECT count(*) FROM ${sql.raw(kind)} INDEXED BY ${sql.raw(`${kind}_owner_trashed_at_idx`)}
      WHERE trashed_at IS NOT NULL AND ${isSelected(ctx, emptying)})`,
  );
  const [row] = await ctx.db.all<{ total: number }>(sql`SELECT ${sql.join(counts, sql` + `)} AS total`);
  return row?.total ?? 0;
}

/** Erases a batch of items trashed up to `before`. Returns whether there may be more. */
export async function eraseTrashBatch(ctx: Ctx, emptying: TrashSelection, progress: ProgressStatements) {
  const which = isSelected(ctx, emptying);
  for (const kind of kindsOf(emptying.type)) if (await ERASE[kind](ctx, which, progress)) return true;
  return false;
}

/** Erases a batch of items that have been in the trash for 30 days; returns whether there may be more. */
export async function purgeTrashBatch(ctx: Ctx): Promise<boolean> {
  const before = new Date(ctx.now.getTime() - TRASH_DAYS * 86_400_000).toISOString();
  return eraseTrashBatch(ctx, { type: "all", before }, () => []);
}

const expiryStatement = (kind: Kind, { owner }: Ctx) => sql`
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', min(trashed_at), ${`+${TRASH_DAYS} days`}) AS at
  FROM ${sql.raw(`${kind} INDEXED BY ${kind}_owner_trashed_at_idx`)} WHERE owner = ${owner} AND trashed_at IS NOT NULL`;

/** When the oldest items of an account's trash expire, in SQL (`at`). */
export const trashExpiryStatement = (ctx: Ctx): SQL =>
  sql`${expiryStatement("documents", ctx)} UNION ALL ${expiryStatement("memories", ctx)}`;

const TRASH_QUERIES: Record<Kind, (ctx: Ctx) => SQL> = {
  documents: ({ owner }) => sql`SELECT id, trashed_at, 'document' AS type
    FROM documents WHERE owner = ${owner} AND trashed_at IS NOT NULL`,
  memories: ({ owner }) => sql`SELECT CAST(id AS TEXT) AS id, trashed_at, 'memory' AS type
    FROM memories WHERE owner = ${owner} AND trashed_at IS NOT NULL`,
};

const trashedMemoryColumns = (ctx: Ctx) => ({
  ...pickFields(currentColumns(ctx), TRASHED_MEMORY_FIELDS),
  trashed_at: sql<string>`${memories.trashed_at}`,
});

type TrashRow = { id: string; type: "document" | "memory"; trashed_at: string };

const KEYSET: Keyset = {
  name: "trash",
  direction: "desc",
  key: Timestamp,
  id: z.string().regex(/^[0-9a-f-]{1,36}$/),
};

const toTrashedDocument = ({
  folder_path,
  ...row
}: DocumentWithPath & { trashed_at: string }): TrashedDocument => ({
  ...row,
  ...(folder_path !== null && { folder_path }),
  type: "document",
});

export async function listTrash(ctx: Ctx, query: TrashListQuery): Promise<TrashList> {
  const all = sql.join(
    kindsOf(query.type).map((kind) => TRASH_QUERIES[kind](ctx)),
    sql` UNION ALL `,
  );
  const after = isAfterCursor(KEYSET, query, { key: sql`trashed_at`, id: sql`id` }) ?? sql`true`;
  const page = sql`(SELECT * FROM (${all}) WHERE ${after}
    ORDER BY trashed_at DESC, id DESC LIMIT ${query.limit + 1} OFFSET ${query.offset}) AS page`;
  const [pageRows, [count], trashedDocuments, trashedMemories] = await ctx.db.batch([
    ctx.db.all<TrashRow>(sql`SELECT id, type, trashed_at FROM ${page}`),
    ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM (${all})`),
    ctx.db
      .select({ ...placedDocumentColumns, trashed_at: sql<string>`${documents.trashed_at}` })
      .from(page)
      .innerJoin(
        documents,
        and(sql`page.type = 'document' AND page.id = ${documents.id}`, eq(documents.owner, ctx.owner)),
      ),
    ctx.db
      .select(trashedMemoryColumns(ctx))
      .from(page)
      .innerJoin(
        memories,
        and(
          sql`page.type = 'memory' AND CAST(page.id AS INTEGER) = ${memories.id}`,
          eq(memories.owner, ctx.owner),
        ),
      ),
  ]);
  const found = new Map<string, TrashList["items"][number]>([
    ...trashedDocuments.map((row) => [`document ${row.id}`, toTrashedDocument(row)] as const),
    ...trashedMemories.map((row) => [`memory ${row.id}`, { ...row, type: "memory" }] as const),
  ]);
  const { rows, ...rest } = cutPage(KEYSET, query, { rows: pageRows, keyOf: ({ trashed_at }) => trashed_at });
  const items = rows.flatMap((row) => found.get(`${row.type} ${row.id}`) ?? []);
  return { items, ...rest, total: count?.total ?? 0 };
}

/** Whether the caller's document is in the trash, and whether it has this version. Throws 404. */
export async function findTrashState(ctx: Ctx, id: string, version = 0) {
  const [found] = await ctx.db.all<{ trashed: number; kept: number }>(sql`
    SELECT trashed_at IS NOT NULL AS trashed, version = ${version} OR EXISTS (SELECT 1 FROM document_versions AS v
      WHERE v.document_id = documents.id AND v.owner = documents.owner AND v.version = ${version}) AS kept
    FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`);
  if (!found) throw notFound();
  return { isTrashed: found.trashed === 1, hasVersion: found.kept === 1 };
}
