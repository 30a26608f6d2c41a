import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { ImportMode, NotStored } from "../../contract/import-state.ts";
import { FIRST_IMPORTED_ID, keepsNumber } from "../../contract/memory-numbers.ts";
import type { Ctx, CtxUser } from "../../platform/core/ctx.ts";
import { listOf } from "../../platform/db/list.ts";
import type { RemainingQuota, Used } from "../billing/remaining-quota.ts";
import { sizeProblem } from "../documents/document-size.ts";
import type { Indexing } from "../documents/index-store.ts";
import type { Line } from "../export/format.ts";
import { remap, remapNumber } from "./remap.ts";
import type { State } from "./state.ts";

type AnyId = string | number;

type NotStoredLine = Omit<NotStored["items"][number], "detail">;

export type Kind = "folder" | "document" | "memory";

export type OfType<Type extends Line["type"]> = Extract<Line, { type: Type }>;

type Existing = { owner: number; is_trashed: number; bytes: number };

type Target<Id extends AnyId> = { id: Id; existing: Existing | undefined };

export type KnownFiles = {
  /** Ids of the caller's files by SHA-256. */
  ids: Map<string, string>;
  /** Time of attachment by `<file id> <document id or record number>`. */
  attached: Map<string, string>;
};

export type Step = {
  ctx: Ctx;
  user: CtxUser;
  mode: ImportMode;
  salt: string;
  owners: Record<Kind, Map<AnyId, Existing>>;
  taken: Record<Kind, AnyId[]>;
  kept: Set<string>;
  files: KnownFiles;
  isDry: boolean;
  state: State;
  room: RemainingQuota;
  mostBytes: number;
  indexing: Indexing;
  statements: Promise<readonly BatchItem<"sqlite">[]>[];
};

export const TABLES: Record<Kind, SQL> = {
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
  const rows = await ctx.db.all<{ id: AnyId } & Existing>(sql`
    SELECT id, owner, ${trashed} AS is_trashed, 0 AS bytes FROM ${TABLES[kind]}
    WHERE id IN ${listOf(ids)}`);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** The target of a document or folder. An id that belongs to another account is replaced. */
export function targetOf(
  { ctx, mode, salt, owners }: Step,
  kind: "folder" | "document",
  id: string,
): Target<string> {
  const existing = owners[kind].get(id);
  if (mode !== "copy" && (!existing || existing.owner === ctx.owner)) return { id, existing };
  const other = remap(salt, kind, id);
  return { id: other, existing: owners[kind].get(other) };
}

/** The number of a record of the file in this account. It depends only on the file and the mode. */
export const numberOf = ({ mode, salt }: Pick<Step, "mode" | "salt">, id: number): number =>
  mode !== "copy" && keepsNumber(id) ? id : remapNumber(salt, id, FIRST_IMPORTED_ID);

/** SQL for the target of a reference, because this transaction may create it. A missing target becomes NULL. */
export function reference({ ctx, mode, salt }: Step, kind: "folder" | "document", id: string | null): SQL {
  if (id === null) return sql`NULL`;
  const other = remap(salt, kind, id);
  const own = mode === "copy" ? other : id;
  return sql`(SELECT id FROM ${TABLES[kind]} WHERE owner = ${ctx.owner} AND id IN (${own}, ${other})
    ORDER BY id = ${own} DESC LIMIT 1)`;
}

const MAX_REPORTED = 100;

/** Reserves room for a line, within the caller's plan and the size limit. A line that does not fit is reported as not stored. */
export function hasRoom(step: Step, more: Used, line: NotStoredLine): boolean {
  const detail = sizeProblem(more.bytes ?? 0, step.mostBytes) ?? step.room.take(more);
  if (detail === undefined) return true;
  const { total, items } = step.state.not_stored;
  const reported = items.length < MAX_REPORTED ? [...items, { ...line, detail }] : items;
  step.state.not_stored = { total: total + 1, items: reported };
  return false;
}

type Decision = "create" | "overwrite" | "skip";

export function choose({ ctx, mode }: Step, { existing }: Target<AnyId>): Decision {
  if (!existing) return "create";
  return mode === "overwrite" && existing.owner === ctx.owner ? "overwrite" : "skip";
}

/**
 * Counts the result for a record. Ids of other accounts are not counted as remapped, because that would reveal that they
 * exist.
 */
export function count(step: Step, kind: Kind, id: AnyId, decision: Decision): void {
  const counts = step.state.counts[kind];
  if (decision !== "create") {
    counts[decision === "overwrite" ? "overwritten" : "skipped"]++;
    return;
  }
  counts.created++;
  if (step.mode === "copy") counts.remapped++;
  step.owners[kind].set(id, { owner: step.ctx.owner, is_trashed: 0, bytes: 0 });
  step.taken[kind].push(id);
}

export const addsOne = (trashed_at: string | null, existing: Existing | undefined) =>
  trashed_at === null && (!existing || existing.is_trashed === 1) ? 1 : 0;
