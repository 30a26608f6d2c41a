import { type SQL, sql } from "drizzle-orm";
import type { ImportMode, NotStoredItems } from "../../contract/import-state.ts";
import { FIRST_IMPORTED_ID, keepsImportedId } from "../../contract/memory-numbers.ts";
import type { Ctx, CtxUser } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import type { QuotaUse, RemainingQuota } from "../billing/remaining-quota.ts";
import { sizeProblem } from "../documents/document-size.ts";
import type { DocumentIndexing } from "../documents/index-store.ts";
import { storedLinkBytes } from "../documents/link-bytes.ts";
import type { ExportLine } from "../export/format.ts";
import { remapId, remapNumber } from "./remap.ts";
import type { ImportState } from "./state.ts";

type AnyId = string | number;

type NotStoredLine = Omit<NotStoredItems["items"][number], "detail">;

export type ImportKind = "folder" | "document" | "memory";

export type LineOfType<Type extends ExportLine["type"]> = Extract<ExportLine, { type: Type }>;

type Existing = { owner: number; is_trashed: number; bytes: number };

type Target<Id extends AnyId> = { id: Id; existing: Existing | undefined };

export type KnownFiles = {
  /** Ids of the caller's files by SHA-256. */
  ids: Map<string, string>;
  /** Time of attachment by `<file id> <document id or record number>`. */
  attached: Map<string, string>;
};

export type ImportBatch = {
  ctx: Ctx;
  user: CtxUser;
  mode: ImportMode;
  salt: string;
  existing: Record<ImportKind, Map<AnyId, Existing>>;
  taken: Record<ImportKind, AnyId[]>;
  overwritten: string[];
  keptFindings: Set<string>;
  files: KnownFiles;
  isDry: boolean;
  state: ImportState;
  remainingQuota: RemainingQuota;
  mostBytes: number;
  indexing: DocumentIndexing;
  statements: (readonly BatchItem[] | Promise<readonly BatchItem[]>)[];
};

export const TABLES: Record<ImportKind, SQL> = {
  folder: sql`folders`,
  document: sql`documents`,
  memory: sql`memories`,
};

export async function readExisting(
  ctx: Ctx,
  kind: "folder" | "document",
  ids: AnyId[],
): Promise<Map<AnyId, Existing>> {
  const trashed = kind === "document" ? sql`trashed_at IS NOT NULL` : sql`0`;
  const bytes = kind === "document" ? storedLinkBytes(ctx) : sql`0`;
  const rows = await ctx.db.all<{ id: AnyId } & Existing>(sql`
    SELECT id, owner, ${trashed} AS is_trashed, ${bytes} AS bytes FROM ${TABLES[kind]}
    WHERE id IN ${sqlList(ids)}`);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** The target of a document or folder. An id that belongs to another account is replaced. */
export function importTarget(
  { ctx, mode, salt, existing: owners }: ImportBatch,
  kind: "folder" | "document",
  id: string,
): Target<string> {
  const existing = owners[kind].get(id);
  if (mode !== "copy" && (!existing || existing.owner === ctx.owner)) return { id, existing };
  const other = remapId(salt, kind, id);
  return { id: other, existing: owners[kind].get(other) };
}

/** The number of a record of the file in this account. It depends only on the file and the mode. */
export const memoryNumber = ({ mode, salt }: Pick<ImportBatch, "mode" | "salt">, id: number): number =>
  mode !== "copy" && keepsImportedId(id) ? id : remapNumber(salt, id, FIRST_IMPORTED_ID);

/** SQL for the target of a reference, because this transaction may create it. A missing target becomes NULL. */
export function referenceSql(
  { ctx, mode, salt }: ImportBatch,
  kind: "folder" | "document",
  id: string | null,
): SQL {
  if (id === null) return sql`NULL`;
  const other = remapId(salt, kind, id);
  const own = mode === "copy" ? other : id;
  return sql`(SELECT id FROM ${TABLES[kind]} WHERE owner = ${ctx.owner} AND id IN (${own}, ${other})
    ORDER BY id = ${own} DESC LIMIT 1)`;
}

const MAX_REPORTED = 100;

export function reportNotStored({ state }: ImportBatch, line: NotStoredItems["items"][number]): void {
  const { total, items } = state.not_stored;
  state.not_stored = { total: total + 1, items: items.length < MAX_REPORTED ? [...items, line] : items };
}

const withBytes = ({ bytes = 0, ...more }: QuotaUse, besides: number): QuotaUse => ({
  ...more,
  bytes: bytes + besides,
});

/** Reserves room for a line and the bytes `besides` it, within the caller's plan and the size limit. A line that does not fit is reported as not stored. */
export function reserveRoom(step: ImportBatch, more: QuotaUse, line: NotStoredLine, besides = 0): boolean {
  const detail =
    sizeProblem(more.bytes ?? 0, step.mostBytes) ?? step.remainingQuota.take(withBytes(more, besides));
  if (detail !== undefined) reportNotStored(step, { ...line, detail });
  return detail === undefined;
}

type Decision = "create" | "overwrite" | "skip";

export function decideAction({ ctx, mode }: ImportBatch, { existing }: Target<AnyId>): Decision {
  if (!existing) return "create";
  return mode === "overwrite" && existing.owner === ctx.owner ? "overwrite" : "skip";
}

/** Counts the result for a record. Counting ids of other accounts as remapped would reveal that they exist. */
export function countResult(step: ImportBatch, kind: ImportKind, id: AnyId, decision: Decision): void {
  const counts = step.state.counts[kind];
  if (decision !== "create") {
    counts[decision === "overwrite" ? "overwritten" : "skipped"]++;
    return;
  }
  counts.created++;
  if (step.mode === "copy") counts.remapped++;
  step.existing[kind].set(id, { owner: step.ctx.owner, is_trashed: 0, bytes: 0 });
  step.taken[kind].push(id);
}

export const countsAsAdded = (trashed_at: string | null, existing: Existing | undefined) =>
  trashed_at === null && (!existing || existing.is_trashed === 1) ? 1 : 0;
