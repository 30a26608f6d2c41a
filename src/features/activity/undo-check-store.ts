import { type SQL, sql } from "drizzle-orm";
import type { ActivityVerb, RecordKind } from "../../contract/activity-words.ts";
import { isChangedSince } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { isAwakeSql, NOT_TRASHED } from "../memories/row-store.ts";
import { findDifferences } from "./difference-store.ts";
import { keptVersionStatement } from "./state-store.ts";
import type { UndoableEntry } from "./undo-action-store.ts";

/** Which changes to undo: by number, by the change id of an answer, or by client and time. */
export type UndoOptions = {
  ids?: number[] | undefined;
  change_id?: string | undefined;
  client?: string | undefined;
  since?: string | undefined;
  before?: number | undefined;
  dry_run: boolean;
  /** Changes that a dry run treats as undone. */
  assume_undone?: number[] | undefined;
  /** Only changes of the caller's own connection. */
  mine?: boolean;
  kinds?: readonly RecordKind[];
};

export function notPermittedReason(
  { kind, is_mine }: UndoableEntry,
  { mine, kinds }: UndoOptions,
): string | undefined {
  if (mine && !is_mine) return "This connection did not make it: the user can undo it in the app";
  return kinds && !kinds.includes(kind) ? `This connection may not change a ${kind}` : undefined;
}

/** Why a change can never be undone, or undefined. Tools are named only to assistants (`mine`). */
export function impossibleReason(
  { verb, kind, version_before, version_after }: UndoableEntry,
  { mine }: UndoOptions,
) {
  const tools = (names: string) => (mine ? ` (${names})` : "");
  if (verb === "woke") return `The record woke up on its date: defer it again${tools("close_memories")}`;
  if (verb === "restored" && version_before !== version_after)
    return `It came back with a new version: restore an older one${tools("list_versions, restore")}`;
  const hasVersions = kind !== "folder" && verb !== "created";
  return hasVersions && version_before === null ? "Its earlier state is not known" : undefined;
}

/** What prevents an undo now. `ignoreVerbs`: verbs of later changes that do not count. */
export async function findObstacles(
  ctx: Ctx,
  found: UndoableEntry,
  assumed: number[],
  ignoreVerbs: readonly ActivityVerb[] = [],
) {
  const { id, kind, record_id } = found;
  const isMemoryThat = (holds: SQL) =>
    kind === "memory"
      ? sql`EXISTS (SELECT 1 FROM memories WHERE owner = ${ctx.owner} AND id = ${Number(record_id)} AND ${holds})`
      : sql`0`;
  const trashed = isMemoryThat(sql`trashed_at IS NOT NULL`);
  // A record that has woken up counts as changed, although that is stored only with its next change.
  const woken = isMemoryThat(sql`${isAwakeSql(ctx)} AND ${NOT_TRASHED}`);
  const change = { kind, record: record_id, number: id, ignoreVerbs };
  const changed = isChangedSince(ctx, change, sqlList(assumed));
  const overtaken = sql`(${changed} OR ${woken})`;
  const [[now], [version]] = await ctx.db.batch([
    ctx.db.all<{ undone_by: number | null; overtaken: number; trashed: number }>(
      sql`SELECT undone_by, ${overtaken} AS overtaken, ${trashed} AS trashed
        FROM activity WHERE owner = ${ctx.owner} AND number = ${id}`,
    ),
    keptVersionStatement(ctx, found),
  ]);
  return {
    undone_by: now?.undone_by ?? null,
    overtaken: now?.overtaken === 1,
    isTrashed: now?.trashed === 1,
    isKept: version?.kept === 1,
  };
}

/** Verbs of later changes that do not prevent this undo: deletion and project changes of a record are independent. */
export async function findHarmlessVerbs(ctx: Ctx, found: UndoableEntry): Promise<readonly ActivityVerb[]> {
  const { kind, verb, id } = found;
  if (kind !== "memory") return [];
  if (verb === "deleted") return ["changed"];
  if (verb !== "changed") return [];
  const [only, ...others] = (await findDifferences(ctx, [found])).get(id) ?? [];
  return only?.field === "project" && others.length === 0 ? ["deleted", "restored"] : [];
}
