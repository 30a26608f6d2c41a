import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Ctx } from "../core/ctx.ts";
import { notFound, preconditionFailed } from "../core/errors.ts";
import { allowsChange } from "../core/etag.ts";
import { onceStatements, storedAnswer, storedStatement } from "../core/idempotency.ts";
import { documents } from "../db/tables.ts";
import { unindexStatement } from "../text-index/store.ts";
import type { Document } from "./schema.ts";
import { detailStatements, getDocument, living, type Origin, present, type Row, visible } from "./store.ts";

/** The statements that move a document into the trash: out of lists, search, tags and counts. Its state stays. */
export const trashStatements = (ctx: Ctx, id: string, when: SQL) =>
  [
    unindexStatement(ctx, { kind: "document", record: id }, when),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.all<{ id: string }>(sql`UPDATE documents SET trashed_at = ${ctx.now.toISOString()}
      WHERE id = ${id} AND owner = ${ctx.user.number} AND ${when} RETURNING id`),
  ] as const;

/** The statements that erase a document with everything that hangs on it. */
const eraseStatements = (ctx: Ctx, id: string, when: SQL) =>
  [
    unindexStatement(ctx, { kind: "document", record: id }, when),
    ctx.db.run(sql`DELETE FROM document_tags WHERE document_id = ${id} AND ${when}`),
    ctx.db.run(sql`DELETE FROM document_versions WHERE document_id = ${id} AND ${when}`),
    ctx.db.all<{ id: string }>(
      sql`DELETE FROM documents WHERE id = ${id} AND owner = ${ctx.user.number} AND ${when} RETURNING id`,
    ),
  ] as const;

/** How many documents one step of an account's erasure takes. */
const ERASED_AT_ONCE = 50;

/** Erases some of the caller's documents, living and trashed, with all that hangs on them; says whether there were any. */
export async function eraseSomeDocuments(ctx: Ctx): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: documents.id })
    .from(documents)
    .where(eq(documents.owner, ctx.user.number))
    .orderBy(documents.id)
    .limit(ERASED_AT_ONCE);
  const [first, ...others] = rows.map(({ id }) => eraseStatements(ctx, id, sql`true`));
  if (!first) return false;
  await ctx.db.batch([...first, ...others.flat()]);
  return true;
}

/** The version of a document that If-Match allows to delete. Throws 404 or 412. */
async function versionOf(
  ctx: Ctx,
  id: string,
  { permanent, ifMatch }: { permanent: boolean; ifMatch: string },
) {
  const mine = permanent ? eq(documents.owner, ctx.user.number) : living(ctx);
  const [row] = await ctx.db
    .select({ version: documents.version })
    .from(documents)
    .where(and(eq(documents.id, id), mine));
  if (!row) throw notFound();
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return row.version;
}

/**
 * Moves a document into the trash, or erases it at once with `permanent`, from the trash too.
 * Throws 404, or 412 when `ifMatch` names another version.
 */
export async function deleteDocument(
  ctx: Ctx,
  id: string,
  { permanent = false, ifMatch }: { permanent?: boolean; ifMatch?: string | undefined } = {},
): Promise<void> {
  const version = ifMatch === undefined ? null : await versionOf(ctx, id, { permanent, ifMatch });
  const when = sql`EXISTS (SELECT 1 FROM documents AS current
    WHERE current.id = ${id} AND current.owner = ${ctx.user.number}
      AND current.version = coalesce(${version}, current.version)
      AND (${permanent ? 1 : 0} OR current.trashed_at IS NULL))`;
  const results = permanent
    ? await ctx.db.batch(eraseStatements(ctx, id, when))
    : await ctx.db.batch(trashStatements(ctx, id, when));
  if ((results.at(-1) as { id: string }[]).length === 0) {
    throw ifMatch === undefined ? notFound() : preconditionFailed();
  }
}

/** The statements that take a document out of the trash, with its tags and its search entry, where `when` holds. */
const restoreStatements = async (ctx: Ctx, row: Row, when: SQL) =>
  [
    ...(await detailStatements(ctx, row, when)),
    ctx.db.run(sql`UPDATE documents SET trashed_at = NULL WHERE id = ${row.id} AND ${when}`),
  ] as const;

/**
 * Takes a document out of the trash; one that is not in it stays as it is. Its folder, where that was deleted in
 * the meantime, is the top since then. Throws 404, or 412 when If-Match names another version.
 */
export async function restoreDocument(ctx: Ctx, id: string, origin: Origin): Promise<Document> {
  const { once } = origin;
  const [[found], stored] = await ctx.db.batch([
    ctx.db
      .select({ ...visible, trashed_at: documents.trashed_at })
      .from(documents)
      .where(and(eq(documents.id, id), eq(documents.owner, ctx.user.number))),
    ...(once ? [storedStatement(ctx, once)] : []),
  ]);
  const answer = once && storedAnswer(once, stored?.[0]);
  if (answer !== undefined) return JSON.parse(answer) as Document;
  if (!found) throw notFound();
  const { trashed_at, ...row } = found;
  if (!allowsChange(origin.ifMatch, row.version)) throw preconditionFailed();
  if (!trashed_at) return present(row);
  const when = sql`EXISTS (SELECT 1 FROM documents AS current
    WHERE current.id = ${id} AND current.owner = ${ctx.user.number}
      AND current.version = ${row.version} AND current.trashed_at IS NOT NULL)`;
  if (!once) {
    await ctx.db.batch(await restoreStatements(ctx, row, when));
    return getDocument(ctx, id);
  }
  const { claim, mine } = onceStatements(ctx, once, JSON.stringify(present(row)), when);
  await ctx.db.batch([claim, ...(await restoreStatements(ctx, row, sql`${when} AND ${mine}`))]);
  return getDocument(ctx, id);
}
