import { and, eq } from "drizzle-orm";
import type { Import } from "../../contract/import-state.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { import_pieces, imports } from "../../platform/db/tables.ts";
import { readState } from "./state.ts";

export const ownedById = (ctx: Ctx, id: string) => and(eq(imports.id, id), eq(imports.owner, ctx.owner));

export type Row = typeof imports.$inferSelect;

export function present({ id, mode, dry_run, status, received, state, created_at, updated_at }: Row): Import {
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

export async function rowOf(ctx: Ctx, id: string): Promise<Row> {
  const [row] = await ctx.db.select().from(imports).where(ownedById(ctx, id));
  if (!row) throw notFound();
  return row;
}

export const forgetStatements = (ctx: BaseCtx, id: string) =>
  [
    ctx.db.delete(import_pieces).where(eq(import_pieces.import_id, id)),
    ctx.db.delete(imports).where(eq(imports.id, id)),
  ] as const;

export async function forget(ctx: BaseCtx, id: string): Promise<void> {
  await ctx.db.batch(forgetStatements(ctx, id));
}

export async function refuse(ctx: Ctx, id: string, problem: string): Promise<never> {
  await forget(ctx, id);
  throw badRequest(`The file is damaged and nothing was imported: ${problem}`);
}
