import { z } from "zod";
import { dayWithWeekday, endOfDay, localDay } from "../../contract/days.ts";
import { dependencyProblems, type FieldDependencies } from "../../contract/field-dependencies.ts";
import { RecordId } from "../../contract/ids.ts";
import type { Memory, MemoryType } from "../../contract/memory.ts";
import type { MemoryBulkOperation } from "../../contract/memory-bulk.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { mergeResults, parseEach } from "../../platform/tools/batch.ts";
import { eraseRequestText } from "../../platform/tools/erase-request.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { readRecordInput } from "../../platform/tools/tool-input.ts";
import { listActive } from "./active-store.ts";
import { type Clock, currentDay } from "./ages.ts";
import { type OperationOutcome, runOperations } from "./bulk-store.ts";
import { unknownProjectNote } from "./project-store.ts";
import { explainRejections } from "./rejection-store.ts";
import { userClock } from "./row-store.ts";
import { confirmMemory, cutToLength, recordName, ToolDay, typesInput } from "./tool-memory.ts";
import { updateMemory } from "./update-tools.ts";
import { MAX_PER_CALL, publishedRecords, RecordResult, remember, toolWriter } from "./write-tools.ts";

const OutcomeName = z.enum([
  "resolved",
  "skipped",
  "deferred",
  "archived",
  "reopened",
  "confirmed",
  "deleted",
]);

const ClosingFields = z.strictObject({
  outcome: OutcomeName.optional(),
  note: z.string().min(1).max(2000).optional(),
  deferred_until: ToolDay.optional(),
  resolved_on: ToolDay.optional().meta({ description: "If not today" }),
  erase: z.boolean().optional(),
});
type ClosingFields = z.infer<typeof ClosingFields>;

const ClosedRecord = z.strictObject({ id: RecordId, ...ClosingFields.shape });

/** The end of a day, or now for today. Throws 400 for a future day. */
function resolvedInstant(day: string, clock: Clock): string {
  const today = currentDay(clock);
  if (day > today)
    throw badRequest(`resolved_on: must not be after today, which is ${dayWithWeekday(today)}`);
  return day === today ? clock.now.toISOString() : endOfDay(day, clock.timezone);
}

const TO_OPERATION: Record<
  z.infer<typeof OutcomeName>,
  (id: number, closing: ClosingFields, clock: Clock) => MemoryBulkOperation
> = {
  resolved: (id, { note, resolved_on: day }, clock) => ({
    operation: "resolve",
    id,
    resolution_note: note,
    ...(day !== undefined && { resolved_at: resolvedInstant(day, clock) }),
  }),
  skipped: (id, { note }) => ({ operation: "skip", id, note }),
  deferred: (id, { note, deferred_until }) => ({ operation: "defer", id, note, deferred_until }),
  archived: (id, { note }) => ({ operation: "archive", id, note }),
  reopened: (id, { note }) => ({ operation: "reopen", id, note }),
  confirmed: (id, { note }) => ({ operation: "confirm", id, note }),
  deleted: (id) => ({ operation: "delete", id }),
};

const FIELD_REQUIREMENTS: FieldDependencies = {
  deferred_until: { with: "outcome", values: ["deferred"] },
  resolved_on: { with: "outcome", values: ["resolved"] },
  // A deleted record keeps no note.
  note: { with: "outcome", values: OutcomeName.options.filter((step) => step !== "deleted") },
  erase: { with: "outcome", values: ["deleted"] },
};

/** The operation that closes a record. Throws 400 for a missing outcome and for fields that do not go with it. */
function closingOperation(id: number, closing: ClosingFields, clock: Clock): MemoryBulkOperation {
  const { outcome } = closing;
  if (!outcome) throw badRequest(`outcome: must be one of ${OutcomeName.options.join(", ")}`);
  const [misfit] = dependencyProblems(FIELD_REQUIREMENTS, closing);
  if (misfit) throw badRequest(`${misfit.field}: ${misfit.message}`);
  return TO_OPERATION[outcome](id, closing, clock);
}

