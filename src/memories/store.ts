import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { dayOf, startOfDay } from "../core/days.ts";
import { badRequest, notFound, preconditionFailed, unavailable } from "../core/errors.ts";
import { allowsChange } from "../core/etag.ts";
import { isTimeZone } from "../core/time-zone.ts";
import { memories } from "../db/tables.ts";
import type { SourceType } from "../documents/schema.ts";
import { indexStatements, unindexStatement } from "../text-index/store.ts";
import { daysToResolve } from "./ages.ts";
import {
  type Action,
  awake,
  changesNothing,
  EVENT_OF,
  refusalOf,
  type Status,
  stateAfter,
} from "./life-cycle.ts";
import type {
  ActionInput,
  EventName,
  Memory,
  MemoryCreateRequest,
  MemoryUpdateRequest,
  SupersedeRequest,
} from "./schema.ts";

/** How often a change without If-Match starts again because another one came first. */
const MAX_ATTEMPTS = 100;
const WOKEN_AT_ONCE = 500;

/** Which program writes, and what it knows about the record. */
export type Origin = {
  source_type: SourceType;
  client_name?: string | undefined;
  ifMatch?: string | undefined;
};

/** A record as the table has it. */
export type Row = Omit<typeof memories.$inferSelect, "owner">;

/** A record that has no number yet: it is drawn in the transaction that makes it. */
type Draft = Omit<Row, "id">;

export const columns = {
  id: memories.id,
  memory_type: memories.memory_type,
  topic: memories.topic,
  content: memories.content,
  status: memories.status,
  scope: memories.scope,
  project: memories.project,
  tags: memories.tags,
  due_date: memories.due_date,
  deferred_until: memories.deferred_until,
  document_id: memories.document_id,
  supersedes_id: memories.supersedes_id,
  superseded_by_id: memories.superseded_by_id,
  resolved_at: memories.resolved_at,
  resolution_note: memories.resolution_note,
  last_confirmed_at: memories.last_confirmed_at,
  source_type: memories.source_type,
  client_name: memories.client_name,
  version: memories.version,
  created_at: memories.created_at,
  updated_at: memories.updated_at,
  closed_at: memories.closed_at,
  touched_at: memories.touched_at,
};

/** The caller's calendar day. */
export const todayOf = (ctx: Ctx) => dayOf(ctx.now, ctx.account.timezone);

/** The record as the caller sees it today. */
export function present(ctx: Ctx, row: Row): Memory {
  const { closed_at: _, touched_at: __, ...visible } = awake(row, todayOf(ctx));
  const days_to_resolve = daysToResolve(visible.created_at, visible.resolved_at, ctx.account.timezone);
  return { ...visible, days_to_resolve };
}

export const own = (ctx: Ctx, id: number) => and(eq(memories.id, id), eq(memories.owner, ctx.owner));

/** True in SQL while the caller's record still has this version. */
const hasVersion = (ctx: Ctx, { id, version }: Row) =>
  sql`EXISTS (SELECT 1 FROM memories WHERE id = ${id} AND owner = ${ctx.owner} AND version = ${version})`;

/** True in SQL when the document is the caller's, or when there is none. */
const documentIsMine = (ctx: Ctx, id: string | null) =>
  id
    ? sql`EXISTS (SELECT 1 FROM documents
    WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL)`
    : sql`true`;

type Event = { event: EventName; from_status: Status | null; to_status: Status; note?: string | null };

/** The number of a record's next event, in SQL: events are counted within their record. */
export const nextEvent = (owner: SQL, memory: SQL) =>
  sql`(SELECT coalesce(max(e.id), 0) + 1 FROM memory_events AS e WHERE e.owner = ${owner} AND e.memory_id = ${memory})`;

