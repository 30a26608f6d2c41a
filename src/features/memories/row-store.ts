import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { SourceType } from "../../contract/document.ts";
import { pickFields, pluckFields } from "../../contract/field-spec.ts";
import { hasWakeDaySql, hasWokenSql, type LifeCycleStatus } from "../../contract/life-cycle.ts";
import { details, type Memory, MemoryState } from "../../contract/memory.ts";
import { MEMORY_FIELDS, type NextValues } from "../../contract/memory-fields.ts";
import { omit } from "../../contract/omit.ts";
import type { WriteContext } from "../../platform/activity/store.ts";
import type { Ctx, DaySettings } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { memories } from "../../platform/db/tables.ts";
import {
  erasedSinceError,
  type Idempotency,
  type RepeatableAnswer,
} from "../../platform/idempotency/store.ts";
import { type Clock, daysToResolve } from "./ages.ts";
import { repetitionFields } from "./repetition.ts";

export type MemoryWriter = Omit<WriteContext, "source_type" | "editSession"> & {
  source_type: SourceType;
  ifMatch?: string | undefined;
  once?: Idempotency | undefined;
  /** Statements to run first in the same transaction. */
  ahead?: readonly BatchItem[] | undefined;
  /** Reads for the statements to run last in it. */
  behind?: (() => Promise<readonly BatchItem[]>) | undefined;
};

export type MemoryRow = Omit<typeof memories.$inferSelect, "owner" | "activity">;

/** A record without its id, which is assigned in the transaction that creates it. */
export type NewMemoryRow = Omit<MemoryRow, "id">;

/** All columns except `owner` and `activity`. */
const stored = omit(getTableColumns(memories), "owner", "activity");

/** SQL: the value of a column as JSON. SQLite stores booleans as 0 and 1. */
function columnJson(column: (typeof memories)[keyof typeof stored]): SQL {
  if (column.dataType === "json") return sql`json(${column})`;
  return column.dataType === "boolean"
    ? sql`json(iif(${column}, 'true', iif(${column} = 0, 'false', NULL)))`
    : sql`${column}`;
}

export const STATE_FIELDS = Object.keys(MemoryState.shape) as (keyof MemoryState)[];

export const memoryStateJson = sql`json_object(${sql.join(
  STATE_FIELDS.map((name) => sql`${sql.raw(`'${name}'`)}, ${columnJson(memories[name])}`),
  sql`, `,
)})`;

export const ALL_NULL = Object.fromEntries(
  Object.keys(stored)
    .filter((name) => name !== "id")
    .map((name) => [name, null]),
) as Record<keyof NewMemoryRow, null>;

export function isAwakeSql({ now }: Pick<Ctx, "now">): SQL {
  const [before, after] = hasWokenSql("?").split("?");
  return sql`${sql.raw(before ?? "")}${now.toISOString()}${sql.raw(after ?? "")}`;
}

/**
 * SQL: when a record's content, due date or state last changed. Filing (project, tags, scope) does not count. While a
 * record is deferred, its `touched_at` is when it wakes.
 */
export const attendedAtSql = (ctx: Pick<Ctx, "now">): SQL =>
  sql`iif(${sql.raw(hasWakeDaySql())} AND NOT ${isAwakeSql(ctx)}, coalesce(renewed_at, closed_at), touched_at)`;

export const NOT_TRASHED = sql`trashed_at IS NULL`;

/** SQL: 1 if another record of the same series is open, else 0. Reads nothing for records that do not repeat. */
export const hasOpenSibling = sql<number>`EXISTS (SELECT 1 FROM memories AS other INDEXED BY memories_series_idx
  WHERE other.owner = memories.owner AND other.series_id = coalesce(memories.series_id, memories.id)
    AND other.series_id IS NOT NULL AND other.id <> memories.id AND other.status IN ('active', 'deferred')
    AND other.trashed_at IS NULL)`;

/** SQL: the id that a link points to, or null while that record is in the trash. `of`: alias of the table with the link. */
export const linkedMemoryId = (link: "supersedes_id" | "superseded_by_id", of = "memories") =>
  sql<number | null>`${sql.raw(`(SELECT other.id FROM memories AS other
    WHERE other.owner = ${of}.owner AND other.id = ${of}.${link} AND other.trashed_at IS NULL)`)}`;

