import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { must, send } from "../db/call.ts";
import type { activity } from "../../db/tables.ts";
import type { Kind, Verb } from "../../contract/ledger-words.ts";

// The ledger of changes. Every statement that changes a document, memory record or folder goes with one that is built
// here, in the same batch. activity/ and changes/ read it.

type SourceType = typeof activity.$inferSelect.source_type;

/** What a caller says about itself, besides its credential. */
export type Told = {
  source_type?: NonNullable<SourceType> | undefined;
  client_name?: string | undefined;
  /** The number of the change that is being undone. */
  undoing?: number | undefined;
  /** Verbs of later changes of the record that do not stand in the way of that undo. */
  despite?: readonly Verb[] | undefined;
  /** The version that is being restored. */
  restoring?: number | undefined;
};

/** The `state` of an entry for a record that was deferred already, in SQL. */
export const AGAIN = sql`json_object('again', 1)`;

/** The `state` of an entry for a change of what is in the trash, in SQL. */
export const IN_TRASH = sql`json_object('in_trash', 1)`;

/**
 * What happened to a record.
 *
 * - `state`: what cannot be read from a version: a folder as it was, or which version was restored.
 * - `from` starts with FROM. There is an entry for each of its rows, in `order`; the other fields name their columns.
 * - `has_event`: the number of the entry is stored with an event of the memory record. The number of any other one is
 *   stored in `activity` of the record's row, by the statement that writes it, which therefore comes after the entry.
 */
export type Entry = {
  verb: Verb | SQL;
  kind: Kind;
  record: string | SQL;
  title: string | SQL;
  version_before?: number | SQL | null;
  version_after?: number | SQL | null;
  state?: SQL | null;
  from?: SQL;
  order?: SQL;
  has_event?: boolean;
};

/** Whose a record is, and which. */
type OfRecord = { owner: SQL | number; id: SQL | string };

/** An entry for each row of `from`. */
export type Recorded = Entry & { from: SQL };

/** How far the clocks of two machines may differ, in ms: within it, a later change never has an earlier time. */
const CLOCK_SKEW_MS = 300_000;

type Who = { actor: string; actor_id: SQL | string | null; client_name: SQL | string | null; told: Told };

const TABLES = { document: sql.raw("documents"), memory: sql.raw("memories"), folder: sql.raw("folders") };

const positionIn = (owner: SQL, order: string | SQL) =>
  sql`row_number() OVER (PARTITION BY ${owner} ORDER BY ${order})`;

function selectOf(owner: SQL, { verb, kind, record, title, ...rest }: Entry) {
  const {
    version_before = null,
    version_after = null,
    state = null,
    from,
    order = record,
    has_event = false,
  } = rest;
  return sql`SELECT ${owner} AS owner, ${verb} AS verb, ${kind} AS kind, ${record} AS record, ${title} AS title,
    ${version_before} AS version_before, ${version_after} AS version_after, ${state} AS state, ${has_event ? 1 : 0} AS has_event,
    ${from ? positionIn(owner, order) : sql`1`} AS position ${from ?? sql``}`;
}

/** The statement that inserts an entry, or one for each row of its `from`. */
function insertStatement(
  ctx: BaseCtx,
  { actor, actor_id, client_name, told }: Who,
  owner: SQL,
  entry: Entry,
) {
  const now = ctx.now.toISOString();
  const latest = new Date(ctx.now.getTime() + CLOCK_SKEW_MS).toISOString();
  // Changes are found by their times, which therefore follow their numbers.
  const time = sql`iif(last.at > ${now} AND last.at <= ${latest}, last.at, ${now})`;
  const of = { owner: sql`e.owner`, id: sql`e.record` };
  // A folder that comes back by an undo has no row yet: its newest entry is the one that is undone, or later.
  const previous = sql`coalesce(
    (SELECT r.activity FROM ${TABLES[entry.kind]} AS r WHERE r.owner = e.owner AND r.id = e.record),
    ${newestEntry(entry.kind, of, sql`a.number >= ${told.undoing ?? null}`)}, 0)`;
  return ctx.db.run(sql`
    INSERT INTO activity (owner, number, at, actor, actor_id, client_name, source_type, verb, kind, record,
      version_before, version_after, title, state, has_event, undoes, previous)
    SELECT e.owner, coalesce(last.number, 0) + e.position, ${time}, ${actor}, ${actor_id}, ${client_name},
      ${told.source_type ?? null}, e.verb, e.kind, e.record, e.version_before, e.version_after, e.title, e.state,
      e.has_event, ${told.undoing ?? null}, ${entry.has_event ? null : previous}
    FROM (${selectOf(owner, entry)}) AS e LEFT JOIN activity AS last
      ON last.owner = e.owner AND last.number = (SELECT max(number) FROM activity WHERE owner = e.owner)`);
}

