import { type SQL, sql } from "drizzle-orm";
import { startOfDay } from "../../contract/days.ts";
import { pickFields } from "../../contract/field-spec.ts";
import type { LifeCycleStatus } from "../../contract/life-cycle.ts";
import type { Memory, MemoryState } from "../../contract/memory.ts";
import type { MemoryEventName } from "../../contract/memory-event.ts";
import { MemoryVersion, type MemoryVersionList } from "../../contract/memory-version.ts";
import { omit } from "../../contract/omit.ts";
import { renameEntriesStatement } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import { type Clock, currentDay } from "./ages.ts";
import { changedFields, changeMemory } from "./change-store.ts";
import { nextEventId } from "./event-store.ts";
import type { PageRange } from "./filter-store.ts";
import { WITHOUT_SERIES } from "./plan.ts";
import { isOpen } from "./repetition.ts";
import {
  currentColumns,
  isAwakeSql,
  type MemoryRow,
  type MemoryWriter,
  memoryStateJson,
  ownedMemory,
  parseState,
  STATE_FIELDS,
} from "./row-store.ts";

// The previous versions of a record. Each event stores the state before it.

const VERSION_FIELDS = STATE_FIELDS.filter((name) => name in MemoryVersion.shape) as (keyof MemoryState &
  keyof MemoryVersion)[];

type StoredState = { state: string } & Pick<MemoryVersion, "source_type" | "client_name"> & {
    at: string | null;
  };

/** SQL: the states of a record, each with the event that led to it. `leave`: JSON path to omit. */
function statesSql(ctx: Ctx, id: number, leave = "$.nothing"): SQL {
  const owned = sql`owner = ${ctx.owner} AND memory_id = ${id}`;
  return sql`(
    SELECT s.id, json_remove(s.state, ${leave}) AS state, s.state ->> '$.version' AS version, p.at, p.source_type,
      p.client_name
    FROM (
      SELECT id, state FROM memory_events WHERE ${owned} AND state IS NOT NULL
      UNION ALL
      SELECT ${nextEventId(sql`memories.owner`, sql`memories.id`)}, ${memoryStateJson} FROM memories
      WHERE ${ownedMemory(ctx, id)} AND ${isAwakeSql(ctx)}) AS s
    LEFT JOIN memory_events AS p ON p.owner = ${ctx.owner} AND p.memory_id = ${id} AND p.id = s.id - 1)`;
}

const mustExist = (ctx: Ctx, id: number) =>
  assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM memories WHERE ${ownedMemory(ctx, id)})`, "not-found");

function present(id: number, { state, at, source_type, client_name }: StoredState): MemoryVersion {
  const known = parseState(state);
  const created_at = at ?? known.updated_at;
  return { memory_id: id, ...pickFields(known, VERSION_FIELDS), source_type, client_name, created_at };
}

export async function listMemoryVersions(ctx: Ctx, id: number, page: PageRange): Promise<MemoryVersionList> {
  const [rows, [count]] = await ctx.db.batch([
    ctx.db.all<StoredState>(sql`SELECT * FROM ${statesSql(ctx, id, "$.content")} ORDER BY id DESC
      LIMIT ${page.limit} OFFSET ${page.offset}`),
    ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM ${statesSql(ctx, id)}`),
    mustExist(ctx, id),
  ]);
  return { items: rows.map((row) => present(id, row)), total: count?.total ?? 0 };
}

/** One version of a record, including the current one. Throws 404 for one that never existed or is no longer kept. */
export async function getMemoryVersion(ctx: Ctx, id: number, version: number): Promise<MemoryVersion> {
  const [[row], [last], [old]] = await ctx.db.batch([
    ctx.db.select(currentColumns(ctx)).from(memories).where(ownedMemory(ctx, id)),
    ctx.db.all<Omit<StoredState, "state">>(sql`SELECT at, source_type, client_name FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id = ${id} ORDER BY id DESC LIMIT 1`),
    readState(ctx, id, version),
  ]);
  if (row?.version === version) return present(id, { ...UNKNOWN, ...last, state: currentState(row) });
  if (!row || !old) throw notFound();
  return present(id, old);
}

