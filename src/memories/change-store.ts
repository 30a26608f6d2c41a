import { sql } from "drizzle-orm";
import { mustHaveRoom } from "../features/billing/quota-store.ts";
import { eventBytes, newRecordBytes, recordBytes } from "../features/billing/sizes.ts";
import type { Ctx } from "../platform/core/ctx.ts";
import { startOfDay } from "../contract/days.ts";
import { badRequest, notFound, preconditionFailed } from "../platform/core/errors.ts";
import { allowsChange } from "../platform/http/etag.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { must, send, unless } from "../platform/db/call.ts";
import { memories } from "../db/tables.ts";
import { changedTags, MAX_TAGS, type TagChange } from "../contract/tag-rule.ts";
import { drawOnce, keepOnce, keptAnswer, keptStatement, writeOnce } from "../idempotency/store.ts";
import { mustChange } from "../platform/ledger/store.ts";
import { type Clock, todayOf } from "../features/memories/ages.ts";
import type { EventName } from "../contract/memory-event.ts";
import { eventStatements } from "../features/memories/event-store.ts";
import { type Action, changesNothing, EVENT_OF, refusalOf, type Status, stateAfter } from "../contract/life-cycle.ts";
import {
  clockOf,
  type Draft,
  hasVersion,
  isAwake,
  LIVING,
  mustOwnDocument,
  own,
  present,
  type Row,
  shown,
  stateJson,
  type Writer,
} from "../features/memories/row-store.ts";
import {
  type ActionInput,
  type Memory,
  type MemoryUpdateRequest,
  SAID,
  type SupersedeRequest,
} from "../contract/memory.ts";
import { entryOf } from "./search-entry.ts";
import { creationStatements, newRow, nextNumber, pastOrNow, presentNew, searchStatements } from "../features/memories/store.ts";
import { wakeStatements } from "../features/memories/wake-store.ts";

/** The next state of a record, the event that led to it, and the record that replaces it, if any. */
type Change = { next: Row; event: EventName; note?: string | null | undefined; successor?: Draft };

/** A change, and whether the record has woken but is still stored as deferred. */
type WrittenChange = Change & { woken: boolean };

/** A record after a change, and its successor if it was replaced. */
type Changed = { memory: Memory; successor?: Memory };

/**
 * Reads a record as it is now, or the stored answer to an earlier request with the same idempotency key. Without such
 * an answer it throws 404, or 412 if If-Match names another version.
 */
async function readForUpdate(ctx: Ctx, id: number, { ifMatch, once }: Writer) {
  const [[found], kept = []] = await ctx.db.batch([
    ctx.db
      .select({ ...shown(ctx), woken: sql<number>`${isAwake(ctx)}` })
      .from(memories)
      .where(own(ctx, id)),
    ...(once ? [keptStatement(ctx, once)] : []),
  ]);
  const answer = once && keptAnswer(once, kept);
  if (answer !== undefined) return { answer: JSON.parse(answer) as Changed };
  if (!found) throw notFound();
  const { woken, ...row } = found;
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return { row, woken: woken === 1 };
}

const textOf = (row: Draft) => JSON.stringify(entryOf(row));

/** The fields in which two states of a record differ. */
export const differences = (row: Row, next: Row): Partial<Row> =>
  Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
    ),
  );

/**
 * Refuses the batch unless the caller's plan has room for a change: for what the record grows by and the state that its
 * event keeps, and for its successor. A change that does not make it longer needs none, so that records can be closed over
 * the limit.
 */
function mustHaveRoomForChange(ctx: Ctx, row: Row, { next, note, successor }: WrittenChange) {
  const grown = recordBytes(next) - recordBytes(row);
  if (grown <= 0 && !successor) return [];
  const kept = sql`(SELECT octet_length(${stateJson}) FROM memories WHERE ${own(ctx, row.id)})`;
  const event = eventBytes({ state: null, note: note ?? null });
  const added = Math.max(0, grown) + event + (successor ? newRecordBytes(successor) : 0);
  return mustHaveRoom(ctx, { records: successor ? 1 : 0, bytes: sql`${added} + ${kept}` });
}

