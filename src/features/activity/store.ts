import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Activity, ActivityList, ActivityListQuery } from "../../contract/activity.ts";
import type { RecordKind } from "../../contract/activity-words.ts";
import { entriesOfRecords, isByCaller, isErased } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { readWithDaysAsInstants } from "../../platform/core/days-as-instants.ts";
import { ROWS_PER_STEP } from "../../platform/db/delete-in-steps.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/cursor.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { findDifferences } from "./difference-store.ts";

// The entries of one record are found by index. Other filters scan a bounded number of rows, so pages may be short.

export const MAX_SCANNED_ENTRIES = 1000;

type Range = { low: number; ends: number; is_gone: number };

type Row = Omit<Activity, "actor" | "again"> & {
  again: number | null;
  actor: Activity["actor"]["kind"];
  actor_id: string | null;
  client_name: string | null;
};

const COLUMNS = sql`activity.number AS id, activity.at, activity.actor, activity.actor_id, activity.client_name, activity.verb, activity.kind, activity.record AS record_id,
  activity.title, activity.reason, activity.version_before, activity.version_after, activity.state ->> '$.restored_version' AS restored_version,
  activity.undoes, activity.undone_by, activity.state ->> '$.again' AS again`;

const present = ({ actor, actor_id, client_name, again, ...row }: Row): Activity => ({
  ...row,
  ...(again !== null && { again: true }),
  actor: { kind: actor, id: actor_id, client_name },
});

export type EntryFilter = Omit<ActivityListQuery, "cursor" | "limit" | "include"> & {
  kinds?: readonly RecordKind[];
  where?: SQL;
};

/** The number of the first entry at or after an instant, in SQL. Binary search: times are in the order of numbers. */
export function firstEntrySince({ owner }: Ctx, instant: string): SQL {
  const middle = sql`(low + high) / 2`;
  const isLater = sql`(SELECT at FROM activity WHERE owner = ${owner} AND number >= ${middle}
    ORDER BY number LIMIT 1) >= ${instant}`;
  return sql`(WITH RECURSIVE search(low, high) AS (
      SELECT min(number), (SELECT max(number) + 1 FROM activity WHERE owner = ${owner})
      FROM activity WHERE owner = ${owner}
      UNION ALL SELECT iif(${isLater}, low, ${middle} + 1), iif(${isLater}, ${middle}, high)
      FROM search WHERE low < high)
    SELECT low FROM search WHERE low >= high)`;
}

function conditionsOf({ client, actor, kind, verb, kinds, where }: EntryFilter): SQL {
  const conditions = [
    sql`activity.verb NOT IN ('erased', 'linked')`,
    client && sql`(activity.actor_id = ${client} OR activity.client_name = ${client})`,
    actor && sql`activity.actor = ${actor}`,
    kind && sql`activity.kind = ${kind}`,
    kinds && sql`activity.kind IN ${sqlList(kinds)}`,
    verb && sql`activity.verb = ${verb}`,
    where,
  ];
  return sql.join(
    conditions.filter((condition): condition is SQL => Boolean(condition)),
    sql` AND `,
  );
}

function bounds(ctx: Ctx, { since, until }: EntryFilter, before: number | undefined) {
  const owned = sql`FROM activity WHERE owner = ${ctx.owner}`;
  const ends = [
    sql`(SELECT coalesce(max(number), 0) + 1 ${owned})`,
    before === undefined ? sql`9e15` : sql`${before}`,
    until ? sql`coalesce(${firstEntrySince(ctx, until)}, 0)` : sql`9e15`,
  ];
  return {
    low: since
      ? sql`coalesce(${firstEntrySince(ctx, since)}, 0)`
      : sql`(SELECT coalesce(min(number), 0) ${owned})`,
    end: sql`min(${sql.join(ends, sql`, `)})`,
  };
}

function entriesOfRecord({ owner }: Ctx, { kind, record_id }: EntryFilter, from: number | undefined) {
  if (kind === undefined || record_id === undefined) return undefined;
  const page = (value: string) => sql.raw(`(SELECT ${value} FROM page)`);
  return entriesOfRecords(kind, sql`SELECT ${owner}, ${record_id}`, {
    from,
    after: page("low - 1"),
    gone: sql`a.number >= ${page(`max(low, ends - ${MAX_SCANNED_ENTRIES})`)} AND a.number < ${page("ends")}`,
  });
}

export type EntryPage = { before?: number | undefined; limit: number };

