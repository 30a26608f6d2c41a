import { startOfDay } from "../../contract/days.ts";
import {
  type Action,
  changesNothing,
  EVENT_OF,
  refusalOf,
  type Status,
  stateAfter,
} from "../../contract/life-cycle.ts";
import { type ActionInput, GIVEN_FIELDS, type Memory, type SupersedeRequest } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { type Clock, todayOf } from "./ages.ts";
import { changeMemory } from "./change-store.ts";
import type { Row, Writer } from "./row-store.ts";
import { newRow, pastOrNow } from "./store.ts";

/** When a record was resolved. Throws 400 for an instant in the future or before its creation. */
function resolvedAt(ctx: Ctx, row: Row, told: string | undefined): string {
  const at = pastOrNow(ctx, "resolved_at", told);
  if (told && at < row.created_at)
    throw badRequest("resolved_at must not be before created_at", "resolved_too_early");
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
    // A deferred record keeps its date and note unless new ones are given.
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

/** Repeating an action changes nothing, but for another day or note of a deferral, and a confirmation. Throws 400. */
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

/** What the successor takes over. A decision's due date is when it was to be made, and its successor has been made. */
const saidBy = (row: Row) => ({
  ...(Object.fromEntries(GIVEN_FIELDS.map((name) => [name, row[name]])) as Pick<
    Row,
    (typeof GIVEN_FIELDS)[number]
  >),
  ...(row.memory_type === "decision" && { due_date: null }),
});

/** Archives a record and creates a successor with its fields. Throws 404, 400 if it is closed already, 412. */
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