/** The statements of a change. They fail as stale unless the record still has the version the change is based on. */
function changeStatements(ctx: Ctx, row: Row, change: WrittenChange, writer: Writer) {
  const { next, event, note, successor, woken } = change;
  const { topic, version } = next;
  const entry = { event, note, from_status: row.status, to_status: next.status, topic, version };
  const changed = differences(row, next);
  const replaced = successor && { superseded_by_id: sql<number>`${nextNumber(ctx)}` };
  // A document that is already linked may stay, even in the trash.
  const attached = [changed.document_id, successor?.document_id].filter((id) => id !== row.document_id);
  return [
    must(ctx, hasVersion(ctx, own(ctx, row.id), [row.version]), "stale"),
    ...mustHaveRoomForChange(ctx, row, change),
    ...attached.flatMap((id) => mustOwnDocument(ctx, id)),
    ...(woken ? wakeStatements(ctx, sql`${own(ctx, row.id)}`) : []),
    ...eventStatements(ctx, sql`${row.id}`, entry, writer),
    ...(textOf(row) === textOf(next) ? [] : searchStatements(ctx, String(row.id), next)),
    ctx.db
      .update(memories)
      .set({ ...changed, ...replaced })
      .where(own(ctx, row.id)),
    ...(successor ? creationStatements(ctx, successor, writer) : []),
  ];
}

/** Writes a change and returns the result; undefined if another change came first. */
async function writeChange(
  ctx: Ctx,
  row: Row,
  change: WrittenChange,
  writer: Writer,
): Promise<Changed | undefined> {
  const statements = changeStatements(ctx, row, change, writer);
  const memory = present(change.next, await clockOf(ctx));
  const written = change.successor
    ? drawOnce<Changed>(
        ctx,
        writer.once,
        {
          draft: { memory, successor: presentNew(change.successor) },
          number: nextNumber(ctx),
          places: ["$.memory.superseded_by_id", "$.successor.id"],
        },
        statements,
      )
    : writeOnce<Changed>(ctx, writer.once, { memory }, statements);
  return (await unless(written, "stale")).answer;
}

/**
 * Changes a record as `decide` says; null leaves it unchanged. Starts again if another change comes first. With `once`,
 * a repeated request returns the first one's answer. Throws 404 for a record or document that is not the caller's, 412
 * if If-Match names another version.
 */
export const changeMemory = (
  ctx: Ctx,
  id: number,
  writer: Writer,
  decide: (row: Row, clock: Clock) => Change | null,
): Promise<Changed> =>
  untilWritten("record", async () => {
    const { row, woken, answer } = await readForUpdate(ctx, id, writer);
    if (answer) return answer;
    const clock = await clockOf(ctx);
    const change = decide(row, clock);
    if (!change) {
      await mustChange(ctx, writer);
      return keepOnce(ctx, writer.once, { memory: present(row, clock) });
    }
    Object.assign(change.next, { version: row.version + 1 });
    return writeChange(ctx, row, { ...change, woken }, writer);
  });

/** Whether the record is deferred until a day. `touched_at` is then when it wakes, so an update must not move it. */
const sleeps = (row: Row) => row.status === "deferred" && row.deferred_until !== null;

/** The fields whose change shows that somebody attended to the record: what it says, and when it is due. */
const ATTENDED = ["topic", "content", "due_date"] as const;

/** Sets when a record was last attended to, after an update. How it is filed (project, tags, scope …) does not count. */
function attended(row: Row, next: Row, now: string): Row {
  if (ATTENDED.every((name) => next[name] === row[name])) return next;
  return sleeps(row) ? { ...next, renewed_at: now } : { ...next, touched_at: now };
}

/** Fields to change, and tags to add and to remove. */
export type FieldChange = MemoryUpdateRequest & TagChange;

