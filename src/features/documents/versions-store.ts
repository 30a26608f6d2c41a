import { desc, sql } from "drizzle-orm";
import type { DocumentVersion, DocumentVersionList } from "../../contract/document.ts";
import { DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { omit } from "../../contract/omit.ts";
import { renameEntriesStatement } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { columnsExcept } from "../../platform/db/columns.ts";
import { document_versions, documents } from "../../platform/db/tables.ts";
import { rowBytes } from "../billing/sizes.ts";
import { changeDocument, type DocumentChange } from "./change-store.ts";
import type { FieldsToWrite } from "./document-state.ts";
import { isVersion, isVersionOf, ownedDocument, versionStateStatement } from "./row-store.ts";
import { currentVersionColumns, type DocumentWriter } from "./statement-store.ts";

const columns = columnsExcept(document_versions, "owner", "changed_at");

export async function listVersions(
  ctx: Ctx,
  id: string,
  page: { limit: number; offset: number },
): Promise<DocumentVersionList> {
  const [items, [count]] = await ctx.db.batch([
    ctx.db
      .select(omit(columns, "content"))
      .from(document_versions)
      .where(isVersionOf(ctx, id))
      .orderBy(desc(document_versions.version))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ total: sql<number>`count(*)` }).from(document_versions).where(isVersionOf(ctx, id)),
    assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM documents WHERE ${ownedDocument(ctx, id)})`, "not-found"),
  ]);
  return { items, total: count?.total ?? 0 };
}

/** One version of a document, including the current one. Throws 404 for a version that does not exist (any more). */
export async function getVersion(ctx: Ctx, id: string, version: number): Promise<DocumentVersion> {
  const state = omit(currentVersionColumns, "owner", "changed_at");
  const [[current], [old]] = await ctx.db.batch([
    ctx.db.select(state).from(documents).where(ownedDocument(ctx, id)),
    ctx.db
      .select(columns)
      .from(document_versions)
      .where(isVersion(ctx, id, version)),
  ]);
  const found = current?.version === version ? { ...current, next_has_same_text: false } : old;
  if (!current || !found) throw notFound();
  const { content, ...row } = found;
  return content ? { ...row, content } : row;
}

/** Restores a version as a new one, at the top level if its folder no longer exists. Throws 404, 412. */
export function restoreVersion(ctx: Ctx, id: string, version: number, writer: DocumentWriter) {
  const change: DocumentChange<FieldsToWrite> = {
    read: versionStateStatement(ctx, id, version),
    title: sql`(SELECT title FROM document_versions WHERE ${isVersion(ctx, id, version)})`,
    make: (row, [state]) => {
      if (row.version === version) return {};
      if (!state) throw notFound();
      return state;
    },
  };
  return changeDocument(ctx, id, change, { ...writer, restoredVersion: version });
}

/** Erases an earlier version of a document, even one in the trash. Throws 404. */
export async function eraseVersion(ctx: Ctx, id: string, version: number): Promise<void> {
  const which = sql`FROM document_versions WHERE document_id = ${id} AND owner = ${ctx.owner} AND version = ${version}`;
  const title = sql`SELECT title FROM documents WHERE id = ${id} AND owner = ${ctx.owner}`;
  await sendBatch(ctx, [
    assertInBatch(ctx, sql`EXISTS (SELECT 1 ${which})`, "not-found"),
    renameEntriesStatement(ctx, "document", { id, version, title }),
    ctx.db.run(
      sql`UPDATE usage SET bytes = bytes - (SELECT ${rowBytes(DOCUMENT_FIELDS)} ${which}) WHERE owner = ${ctx.owner}`,
    ),
    // The text of the version before is in no later version any more.
    ctx.db.run(sql`UPDATE document_versions SET next_has_same_text = 0
      WHERE document_id = ${id} AND owner = ${ctx.owner} AND next_has_same_text = 1
        AND version = (SELECT max(version) FROM document_versions WHERE document_id = ${id} AND version < ${version})
        AND NOT (SELECT next_has_same_text ${which})`),
    ctx.db.run(sql`DELETE ${which}`),
  ]);
}