/** The statement that records an event, where `when` holds. */
const eventStatement = (ctx: Ctx, id: SQL, entry: Event & { origin: Origin }, when: SQL) =>
  ctx.db.run(sql`
    INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, note, source_type, client_name, at)
    SELECT ${ctx.owner}, ${id}, ${nextEvent(sql`${ctx.owner}`, id)}, ${entry.event}, ${entry.from_status},
      ${entry.to_status}, ${entry.note ?? null}, ${entry.origin.source_type}, ${entry.origin.client_name ?? null},
      ${ctx.now.toISOString()}
    WHERE ${when}`);

/**
 * The statements that write down that records woke, with the event at the instant at which they did. They
 * change nothing that anybody sees.
 */
const wakeStatements = ({ db }: BaseCtx, due: SQL) =>
  [
    db.run(sql`
      INSERT INTO memory_events (owner, memory_id, id, event, from_status, to_status, at)
      SELECT owner, id, ${nextEvent(sql`memories.owner`, sql`memories.id`)}, 'woke', 'deferred', 'active', touched_at
      FROM memories
      WHERE status = 'deferred' AND ${due}`),
    db.run(sql`
      UPDATE memories SET status = 'active', closed_at = NULL, deferred_until = NULL, version = version + 1
      WHERE status = 'deferred' AND ${due}`),
  ] as const;

export const wakeOne = (ctx: Ctx, id: number) =>
  wakeStatements(ctx, sql`id = ${id} AND owner = ${ctx.owner} AND deferred_until <= ${todayOf(ctx)}`);

const searchStatements = (ctx: Ctx, record: string | SQL, { topic, tags, content }: Draft, when: SQL) =>
  indexStatements(ctx, { kind: "memory", record, title: topic, tags, text: content }, when);

/** The number that the caller's latest record was given, in SQL. */
const lastNumber = (ctx: Ctx) => sql`(SELECT last_memory_id FROM users WHERE number = ${ctx.owner})`;

/** The statement that draws the caller's next number, where `when` holds. It is never drawn again. */
const drawStatement = (ctx: Ctx, when: SQL) =>
  ctx.db.run(sql`UPDATE users SET last_memory_id = last_memory_id + 1
    WHERE number = ${ctx.owner} AND ${when}`);

const insertStatement = (ctx: Ctx, row: Draft, when: SQL) =>
  ctx.db.all<{ id: number }>(sql`
    INSERT INTO memories (owner, id, memory_type, topic, content, status, scope, project, tags, due_date,
      document_id, supersedes_id, source_type, client_name, version, created_at, updated_at, touched_at)
    SELECT ${ctx.owner}, ${lastNumber(ctx)}, ${row.memory_type}, ${row.topic}, ${row.content}, 'active', ${row.scope},
      ${row.project}, ${JSON.stringify(row.tags)}, ${row.due_date}, ${row.document_id}, ${row.supersedes_id},
      ${row.source_type}, ${row.client_name}, 1, ${row.created_at}, ${row.updated_at}, ${row.touched_at}
    WHERE ${when} RETURNING id`);

/**
 * The statements that make a record with its number, event and search entry, where `when` holds. The record comes
 * last and answers its number: until then every statement sees what `when` is about as it was.
 */
function creationStatements(ctx: Ctx, row: Draft, origin: Origin, when: SQL) {
  const event = { event: "created", from_status: null, to_status: "active", origin } as const;
  return [
    drawStatement(ctx, when),
    eventStatement(ctx, lastNumber(ctx), event, when),
    ...searchStatements(ctx, sql`CAST(${lastNumber(ctx)} AS TEXT)`, row, when),
    insertStatement(ctx, row, when),
  ] as const;
}

/** An instant that may be told but must not lie ahead. Throws 400. */
function pastOrNow(ctx: Ctx, field: string, told: string | undefined): string {
  const now = ctx.now.toISOString();
  if (told && told > now) throw badRequest(`${field} must not be in the future: leave it out to mean now`);
  return told ?? now;
}

