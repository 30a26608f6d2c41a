import { and, eq, type SQL, sql } from "drizzle-orm";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { changeBytes } from "../billing/sizes.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound, preconditionFailed } from "../../platform/core/errors.ts";
import { allowsChange, versionsAllowedBy } from "../../platform/http/etag.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { must, unless } from "../../platform/db/call.ts";
import { firstOf } from "../../platform/db/in-steps.ts";
import { documents } from "../../db/tables.ts";
import { type Kept, keptAnswer, keptStatement, writeOnce } from "../../idempotency/store.ts";
import { type Entry, forgetStatement, lastNumber, mustChange, recorded, type Told } from "../../platform/ledger/store.ts";
import { unindexStatement } from "../../engine/index-store.ts";
import { type Indexing, newIndexing } from "../../documents/index-store.ts";
import type { Document, DocumentRow, DocumentUpdateRequest } from "../../contract/document.ts";
import {
  changeOf,
  detailStatements,
  keepStatement,
  own,
  present,
  rowStatement,
  shown,
  type Writer,
} from "../../documents/store.ts";
import { stateStatement } from "./versions-store.ts";

/** The statements that take a document out of search and tags. */
export const unlistStatements = (ctx: Ctx, id: string) =>
  [
    unindexStatement(ctx, { kind: "document", record: id }),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id}`),
  ] as const;

/**
 * The statements that move a document to the trash, after its entry in the ledger: out of lists, search, tags and counts.
 * Its content stays.
 */
export const trashStatements = (ctx: Ctx, id: string) =>
  [
    ...unlistStatements(ctx, id),
    ctx.db.run(sql`UPDATE documents SET trashed_at = ${ctx.now.toISOString()}, activity = ${lastNumber(ctx)}
      WHERE id = ${id} AND owner = ${ctx.owner}`),
  ] as const;

/** The statements that erase a document with everything that depends on it; a trigger deletes its versions. */
const eraseStatements = (ctx: Ctx, id: string) =>
  [
    ...unlistStatements(ctx, id),
    ctx.db.run(sql`DELETE FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`),
  ] as const;

/** How many documents one step erases, and how many bytes with their versions: SQLite frees each page by itself. */
const ERASED_AT_ONCE = 50;
const ERASED_BYTES = 8 * 1024 * 1024;

/**
 * The ids of the documents that one step erases, in SQL.
 *
 * @param some a condition and an order of `documents`, in SQL
 */
export const erasedAtOnce = (some: SQL): SQL =>
  firstOf(
    sql`SELECT id, coalesce(octet_length(content), 0) + (
        SELECT total(octet_length(content)) FROM document_versions WHERE document_id = documents.id) AS bytes
      FROM documents WHERE ${some} LIMIT ${ERASED_AT_ONCE}`,
    ERASED_BYTES,
  );

/**
 * Erases some of the caller's documents, active and trashed, with everything that depends on them; returns whether
 * there were any.
 */
export async function eraseSomeDocuments(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db.all<{ id: string }>(erasedAtOnce(sql`owner = ${ctx.owner} ORDER BY id`));
  const [first, ...others] = rows.map(({ id }) => eraseStatements(ctx, id));
  if (!first) return false;
  await ctx.db.batch([...first, ...others.flat()]);
  return true;
}

/** Refuses the batch unless the document is the caller's, in the expected trash state, and at an allowed version. */
function mustBeDeletable(ctx: Ctx, id: string, permanent: boolean, ifMatch: string | undefined) {
  const mine = permanent ? and(eq(documents.id, id), eq(documents.owner, ctx.owner)) : own(ctx, id);
  const exists = (condition: SQL | undefined) => sql`EXISTS (SELECT 1 FROM documents WHERE ${condition})`;
  const versions = versionsAllowedBy(ifMatch);
  const allowed = sql`version IN (SELECT value FROM json_each(${JSON.stringify(versions)}))`;
  return [
    must(ctx, exists(mine), "not-found"),
    ...(versions ? [must(ctx, exists(and(mine, allowed)), "stale")] : []),
  ];
}

/** The statements that record a deletion. Of an erased document the ledger says only that it is gone. */
function deletionRecorded(ctx: Ctx, id: string, { permanent, told }: { permanent: boolean; told: Told }) {
  const from = sql`FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`;
  const entry: Entry = {
    ...{ verb: "deleted", kind: "document", record: id, title: sql`title` },
    ...{ version_before: sql`version`, version_after: sql`version`, from },
  };
  if (!permanent) return recorded(ctx, entry, told);
  const erased: Entry = {
    ...entry,
    verb: "erased",
    title: sql`NULL`,
    from: sql`${from} AND trashed_at IS NULL`,
  };
  return [...recorded(ctx, erased, told), forgetStatement(ctx, "document", sql`SELECT owner, id ${from}`)];
}

/** Which version is to be deleted, whether for good, and who does it. */
type Deletion = { permanent?: boolean; ifMatch?: string | undefined } & Told;

/**
 * Moves a document to the trash, or erases it at once with `permanent`, even from the trash. Returns its title.
 * Throws 404, or 412 when `ifMatch` names another version.
 */
export async function deleteDocument(
  ctx: Ctx,
  id: string,
  { permanent = false, ifMatch, ...told }: Deletion = {},
): Promise<string> {
  const [[deleted]] = await ctx.db.batch([
    ctx.db
      .select({ title: documents.title })
      .from(documents)
      .where(and(eq(documents.id, id), eq(documents.owner, ctx.owner))),
    ...mustBeDeletable(ctx, id, permanent, ifMatch),
    ...deletionRecorded(ctx, id, { permanent, told }),
    ...(permanent ? eraseStatements(ctx, id) : trashStatements(ctx, id)),
  ]);
  if (!deleted) throw notFound();
  return deleted.title;
}

/**
 * Reads a document wherever it is, the stored answer to an earlier request, and what it was in a version: one that is not
 * kept makes it not found.
 */
async function readForRestore(ctx: Ctx, id: string, { once }: Writer, version: number | undefined) {
  const [[found], ...others] = (await ctx.db.batch([
    ctx.db
      .select({ ...shown, trashed_at: documents.trashed_at })
      .from(documents)
      .where(and(eq(documents.id, id), eq(documents.owner, ctx.owner))),
    ...(once ? [keptStatement(ctx, once)] : []),
    ...(version === undefined ? [] : [stateStatement(ctx, id, version)]),
  ])) as [(DocumentRow & { trashed_at: string | null })[], ...unknown[][]];
  const answer = once && keptAnswer(once, others.shift() as Kept[]);
  const state = others[0]?.[0] as DocumentUpdateRequest | undefined;
  const isKept = version === undefined || version === found?.version || state !== undefined;
  return { found: isKept ? found : undefined, answer, state };
}

/** The statements that bring a document back, as it was or in another state. */
async function restoreStatements(
  ctx: Ctx,
  { row, next, indexing }: { row: DocumentRow; next: DocumentRow; indexing: Indexing },
  writer: Writer,
) {
  const mine = sql`id = ${row.id} AND owner = ${ctx.owner} AND version = ${row.version} AND trashed_at IS NOT NULL`;
  const isNew = next.version !== row.version;
  return [
    must(ctx, sql`EXISTS (SELECT 1 FROM documents WHERE ${mine})`, "stale"),
    ...mustHaveRoom(ctx, { documents: 1, bytes: isNew ? changeBytes(row, next) : 0 }),
    ...recorded(ctx, { ...changeOf(row, next), verb: "restored" }, writer),
    ...(isNew
      ? [keepStatement(ctx, sql`documents.id = ${row.id}`), rowStatement(ctx, { row, next }, writer)]
      : []),
    ...(await detailStatements(ctx, next, indexing)),
    ctx.db.run(
      sql`UPDATE documents SET trashed_at = NULL, activity = ${lastNumber(ctx)} WHERE id = ${row.id}`,
    ),
  ];
}

/**
 * Restores a document from the trash; one that is not in it is left as it is. If its folder was deleted in the meantime,
 * it is at the top level. With `version`, it becomes what it was in that one.
 * Throws 404, also for a version that is not kept, or 412 when If-Match names another version.
 */
export const restoreDocument = (ctx: Ctx, id: string, writer: Writer, version?: number): Promise<Document> =>
  untilWritten("document", async () => {
    const { found, answer, state } = await readForRestore(ctx, id, writer, version);
    if (answer !== undefined) return JSON.parse(answer) as Document;
    if (!found) throw notFound();
    const { trashed_at, ...row } = found;
    if (!allowsChange(writer.ifMatch, row.version)) throw preconditionFailed();
    if (!trashed_at) {
      await mustChange(ctx, writer);
      return present(row);
    }
    const changed = { version: row.version + 1, updated_at: ctx.now.toISOString() };
    const next: DocumentRow = state ? { ...row, ...state, ...changed } : row;
    const indexing = newIndexing(ctx);
    const statements = await restoreStatements(ctx, { row, next, indexing }, writer);
    const restored = await unless(writeOnce(ctx, writer.once, present(next), statements), "stale");
    if (restored.answer) await indexing.finish();
    return restored.answer;
  });
