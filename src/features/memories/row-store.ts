import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SourceType } from "../../contract/document.ts";
import type { Verb } from "../../contract/ledger-words.ts";
import { awakeSql, deferredUntilDay, type Status } from "../../contract/life-cycle.ts";
import { type Memory, MemoryState } from "../../contract/memory.ts";
import type { NextValues } from "../../contract/memory-fields.ts";
import type { Ctx, DaySettings } from "../../platform/core/ctx.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { listOf } from "../../platform/db/list.ts";
import { memories } from "../../platform/db/tables.ts";
import { erasedSince, type Idempotency, type Repeatable } from "../../platform/idempotency/store.ts";
import { type Clock, daysToResolve } from "./ages.ts";
import { NO_PLAN } from "./plan.ts";
import { repetitionOf } from "./repetition.ts";

export type Writer = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
  /** Number of the activity entry that this write undoes. */
  undoing?: number | undefined;
  /** Verbs of later changes that do not block the undo. */
  despite?: readonly Verb[] | undefined;
  /** Version that this write restores. */
  restoring?: number | undefined;
  /** Statements to run first in the same transaction. */
  ahead?: readonly BatchItem<"sqlite">[] | undefined;
};

export type Row = Omit<typeof memories.$inferSelect, "owner" | "activity">;

/** A record without its id, which is assigned in the transaction that creates it. */
export type Draft = Omit<Row, "id">;

/** All columns except `owner` and `activity`. */
const { owner: _, activity: __, ...stored } = getTableColumns(memories);

/** SQL: the value of a column as JSON. SQLite stores booleans as 0 and 1. */
function columnJson(column: (typeof memories)[keyof typeof stored]): SQL {
  if (column.dataType === "json") return sql`json(${column})`;
  return column.dataType === "boolean"
    ? sql`json(iif(${column}, 'true', iif(${column} = 0, 'false', NULL)))`
    : sql`${column}`;
}

export const stateJson = sql`json_object(${sql.join(
  (Object.keys(MemoryState.shape) as (keyof MemoryState)[]).map((name) => {
    const column = memories[name];
    return sql`${sql.raw(`'${name}'`)}, ${columnJson(column)}`;
  }),
  sql`, `,
)})`;

export const UNSET = Object.fromEntries(
  Object.keys(stored)
    .filter((name) => name !== "id")
    .map((name) => [name, null]),
) as Record<keyof Draft, null>;

export function isAwake({ now }: Pick<Ctx, "now">): SQL {
  const [before, after] = awakeSql("?").split("?");
  return sql`${sql.raw(before ?? "")}${now.toISOString()}${sql.raw(after ?? "")}`;
}

/**
 * SQL: when a record's content, due date or state last changed. Filing (project, tags, scope) does not count. While a
 * record is deferred, its `touched_at` is when it wakes.
 */
export const attendedAt = (ctx: Pick<Ctx, "now">): SQL =>
  sql`iif(${sql.raw(deferredUntilDay())} AND NOT ${isAwake(ctx)}, coalesce(renewed_at, closed_at), touched_at)`;

export const NOT_TRASHED = sql`trashed_at IS NULL`;

/** SQL: 1 if another record of the same series is open, else 0. Reads nothing for records that do not repeat. */
export const hasRival = sql<number>`EXISTS (SELECT 1 FROM memories AS other INDEXED BY memories_series_idx
  WHERE other.owner = memories.owner AND other.series_id = coalesce(memories.series_id, memories.id)
    AND other.series_id IS NOT NULL AND other.id <> memories.id AND other.status IN ('active', 'deferred')
    AND other.trashed_at IS NULL)`;

/** SQL: the id that a link points to, or null while that record is in the trash. `of`: alias of the table with the link. */
export const linked = (link: "supersedes_id" | "superseded_by_id", of = "memories") =>
  sql<number | null>`${sql.raw(`(SELECT other.id FROM memories AS other
    WHERE other.owner = ${of}.owner AND other.id = ${of}.${link} AND other.trashed_at IS NULL)`)}`;

