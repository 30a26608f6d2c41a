import { and, eq } from "drizzle-orm";
import { pickFields } from "../../contract/field-spec.ts";
import type { Import } from "../../contract/import-state.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { readState } from "./state.ts";

export const ownedImport = (ctx: Ctx, id: string) => and(eq(imports.id, id), eq(imports.owner, ctx.owner));

export type ImportRow = typeof imports.$inferSelect;

export function presentImport(row: ImportRow): Import {
  const { counts, not_stored } = readState(row.state);
  return {
    ...pickFields(row, ["id", "mode", "dry_run", "status", "received"]),
    settings: counts.settings,
    folders: counts.folder,
    documents: counts.document,
    document_versions: counts.document_version,
    memories: counts.memory,
    memory_events: counts.memory_event,
    files: counts.file,
    attachments: counts.attachment,
    kept_findings: counts.tidy_kept,
    not_stored,
    ...pickFields(row, ["created_at", "updated_at"]),
  };
}

export async function findImport(ctx: Ctx, id: string): Promise<ImportRow> {
  const [row] = await ctx.db.select().from(imports).where(ownedImport(ctx, id));
  if (!row) throw notFound();
  return row;
}

export const deleteImportStatements = (ctx: BaseCtx, id: string) =>
  [
    ctx.db.delete(import_pieces).where(eq(import_pieces.import_id, id)),
    ctx.db.delete(imports).where(eq(imports.id, id)),
  ] as const;

export async function deleteImportRows(ctx: BaseCtx, id: string): Promise<void> {
  await ctx.db.batch(deleteImportStatements(ctx, id));
}

export async function rejectFile(ctx: Ctx, id: string, problem: string): Promise<never> {
  await deleteImportRows(ctx, id);
  throw badRequest(`The file is damaged and nothing was imported: ${problem}`);
}