const Result = RecordResult.extend({
  resolved_on: z.string().optional(),
  next_id: z.string().optional(),
});
type Result = z.infer<typeof Result>;

const MAX_NOTE = 80;

/** The day a record was resolved, if not today. */
function earlierDay(memory: Memory | undefined, clock: Clock): string | undefined {
  const day = memory?.resolved_at && localDay(memory.resolved_at, clock.timezone);
  return day && day !== currentDay(clock) ? dayWithWeekday(day) : undefined;
}

const toolResult = (outcome: OperationOutcome, detail: string | undefined, clock: Clock): Result => {
  const { id: number = 0, ok, memory, next, topic } = outcome;
  const id = recordName(number);
  const note = memory?.resolution_note ?? memory?.note;
  const resolved_on = earlierDay(memory, clock);
  return {
    ...(memory ? confirmMemory(memory) : { id, ...(topic && { topic, status: "in the trash" }) }),
    ...(note && { note: cutToLength(note, MAX_NOTE) }),
    ...(resolved_on && { resolved_on }),
    ok,
    ...(next && { next_id: recordName(next.id), next_due: namedDueDays(next) }),
    ...(detail && { detail }),
  };
};

/** The due date of the next record of a series, and the dates after it. */
const namedDueDays = ({ due_date, next_due }: Memory) =>
  [due_date ?? [], next_due ?? []].flat().map(dayWithWeekday);

/** Closes records; a rejected one does not stop the others. */
async function runClosing(ctx: Ctx, steps: MemoryBulkOperation[]): Promise<Result[]> {
  const outcomes = await runOperations(ctx, steps, { writer: toolWriter(ctx), isCorrection: true });
  const details = await explainRejections(ctx, outcomes);
  const clock = await userClock(ctx);
  return outcomes.map((outcome, place) => toolResult(outcome, details[place], clock));
}

/** `toErase`: results of the records that the user is asked to erase permanently. */
type ClosedRecords = { results: Result[]; toErase: Result[] };

/** Closes records that have fields of their own besides shared ones. */
async function closeEach(ctx: Ctx, sent: readonly unknown[], shared: ClosingFields): Promise<ClosedRecords> {
  const clock = await userClock(ctx);
  const tool = { name: "close_memories", input: ClosedRecord, aliases: ALIASES };
  const { erase: erasesAll = false, ...others } = shared;
  const parsed = parseEach(sent, (one) => {
    const { id, erase, ...own } = readRecordInput(tool, one);
    const closing = { ...others, ...omitUndefined(own) };
    const isErased = erase ?? (erasesAll && closing.outcome === "deleted");
    return { step: closingOperation(id, { ...closing, erase: isErased }, clock), isErased };
  });
  const { valid, refused } = parsed;
  // A shared `erase` applies to the deleted ones, so there must be at least one.
  const isMisfit = erasesAll && refused.length === 0 && !valid.some(({ value }) => value.isErased);
  if (isMisfit) throw badRequest("erase: goes with deleted, and none of these records has that outcome");
  const steps = valid.map(({ value }) => value.step);
  const closed = await runClosing(ctx, steps);
  return {
    results: mergeResults(parsed, closed),
    toErase: closed.filter((_, place) => valid[place]?.value.isErased),
  };
}

async function closeShared(ctx: Ctx, ids: number[], shared: ClosingFields): Promise<ClosedRecords> {
  const clock = shared.resolved_on ? await userClock(ctx) : { now: ctx.now, timezone: "UTC" };
  const steps = ids.map((id) => closingOperation(id, shared, clock));
  const results = await runClosing(ctx, steps);
  return { results, toErase: shared.erase ? results : [] };
}