function whoOf({ owner, actor, client_name }: Ctx, told: Told): Who {
  const ofKey = (column: "id" | "name") =>
    actor?.key_hash === undefined
      ? null
      : sql`(SELECT ${sql.raw(column)} FROM api_keys WHERE hash = ${actor.key_hash} AND owner = ${owner})`;
  const kind = told.source_type === "import" ? "import" : (actor?.kind ?? "service");
  return {
    actor: kind,
    actor_id: actor?.id ?? ofKey("id"),
    client_name: told.client_name ?? client_name ?? ofKey("name"),
    told: { ...told, source_type: told.source_type ?? actor?.source_type },
  };
}

/** The number of the caller's last entry, in SQL. */
export const lastNumber = (ctx: Ctx) =>
  sql<number>`(SELECT max(number) FROM activity WHERE owner = ${ctx.owner})`;

/**
 * The records of an entry with `from` and the numbers of their entries, in SQL: rows of `record` and `number`. To be read
 * right after the entries were recorded, while `from` still has the same rows.
 *
 * @param owner whose they are, as a column of `from` or a value
 */
export const numbered = (owner: SQL, { record, from, order }: Recorded): SQL =>
  sql`SELECT ${owner} AS of_owner, ${record} AS record, (SELECT max(a.number) FROM activity AS a WHERE a.owner = ${owner})
    - count(*) OVER (PARTITION BY ${owner}) + ${positionIn(owner, order ?? record)} AS number ${from}`;

/** True in SQL when a record is neither among the others nor in the trash. */
export const isGone = (kind: Kind, { owner, id }: OfRecord) =>
  sql`NOT EXISTS (SELECT 1 FROM ${TABLES[kind]} AS r WHERE r.owner = ${owner} AND r.id = ${id})`;

/**
 * The number of the newest entry of a record, in SQL. Reads all entries that are newer.
 *
 * @param where a condition on `a` that bounds them
 */
const newestEntry = (kind: Kind, { owner, id }: OfRecord, where: SQL) =>
  sql`(SELECT a.number FROM activity AS a
    WHERE a.owner = ${owner} AND a.kind = ${kind} AND a.record = ${id} AND ${where} ORDER BY a.number DESC LIMIT 1)`;

/**
 * Where to look for the entries of records.
 *
 * - `after` this number only.
 * - `from` the one with this number, if it is an entry of the record, on to the earlier ones.
 * - `gone`: a condition on `a`. Nothing leads to the entries of a record that is gone: the newest is looked for where it holds.
 */
type Where = { after?: SQL | number; from?: number | undefined; gone?: SQL };

/**
 * The entries of records, in SQL: rows of `activity`, the newest first. A record's row leads to the newest one, which leads
 * to those before it; the index and the events of memory records lead to the others.
 *
 * @param records a SELECT of owner and id
 */
export function entriesOf(kind: Kind, records: SQL, { after = 0, from, gone = sql`false` }: Where = {}): SQL {
  const asked: OfRecord = { owner: sql`asked.owner`, id: sql`CAST(asked.id AS TEXT)` };
  const previous = sql`SELECT a.previous FROM activity AS a
    WHERE a.owner = r.owner AND a.number = ${from ?? null} AND a.kind = ${kind} AND a.record = ${asked.id}`;
  const events = sql`UNION ALL SELECT e.owner, e.activity FROM asked
    CROSS JOIN memory_events AS e ON e.owner = asked.owner AND e.memory_id = asked.id`;
  return sql`(
    WITH RECURSIVE asked(owner, id) AS (${records}),
    leading(owner, number) AS (
      SELECT r.owner, coalesce((${previous}), r.activity) FROM asked
        CROSS JOIN ${TABLES[kind]} AS r ON r.owner = asked.owner AND r.id = asked.id
      UNION ALL SELECT asked.owner, ${newestEntry(kind, asked, gone)} FROM asked WHERE ${isGone(kind, asked)}
      ${kind === "memory" ? events : sql``}
      UNION ALL SELECT a.owner, a.number FROM asked CROSS JOIN activity AS a INDEXED BY activity_record_idx
        ON a.owner = asked.owner AND a.kind = ${kind} AND a.record = ${asked.id}
          AND a.previous IS NULL AND NOT a.has_event),
    entry AS (
      SELECT a.* FROM leading CROSS JOIN activity AS a
        ON a.owner = leading.owner AND a.number = leading.number AND a.number > ${after}
      UNION SELECT a.* FROM entry CROSS JOIN activity AS a
        ON a.owner = entry.owner AND a.number = entry.previous AND a.number > ${after}
      ORDER BY number DESC)
    SELECT * FROM entry)`;
}

