import { and, isNotNull, type SQL, sql } from "drizzle-orm";
import type { ActivityVerb } from "../../contract/activity-words.ts";
import type { Memory } from "../../contract/memory.ts";
import { unindexStatement } from "../../engine/index.ts";
import {
  type ActivityEntry,
  type BulkActivityEntry,
  forgetEntriesStatement,
  lastActivityNumber,
  numberedEntries,
  recordActivity,
  rejectEmptyUndo,
  type WriteContext,
} from "../../platform/activity/store.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound, preconditionFailed } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal, sendRecoverable } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import { allowsChange, versionsAllowedBy } from "../../platform/http/etag.ts";
import { readWithKey, writeOnce } from "../../platform/idempotency/store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import type { Clock } from "./ages.ts";
import { assertNoOpenSibling, changeStatements } from "./change-store.ts";
import { WITHOUT_SERIES } from "./plan.ts";
import { nextRemindAt } from "./remind-at.ts";
import { isOpen } from "./repetition.ts";
import {
  currentColumns,
  hasAnyVersion,
  hasOpenSibling,
  type MemoryRow,
  type MemoryWriter,
  ownedMemory,
  ownedMemoryOrTrashed,
  presentMemory,
  readMemoryAgain,
  repeatableMemory,
  type StoredMemoryVersion,
  userClock,
} from "./row-store.ts";
import { indexMemoryStatements } from "./store.ts";

// Moves records to the trash and back. features/trash lists and empties it.

/** SQLite only looks up rows that are IN a compound query if another query surrounds it; otherwise it reads all of them. */
const linkedTo = (which: SQL | undefined) => sql`SELECT * FROM (
  SELECT owner, supersedes_id FROM memories WHERE ${which} AND supersedes_id IS NOT NULL
  UNION SELECT owner, superseded_by_id FROM memories WHERE ${which} AND superseded_by_id IS NOT NULL)`;

/** The statements for records that show a link to one of `which`: trashing or restoring it changes them too. */
function linkChangeStatements(ctx: Ctx, which: SQL | undefined) {
  const entry: BulkActivityEntry = {
    verb: "linked",
    kind: "memory",
    record: sql`CAST(id AS TEXT)`,
    title: sql`topic`,
    version_before: sql`version`,
    version_after: sql`version + 1`,
    from: sql`FROM memories WHERE trashed_at IS NULL AND (owner, id) IN (${linkedTo(which)})`,
  };
  return [
    ...recordActivity(ctx, entry),
    ctx.db.run(sql`UPDATE memories SET version = version + 1, activity = entry.number
      FROM (${numberedEntries(sql`${ctx.owner}`, entry)}) AS entry
      WHERE memories.owner = ${ctx.owner} AND memories.id = entry.record`),
  ];
}

const activityEntry = (
  which: SQL | undefined,
  { verb, id }: { verb: ActivityVerb; id: number },
): ActivityEntry => ({
  verb,
  kind: "memory",
  record: String(id),
  title: verb === "erased" ? sql`NULL` : sql`topic`,
  version_before: sql`version`,
  version_after: sql`version`,
  from: sql`FROM memories WHERE ${which}`,
});

/** The statements that move a record to the trash, out of lists, search, tags and counts. */
const trashMemoryStatements = (ctx: Ctx, id: number, writeContext: WriteContext) => [
  unindexStatement(ctx, { kind: "memory", record: String(id) }),
  ...linkChangeStatements(ctx, ownedMemory(ctx, id)),
  ...recordActivity(ctx, activityEntry(ownedMemory(ctx, id), { verb: "deleted", id }), writeContext),
  ctx.db
    .update(memories)
    .set({ trashed_at: ctx.now.toISOString(), remind_at: null, activity: lastActivityNumber(ctx) })
    .where(ownedMemory(ctx, id)),
];

