import { type SQL, sql } from "drizzle-orm";
import type { Memory, MemoryCreateRequest, ReadMemory } from "../../contract/memory.ts";
import { indexStatements } from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { memories } from "../../platform/db/tables.ts";
import { writeNumberedOnce } from "../../platform/idempotency/store.ts";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { newRecordBytes } from "../billing/sizes.ts";
import { memoryEntry } from "../indexed/entry.ts";
import { eventStatements } from "./event-store.ts";
import { FIRST_IMPORTED_ID } from "./numbers.ts";
import {
  clockOf,
  columns,
  type Draft,
  memoryAgain,
  mustOwnDocument,
  ownedById,
  ownedByIdAnywhere,
  present,
  UNSET,
  type Writer,
} from "./row-store.ts";

/** The caller's next number, in SQL: one above the highest that they ever had, so that none is reused. */
export const nextNumber = (ctx: Ctx) => sql`(1 + max(
  (SELECT last_memory_id FROM users WHERE number = ${ctx.owner}),
  (SELECT coalesce(max(id), 0) FROM memories WHERE owner = ${ctx.owner} AND id < ${sql.raw(String(FIRST_IMPORTED_ID))})))`;

export const searchStatements = (ctx: Ctx, record: string | SQL, row: Draft) =>
  indexStatements(ctx, { kind: "memory", record, ...memoryEntry(row) });

/** Refuses the batch unless the caller's plan has room for a new record. */
export const mustHaveRoomFor = (ctx: Ctx, row: Draft) =>
  mustHaveRoom(ctx, { records: 1, bytes: newRecordBytes(row) });

/** Creates a record. Its row comes last, because inserting it changes `nextNumber`. */
export function creationStatements(ctx: Ctx, row: Draft, writer: Writer) {
  const number = nextNumber(ctx);
  const { topic, version } = row;
  const event = { event: "created", from_status: null, to_status: "active", topic, version } as const;
  return [
    ...eventStatements(ctx, number, event, writer),
    ...searchStatements(ctx, sql`CAST(${number} AS TEXT)`, row),
    ctx.db.insert(memories).values({ ...row, owner: ctx.owner, id: number as SQL<number> }),
  ] as const;
}

/** The given instant, or now. Throws 400 for an instant in the future. */
export function pastOrNow(ctx: Ctx, field: string, told: string | undefined): string {
  const now = ctx.now.toISOString();
  if (told && told > now) throw badRequest(`${field} must not be in the future: leave it out to mean now`);
  return told ?? now;
}

/** A new record; omitted fields stay empty. Throws 400 for a `created_at` in the future. */
export function newRow(ctx: Ctx, input: MemoryCreateRequest, writer: Writer): Draft {
  const created_at = pastOrNow(ctx, "created_at", input.created_at);
  const given: Partial<MemoryCreateRequest> = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  );
  return {
    ...UNSET,
    ...({ tags: [], ...given } as Omit<Required<MemoryCreateRequest>, "created_at">),
    status: "active",
    source_type: writer.source_type,
    client_name: writer.client_name ?? null,
    version: 1,
    created_at,
    updated_at: created_at,
    touched_at: created_at,
  };
}

/** With `once`, a repetition gets the first answer. Throws 404 for an unknown document, 400, 422. */
export async function createMemory(ctx: Ctx, input: MemoryCreateRequest, writer: Writer): Promise<Memory> {
  const row = newRow(ctx, input, writer);
  const drawn = {
    answer: (id: number) => ({ ...presentNew(row), id }),
    ...{
      stored: { id: 0, version: row.version },
      places: ["$.id"],
      next: nextNumber(ctx),
      again: memoryAgain,
    },
  };
  return writeNumberedOnce(ctx, writer.once, drawn, [
    ...mustHaveRoomFor(ctx, row),
    ...mustOwnDocument(ctx, row.document_id),
    ...creationStatements(ctx, row, writer),
  ]);
}

/** A new record as its owner sees it, before it has a number. Nothing in it depends on a time zone. */
export const presentNew = (row: Draft): Memory => present({ id: 0, ...row }, { timezone: "UTC" });

/** One of the caller's records, with `anywhere` also from the trash. Throws 404. */
export async function getMemory(ctx: Ctx, id: number, anywhere = false): Promise<ReadMemory> {
  const which = anywhere ? ownedByIdAnywhere(ctx, id) : ownedById(ctx, id);
  const [row] = await ctx.db.select(columns(ctx)).from(memories).where(which);
  if (!row) throw notFound();
  const memory = present(row, await clockOf(ctx));
  return { ...memory, ...(row.trashed_at !== null && { trashed_at: row.trashed_at }) };
}
