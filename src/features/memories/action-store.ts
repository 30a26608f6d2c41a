import { localDay, startOfDay } from "../../contract/days.ts";
import { pickFields } from "../../contract/field-spec.ts";
import {
  changesNothing,
  EVENT_BY_ACTION,
  impossibleActionMessage,
  type LifeCycleAction,
  type LifeCycleStatus,
  statusAfter,
} from "../../contract/life-cycle.ts";
import {
  type ActionInput,
  EDITABLE_FIELDS,
  type Memory,
  type SupersedeRequest,
} from "../../contract/memory.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { type Clock, currentDay } from "./ages.ts";
import { type ChangeResult, changeMemory, type MemoryChange } from "./change-store.ts";
import { applyPlanRequest, WITHOUT_SERIES } from "./plan.ts";
import { isOpen, nextInSeries } from "./repetition.ts";
import type { MemoryRow, MemoryWriter } from "./row-store.ts";
import { newActiveRow, requirePastInstant } from "./store.ts";

type Step = { row: MemoryRow; input: ActionInput; clock: Clock };

/** When the record was resolved, possibly before it was created. Throws 400 for the future or before `happened_on`. */
function resolvedAt(ctx: Ctx, { row, input, clock }: Step): string {
  const requested = input.resolved_at;
  const at = requirePastInstant(ctx, "resolved_at", requested);
  const { happened_on } = row;
  if (requested && at < row.created_at && happened_on !== null && localDay(at, clock.timezone) < happened_on)
    throw badRequest("resolved_at must not be before happened_on", "resolved_too_early");
  return at;
}

/** The day to defer until, or null. Throws 400 unless it is after today. */
function futureDay(clock: Clock, day: string | null | undefined): string | null {
  const today = currentDay(clock);
  if (day && day <= today) {
    throw badRequest(`deferred_until must be after today, which is ${today} in ${clock.timezone}`);
  }
  return day ?? null;
}

type BasicAction = Exclude<LifeCycleAction, "supersede">;

const EFFECTS: Record<BasicAction, (ctx: Ctx, step: Step) => Partial<MemoryRow>> = {
  resolve: (ctx, step) => {
    const at = resolvedAt(ctx, step);
    const resolution_note = step.input.resolution_note ?? null;
    return { resolved_at: at, resolution_note, note: null, deferred_until: null, closed_at: at };
  },
  defer: (ctx, { row, input, clock }) => {
    // A deferred record keeps its date and note unless new ones are given.
    const { deferred_until = null, note = null } = row.status === "deferred" ? row : {};
    const day = input.deferred_until === undefined ? deferred_until : futureDay(clock, input.deferred_until);
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
    resolved_at: null,
    resolution_note: null,
    deferred_until: null,
    closed_at: null,
    note: input.note ?? null,
  }),
  confirm: (ctx) => ({ last_confirmed_at: ctx.now.toISOString() }),
};

/** The status after an action. Throws 400 if the action is not possible in the current one. */
function nextStatus(row: MemoryRow, action: LifeCycleAction): LifeCycleStatus {
  const status = statusAfter(row.status, action);
  if (!status) throw badRequest(impossibleActionMessage(row.status, action));
  return status;
}

type StepAction = BasicAction | "skip";

/** Throws 400 unless the record repeats. */
function requireRepetition({ repeat, status }: MemoryRow): void {
  if (repeat === null)
    throw badRequest("Only a repeating record can be skipped: archive this one, or resolve it if it is done");
  if (status === "resolved") throw badRequest(impossibleActionMessage(status, "archive"));
}

/** The next record of a series after resolving or skipping an open one; otherwise undefined. */
function successorIfRepeating(
  ctx: Ctx,
  row: MemoryRow,
  { requested, closed }: { requested: StepAction; closed: MemoryRow },
  { clock, writer }: { clock: Clock; writer: MemoryWriter },
) {
  const continues = (requested === "resolve" || requested === "skip") && isOpen(row);
  const next = continues ? nextInSeries(row, closed.closed_at ?? closed.updated_at, clock) : undefined;
  return next && newActiveRow(ctx, next, writer, clock);
}

const isGivenAndDifferent = (given: unknown, known: unknown) => given !== undefined && given !== known;

const isOtherDeferral = (row: MemoryRow, { deferred_until, note }: ActionInput) =>
  isGivenAndDifferent(deferred_until, row.deferred_until) || isGivenAndDifferent(note, row.note);