/** A change of a record, and verbs of later ones that are ignored. */
type Overtaken = { kind: Kind; record: string | SQL; number: number; despite?: readonly Verb[] | undefined };

/**
 * True in SQL when a record was changed after a change, apart from changes that were undone since.
 *
 * @param ignored numbers of changes to ignore, in SQL
 */
export function isOvertaken(
  ctx: Ctx,
  { kind, record, number, despite = [] }: Overtaken,
  ignored: SQL = sql`(SELECT 0)`,
): SQL {
  const where = { after: number, gone: sql`a.number > ${number}` };
  const silent = sql`(SELECT value FROM json_each(${JSON.stringify(["linked", ...despite])}))`;
  return sql`EXISTS (SELECT 1 FROM ${entriesOf(kind, sql`SELECT ${ctx.owner}, ${record}`, where)} AS a
    WHERE a.undone_by IS NULL AND (a.undoes IS NULL OR a.undoes <= ${number})
      AND a.verb NOT IN ${silent} AND a.number NOT IN ${ignored})`;
}

/** True in SQL for the entries of the caller's connection or key; of a client without either, by its name. */
export function isByCaller(ctx: Ctx): SQL {
  const { actor_id, client_name } = whoOf(ctx, {});
  return sql`(activity.actor = 'assistant' AND activity.actor_id IS ${actor_id}
    AND (activity.actor_id IS NOT NULL OR activity.client_name IS ${client_name}))`;
}

/**
 * The statements around the entry of a change that undoes another one: they refuse as `overtaken` when that was undone
 * already or the record has changed since, and note that it is undone. What that one itself had undone is done again.
 */
function undoStatements(ctx: Ctx, { kind, record }: Entry, { undoing, despite }: Told & { undoing: number }) {
  const mine = sql`owner = ${ctx.owner} AND number = ${undoing} AND kind = ${kind} AND record = ${record}`;
  return {
    before: [
      must(ctx, sql`EXISTS (SELECT 1 FROM activity WHERE ${mine} AND undone_by IS NULL)`, "overtaken"),
      must(ctx, sql`NOT ${isOvertaken(ctx, { kind, record, number: undoing, despite })}`, "overtaken"),
    ],
    after: [
      ctx.db.run(sql`UPDATE activity SET undone_by = ${lastNumber(ctx)} WHERE ${mine}`),
      ctx.db.run(sql`UPDATE activity SET undone_by = NULL
        WHERE owner = ${ctx.owner} AND number = (SELECT undoes FROM activity WHERE ${mine})`),
    ],
  };
}

/**
 * Refuses as `unchanged` an undo that has nothing to write: somebody else has just done it, or the change had left nothing
 * different. Any other change of nothing is accepted.
 */
export const mustChange = async (ctx: Ctx, { undoing }: Told): Promise<void> => {
  if (undoing !== undefined) await send(ctx, [must(ctx, sql`false`, "unchanged")]);
};

/**
 * The statements that record what the caller does. Their place in the batch is where the rows are as the entry expects.
 */
export function recorded(ctx: Ctx, entry: Entry, told: Told = {}): BatchItem<"sqlite">[] {
  const { source_type, client_name, undoing, despite, restoring } = told;
  const who = whoOf(ctx, { source_type, client_name, undoing });
  const restored = restoring && { state: sql`json_object('restored_version', ${restoring})` };
  const insert = insertStatement(ctx, who, sql`${ctx.owner}`, { ...entry, ...restored });
  if (undoing === undefined) return [insert];
  const { before, after } = undoStatements(ctx, entry, { undoing, despite });
  return [...before, insert, ...after];
}

/**
 * The statement that records what the service does by itself, to the rows of `from`.
 *
 * @param owner the column of `from` that says whose they are
 */
export const recordedByService = (ctx: BaseCtx, owner: SQL, entry: Recorded): BatchItem<"sqlite"> =>
  insertStatement(ctx, { actor: "service", actor_id: null, client_name: null, told: {} }, owner, entry);

/**
 * The statement that removes what the ledger says about records that are about to be erased: their titles.
 *
 * @param records a SELECT of their owner and id
 */
export const forgetStatement = (ctx: BaseCtx, kind: Kind, records: SQL): BatchItem<"sqlite"> =>
  ctx.db.run(sql`UPDATE activity SET title = NULL, state = NULL
    WHERE title IS NOT NULL AND (owner, number) IN (SELECT owner, number FROM ${entriesOf(kind, records)})`);