/** The columns of a record as of now. A deferred record that has woken is shown active and one version higher. */
export function currentColumns(ctx: Ctx) {
  const awake = isAwakeSql(ctx);
  return {
    ...stored,
    supersedes_id: linkedMemoryId("supersedes_id"),
    superseded_by_id: linkedMemoryId("superseded_by_id"),
    status: sql<LifeCycleStatus>`iif(${awake}, 'active', status)`,
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

/** The columns that a change needs. `woken`: its waking is not stored yet. `has_sibling`: its series has another open record. */
export const columnsForChange = (ctx: Ctx) => ({
  ...currentColumns(ctx),
  next_values: nextValues as SQL<NextValues | null>,
  woken: sql<number>`${isAwakeSql(ctx)}`,
  has_sibling: hasOpenSibling,
});

/** The caller's clock. Loads their time zone unless an earlier database call of the request already has. */
export async function userClock(ctx: Ctx): Promise<Clock> {
  const { timezone, remind_before } = await ctx.user();
  return { now: ctx.now, timezone, remind_before };
}

export type SettingsClock = Clock & DaySettings;

/** Reads with the settings that this isolate saw last, and again if they have changed. */
export async function readWithSettings<Answer>(
  ctx: Ctx,
  read: (clock: SettingsClock) => Promise<Answer>,
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

const SHOWN_FIELDS = ["id", ...Object.keys(pluckFields(MEMORY_FIELDS, "shown"))] as (keyof Memory &
  keyof MemoryRow)[];

export function presentMemory(row: MemoryRow, clock: Clock): Memory {
  const days_to_resolve = daysToResolve(row.created_at, row.resolved_at, clock.timezone);
  return { ...pickFields(row, SHOWN_FIELDS), days_to_resolve, ...repetitionFields(row, clock) };
}

export const ownedMemoryOrTrashed = (ctx: Ctx, id: number) =>
  and(eq(memories.id, id), eq(memories.owner, ctx.owner));

export const ownedMemory = (ctx: Ctx, id: number) =>
  and(ownedMemoryOrTrashed(ctx, id), isNull(memories.trashed_at));

/** The fields that all lists of active or closed records read. */
export const LISTED_FIELDS = [
  ...(["id", "memory_type", "topic", "content", "created_at", "updated_at"] as const),
  ...(Object.keys(details) as (keyof typeof details)[]).filter((name) => name !== "document_id"),
  ...(["due_time", "repeat", "repeat_from", "note"] as const),
];
export type ListedRecord = Pick<Memory, (typeof LISTED_FIELDS)[number]>;

/** SQL: those columns of table `m`. */
export const LISTED_COLUMNS = sql.raw(LISTED_FIELDS.map((name) => `m.${name}`).join(", "));

/** Defaults for fields that old stored states do not have. */
const NEW_FIELD_DEFAULTS = Object.fromEntries(
  Object.entries(MemoryState.shape).flatMap(([name, type]) =>
    type instanceof z.ZodDefault ? [[name, type.parse(undefined)]] : [],
  ),
);

/** Parses a state stored with an event. */
export const parseState = (state: string): MemoryState => ({
  ...NEW_FIELD_DEFAULTS,
  ...(JSON.parse(state) as MemoryState),
});

export type StoredMemoryVersion = Pick<Memory, "id" | "version">;

export const toStoredVersion = (memory: Memory): StoredMemoryVersion => pickFields(memory, ["id", "version"]);

/** A record at the version that a request left it in, or its current state if that version is gone. Throws 410 if erased. */
export async function readMemoryAgain(
  ctx: Ctx,
  { id, version }: StoredMemoryVersion,
  known?: MemoryRow,
): Promise<Memory> {
  if (known?.id === id && known.version === version) return presentMemory(known, await userClock(ctx));
  const [[row], [old]] = await ctx.db.batch([
    ctx.db.select(currentColumns(ctx)).from(memories).where(ownedMemoryOrTrashed(ctx, id)),
    ctx.db.all<{ state: string }>(sql`SELECT state FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id = ${id} AND state ->> '$.version' = ${version}`),
  ]);
  if (!row) throw erasedSinceError();
  return presentMemory({ ...row, ...(old && parseState(old.state)) }, await userClock(ctx));
}

export const repeatableMemory = (memory: Memory): RepeatableAnswer<Memory, StoredMemoryVersion> => ({
  answer: () => memory,
  stored: toStoredVersion(memory),
  again: readMemoryAgain,
});

export const hasAnyVersion = (ctx: Ctx, which: SQL | undefined, versions: number[]) =>
  sql`EXISTS (SELECT 1 FROM memories WHERE ${which}
    AND version + ${isAwakeSql(ctx)} IN ${sqlList(versions)})`;

/** Fails the batch if the given document is not the caller's or is in the trash. */
export const assertOwnDocument = (ctx: Ctx, id: string | null | undefined) =>
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