function newRow(ctx: Ctx, input: MemoryCreateRequest, origin: Origin): Draft {
  const created = pastOrNow(ctx, "created_at", input.created_at);
  return {
    memory_type: input.memory_type,
    topic: input.topic,
    content: input.content,
    status: "active",
    scope: input.scope ?? null,
    project: input.project ?? null,
    tags: input.tags ?? [],
    due_date: input.due_date ?? null,
    deferred_until: null,
    document_id: input.document_id ?? null,
    supersedes_id: null,
    superseded_by_id: null,
    resolved_at: null,
    resolution_note: null,
    last_confirmed_at: null,
    source_type: origin.source_type,
    client_name: origin.client_name ?? null,
    version: 1,
    created_at: created,
    updated_at: created,
    closed_at: null,
    touched_at: created,
  };
}

/** Makes an active record. Throws 404 for a document that is not the caller's, 400 for a `created_at` ahead. */
export async function createMemory(ctx: Ctx, input: MemoryCreateRequest, origin: Origin): Promise<Memory> {
  const row = newRow(ctx, input, origin);
  const results = await ctx.db.batch(
    creationStatements(ctx, row, origin, documentIsMine(ctx, row.document_id)),
  );
  const [made] = results.at(-1) as { id: number }[];
  if (!made) throw notFound("document_id");
  return present(ctx, { ...row, id: made.id });
}

/** True in SQL for the caller's open records that say the same: their text, and every other field that is given. */
function saysTheSame(ctx: Ctx, input: MemoryCreateRequest): SQL {
  const { memory_type, topic, content, tags } = input;
  const given = (["scope", "project", "due_date", "document_id"] as const).filter(
    (name) => input[name] !== undefined,
  );
  const conditions = [
    sql`owner = ${ctx.owner} AND topic = ${topic} AND status IN ('active', 'deferred')`,
    sql`memory_type = ${memory_type} AND content = ${content}`,
    ...given.map((name) => sql`${memories[name]} IS ${input[name]}`),
    ...(tags ? [sql`tags = ${JSON.stringify(tags)}`] : []),
  ];
  return sql.join(conditions, sql` AND `);
}

/**
 * Makes an active record, unless an open one of the caller's says the very same already: then that one is answered.
 * Throws as `createMemory` does.
 */
export async function rememberMemory(
  ctx: Ctx,
  input: MemoryCreateRequest,
  origin: Origin,
): Promise<{ memory: Memory; isNew: boolean }> {
  const row = newRow(ctx, input, origin);
  const same = saysTheSame(ctx, input);
  const when = sql`NOT EXISTS (SELECT 1 FROM memories WHERE ${same}) AND ${documentIsMine(ctx, row.document_id)}`;
  const [[known], ...results] = await ctx.db.batch([
    ctx.db.select(columns).from(memories).where(same).orderBy(memories.id).limit(1),
    ...creationStatements(ctx, row, origin, when),
  ]);
  if (known) return { memory: present(ctx, known), isNew: false };
  const [made] = results.at(-1) as { id: number }[];
  if (!made) throw notFound("document_id");
  return { memory: present(ctx, { ...row, id: made.id }), isNew: true };
}

/**
 * Reads a record as it stands today, for a change. Throws 404 for a record or a new document that is not the
 * caller's, 412 where If-Match says so.
 */
async function readForUpdate(
  ctx: Ctx,
  id: number,
  { ifMatch, document_id }: { ifMatch?: string | undefined; document_id?: string | null | undefined } = {},
): Promise<Row> {
  const [[row], [document]] = await ctx.db.batch([
    ctx.db.select(columns).from(memories).where(own(ctx, id)),
    ctx.db.all<{ mine: number }>(sql`SELECT ${documentIsMine(ctx, document_id ?? null)} AS mine`),
  ]);
  if (!row) throw notFound();
  const now = awake(row, todayOf(ctx));
  if (!allowsChange(ifMatch, now.version)) throw preconditionFailed();
  if (!document?.mine) throw notFound("document_id");
  return now;
}