/** The active records of a project, up to MAX_PER_CALL, and how many are left. Throws 404 for none. */
async function activeIdsInProject(ctx: Ctx, in_project: string, memory_type: MemoryType[] | undefined) {
  const project = in_project.trim();
  const page = { limit: MAX_PER_CALL, offset: 0 };
  const { items, total } = await listActive(ctx, { project, memory_type }, page);
  if (total === 0) {
    const note = (await unknownProjectNote(ctx, project)) ?? "list_memories shows what there is";
    throw new AppError(404, `in_project: "${project}" has no such active records: ${note}`);
  }
  return { ids: items.map(({ id }) => id), left: total - items.length };
}

const FIELD_ALIASES = {
  status: "outcome",
  until: "deferred_until",
  resolution_note: "note",
  resolved_at: "resolved_on",
  done_on: "resolved_on",
  completed_on: "resolved_on",
};
const ALIASES = { ...FIELD_ALIASES, memory_id: "id" };

export const closeMemories = defineTool({
  name: "close_memories",
  alone: true,
  title: "Close records",
  description:
    "Closes or reopens records: resolved (done), skipped (this time; of what repeats, both create the next: next_id), deferred (hidden until deferred_until, or until reopened; due_date " +
    "stays: update_memory moves it), archived (no longer matters), reopened, confirmed (still holds), " +
    "deleted (a mistake: to the trash).",
  access: "memory:write",
  adds: ["records", "bytes"],
  changes: ["memory"],
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(RecordId).min(1).max(MAX_PER_CALL).optional(),
    records: publishedRecords(["id"], "Instead of ids: each with its own outcome or note"),
    in_project: z.string().optional().meta({ description: "Instead of ids: all its active ones" }),
    memory_type: typesInput.meta({ description: "Of in_project" }),
    ...ClosingFields.shape,
    erase: ClosingFields.shape.erase.meta({ description: "With deleted: the user confirms" }),
  }),
  output: z.strictObject({
    results: z.array(Result),
    succeeded: z.number(),
    failed: z.number(),
    left: z.number().optional(),
    to_erase: z.string().optional(),
    today: z.string(),
  }),
  withoutContent: ({ results, ...rest }) => ({
    results: results.map(({ index, id, ok, detail, next_id }) =>
      omitUndefined({ index, id, ok, detail, next_id }),
    ),
    ...rest,
  }),
  aliases: { ...FIELD_ALIASES, id: "ids", memory_ids: "ids", memories: "records", project: "in_project" },
  goesWith: { memory_type: { with: "in_project" } },
  elsewhere: {
    due_date: "update_memory changes it",
    topic: "update_memory changes it",
    content: "update_memory changes it",
  },
  run: async (ctx, { ids, records, in_project, memory_type, ...shared }) => {
    if ([ids, records, in_project].filter((one) => one !== undefined).length !== 1)
      throw badRequest(
        "ids: which records? Give one of ids, records and in_project; list_memories and search show the ids",
      );
    const named =
      in_project === undefined ? undefined : await activeIdsInProject(ctx, in_project, memory_type);
    const { results, toErase } = records
      ? await closeEach(ctx, records, shared)
      : await closeShared(ctx, named?.ids ?? [...new Set(ids)], shared);
    const succeeded = results.filter(({ ok }) => ok).length;
    const counts = { succeeded, failed: results.length - succeeded };
    const deleted = toErase.filter(({ ok, status }) => ok && status === "in the trash");
    const trashed = deleted.map(({ id = "" }) => ({ kind: "memory" as const, id: id.replace("mem:", "") }));
    return {
      results,
      ...counts,
      ...(named && named.left > 0 && { left: named.left }),
      ...(trashed.length > 0 && { to_erase: eraseRequestText(ctx, trashed) }),
      ...(await todayField(ctx)),
    };
  },
});

export { remember, updateMemory };

export const memoryTools = [remember, updateMemory, closeMemories] as const;
