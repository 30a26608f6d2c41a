import { type SQL, sql } from "drizzle-orm";
import type { Memory, MemoryCreateRequest, ReadMemory } from "../../contract/memory.ts";
import { FIRST_IMPORTED_ID } from "../../contract/memory-numbers.ts";
import { omitUndefined } from "../../contract/omit.ts";
import { indexStatements } from "../../engine/index.ts";
import { createdIds } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import type { WrittenEntry } from "../../platform/core/statement.ts";
import { memories } from "../../platform/db/tables.ts";
import { type RepeatableAnswer, writeOnce } from "../../platform/idempotency/store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { newRecordBytes } from "../billing/sizes.ts";
import { type AttachedFile, FILES_OF_RECORD, parseAttachedFiles } from "../files/attached.ts";
import { memoryEntry } from "../indexed/entry.ts";
import type { Clock } from "./ages.ts";
import { eventStatements } from "./event-store.ts";
import { applyPlanRequest, NO_PLAN, needsPlanning } from "./plan.ts";
import { nextRemindAt, noteEarliestReminder } from "./remind-at.ts";
import {
  ALL_NULL,
  assertOwnDocument,
  currentColumns,
  type MemoryRow,
  type MemoryWriter,
  type NewMemoryRow,
  ownedMemory,
  ownedMemoryOrTrashed,
  presentMemory,
  readMemoryAgain,
  type StoredMemoryVersion,
  userClock,
} from "./row-store.ts";

/** SQL: the id of the caller's next record, one above the highest ever used, so that ids are never reused. */
export const nextMemoryId = (ctx: Ctx) => sql`(1 + max(
  (SELECT last_memory_id FROM users WHERE number = ${ctx.owner}),
  (SELECT coalesce(max(id), 0) FROM memories WHERE owner = ${ctx.owner} AND id < ${sql.raw(String(FIRST_IMPORTED_ID))})))`;

export const indexMemoryStatements = (ctx: Ctx, record: string | SQL, row: NewMemoryRow) =>
  indexStatements(ctx, { kind: "memory", record, ...memoryEntry(row) });

const beginsSeries = ({ repeat, series_id }: NewMemoryRow) => repeat !== null && series_id === null;

/** The statements that create a record. The row is inserted last because that changes `nextMemoryId`. */
export function createMemoryStatements(ctx: Ctx, row: NewMemoryRow, writer: MemoryWriter) {
  const number = nextMemoryId(ctx);
  const { topic, version } = row;
  noteEarliestReminder(ctx, row.remind_at);
  const series = beginsSeries(row) ? { series_id: number as SQL<number> } : {};
  const event = { event: "created", from_status: null, to_status: "active", topic, version } as const;
  return [
    ...eventStatements(ctx, number, event, writer),
    ...indexMemoryStatements(ctx, sql`CAST(${number} AS TEXT)`, row),
    ctx.db.insert(memories).values({ ...row, ...series, owner: ctx.owner, id: number as SQL<number> }),
  ] as const;
}

/** The statements that create a record. They fail without room for it, and for a document that is not the caller's. */
export const addMemoryStatements = (ctx: Ctx, row: NewMemoryRow, writer: MemoryWriter) => [
  ...assertQuotaLeft(ctx, { records: 1, bytes: newRecordBytes(row) }),
  ...assertOwnDocument(ctx, row.document_id),
  ...createMemoryStatements(ctx, row, writer),
];

/** The given instant, or now. Throws 400 for an instant in the future. */
export function requirePastInstant(ctx: Ctx, field: string, requested: string | undefined): string {
  const now = ctx.now.toISOString();
  if (requested && requested > now)
    throw badRequest(`${field} must not be in the future: leave it out to mean now`);
  return requested ?? now;
}