/** The columns of a record as of now. A deferred record that has woken is shown active and one version higher. */
export function columns(ctx: Ctx) {
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

const nextDocument = sql.raw("memories.next_values ->> '$.document_id'");

/** SQL: the values that the next record of a series has instead; without a document that has been erased. */
const nextValues = sql`iif(${nextDocument} IS NULL OR EXISTS (SELECT 1 FROM documents
    WHERE documents.id = ${nextDocument} AND documents.owner = memories.owner),
  memories.next_values, json_set(memories.next_values, '$.document_id', NULL))`.mapWith(memories.next_values);

/** The columns that a change needs. `woken`: its waking is not stored yet. `rival`: its series has another open record. */
export const changeable = (ctx: Ctx) => ({
  ...columns(ctx),
  next_values: nextValues as SQL<NextValues | null>,
  woken: sql<number>`${isAwake(ctx)}`,
  rival: hasRival,
});

/** The caller's clock. Loads their time zone unless an earlier database call of the request already has. */
export async function clockOf(ctx: Ctx): Promise<Clock> {
  const { timezone, remind_before } = await ctx.user();
  return { now: ctx.now, timezone, remind_before };
}

export type Attention = Clock & DaySettings;

/** Reads with the settings that this isolate saw last, and again if they have changed. */
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

export function present(row: Row, clock: Clock): Memory {
  const { closed_at: _, touched_at: __, renewed_at: ___, trashed_at: ____, ...shown } = row;
  const { next_values: _____, ...visible } = shown;
  const days_to_resolve = daysToResolve(visible.created_at, visible.resolved_at, clock.timezone);
  return { ...visible, days_to_resolve, ...repetitionOf(row, clock) };
}

export const ownedByIdAnywhere = (ctx: Ctx, id: number) =>
  and(eq(memories.id, id), eq(memories.owner, ctx.owner));

export const ownedById = (ctx: Ctx, id: number) =>
  and(ownedByIdAnywhere(ctx, id), isNull(memories.trashed_at));

/** Defaults for fields that old stored states do not have. */
const NEW_FIELD_DEFAULTS = { ...NO_PLAN, happened_on: null, priority: null, owed: null };

/** Parses a state stored with an event. */
export const stateOf = (state: string): MemoryState => ({
  ...NEW_FIELD_DEFAULTS,
  ...(JSON.parse(state) as MemoryState),
});

export type StoredMemory = Pick<Memory, "id" | "version">;

export const storedOfMemory = ({ id, version }: StoredMemory): StoredMemory => ({ id, version });

/** A record at the version that a request left it in, or its current state if that version is gone. Throws 410 if erased. */
export async function memoryAgain(ctx: Ctx, { id, version }: StoredMemory, known?: Row): Promise<Memory> {
  if (known?.id === id && known.version === version) return present(known, await clockOf(ctx));
  const [[row], [old]] = await ctx.db.batch([
    ctx.db.select(columns(ctx)).from(memories).where(ownedByIdAnywhere(ctx, id)),
    ctx.db.all<{ state: string }>(sql`SELECT state FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id = ${id} AND state ->> '$.version' = ${version}`),
  ]);
  if (!row) throw erasedSince();
  return present({ ...row, ...(old && stateOf(old.state)) }, await clockOf(ctx));
}

export const repeatable = (memory: Memory): Repeatable<Memory, StoredMemory> => ({
  answer: memory,
  stored: storedOfMemory(memory),
  again: memoryAgain,
});

export const hasVersion = (ctx: Ctx, which: SQL | undefined, versions: number[]) =>
  sql`EXISTS (SELECT 1 FROM memories WHERE ${which}
    AND version + ${isAwake(ctx)} IN ${listOf(versions)})`;

/** Fails the batch if the given document is not the caller's or is in the trash. */
export const mustOwnDocument = (ctx: Ctx, id: string | null | undefined) =>
  id
    ? [
        assertInBatch(
          ctx,
          sql`EXISTS (SELECT 1 FROM documents
            WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL)`,
          "document-not-found",
        ),
      ]
    : [];