/** The tags of a record after a change, if it says any. */
function tagsAfter(row: Row, { tags = row.tags, add_tags, remove_tags }: FieldChange): string[] {
  return changedTags(tags, { add_tags, remove_tags });
}

/** The change of the given fields of a record, or null if it has them already. Throws 400 for too many tags. */
function fieldsChange(ctx: Ctx, row: Row, change: FieldChange): Change | null {
  const now = ctx.now.toISOString();
  const { add_tags: _, remove_tags: __, ...fields } = change;
  const next = { ...row, ...fields, tags: tagsAfter(row, change) };
  if (next.tags.length > MAX_TAGS) throw badRequest(`tags: a record has at most ${MAX_TAGS}`);
  if (Object.keys(differences(row, next)).length === 0) return null;
  return { next: attended(row, { ...next, updated_at: now }, now), event: "updated" };
}

/** What to change of a record. */
export type Update = { id: number; change: FieldChange };

/**
 * Changes several records, each named once, in one transaction. Returns those that are the caller's; undefined if another
 * change of one of them came first, or if there is no room for all, or for the tags of one. Throws 404 for a document that
 * is not the caller's.
 */
export async function updateTogether(
  ctx: Ctx,
  updates: readonly Update[],
  writer: Writer,
): Promise<Memory[] | undefined> {
  const changes = new Map(updates.map(({ id, change }) => [id, change]));
  const changeOf = ({ id }: Row) => changes.get(id) ?? {};
  const found = await ctx.db
    .select({ ...shown(ctx), woken: sql<number>`${isAwake(ctx)}` })
    .from(memories)
    .where(
      sql`owner = ${ctx.owner} AND id IN (SELECT value FROM json_each(${JSON.stringify([...changes.keys()])})) AND ${LIVING}`,
    );
  if (found.some((row) => tagsAfter(row, changeOf(row)).length > MAX_TAGS)) return undefined;
  const steps = found.map(({ woken, ...row }) => {
    const step = fieldsChange(ctx, row, changeOf(row));
    if (!step) return { memory: row, statements: [] };
    const next = { ...step.next, version: row.version + 1 };
    const written = { ...step, next, woken: woken === 1 };
    return { memory: next, statements: changeStatements(ctx, row, written, writer) };
  });
  const statements = steps.flatMap((step) => step.statements);
  if (statements.length > 0) {
    const { refusal } = await unless(send(ctx, statements), "stale", "quota");
    if (refusal) return undefined;
  }
  const clock = await clockOf(ctx);
  return steps.map(({ memory }) => present(memory, clock));
}

/** Changes the given fields of a record; omitted ones stay. An update that changes nothing keeps the version. */
export async function updateMemory(
  ctx: Ctx,
  id: number,
  change: FieldChange,
  writer: Writer,
): Promise<Memory> {
  const { memory } = await changeMemory(ctx, id, writer, (row) => fieldsChange(ctx, row, change));
  return memory;
}

/** When a record was resolved. Throws 400 for an instant in the future or before its creation. */
function resolvedAt(ctx: Ctx, row: Row, told: string | undefined): string {
  const at = pastOrNow(ctx, "resolved_at", told);
  if (told && at < row.created_at) throw badRequest("resolved_at must not be before created_at");
  return at;
}

/** The day on which a record wakes, or null. Throws 400 unless it is after today. */
function dayAhead(clock: Clock, day: string | null | undefined): string | null {
  const today = todayOf(clock);
  if (day && day <= today) {
    throw badRequest(`deferred_until must be after today, which is ${today} in ${clock.timezone}`);
  }
  return day ?? null;
}

type Step = { row: Row; input: ActionInput; clock: Clock };