/** One of the caller's records. Throws 404. */
export async function getMemory(ctx: Ctx, id: number): Promise<Memory> {
  return present(ctx, await readForUpdate(ctx, id));
}

/** The caller's records among these ids, in no order: for features that know records by their ids. */
export async function findMemories(ctx: Ctx, ids: number[]): Promise<Memory[]> {
  const rows = await ctx.db
    .select(columns)
    .from(memories)
    .where(
      and(
        eq(memories.owner, ctx.owner),
        sql`${memories.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    );
  return rows.map((row) => present(ctx, row));
}

const updateStatement = (ctx: Ctx, next: Row, replacedBy: SQL, when: SQL) =>
  ctx.db.all<Pick<Row, "superseded_by_id">>(sql`
    UPDATE memories SET memory_type = ${next.memory_type}, topic = ${next.topic}, content = ${next.content},
      status = ${next.status}, scope = ${next.scope}, project = ${next.project},
      tags = ${JSON.stringify(next.tags)}, due_date = ${next.due_date}, deferred_until = ${next.deferred_until},
      document_id = ${next.document_id}, superseded_by_id = ${replacedBy},
      resolved_at = ${next.resolved_at}, resolution_note = ${next.resolution_note},
      last_confirmed_at = ${next.last_confirmed_at}, version = ${next.version}, updated_at = ${next.updated_at},
      closed_at = ${next.closed_at}, touched_at = ${next.touched_at}
    WHERE owner = ${ctx.owner} AND id = ${next.id} AND ${when} RETURNING superseded_by_id`);

const textOf = ({ topic, content, tags }: Draft) => JSON.stringify([topic, content, tags]);

/** What becomes of a record, under which event, and the record that is made in its place, if one is. */
type Change = { next: Row; event: EventName; note?: string | null | undefined; successor?: Draft };

/** Writes a change if the record still has the version that it was made from; answers it as it is then. */
async function writeChange(ctx: Ctx, row: Row, change: Change, origin: Origin): Promise<Row | undefined> {
  const { next, successor, ...event } = change;
  const when = sql`${hasVersion(ctx, row)} AND ${documentIsMine(ctx, next.document_id)}`;
  const entry = { ...event, from_status: row.status, to_status: next.status, origin };
  const id = sql`${row.id}`;
  const replacedBy = successor ? lastNumber(ctx) : sql`${next.superseded_by_id}`;
  // The version moves last: until then every statement of the transaction sees the old one.
  const results = await ctx.db.batch([
    ...wakeOne(ctx, row.id),
    eventStatement(ctx, id, entry, when),
    ...(textOf(row) === textOf(next) ? [] : searchStatements(ctx, String(row.id), next, when)),
    ...(successor ? creationStatements(ctx, successor, origin, when) : []),
    updateStatement(ctx, next, replacedBy, when),
  ]);
  const [written] = results.at(-1) as Pick<Row, "superseded_by_id">[];
  return written && { ...next, ...written };
}

/**
 * Changes a record by what `decide` makes of it; null leaves it as it is. Throws 404 for a record or document
 * that is not the caller's, 412 when `ifMatch` names another version.
 */
async function changeMemory(
  ctx: Ctx,
  id: number,
  origin: Origin & { document_id?: string | null | undefined },
  decide: (row: Row) => Change | null,
): Promise<Row> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const row = await readForUpdate(ctx, id, origin);
    const change = decide(row);
    if (!change) return row;
    Object.assign(change.next, { version: row.version + 1 });
    const written = await writeChange(ctx, row, change, origin);
    if (written) return written;
  }
  throw unavailable("Too many changes of this record at once: try again");
}

/** Whether the record wakes by itself: its staleness counts from then on, whatever happens before. */
const sleeps = (row: Row) => row.status === "deferred" && row.deferred_until !== null;

/** Changes the given fields of a record; omitted ones stay. A change of nothing keeps the version. */
export async function updateMemory(
  ctx: Ctx,
  id: number,
  change: MemoryUpdateRequest,
  origin: Origin,
): Promise<Memory> {
  const now = ctx.now.toISOString();
  const row = await changeMemory(ctx, id, { ...origin, document_id: change.document_id }, (row) => {
    const next = { ...row, ...change };
    if (JSON.stringify(next) === JSON.stringify(row)) return null;
    Object.assign(next, { updated_at: now, touched_at: sleeps(row) ? row.touched_at : now });
    return { next, event: "updated" };
  });
  return present(ctx, row);
}

/** When a record was done. Throws 400 for an instant ahead or before its creation. */
function resolvedAt(ctx: Ctx, row: Row, told: string | undefined): string {
  const at = pastOrNow(ctx, "resolved_at", told);
  if (told && at < row.created_at) throw badRequest("resolved_at must not be before created_at");
  return at;
}

/** The day on which a record wakes, or null. Throws 400 for a day that is not ahead. */
function dayAhead(ctx: Ctx, day: string | null | undefined): string | null {
  const today = todayOf(ctx);
  if (day && day <= today) {
    throw badRequest(`deferred_until must be after today, which is ${today} in ${ctx.account.timezone}`);
  }
  return day ?? null;
}

/** The fields that each action writes, beside the state. */
const EFFECTS: Record<
  Exclude<Action, "supersede">,
  (ctx: Ctx, row: Row, input: ActionInput) => Partial<Row>
> = {
  resolve: (ctx, row, input) => {
    const at = resolvedAt(ctx, row, input.resolved_at);
    return {
      resolved_at: at,
      resolution_note: input.resolution_note ?? null,
      deferred_until: null,
      closed_at: at,
    };
  },
  defer: (ctx, row, input) => {
    const day = dayAhead(ctx, input.deferred_until);
    return {
      deferred_until: day,
      closed_at: row.closed_at ?? ctx.now.toISOString(),
      ...(day && { touched_at: startOfDay(day, ctx.account.timezone) }),
    };
  },
  archive: (ctx) => ({ deferred_until: null, closed_at: ctx.now.toISOString() }),
  reopen: () => ({ resolved_at: null, resolution_note: null, deferred_until: null, closed_at: null }),
  confirm: (ctx) => ({ last_confirmed_at: ctx.now.toISOString() }),
};

/** The state after an action. Throws 400 when the action is not possible from here. */
function nextStatus(row: Row, action: Action): Status {
  const status = stateAfter(row.status, action);
  if (!status) throw badRequest(refusalOf(row.status, action));
  return status;
}

const sameDeferral = (row: Row, { deferred_until }: ActionInput) =>
  deferred_until === undefined || deferred_until === row.deferred_until;

/**
 * Takes a record one step through its life. The same state again changes nothing; only a deferred record can
 * be given another day. Throws 400 with what is possible from here.
 */
export async function actOnMemory(
  ctx: Ctx,
  id: number,
  step: { action: Exclude<Action, "supersede">; input?: ActionInput },
  origin: Origin,
): Promise<Memory> {
  const { action, input = {} } = step;
  const now = ctx.now.toISOString();
  const row = await changeMemory(ctx, id, origin, (row) => {
    const status = nextStatus(row, action);
    if (changesNothing(row.status, action) && (action !== "defer" || sameDeferral(row, input))) return null;
    const next = { ...row, status, updated_at: now, touched_at: now, ...EFFECTS[action](ctx, row, input) };
    return { next, event: EVENT_OF[action], note: input.note ?? input.resolution_note };
  });
  return present(ctx, row);
}

/**
 * Makes a new record in the place of an old one, which is archived; what is not given is taken over from it.
 * Answers both. Throws 404, 400 when the old one is closed already, 412 when `ifMatch` names another version.
 */
export async function supersedeMemory(
  ctx: Ctx,
  id: number,
  input: SupersedeRequest,
  origin: Origin,
): Promise<{ old: Memory; successor: Memory }> {
  const now = ctx.now.toISOString();
  let successor: Draft | undefined;
  const old = await changeMemory(ctx, id, { ...origin, document_id: input.document_id }, (row) => {
    const status = nextStatus(row, "supersede");
    successor = {
      ...newRow(ctx, { ...row, ...input, created_at: undefined }, origin),
      supersedes_id: id,
    };
    const closed = { status, deferred_until: null, closed_at: now, updated_at: now, touched_at: now };
    return { next: { ...row, ...closed }, event: "superseded", successor };
  });
  if (!successor || !old.superseded_by_id) throw new Error("A replaced record has a successor");
  return { old: present(ctx, old), successor: present(ctx, { ...successor, id: old.superseded_by_id }) };
}

/** Deletes a record with its events and its search entry. Throws 404, or 412 when `ifMatch` says so. */
export async function deleteMemory(ctx: Ctx, id: number, ifMatch?: string): Promise<void> {
  const { version } = await readForUpdate(ctx, id, { ifMatch });
  const mine = sql`id = ${id} AND owner = ${ctx.owner}
    AND ${ifMatch === undefined ? sql`true` : sql`version = ${version}`}`;
  const when = sql`EXISTS (SELECT 1 FROM memories WHERE ${mine})`;
  const results = await ctx.db.batch([
    ...wakeOne(ctx, id),
    unindexStatement(ctx, { kind: "memory", record: String(id) }, when),
    ctx.db.run(sql`DELETE FROM memory_events
      WHERE owner = ${ctx.owner} AND memory_id = ${id} AND ${when}`),
    ctx.db.run(sql`
      UPDATE memories SET supersedes_id = nullif(supersedes_id, ${id}),
        superseded_by_id = nullif(superseded_by_id, ${id}), version = version + 1
      WHERE owner = ${ctx.owner} AND id IN (SELECT supersedes_id FROM memories WHERE ${mine}
        UNION SELECT superseded_by_id FROM memories WHERE ${mine})`),
    ctx.db.all<{ id: number }>(sql`DELETE FROM memories WHERE ${mine} RETURNING id`),
  ]);
  if ((results.at(-1) as { id: number }[]).length === 0)
    throw ifMatch === undefined ? notFound() : preconditionFailed();
}

/** Wakes what is due in a time zone, whose calendar day it is. */
async function wakeZone(ctx: BaseCtx, timezone: string): Promise<void> {
  const due = sql`(owner, id) IN (
    SELECT m.owner, m.id FROM memories AS m JOIN users AS u ON u.number = m.owner
    WHERE m.status = 'deferred' AND m.deferred_until <= ${dayOf(ctx.now, timezone)} AND u.timezone = ${timezone}
    ORDER BY m.deferred_until LIMIT ${WOKEN_AT_ONCE})`;
  await ctx.db.batch(wakeStatements(ctx, due));
}

/**
 * Writes down which records have woken, time zone by time zone, a bounded number of each a run. For the cron handler:
 * every query already counts them as active. Throws last, when all others are done, for time zones that this runtime
 * does not know.
 */
export async function wakeMemories(ctx: BaseCtx): Promise<void> {
  const furthest = dayOf(ctx.now, "Pacific/Kiritimati");
  const zones = await ctx.db.all<{ timezone: string }>(sql`
    SELECT DISTINCT u.timezone FROM memories AS m JOIN users AS u ON u.number = m.owner
    WHERE m.status = 'deferred' AND m.deferred_until <= ${furthest}`);
  const known = zones.filter(({ timezone }) => isTimeZone(timezone));
  for (const { timezone } of known) await wakeZone(ctx, timezone);
  const unknown = zones.length - known.length;
  if (unknown > 0) throw new Error(`Deferred records in ${unknown} unknown time zones stay as they are`);
}
