import { sql } from "drizzle-orm";
import type { Memory } from "../../contract/memory.ts";
import type { EventName } from "../../contract/memory-event.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound, preconditionFailed } from "../../platform/core/errors.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { assertInBatch, unless } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import { allowsChange } from "../../platform/http/etag.ts";
import {
  type NumberedRepeatable,
  type Repeatable,
  recognizeOnce,
  storedOf,
  storedStatement,
  writeNumberedOnce,
  writeOnce,
} from "../../platform/idempotency/store.ts";
import { mustChange } from "../../platform/ledger/store.ts";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { eventBytes, newRecordBytes, recordBytes } from "../billing/sizes.ts";
import { memoryEntry } from "../indexed/entry.ts";
import type { Clock } from "./ages.ts";
import { eventStatements } from "./event-store.ts";
import { noteReminder, remindAtOf } from "./remind-at.ts";
import { isOpen } from "./repetition.ts";
import {
  changeable,
  clockOf,
  type Draft,
  hasVersion,
  memoryAgain,
  mustOwnDocument,
  NOT_TRASHED,
  ownedById,
  present,
  type Row,
  type StoredMemory,
  stateJson,
  storedOfMemory,
  type Writer,
} from "./row-store.ts";
import { creationStatements, nextNumber, presentNew, searchStatements } from "./store.ts";
import { wakeStatements } from "./wake-store.ts";

export type Change = { next: Row; event: EventName; note?: string | null | undefined; successor?: Draft };

type WrittenChange = Change & { woken: boolean };

export type Changed = { memory: Memory; successor?: Memory };

type StoredChange = { memory: StoredMemory; successor?: StoredMemory };

const readChangeAgain = async (
  ctx: Ctx,
  { memory, successor }: StoredChange,
  known?: Row,
): Promise<Changed> => ({
  memory: await memoryAgain(ctx, memory, known),
  ...(successor && { successor: await memoryAgain(ctx, successor) }),
});

const repeatable = (memory: Memory): Repeatable<Changed, StoredChange> => ({
  answer: { memory },
  stored: { memory: storedOfMemory(memory) },
  again: readChangeAgain,
});

const repeatableWithSuccessor = (
  ctx: Ctx,
  old: Memory,
  successor: Draft,
  clock: Clock,
): NumberedRepeatable<Changed, StoredChange> => ({
  answer: (id) => ({
    memory: { ...old, ...(successor.supersedes_id === old.id && { superseded_by_id: id }) },
    successor: presentNew(successor, id, clock),
  }),
  stored: { memory: storedOfMemory(old), successor: { id: 0, version: successor.version } },
  places: ["$.successor.id"],
  next: nextNumber(ctx),
  again: readChangeAgain,
});

type ChangeableRow = Row & { woken: number; rival: number };

const withoutState = ({ woken: _, rival: __, ...row }: ChangeableRow): Row => row;

/** Reads a record, or the response to an earlier request with this idempotency key. Throws 404, or 412 for If-Match. */
async function readForUpdate(ctx: Ctx, id: number, { ifMatch, once }: Writer) {
  const [[found], stored = []] = await ctx.db.batch([
    ctx.db.select(changeable(ctx)).from(memories).where(ownedById(ctx, id)),
    ...(once ? [storedStatement(ctx, once)] : []),
  ]);
  const earlier = storedOf<StoredChange>(ctx, once, stored);
  if (earlier) return { again: await readChangeAgain(ctx, earlier, found && withoutState(found)) };
  if (!found) throw notFound();
  const row = withoutState(found);
  if (!allowsChange(ifMatch, row.version)) throw preconditionFailed();
  return { row, woken: found.woken === 1, hasRival: found.rival === 1 };
}

const indexedText = (row: Draft) => JSON.stringify(memoryEntry(row));

export const differences = (row: Row, next: Row): Partial<Row> =>
  Object.fromEntries(
    Object.entries(next).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
    ),
  );