/** The row of a new active record; omitted fields are null. Throws 400 for a `created_at` in the future. */
export function newActiveRow(
  ctx: Ctx,
  input: MemoryCreateRequest & Partial<NewMemoryRow>,
  writer: MemoryWriter,
  clock: Clock | undefined,
): NewMemoryRow {
  const created_at = requirePastInstant(ctx, "created_at", input.created_at);
  const given = { tags: [], ...omitUndefined(input) } as Omit<Required<MemoryCreateRequest>, "created_at">;
  const fields = { ...ALL_NULL, ...given };
  return {
    ...fields,
    remind_at: clock ? nextRemindAt({ ...fields, status: "active" }, clock) : null,
    status: "active",
    source_type: writer.source_type,
    client_name: writer.client_name ?? null,
    version: 1,
    created_at,
    updated_at: created_at,
    touched_at: created_at,
  };
}

/** The row of a new record, planned if needed. Throws 400 for a `created_at` in the future, 422 for an invalid plan. */
export async function newPlannedRow(
  ctx: Ctx,
  input: MemoryCreateRequest,
  writer: MemoryWriter,
): Promise<NewMemoryRow> {
  if (!needsPlanning(input)) return newActiveRow(ctx, input, writer, undefined);
  const clock = await userClock(ctx);
  const plan = applyPlanRequest({ ...NO_PLAN, due_date: null, ...omitUndefined(input) }, input, { clock });
  return newActiveRow(ctx, { ...input, ...plan }, writer, clock);
}

/** SQL: what is stored of a new record for repeated requests, after the statements that create it. */
export const newMemoryReference = (ctx: Ctx) =>
  sql`json_object('id', ${nextMemoryId(ctx)} - 1, 'version', 1)`;

/** The id of the record that a write has created. */
export function createdId(entries: readonly WrittenEntry[]): number {
  const [id] = createdIds(entries);
  if (id === undefined) throw new Error("A created record has an activity entry");
  return id;
}

/** Creates a record. With `once`, a repeated request gets the first response. Throws 400, 404 for an unknown document, 422. */
export async function createMemory(
  ctx: Ctx,
  input: MemoryCreateRequest,
  writer: MemoryWriter,
): Promise<Memory> {
  const row = await newPlannedRow(ctx, input, writer);
  const clock = row.repeat === null ? undefined : await userClock(ctx);
  const repeatable: RepeatableAnswer<Memory, StoredMemoryVersion> = {
    answer: (entries) => presentNewMemory(row, createdId(entries), clock),
    stored: newMemoryReference(ctx),
    again: readMemoryAgain,
  };
  return writeOnce(ctx, writer.once, repeatable, addMemoryStatements(ctx, row, writer));
}

const NO_CLOCK = { now: new Date(0), timezone: "UTC" };

/** A new record as the API returns it. Only repeating records depend on the clock. */
export const presentNewMemory = (row: NewMemoryRow, id: number, clock: Clock = NO_CLOCK): Memory =>
  presentMemory({ id, ...row, series_id: beginsSeries(row) ? id : row.series_id }, clock);

const presentReadMemory = (row: MemoryRow, clock: Clock): ReadMemory => ({
  ...presentMemory(row, clock),
  ...(row.trashed_at !== null && { trashed_at: row.trashed_at }),
});

/** One of the caller's records with its files, including one in the trash. Throws 404. */
export async function getMemoryWithFiles(
  ctx: Ctx,
  id: number,
): Promise<ReadMemory & { files: AttachedFile[] }> {
  const [found] = await ctx.db
    .select({ ...currentColumns(ctx), files: FILES_OF_RECORD })
    .from(memories)
    .where(ownedMemoryOrTrashed(ctx, id));
  if (!found) throw notFound();
  const { files, ...row } = found;
  return { ...presentReadMemory(row, await userClock(ctx)), files: parseAttachedFiles(files) };
}

/** One of the caller's records; with `anywhere`, also from the trash. Throws 404. */
export async function getMemory(ctx: Ctx, id: number, anywhere = false): Promise<ReadMemory> {
  const which = anywhere ? ownedMemoryOrTrashed(ctx, id) : ownedMemory(ctx, id);
  const [row] = await ctx.db.select(currentColumns(ctx)).from(memories).where(which);
  if (!row) throw notFound();
  return presentReadMemory(row, await userClock(ctx));
}