const UNKNOWN = { at: null, source_type: null, client_name: null };

const currentState = (row: MemoryRow) => JSON.stringify(pickFields(row, STATE_FIELDS)) as string;

const readState = (ctx: Ctx, id: number, version: number) =>
  ctx.db.all<StoredState>(sql`SELECT * FROM ${statesSql(ctx, id)} WHERE version = ${version}`);

/** Erases an earlier version of a record, even one in the trash. Its event stays. Throws 404. */
export async function eraseMemoryVersion(ctx: Ctx, id: number, version: number): Promise<void> {
  const which = sql`owner = ${ctx.owner} AND memory_id = ${id} AND state ->> '$.version' = ${version}`;
  const title = sql`SELECT topic FROM memories WHERE owner = ${ctx.owner} AND id = ${id}`;
  await sendBatch(ctx, [
    assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM memory_events WHERE ${which})`, "not-found"),
    renameEntriesStatement(ctx, "memory", { id, version, title }),
    ctx.db.run(sql`UPDATE usage SET bytes = bytes - (SELECT sum(octet_length(state)) FROM memory_events WHERE ${which})
      WHERE owner = ${ctx.owner}`),
    ctx.db.run(sql`UPDATE memory_events SET state = NULL WHERE ${which}`),
  ]);
}

const EVENT_FOR_STATUS: Record<LifeCycleStatus, MemoryEventName> = {
  active: "reopened",
  deferred: "deferred",
  resolved: "resolved",
  archived: "archived",
};

/** A stored state as of today: past its day a deferred record is active, before it wakes by the current time zone. */
function stateToday(state: MemoryState, clock: Clock): MemoryState {
  const { status, deferred_until: day } = state;
  if (status !== "deferred" || day === null) return state;
  if (day <= currentDay(clock)) return { ...state, status: "active", deferred_until: null, closed_at: null };
  return { ...state, touched_at: startOfDay(day, clock.timezone) };
}

/** A record that is reopened while another one of its series is open loses its repetition. */
function withSeries(next: MemoryRow, isContinued: boolean): MemoryRow {
  if (isContinued && isOpen(next)) return { ...next, ...WITHOUT_SERIES };
  return next.repeat === null ? next : { ...next, series_id: next.series_id ?? next.id };
}

async function linkableDocumentId(ctx: Ctx, id: string | null): Promise<string | null> {
  if (id === null) return null;
  const [found] = await ctx.db.all<{ id: string }>(
    sql`SELECT id FROM documents WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL`,
  );
  return found?.id ?? null;
}

/**
 * Restores an earlier version, status and age included, as a new version. What is open in its series is closed by the
 * statements in `ahead`, if there are any. Throws 404, 412.
 */
export async function restoreMemoryVersion(
  ctx: Ctx,
  id: number,
  version: number,
  writer: MemoryWriter,
): Promise<Memory> {
  const [old] = await readState(ctx, id, version);
  const kept = old && parseState(old.state);
  const document_id = await linkableDocumentId(ctx, kept?.document_id ?? null);
  const { memory } = await changeMemory(
    ctx,
    id,
    { ...writer, restoredVersion: version },
    (row, clock, hasSibling) => {
      if (row.version === version) return null;
      if (!kept) throw notFound();
      const state = omit(stateToday({ ...kept, document_id }, clock), "version", "updated_at");
      const next = withSeries({ ...row, ...state }, hasSibling && !writer.ahead);
      if (Object.keys(changedFields(row, next)).length === 0) return null;
      const event = row.status === next.status ? "updated" : EVENT_FOR_STATUS[next.status];
      return { next: { ...next, updated_at: ctx.now.toISOString() }, event, note: null };
    },
  );
  return memory;
}
