import { type SQL, sql } from "drizzle-orm";
import type { Kind, Verb } from "../../contract/ledger-words.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { listOf } from "../../platform/db/list.ts";
import { isOvertaken } from "../../platform/ledger/store.ts";
import { isAwake, NOT_TRASHED } from "../memories/row-store.ts";
import { differencesOf } from "./difference-store.ts";
import type { Found } from "./opposite-store.ts";
import { keptVersionStatement } from "./state-store.ts";

/** Changes by number, by a write's answer, or by client and time; `mine`: only those of the caller's own connection. */
export type Undo = {
  ids?: number[] | undefined;
  change_id?: string | undefined;
  client?: string | undefined;
  since?: string | undefined;
  before?: number | undefined;
  dry_run: boolean;
  assume_undone?: number[] | undefined;
  mine?: boolean;
  kinds?: readonly Kind[];
};

export function forbidden({ kind, is_mine }: Found, { mine, kinds }: Undo): string | undefined {
  if (mine && !is_mine) return "This connection did not make it: the user can undo it in the app";
  return kinds && !kinds.includes(kind) ? `This connection may not change a ${kind}` : undefined;
}

/** Why a change cannot be undone whatever has happened since, or undefined. Only assistants know tools. */
export function impossible({ verb, kind, version_before, version_after }: Found, { mine }: Undo) {
  const tools = (names: string) => (mine ? ` (${names})` : "");
  if (verb === "woke") return `The record's day had come: defer it again${tools("close_memories")}`;
  if (verb === "restored" && version_before !== version_after)
    return `It came back with a new version: restore an older one${tools("list_versions, restore")}`;
  const hasVersions = kind !== "folder" && verb !== "created";
  return hasVersions && version_before === null ? "What it was before is not known" : undefined;
}

/** What stands in the way of an undo now. Later changes with the verbs in `despite` do not count. */
export async function obstacles(ctx: Ctx, found: Found, assumed: number[], despite: readonly Verb[] = []) {
  const { id, kind, record_id } = found;
  const isMemoryThat = (holds: SQL) =>
    kind === "memory"
      ? sql`EXISTS (SELECT 1 FROM memories WHERE owner = ${ctx.owner} AND id = ${Number(record_id)} AND ${holds})`
      : sql`0`;
  const trashed = isMemoryThat(sql`trashed_at IS NOT NULL`);
  // A record that has woken has changed, even if that is stored only with its next change.
  const woken = isMemoryThat(sql`${isAwake(ctx)} AND ${NOT_TRASHED}`);
  const changed = isOvertaken(ctx, { kind, record: record_id, number: id, despite }, listOf(assumed));
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

/** Later verbs that do not hinder an undo: a record keeps its project in the trash, a deletion whatever its project. */
export async function harmlessTo(ctx: Ctx, found: Found): Promise<readonly Verb[]> {
  const { kind, verb, id } = found;
  if (kind !== "memory") return [];
  if (verb === "deleted") return ["changed"];
  if (verb !== "changed") return [];
  const [only, ...others] = (await differencesOf(ctx, [found])).get(id) ?? [];
  return only?.field === "project" && others.length === 0 ? ["deleted", "restored"] : [];
}