/** The statements that undo the creation of the next record of a series, before those that reopen the one before it. */
export const undoNextStatements = (ctx: Ctx, id: number, writeContext: WriteContext) => [
  assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM memories WHERE ${ownedMemory(ctx, id)})`, "overtaken"),
  ...trashMemoryStatements(ctx, id, writeContext),
];

/** A trigger deletes the events. `keys` must select the same records each time it runs. */
const eraseStatements = (ctx: BaseCtx, keys: SQL) =>
  [
    forgetEntriesStatement(ctx, "memory", keys),
    ctx.db.run(sql`UPDATE memories SET
        supersedes_id = iif((owner, supersedes_id) IN (${keys}), NULL, supersedes_id),
        superseded_by_id = iif((owner, superseded_by_id) IN (${keys}), NULL, superseded_by_id)
      WHERE (owner, id) IN (${linkedTo(sql`(owner, id) IN (${keys})`)})`),
    ctx.db.returning<{ id: number }>(sql`DELETE FROM memories WHERE (owner, id) IN (${keys}) RETURNING id`),
  ] as const;

/** The statements that erase a record. Records that link to it only change if it was not in the trash already. */
const erasureStatements = (ctx: Ctx, id: number, writeContext: WriteContext) => [
  unindexStatement(ctx, { kind: "memory", record: String(id) }),
  ...linkChangeStatements(ctx, ownedMemory(ctx, id)),
  ...recordActivity(ctx, activityEntry(ownedMemory(ctx, id), { verb: "erased", id }), writeContext),
  ...eraseStatements(ctx, sql`SELECT owner, id FROM memories WHERE ${ownedMemoryOrTrashed(ctx, id)}`),
];

const ERASED_PER_STEP = 50;

/** Erases trashed records that match `which`, in one bounded step. Returns whether there may be more. */
export async function eraseTrashedMemories(
  ctx: BaseCtx,
  which: SQL,
  progressStatements: (count: SQL) => readonly BatchItem[] = () => [],
): Promise<boolean> {
  const keys = sql`SELECT owner, id FROM memories WHERE trashed_at IS NOT NULL AND ${which}
    ORDER BY trashed_at, owner, id LIMIT ${ERASED_PER_STEP}`;
  const [forgotten, ...statements] = eraseStatements(ctx, keys);
  const results = await ctx.db.batch([
    forgotten,
    ...progressStatements(sql`(SELECT count(*) FROM (${keys}))`),
    ...statements,
  ]);
  return (results.at(-1) as unknown[]).length > 0;
}

type Deletion = { permanent?: boolean; ifMatch?: string | undefined } & WriteContext;

/** Moves a record to the trash, or erases it with `permanent`. Returns the topic. Throws 404, or 412 for `ifMatch`. */
export async function deleteMemory(
  ctx: Ctx,
  id: number,
  { permanent = false, ifMatch, ...writeContext }: Deletion = {},
): Promise<string> {
  const which = permanent ? ownedMemoryOrTrashed(ctx, id) : ownedMemory(ctx, id);
  const versions = versionsAllowedBy(ifMatch);
  const { results, entries } = await sendRecoverable(ctx, [
    ctx.db.select({ title: memories.topic }).from(memories).where(which),
    assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM memories WHERE ${which})`, "not-found"),
    ...(versions ? [assertInBatch(ctx, hasAnyVersion(ctx, which, versions), "stale")] : []),
    ...(permanent ? erasureStatements(ctx, id, writeContext) : trashMemoryStatements(ctx, id, writeContext)),
  ]);
  const deleted = results ? results[0][0] : entries.at(-1);
  if (!deleted) throw notFound();
  return deleted.title ?? "";
}

/** The extra change that drops the repetition of a restored record because another record of its series is open. */
function removeFromSeries(ctx: Ctx, row: MemoryRow, { source_type, client_name }: MemoryWriter) {
  const next = { ...row, ...WITHOUT_SERIES, version: row.version + 1, updated_at: ctx.now.toISOString() };
  const change = { next, event: "updated" as const, woken: false };
  return { next, statements: changeStatements(ctx, row, change, { source_type, client_name }) };
}

type TrashedRow = MemoryRow & { has_sibling: number };

/** A record after its restoration, with the statements that restore it. */
function restoreStatements(
  ctx: Ctx,
  { has_sibling, ...found }: TrashedRow,
  writer: MemoryWriter,
  clock: Clock,
) {
  const { id } = found;
  const owned = ownedMemoryOrTrashed(ctx, id);
  const back = { ...found, trashed_at: null };
  const row = { ...back, remind_at: nextRemindAt(back, clock) };
  const leaves = has_sibling === 1 && isOpen(row) && row.series_id !== null;
  const { next, statements } = leaves
    ? removeFromSeries(ctx, row, writer)
    : { next: row, statements: assertNoOpenSibling(ctx, found, row) };
  const isThere = hasAnyVersion(ctx, and(owned, isNotNull(memories.trashed_at)), [found.version]);
  return {
    row: next,
    statements: [
      assertInBatch(ctx, isThere, "stale"),
      ...assertQuotaLeft(ctx, { records: 1 }),
      ...indexMemoryStatements(ctx, String(id), found),
      ...linkChangeStatements(ctx, owned),
      ...recordActivity(ctx, activityEntry(owned, { verb: "restored", id }), writer),
      ctx.db
        .update(memories)
        .set({ trashed_at: null, remind_at: row.remind_at, activity: lastActivityNumber(ctx) })
        .where(owned),
      ...statements,
    ],
  };
}

/** The statements that bring back the next record of a series, after those that close the one before it. */
export async function redoNextStatements(ctx: Ctx, id: number, writer: MemoryWriter): Promise<BatchItem[]> {
  const [found] = await ctx.db
    .select(currentColumns(ctx))
    .from(memories)
    .where(ownedMemoryOrTrashed(ctx, id));
  if (!found?.trashed_at) return [assertInBatch(ctx, sql`false`, "overtaken")];
  return restoreStatements(ctx, { ...found, has_sibling: 0 }, writer, await userClock(ctx)).statements;
}

/** Restores a record from the trash. With `once`, a repeated request gets the first response. Throws 404, 412. */
export const restoreMemory = (ctx: Ctx, id: number, writer: MemoryWriter): Promise<Memory> =>
  retryUntilWritten("record", async () => {
    const { once } = writer;
    const { results, earlier } = await readWithKey(ctx, once, [
      ctx.db
        .select({ ...currentColumns(ctx), has_sibling: hasOpenSibling })
        .from(memories)
        .where(ownedMemoryOrTrashed(ctx, id)),
    ]);
    const [[found]] = results;
    if (earlier) return readMemoryAgain(ctx, earlier as StoredMemoryVersion, found);
    if (!found) throw notFound();
    if (!allowsChange(writer.ifMatch, found.version)) throw preconditionFailed();
    const clock = await userClock(ctx);
    if (found.trashed_at === null) {
      await rejectEmptyUndo(ctx, writer);
      return writeOnce(ctx, once, repeatableMemory(presentMemory(found, clock)));
    }
    const { row, statements } = restoreStatements(ctx, found, writer, clock);
    const write = writeOnce(ctx, once, repeatableMemory(presentMemory(row, clock)), statements);
    return (await catchRefusal(write, "stale")).answer;
  });