/** A page of the caller's entries, newest first. `next`: the number before which to continue; undefined after the last. */
export async function readEntries(
  ctx: Ctx,
  requested: EntryFilter,
  { before, limit }: EntryPage,
): Promise<{ entries: Activity[]; next: number | undefined }> {
  const { low, end } = bounds(ctx, requested, before);
  const { kind, record_id } = requested;
  const ofRecord = entriesOfRecord(ctx, requested, before);
  const gone = kind && record_id ? isErased(kind, { owner: ctx.owner, id: record_id }) : sql`false`;
  // One lower bound, because SQLite would use only the first of two.
  const scanned = sql`page CROSS JOIN activity
    WHERE activity.owner = ${ctx.owner} AND activity.number >= max(page.low, page.ends - ${MAX_SCANNED_ENTRIES})
      AND activity.number < page.ends AND ${conditionsOf(requested)} ORDER BY activity.number DESC`;
  const from = ofRecord
    ? sql`${ofRecord} AS activity WHERE activity.number < (SELECT ends FROM page) AND ${conditionsOf(requested)}`
    : scanned;
  const [rows, [range]] = await ctx.db.batch([
    ctx.db.all<Row>(sql`
      WITH page AS MATERIALIZED (SELECT ${low} AS low, ${end} AS ends)
      SELECT ${COLUMNS} FROM ${from} LIMIT ${limit + 1}`),
    ctx.db.all<Range>(sql`SELECT ${low} AS low, ${end} AS ends, ${gone} AS is_gone`),
  ]);
  const entries = rows.slice(0, limit).map(present);
  if (rows.length > limit) return { entries, next: entries.at(-1)?.id };
  const { low: first = 0, ends = 0, is_gone = 0 } = range ?? {};
  const isComplete = ofRecord && (entries.length > 0 || !is_gone);
  return {
    entries,
    next: isComplete || ends - MAX_SCANNED_ENTRIES <= first ? undefined : ends - MAX_SCANNED_ENTRIES,
  };
}

export const MAX_SCANNED_PAGES = 10;

/** Reads up to `MAX_SCANNED_PAGES` pages. `next`: the number before which to continue. */
export async function listEntries(
  ctx: Ctx,
  { mine, where = sql`true`, ...requested }: EntryFilter & { mine: boolean },
  { before, limit }: EntryPage,
): Promise<{ entries: Activity[]; next: number | undefined }> {
  const condition = mine ? sql`${where} AND ${isByCaller(ctx)}` : where;
  const entries: Activity[] = [];
  let next = before;
  for (let pages = 0; pages < MAX_SCANNED_PAGES && entries.length < limit; pages++) {
    if (pages > 0) await yieldToOthers();
    const rest = { before: next, limit: limit - entries.length };
    const page = await readEntries(ctx, { ...requested, where: condition }, rest);
    entries.push(...page.entries);
    next = page.next;
    if (next === undefined) break;
  }
  return { entries, next };
}

const LIST = "activity";
const EntryNumber = z.int().min(0);

/** The caller's changes, newest first. Throws 422 for a cursor of another list. */
export async function listActivity(
  ctx: Ctx,
  { cursor, limit, include, ...requested }: ActivityListQuery & Pick<EntryFilter, "kinds" | "where">,
): Promise<ActivityList> {
  const [before] = cursor === undefined ? [] : decodeCursor(LIST, cursor, z.tuple([EntryNumber]));
  const { entries, next } = await readWithDaysAsInstants(ctx, requested, ["since", "until"], (bounded) =>
    readEntries(ctx, bounded, { before, limit }),
  );
  const differences = include ? await findDifferences(ctx, entries) : undefined;
  const items = entries.map((entry) => {
    const found = differences?.get(entry.id);
    return found ? { ...entry, differences: found } : entry;
  });
  return { items, next_cursor: next === undefined ? null : encodeCursor(LIST, [next]) };
}

/** The last entry of an owner always stays, because the next number follows it. */
const RETENTION_DAYS = 400;
const MAX_ENTRIES = 100_000;

/** Deletes a batch of an account's entries that are too old or too many; returns whether there may be more. */
export async function purgeOldEntries({ db, now, owner }: Ctx): Promise<boolean> {
  const cutoff = new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();
  const newest = sql`(SELECT max(number) FROM activity WHERE owner = ${owner})`;
  // Edit sessions leave gaps between the numbers.
  const oldestKept = sql`(SELECT number FROM activity WHERE owner = ${owner}
    ORDER BY number DESC LIMIT 1 OFFSET ${MAX_ENTRIES - 1})`;
  const isTooMany = sql`number <= ${newest} - ${MAX_ENTRIES} AND number < ${oldestKept}`;
  // Times are in the order of numbers.
  const deleted = await db.run(sql`DELETE FROM activity WHERE owner = ${owner} AND number IN (
    SELECT number FROM (SELECT number, at FROM activity WHERE owner = ${owner} ORDER BY number LIMIT ${ROWS_PER_STEP})
    WHERE number < ${newest} AND (at < ${cutoff} OR (${isTooMany})))`);
  return deleted.meta.changes === ROWS_PER_STEP;
}

/** When an account's oldest entry expires, in SQL (`at`). If it is the only one, it is checked again in 30 days. */
export const entriesExpiryStatement = ({ owner, now }: Ctx): SQL => sql`
  SELECT iif(count(*) > 1, strftime('%Y-%m-%dT%H:%M:%fZ', min(at), ${`+${RETENTION_DAYS} days`}),
    strftime('%Y-%m-%dT%H:%M:%fZ', ${now.toISOString()}, '+30 days')) AS at
  FROM (SELECT at FROM activity WHERE owner = ${owner} ORDER BY number LIMIT 2) HAVING count(*) > 0`;
