import { sql } from "drizzle-orm";
import type { Memory } from "../../contract/memory.ts";
import type { MemoryEventName } from "../../contract/memory-event.ts";
import { rejectEmptyUndo } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound, preconditionFailed } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import { assertInBatch, catchRefusal } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import { allowsChange } from "../../platform/http/etag.ts";
import { type RepeatableAnswer, readWithKey, writeOnce } from "../../platform/idempotency/store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { eventBytes, newRecordBytes, recordBytes } from "../billing/sizes.ts";
import { memoryEntry } from "../indexed/entry.ts";
import type { Clock } from "./ages.ts";
import { eventStatements } from "./event-store.ts";
import { nextRemindAt, noteEarliestReminder } from "./remind-at.ts";
import { isOpen } from "./repetition.ts";
import {
  assertOwnDocument,
  columnsForChange,
  hasAnyVersion,
  type MemoryRow,
  type MemoryWriter,
  memoryStateJson,
  type NewMemoryRow,
  NOT_TRASHED,
  ownedMemory,
  presentMemory,
  readMemoryAgain,
  type StoredMemoryVersion,
  toStoredVersion,
  userClock,
} from "./row-store.ts";
import {
  createdId,
  createMemoryStatements,
  indexMemoryStatements,
  newMemoryReference,
  nextMemoryId,
  presentNewMemory,
} from "./store.ts";
import { wakeStatements } from "./wake-store.ts";

export type MemoryChange = {
  next: MemoryRow;
  event: MemoryEventName;
  note?: string | null | undefined;
  successor?: NewMemoryRow;
};

type WrittenChange = MemoryChange & { woken: boolean };

/** A change with what follows from it: the next version and reminder. */
export const completeChange = (
  row: MemoryRow,
  { next, ...change }: MemoryChange,
  { clock, woken }: { clock: Clock; woken: number },
): WrittenChange => ({
  ...change,
  next: { ...next, version: row.version + 1, remind_at: nextRemindAt(next, clock, row) },
  woken: woken === 1,
});

export type ChangeResult = { memory: Memory; successor?: Memory };

type StoredChange = { memory: StoredMemoryVersion; successor?: StoredMemoryVersion };

const readChangeAgain = async (
  ctx: Ctx,
  { memory, successor }: StoredChange,
  known?: MemoryRow,
): Promise<ChangeResult> => ({
  memory: await readMemoryAgain(ctx, memory, known),
  ...(successor && { successor: await readMemoryAgain(ctx, successor) }),
});

const repeatable = (
  ctx: Ctx,
  memory: Memory,
  clock: Clock,
  newRow?: NewMemoryRow,
): RepeatableAnswer<ChangeResult, StoredChange> => {
  const stored = { memory: toStoredVersion(memory) };
  if (!newRow) return { answer: () => ({ memory }), stored, again: readChangeAgain };
  return {
    answer: (entries) => {
      const successor = presentNewMemory(newRow, createdId(entries), clock);
      const link = successor.supersedes_id === memory.id && { superseded_by_id: successor.id };
      return { memory: { ...memory, ...link }, successor };
    },
    stored: sql`json_set(${JSON.stringify(stored)}, '$.successor', ${newMemoryReference(ctx)})`,
    again: readChangeAgain,
  };
};

export type ChangeableRow = MemoryRow & { woken: number; has_sibling: number };

/** Reads a record, or the response to an earlier request with this idempotency key. Throws 404, or 412 for If-Match. */
async function readForUpdate(ctx: Ctx, id: number, { ifMatch, once }: MemoryWriter) {
  const { results, earlier } = await readWithKey(ctx, once, [
    ctx.db.select(columnsForChange(ctx)).from(memories).where(ownedMemory(ctx, id)),
  ]);
  const [[found]] = results;
  if (earlier) return { again: await readChangeAgain(ctx, earlier as StoredChange, found) };
  if (!found) throw notFound();
  const { woken, has_sibling, ...row } = found;
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return { row, woken, hasSibling: has_sibling === 1 };
}

const indexedText = (row: NewMemoryRow) => JSON.stringify(memoryEntry(row));

export const changedFields = (row: MemoryRow, next: MemoryRow): Partial<MemoryRow> =>
  Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof MemoryRow]),
    ),
  );

