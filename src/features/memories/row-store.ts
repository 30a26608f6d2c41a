import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import type { Ctx, DaySettings } from "../../platform/core/ctx.ts";
import { must } from "../../platform/db/call.ts";
import { memories } from "../../db/tables.ts";
import type { SourceType } from "../../contract/document.ts";
import type { Idempotency } from "../../idempotency/store.ts";
import type { Verb } from "../../contract/ledger-words.ts";
import { type Clock, daysToResolve } from "./ages.ts";
import { awakeSql, deferredUntilDay, type Status } from "../../contract/life-cycle.ts";
import { type Memory, MemoryState } from "../../contract/memory.ts";

/** Which program writes, the version that it has read, and its idempotency key. */
export type Writer = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
  /** The number of the change in the ledger that is being undone. */
  undoing?: number | undefined;
  /** Verbs of later changes that do not stand in the way of that. */
  despite?: readonly Verb[] | undefined;
  /** The version that is being restored. */
  restoring?: number | undefined;
};

/** A record as it is stored. */
export type Row = Omit<typeof memories.$inferSelect, "owner" | "activity">;

/** A record without its number, which is assigned in the transaction that creates it. */
export type Draft = Omit<Row, "id">;

/** Every column of a record but its owner's and the ledger's. */
const { owner: _, activity: __, ...stored } = getTableColumns(memories);

/** A record's state as its events keep it, as JSON in SQL. */
export const stateJson = sql`json_object(${sql.join(
  (Object.keys(MemoryState.shape) as (keyof MemoryState)[]).map((name) => {
    const column = memories[name];
    const value = column.dataType === "json" ? sql`json(${column})` : sql`${column}`;
    return sql`${sql.raw(`'${name}'`)}, ${value}`;
  }),
  sql`, `,
)})`;

/** Every field of a record but its number, as null. */
export const UNSET = Object.fromEntries(
  Object.keys(stored)
    .filter((name) => name !== "id")
    .map((name) => [name, null]),
) as Record<keyof Draft, null>;

/** True in SQL for a deferred record whose day has come. */
export function isAwake({ now }: Pick<Ctx, "now">): SQL {
  const [before, after] = awakeSql("?").split("?");
  return sql`${sql.raw(before ?? "")}${now.toISOString()}${sql.raw(after ?? "")}`;
}

/**
 * When a record was last attended to, in SQL: changed in what it says, when it is due or its state, or confirmed. How it is
 * filed (project, tags, scope) does not count, while `updated_at` moves with everything. Of a record that waits for its day,
 * `touched_at` is that day.
 */
export const attendedAt = (ctx: Pick<Ctx, "now">): SQL =>
  sql`iif(${sql.raw(deferredUntilDay())} AND NOT ${isAwake(ctx)}, coalesce(renewed_at, closed_at), touched_at)`;

/** True in SQL for a record that is not in the trash. */
export const LIVING = sql`trashed_at IS NULL`;

/**
 * In SQL, the number of the record that a link names, or null while that is in the trash: the link itself stays, for the
 * day on which the record comes back.
 *
 * @param of the alias of the table that has the link
 */
export const linked = (link: "supersedes_id" | "superseded_by_id", of = "memories") =>
  sql<number | null>`${sql.raw(`(SELECT other.id FROM memories AS other
    WHERE other.owner = ${of}.owner AND other.id = ${of}.${link} AND other.trashed_at IS NULL)`)}`;

/** The columns of a record as it is now. Waking is a change of its own, so the version moves. */
export function shown(ctx: Ctx) {
  const awake = isAwake(ctx);
  return {
    ...stored,
    supersedes_id: linked("supersedes_id"),
    superseded_by_id: linked("superseded_by_id"),
    status: sql<Status>`iif(${awake}, 'active', status)`,
    deferred_until: sql<string | null>`iif(${awake}, NULL, deferred_until)`,
    closed_at: sql<string | null>`iif(${awake}, NULL, closed_at)`,
    version: sql<number>`version + ${awake}`,
  };
}

/** The caller's clock. Loads their time zone unless an earlier database call of the request already has. */
export const clockOf = async (ctx: Ctx): Promise<Clock> => ({
  now: ctx.now,
  timezone: (await ctx.user()).timezone,
});

/** The caller's clock, and after how many days records go stale. */
export type Attention = Clock & DaySettings;

/**
 * Reads an answer whose SQL depends on the caller's settings: with those that this isolate saw last, instead of loading
 * them first, and again if they turn out to have changed.
 */
export async function readWithSettings<Answer>(
  ctx: Ctx,
  read: (attention: Attention) => Promise<Answer>,
): Promise<Answer> {
  const { now, lastSettings } = ctx;
  const answer = lastSettings && (await read({ ...lastSettings, now }));
  const { timezone, stale_after_days } = await ctx.user();
  const isCurrent =
    lastSettings?.timezone === timezone &&
    lastSettings.stale_after_days.commitment === stale_after_days.commitment &&
    lastSettings.stale_after_days.blocker === stale_after_days.blocker;
  return answer && isCurrent ? answer : read({ now, timezone, stale_after_days });
}

/** The record as its owner sees it. */
export function present(
  { closed_at: _, touched_at: __, renewed_at: ___, trashed_at: ____, ...visible }: Row,
  { timezone }: Pick<Clock, "timezone">,
): Memory {
  const days_to_resolve = daysToResolve(visible.created_at, visible.resolved_at, timezone);
  return { ...visible, days_to_resolve };
}

/** True in SQL for this record of the caller, even in the trash. */
export const ownAnywhere = (ctx: Ctx, id: number) => and(eq(memories.id, id), eq(memories.owner, ctx.owner));

/** True in SQL for this record of the caller, unless it is in the trash. */
export const own = (ctx: Ctx, id: number) => and(ownAnywhere(ctx, id), isNull(memories.trashed_at));

/** True in SQL if the record has one of these versions. */
export const hasVersion = (ctx: Ctx, which: SQL | undefined, versions: number[]) =>
  sql`EXISTS (SELECT 1 FROM memories WHERE ${which}
    AND version + ${isAwake(ctx)} IN (SELECT value FROM json_each(${JSON.stringify(versions)})))`;

/** Fails the batch if a document is given that is not the caller's or is in the trash. */
export const mustOwnDocument = (ctx: Ctx, id: string | null | undefined) =>
  id
    ? [
        must(
          ctx,
          sql`EXISTS (SELECT 1 FROM documents
            WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL)`,
          "document-not-found",
        ),
      ]
    : [];
