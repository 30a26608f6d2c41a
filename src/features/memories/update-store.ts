import { sql } from "drizzle-orm";
import { pickFields } from "../../contract/field-spec.ts";
import type { Memory, MemoryUpdateRequest } from "../../contract/memory.ts";
import { NEXT_VALUE_NAMES, type NextValues } from "../../contract/memory-fields.ts";
import { omit, omitUndefined } from "../../contract/omit.ts";
import { applyTagChange, MAX_TAGS, type TagChange } from "../../contract/tag-rule.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest, preconditionFailed } from "../../platform/core/errors.ts";
import { catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { memories } from "../../platform/db/tables.ts";
import { allowsChange } from "../../platform/http/etag.ts";
import type { Clock } from "./ages.ts";
import {
  type ChangeableRow,
  changedFields,
  changeMemory,
  changeStatements,
  completeChange,
  type MemoryChange,
} from "./change-store.ts";
import { applyPlanRequest, type MemoryPlan, NO_PLAN } from "./plan.ts";
import {
  columnsForChange,
  type MemoryRow,
  type MemoryWriter,
  NOT_TRASHED,
  presentMemory,
  userClock,
} from "./row-store.ts";

/** If a record is deferred until a day, `touched_at` is when it wakes, and an update must not change it. */
const isDeferredUntilDay = (row: MemoryRow) => row.status === "deferred" && row.deferred_until !== null;

/** The fields whose change resets staleness: content and due date. Filing (project, tags, scope …) does not. */
const ATTENDED_FIELDS = ["topic", "content", "due_date", "due_time"] as const;

function withAttention(row: MemoryRow, next: MemoryRow, now: string): MemoryRow {
  if (ATTENDED_FIELDS.every((name) => next[name] === row[name])) return next;
  return isDeferredUntilDay(row) ? { ...next, renewed_at: now } : { ...next, touched_at: now };
}

export type FieldChange = MemoryUpdateRequest & TagChange;

/** The values that the next record of a series has instead of this one's, after a change that applies to this one or to all. */
function nextValuesAfter(
  row: MemoryRow,
  next: MemoryRow,
  apply_to: FieldChange["apply_to"],
): NextValues | null {
  const changed = NEXT_VALUE_NAMES.filter((name) => JSON.stringify(row[name]) !== JSON.stringify(next[name]));
  const known = next.next_values ?? {};
  const values: NextValues =
    apply_to === "this" ? { ...pickFields(row, changed), ...known } : omit(known, ...changed);
  const inOrder = pickFields(values, NEXT_VALUE_NAMES);
  return Object.keys(inOrder).length > 0 ? inOrder : null;
}

/** Throws 400 for `apply_to` where it has no meaning. */
function validateApplyTo(row: MemoryRow, { apply_to, repeat, repeat_from }: FieldChange): void {
  if (apply_to === undefined) return;
  if (row.repeat === null)
    throw badRequest("apply_to: this record does not repeat: leave it out, or set repeat first");
  const ends =
    (repeat !== undefined && repeat !== row.repeat) || (repeat_from ?? row.repeat_from) !== row.repeat_from;
  if (apply_to === "this" && ends)
    throw badRequest(
      "apply_to: repeat and repeat_from always apply to all following records: leave apply_to out",
    );
}

const PLAN_FIELDS = Object.keys({ due_date: null, ...NO_PLAN }) as (keyof MemoryPlan)[];

/** Puts a record that starts to repeat into a series. Throws 400 if another record continues that series. */
function inSeries(row: MemoryRow, next: MemoryRow, hasSibling: boolean): MemoryRow {
  if (next.repeat === null || row.repeat !== null) return next;
  if (hasSibling)
    throw badRequest(
      "repeat: another record of this series is open: change that one, or create a new record",
    );
  return { ...next, series_id: row.series_id ?? row.id };
}

/** The change to the given fields of a record, or null if it changes nothing. Throws 400, 422 for invalid fields. */
function fieldsChange(
  ctx: Ctx,
  row: MemoryRow,
  change: FieldChange,
  { clock, hasSibling }: ChangeContext,
): MemoryChange | null {
  const now = ctx.now.toISOString();
  const { apply_to, add_tags, remove_tags, ...fields } = change;
  validateApplyTo(row, change);
  const tags = applyTagChange(fields.tags ?? row.tags, { add_tags, remove_tags });
  const changed = { ...row, ...omitUndefined(fields), tags };
  if (changed.tags.length > MAX_TAGS) throw badRequest(`tags: a record has at most ${MAX_TAGS}`);
  const isPlanned = PLAN_FIELDS.some((name) => name in fields);
  const plan = isPlanned ? applyPlanRequest(changed, change, { before: row, clock }) : {};
  const settled = inSeries(row, { ...changed, ...plan }, hasSibling);
  const next =
    settled.repeat === null ? settled : { ...settled, next_values: nextValuesAfter(row, settled, apply_to) };
  if (Object.keys(changedFields(row, next)).length === 0) return null;
  return { next: withAttention(row, { ...next, updated_at: now }, now), event: "updated" };
}

type ChangeContext = { clock: Clock; hasSibling: boolean };

export type MemoryUpdate = { id: number; change: FieldChange; ifMatch?: string | undefined };

type PlannedUpdates = { found: readonly ChangeableRow[]; changeOf: (row: MemoryRow) => FieldChange };

/** Each record after its update, with the statements. Throws 400, 422 for the first invalid one. */
async function updateSteps(ctx: Ctx, { found, changeOf }: PlannedUpdates, writer: MemoryWriter) {
  const clock = await userClock(ctx);
  return found.map(({ woken, has_sibling, ...row }) => {
    const step = fieldsChange(ctx, row, changeOf(row), { clock, hasSibling: has_sibling === 1 });
    if (!step) return { memory: row, statements: [] };
    const written = completeChange(row, step, { clock, woken });
    return { memory: written.next, statements: changeStatements(ctx, row, written, writer) };
  });
}

function undefinedIfRejected(problem: unknown): undefined {
  if (!(problem instanceof AppError)) throw problem;
}

/**
 * Updates records in one transaction; a record with another version than expected gets an error instead. Undefined if an
 * update is invalid, another change came first or the account is full.
 */
export async function updateMemoriesTogether(
  ctx: Ctx,
  updates: readonly MemoryUpdate[],
  { ahead = [], ...writer }: MemoryWriter,
): Promise<Map<number, Memory | AppError> | undefined> {
  const requested = new Map(updates.map((update) => [update.id, update]));
  const ids = sqlList([...requested.keys()]);
  const found: ChangeableRow[] = await ctx.db
    .select(columnsForChange(ctx))
    .from(memories)
    .where(sql`owner = ${ctx.owner} AND id IN ${ids} AND ${NOT_TRASHED}`);
  const isCurrent = ({ id, version }: MemoryRow) => allowsChange(requested.get(id)?.ifMatch, version);
  const changeOf = ({ id }: MemoryRow) => requested.get(id)?.change ?? {};
  const planned = { found: found.filter(isCurrent), changeOf };
  const steps = await updateSteps(ctx, planned, writer).catch(undefinedIfRejected);
  if (!steps) return undefined;
  const statements = steps.flatMap((step) => step.statements);
  if (statements.length > 0) {
    const { refusal } = await catchRefusal(sendBatch(ctx, [...ahead, ...statements]), "stale", "quota");
    if (refusal) return undefined;
  }
  const clock = await userClock(ctx);
  const stale = found.filter((row) => !isCurrent(row));
  return new Map<number, Memory | AppError>([
    ...steps.map(({ memory }) => [memory.id, presentMemory(memory, clock)] as const),
    ...stale.map(({ id }) => [id, preconditionFailed()] as const),
  ]);
}

/** Changes the given fields of a record. An update that changes nothing keeps the version. */
export async function updateMemory(
  ctx: Ctx,
  id: number,
  change: FieldChange,
  writer: MemoryWriter,
): Promise<Memory> {
  const { memory } = await changeMemory(ctx, id, writer, (row, clock, hasSibling) =>
    fieldsChange(ctx, row, change, { clock, hasSibling }),
  );
  return memory;
}