/** Fails the batch without room for what a change adds. One that adds nothing always passes, so a full account can close. */
function mustHaveRoomForChange(ctx: Ctx, row: MemoryRow, { next, note, successor }: WrittenChange) {
  const grown = recordBytes(next) - recordBytes(row);
  if (grown <= 0 && !successor) return [];
  const stored = sql`(SELECT octet_length(${memoryStateJson}) FROM memories WHERE ${ownedMemory(ctx, row.id)})`;
  const event = eventBytes({ state: null, note: note ?? null });
  const added = Math.max(0, grown) + event + (successor ? newRecordBytes(successor) : 0);
  return assertQuotaLeft(ctx, { records: successor ? 1 : 0, bytes: sql`${added} + ${stored}` });
}

/** A series has at most one open record: fails the batch as stale if this would be a second one. */
export const assertNoOpenSibling = (ctx: Ctx, row: MemoryRow, next: MemoryRow) => {
  const wasThere = isOpen(row) && row.trashed_at === null && row.series_id === next.series_id;
  const joins = next.series_id !== null && isOpen(next) && !wasThere;
  const siblings = sql`SELECT 1 FROM memories INDEXED BY memories_series_idx
    WHERE owner = ${ctx.owner} AND series_id = ${next.series_id} AND series_id IS NOT NULL AND id <> ${next.id}
      AND status IN ('active', 'deferred') AND ${NOT_TRASHED}`;
  return joins ? [assertInBatch(ctx, sql`NOT EXISTS (${siblings})`, "stale")] : [];
};

/** The statements of a change. They fail as stale unless the record still has the version that the change is based on. */
export function changeStatements(ctx: Ctx, row: MemoryRow, change: WrittenChange, writer: MemoryWriter) {
  const { next, event, note, successor, woken } = change;
  const { topic, version } = next;
  const entry = { event, note, from_status: row.status, to_status: next.status, topic, version };
  const changed = changedFields(row, next);
  noteEarliestReminder(ctx, changed.remind_at);
  const replaced = successor?.supersedes_id === row.id && {
    superseded_by_id: sql<number>`${nextMemoryId(ctx)}`,
  };
  // A document that is already linked may stay even if it is in the trash.
  const linked = [row.document_id, row.next_values?.document_id];
  const attached = [changed.document_id, successor?.document_id].filter((id) => !linked.includes(id));
  return [
    ...(writer.ahead ?? []),
    assertInBatch(ctx, hasAnyVersion(ctx, ownedMemory(ctx, row.id), [row.version]), "stale"),
    ...mustHaveRoomForChange(ctx, row, change),
    ...assertNoOpenSibling(ctx, row, next),
    ...attached.flatMap((id) => assertOwnDocument(ctx, id)),
    ...(woken ? wakeStatements(ctx, sql`${ownedMemory(ctx, row.id)}`) : []),
    ...eventStatements(ctx, sql`${row.id}`, entry, writer),
    ...(indexedText(row) === indexedText(next) ? [] : indexMemoryStatements(ctx, String(row.id), next)),
    ctx.db
      .update(memories)
      .set({ ...changed, ...replaced })
      .where(ownedMemory(ctx, row.id)),
    ...(successor ? createMemoryStatements(ctx, successor, writer) : []),
  ];
}

/** Applies the change that `decide` returns (null: none), and retries if another change came first. Throws 404, 412. */
export const changeMemory = (
  ctx: Ctx,
  id: number,
  writer: MemoryWriter,
  decide: (row: MemoryRow, clock: Clock, hasSibling: boolean) => MemoryChange | null,
): Promise<ChangeResult> =>
  retryUntilWritten("record", async () => {
    const { row, woken, hasSibling, again } = await readForUpdate(ctx, id, writer);
    if (again) return again;
    const clock = await userClock(ctx);
    const change = decide(row, clock, hasSibling);
    if (!change) {
      await rejectEmptyUndo(ctx, writer);
      return writeOnce(ctx, writer.once, repeatable(ctx, presentMemory(row, clock), clock));
    }
    const written = completeChange(row, change, { clock, woken });
    const answer = repeatable(ctx, presentMemory(written.next, clock), clock, written.successor);
    const behind = (await writer.behind?.()) ?? [];
    const statements = [...changeStatements(ctx, row, written, writer), ...behind];
    return (await catchRefusal(writeOnce(ctx, writer.once, answer, statements), "stale")).answer;
  });