const isNoOp = (row: MemoryRow, action: BasicAction, input: ActionInput) =>
  changesNothing(row.status, action) && (action !== "defer" || !isOtherDeferral(row, input));

/** The fields that a correction changes: the note, or when the record was resolved. Throws 400. */
function correctedFields(ctx: Ctx, action: LifeCycleAction, { row, input, clock }: Step): Partial<MemoryRow> {
  const { note, resolution_note, resolved_at } = input;
  if (action !== "resolve") return isGivenAndDifferent(note, row.note) ? { note: note ?? null } : {};
  const at = isGivenAndDifferent(resolved_at, row.resolved_at) && resolvedAt(ctx, { row, input, clock });
  return {
    ...(isGivenAndDifferent(resolution_note, row.resolution_note) && {
      resolution_note: resolution_note ?? null,
    }),
    ...(at && { resolved_at: at, closed_at: at }),
  };
}

function correction(ctx: Ctx, action: LifeCycleAction, step: Step): MemoryChange | null {
  const fields = correctedFields(ctx, action, step);
  if (Object.keys(fields).length === 0) return null;
  return { next: { ...step.row, ...fields, updated_at: ctx.now.toISOString() }, event: "updated" };
}

type ActionRequest = {
  action: StepAction;
  input?: ActionInput;
  /** apply a different note or time to a record that is already closed; otherwise the first one stays */
  isCorrection?: boolean | undefined;
};

/**
 * Carries out an action. Repeating one changes nothing, except for a confirmation, a deferral with another day or note, and
 * a correction. Resolving or skipping a repeating record also creates its `successor`. Throws 400.
 */
export async function runMemoryAction(
  ctx: Ctx,
  id: number,
  { action: requested, input = {}, isCorrection }: ActionRequest,
  writer: MemoryWriter,
): Promise<ChangeResult> {
  const now = ctx.now.toISOString();
  const action = requested === "skip" ? "archive" : requested;
  return changeMemory(ctx, id, writer, (row, clock, hasSibling) => {
    if (requested === "skip") requireRepetition(row);
    const status = nextStatus(row, action);
    if (isNoOp(row, action, input))
      return isCorrection ? correction(ctx, action, { row, input, clock }) : null;
    const effects = EFFECTS[action](ctx, { row, input, clock });
    const series = action === "reopen" && hasSibling && !isOpen(row) ? WITHOUT_SERIES : {};
    const next = { ...row, status, updated_at: now, touched_at: now, ...effects, ...series };
    const successor = successorIfRepeating(ctx, row, { requested, closed: next }, { clock, writer });
    const note = input.note ?? input.resolution_note;
    return { next, event: EVENT_BY_ACTION[action], note, ...(successor && { successor }) };
  });
}

/** What a replacement inherits. Not the due date of a decision: the day it had to be made by has no meaning any more. */
const inheritedFields = (row: MemoryRow) => ({
  ...pickFields(row, EDITABLE_FIELDS),
  ...(row.memory_type === "decision" && row.repeat === null && { due_date: null }),
});

/** The fields of a replacement. It continues the repetition unless it gets another one. */
function successorFields(row: MemoryRow, input: SupersedeRequest, clock: Clock) {
  const { repeat_start, next_values, series_id } = row;
  const fields = { ...inheritedFields(row), ...omitUndefined(input) };
  const plan = applyPlanRequest({ ...fields, repeat_start, next_values }, input, { before: row, clock });
  const series = plan.repeat === null ? {} : { series_id: series_id ?? row.id };
  return { ...fields, ...plan, ...series };
}

/** Archives a record and creates a replacement that inherits its fields. Throws 400 if it is closed already, 404, 412. */
export async function supersedeMemory(
  ctx: Ctx,
  id: number,
  input: SupersedeRequest,
  writer: MemoryWriter,
): Promise<{ old: Memory; successor: Memory }> {
  const now = ctx.now.toISOString();
  const { memory, successor } = await changeMemory(ctx, id, writer, (row, clock) => {
    const status = nextStatus(row, "supersede");
    const newRow = newActiveRow(ctx, successorFields(row, input, clock), writer, clock);
    const times = { closed_at: now, updated_at: now, touched_at: now };
    const next = { ...row, status, note: null, deferred_until: null, ...times };
    return { next, event: "superseded", successor: { ...newRow, supersedes_id: id } };
  });
  if (!successor) throw new Error("A replaced record has a successor");
  return { old: memory, successor };
}
