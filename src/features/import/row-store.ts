import { and, eq } from "drizzle-orm";
import type { Import } from "../../contract/import-state.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { readState } from "./state.ts";

export const ownedImport = (ctx: Ctx, id: string) => and(eq(imports.id, id), eq(imports.owner, ctx.owner));

export type ImportRow = typeof imports.$inferSelect;

export function presentImport({
  id,
  mode,
  dry_run,
  status,
  received,
  state,
  created_at,
  updated_at,
}: ImportRow): Import {
  const { counts, not_stored } = readState(state);
  const { settings, folder, document, document_version, memory, memory_event, file, attachment, tidy_kept } =
    counts;
  return {
    id,
    mode,
    dry_run,
    status,
    received,
    settings,
    folders: folder,
    documents: document,
    document_versions: document_version,
    memories: memory,
    memory_events: memory_event,
    files: file,
    attachments: attachment,
    kept_findings: tidy_kept,
    not_stored,
    created_at,
    updated_at,
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