/** The fields that each action sets, besides the status. */
const EFFECTS: Record<Exclude<Action, "supersede">, (ctx: Ctx, step: Step) => Partial<Row>> = {
  resolve: (ctx, { row, input }) => {
    const at = resolvedAt(ctx, row, input.resolved_at);
    return {
      resolved_at: at,
      resolution_note: input.resolution_note ?? null,
      note: null,
      deferred_until: null,
      closed_at: at,
    };
  },
  defer: (ctx, { row, input, clock }) => {
    // What a deferred record is not told anew, stays.
    const { deferred_until = null, note = null } = row.status === "deferred" ? row : {};
    const day = input.deferred_until === undefined ? deferred_until : dayAhead(clock, input.deferred_until);
    return {
      deferred_until: day,
      note: input.note === undefined ? note : input.note,
      closed_at: row.closed_at ?? ctx.now.toISOString(),
      ...(day && { touched_at: startOfDay(day, clock.timezone), renewed_at: ctx.now.toISOString() }),
    };
  },
  archive: (ctx, { input }) => ({
    note: input.note ?? null,
    deferred_until: null,
    closed_at: ctx.now.toISOString(),
  }),
  reopen: (_, { input }) => ({
    ...{ resolved_at: null, resolution_note: null, deferred_until: null, closed_at: null },
    note: input.note ?? null,
  }),
  confirm: (ctx) => ({ last_confirmed_at: ctx.now.toISOString() }),
};

/** The state after an action. Throws 400 if the action is not possible in the current state. */
function nextStatus(row: Row, action: Action): Status {
  const status = stateAfter(row.status, action);
  if (!status) throw badRequest(refusalOf(row.status, action));
  return status;
}

const sameDeferral = (row: Row, { deferred_until, note }: ActionInput) =>
  (deferred_until === undefined || deferred_until === row.deferred_until) &&
  (note === undefined || note === row.note);

/**
 * Carries out an action on a record. Repeating one changes nothing, except that a deferred record can be given another
 * day or note and every confirmation counts. Throws 400 with the possible actions if this one is not.
 */
export async function actOnMemory(
  ctx: Ctx,
  id: number,
  { action, input = {} }: { action: Exclude<Action, "supersede">; input?: ActionInput },
  writer: Writer,
): Promise<Memory> {
  const now = ctx.now.toISOString();
  const { memory } = await changeMemory(ctx, id, writer, (row, clock) => {
    const status = nextStatus(row, action);
    if (changesNothing(row.status, action) && (action !== "defer" || sameDeferral(row, input))) return null;
    const effects = EFFECTS[action](ctx, { row, input, clock });
    const next = { ...row, status, updated_at: now, touched_at: now, ...effects };
    return { next, event: EVENT_OF[action], note: input.note ?? input.resolution_note };
  });
  return memory;
}

/**
 * The contents of a record, for its successor to take over. The due date of a decision is the day by which it was to be
 * made: the one that takes its place has been made.
 */
const saidBy = (row: Row) => ({
  ...(Object.fromEntries(SAID.map((name) => [name, row[name]])) as Pick<Row, (typeof SAID)[number]>),
  ...(row.memory_type === "decision" && { due_date: null }),
});

/**
 * Replaces a record: archives it and creates a successor, which takes over the fields that are not given, except for the
 * due date of a decision. Returns both.
 * Throws 404, 400 if the old one is already resolved or archived, 412 if If-Match names another version.
 */
export async function supersedeMemory(
  ctx: Ctx,
  id: number,
  input: SupersedeRequest,
  writer: Writer,
): Promise<{ old: Memory; successor: Memory }> {
  const now = ctx.now.toISOString();
  const { memory, successor } = await changeMemory(ctx, id, writer, (row) => {
    const status = nextStatus(row, "supersede");
    const said = newRow(ctx, { ...saidBy(row), ...input }, writer);
    const closed = {
      status,
      note: null,
      deferred_until: null,
      closed_at: now,
      updated_at: now,
      touched_at: now,
    };
    return { next: { ...row, ...closed }, event: "superseded", successor: { ...said, supersedes_id: id } };
  });
  if (!successor) throw new Error("A replaced record has a successor");
  return { old: memory, successor };
}