/** Fails the batch without room for what a change adds. One that adds nothing always passes, so a full account can close. */
function mustHaveRoomForChange(ctx: Ctx, row: Row, { next, note, successor }: WrittenChange) {
  const grown = recordBytes(next) - recordBytes(row);
  if (grown <= 0 && !successor) return [];
  const stored = sql`(SELECT octet_length(${stateJson}) FROM memories WHERE ${ownedById(ctx, row.id)})`;
  const event = eventBytes({ state: null, note: note ?? null });
  const added = Math.max(0, grown) + event + (successor ? newRecordBytes(successor) : 0);
  return mustHaveRoom(ctx, { records: successor ? 1 : 0, bytes: sql`${added} + ${stored}` });
}

/** A series has at most one open record: fails the batch as stale if this would be a second one. */
export const mustBeAlone = (ctx: Ctx, row: Row, next: Row) => {
  const wasThere = isOpen(row) && row.trashed_at === null && row.series_id === next.series_id;
  const joins = next.series_id !== null && isOpen(next) && !wasThere;
  const rivals = sql`SELECT 1 FROM memories INDEXED BY memories_series_idx
    WHERE owner = ${ctx.owner} AND series_id = ${next.series_id} AND series_id IS NOT NULL AND id <> ${next.id}
      AND status IN ('active', 'deferred') AND ${NOT_TRASHED}`;
  return joins ? [assertInBatch(ctx, sql`NOT EXISTS (${rivals})`, "stale")] : [];
};

/** The statements of a change. They fail as stale unless the record still has the version that the change is based on. */
export function changeStatements(ctx: Ctx, row: Row, change: WrittenChange, writer: Writer) {
  const { next, event, note, successor, woken } = change;
  const { topic, version } = next;
  const entry = { event, note, from_status: row.status, to_status: next.status, topic, version };
  const changed = differences(row, next);
  noteReminder(ctx, changed.remind_at);
  const replaced = successor?.supersedes_id === row.id && {
    superseded_by_id: sql<number>`${nextNumber(ctx)}`,
  };
  // A document that is already linked may stay even if it is in the trash.
  const linked = [row.document_id, row.next_values?.document_id];
  const attached = [changed.document_id, successor?.document_id].filter((id) => !linked.includes(id));
  return [
    ...(writer.ahead ?? []),
    assertInBatch(ctx, hasVersion(ctx, ownedById(ctx, row.id), [row.version]), "stale"),
    ...mustHaveRoomForChange(ctx, row, change),
    ...mustBeAlone(ctx, row, next),
    ...attached.flatMap((id) => mustOwnDocument(ctx, id)),
    ...(woken ? wakeStatements(ctx, sql`${ownedById(ctx, row.id)}`) : []),
    ...eventStatements(ctx, sql`${row.id}`, entry, writer),
    ...(indexedText(row) === indexedText(next) ? [] : searchStatements(ctx, String(row.id), next)),
    ctx.db
      .update(memories)
      .set({ ...changed, ...replaced })
      .where(ownedById(ctx, row.id)),
    ...(successor ? creationStatements(ctx, successor, writer) : []),
  ];
}

async function writeChange(
  ctx: Ctx,
  row: Row,
  change: WrittenChange,
  writer: Writer,
): Promise<Changed | undefined> {
  const statements = changeStatements(ctx, row, change, writer);
  const clock = await clockOf(ctx);
  const memory = present(change.next, clock);
  const write = change.successor
    ? writeNumberedOnce(
        ctx,
        writer.once,
        repeatableWithSuccessor(ctx, memory, change.successor, clock),
        statements,
      )
    : writeOnce(ctx, writer.once, repeatable(memory), statements);
  return (await unless(write, "stale")).answer;
}

/** Applies the change that `decide` returns (null: none), and retries if another change came first. Throws 404, 412. */
export const changeMemory = (
  ctx: Ctx,
  id: number,
  writer: Writer,
  decide: (row: Row, clock: Clock, hasRival: boolean) => Change | null,
): Promise<Changed> =>
  untilWritten("record", async () => {
    const { row, woken, hasRival, again } = await readForUpdate(ctx, id, writer);
    if (again) return again;
    const clock = await clockOf(ctx);
    const change = decide(row, clock, hasRival);
    if (!change) {
      await mustChange(ctx, writer);
      return recognizeOnce(ctx, writer.once, repeatable(present(row, clock)));
    }
    Object.assign(change.next, {
      version: row.version + 1,
      remind_at: remindAtOf(change.next, clock, row),
    });
    return writeChange(ctx, row, { ...change, woken }, writer);
  });
