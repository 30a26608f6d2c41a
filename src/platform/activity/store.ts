import { type SQL, sql } from "drizzle-orm";
import { type ActivityVerb, type RecordKind, SILENT_VERBS } from "../../contract/activity-words.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { type BatchItem, Statement, type WrittenEntry } from "../core/statement.ts";
import { assertInBatch, sendBatch } from "../db/call.ts";
import { sqlList } from "../db/sql-list.ts";
import type { activity } from "../db/tables.ts";

// Activity entries: every change of a document, record or folder has a statement of this file in its batch.

type SourceType = typeof activity.$inferSelect.source_type;

export type WriteContext = {
  source_type?: NonNullable<SourceType> | undefined;
  client_name?: string | undefined;
  undoOf?: number | undefined;
  /** Verbs of later changes of the record that do not prevent that undo. */
  ignoreVerbs?: readonly ActivityVerb[] | undefined;
  restoredVersion?: number | undefined;
  /** The edit session of the change. Later saves of the session are added to the same entry. */
  editSession?: string | undefined;
};

/** The `state`, in SQL, of an entry for a record that was already deferred. */
export const DEFERRED_AGAIN = sql`json_object('again', 1)`;

export const IN_TRASH = sql`json_object('in_trash', 1)`;

export type ActivityEntry = {
  verb: ActivityVerb | SQL;
  kind: RecordKind;
  record: string | SQL;
  title: string | SQL;
  version_before?: number | SQL | null;
  version_after?: number | SQL | null;
  /** Details that no version has: a folder, or the version that was restored. */
  state?: SQL | null;
  /** Starts with FROM. Each row makes an entry. */
  from?: SQL;
  order?: SQL;
  /** The entry's number is stored with an event of the record instead of the record. */
  has_event?: boolean;
};

type OfRecord = { owner: SQL | number; id: SQL | string };

export type BulkActivityEntry = ActivityEntry & { from: SQL };

/** Tolerated difference of two machines' clocks: within it, a later change never has an earlier time. */
const CLOCK_SKEW_MS = 300_000;

const NONCES = 2 ** 48;

export type ActivityAuthor = {
  actor: string;
  actor_id: SQL | string | null;
  client_name: SQL | string | null;
  writeContext: WriteContext;
  nonce: number | null;
  reason: string | null;
};

const TABLES = { document: sql.raw("documents"), memory: sql.raw("memories"), folder: sql.raw("folders") };

const positionIn = (owner: SQL, order: string | SQL) =>
  sql`row_number() OVER (PARTITION BY ${owner} ORDER BY ${order})`;

function selectOf(owner: SQL, entry: ActivityEntry) {
  const { verb, kind, record, title, version_before = null, version_after = null, state = null } = entry;
  const { from, order = record, has_event = false } = entry;
  return sql`SELECT ${owner} AS owner, ${verb} AS verb, ${kind} AS kind, ${record} AS record, ${title} AS title,
    ${version_before} AS version_before, ${version_after} AS version_after, ${state} AS state, ${has_event ? 1 : 0} AS has_event,
    ${from ? positionIn(owner, order) : sql`1`} AS position ${from ?? sql``}`;
}

/** The time of a change after the entry `last`, in SQL. Entries are found by their times, which increase with the numbers. */
export function timeAfterLast({ now }: BaseCtx): SQL {
  const latest = new Date(now.getTime() + CLOCK_SKEW_MS).toISOString();
  return sql`iif(last.at > ${now.toISOString()} AND last.at <= ${latest}, last.at, ${now.toISOString()})`;
}

function insertOf(
  ctx: BaseCtx,
  { actor, actor_id, client_name, writeContext, nonce, reason }: ActivityAuthor,
  owner: SQL,
  entry: ActivityEntry,
) {
  const editSession = writeContext.editSession ?? null;
  const record = { owner: sql`e.owner`, id: sql`e.record` };
  // A folder that an undo restores has no row yet. Its newest entry is the one that is undone, or a later one.
  const previous = sql`coalesce(
    (SELECT r.activity FROM ${TABLES[entry.kind]} AS r WHERE r.owner = e.owner AND r.id = e.record),
    ${newestEntry(entry.kind, record, sql`a.number >= ${writeContext.undoOf ?? null}`)}, 0)`;
  return sql`
    INSERT INTO activity (owner, number, at, actor, actor_id, client_name, source_type, verb, kind, record,
      version_before, version_after, title, state, has_event, undoes, previous, nonce, sitting, began, reason)
    SELECT e.owner, coalesce(last.number, 0) + e.position, ${timeAfterLast(ctx)}, ${actor}, ${actor_id}, ${client_name},
      ${writeContext.source_type ?? null}, e.verb, e.kind, e.record, e.version_before, e.version_after, e.title, e.state,
      e.has_event, ${writeContext.undoOf ?? null}, ${entry.has_event ? null : previous}, ${nonce},
      ${editSession}, ${editSession && ctx.now.toISOString()}, ${reason}
    FROM (${selectOf(owner, entry)}) AS e LEFT JOIN activity AS last
      ON last.owner = e.owner AND last.number = (SELECT max(number) FROM activity WHERE owner = e.owner)`;
}

export function activityAuthor(
  { owner, actor, client_name, reason }: Ctx,
  writeContext: WriteContext,
): ActivityAuthor {
  const ofKey = (column: "id" | "name") =>
    actor?.key_hash === undefined
      ? null
      : sql`(SELECT ${sql.raw(column)} FROM api_keys WHERE hash = ${actor.key_hash} AND owner = ${owner})`;
  const kind = writeContext.source_type === "import" ? "import" : (actor?.kind ?? "service");
  return {
    actor: kind,
    actor_id: actor?.id ?? ofKey("id"),
    client_name: writeContext.client_name ?? client_name ?? ofKey("name"),
    writeContext: { ...writeContext, source_type: writeContext.source_type ?? actor?.source_type },
    nonce: Math.floor(Math.random() * NONCES),
    reason: reason ?? null,
  };
}

export const lastActivityNumber = (ctx: Ctx) =>
  sql<number>`(SELECT max(number) FROM activity WHERE owner = ${ctx.owner})`;

/** In SQL, `record` and `number` of the entries that `from` has made. To be read while `from` still has the same rows. */
export const numberedEntries = (owner: SQL, { record, from, order }: BulkActivityEntry): SQL =>
  sql`SELECT ${owner} AS of_owner, ${record} AS record, (SELECT max(a.number) FROM activity AS a WHERE a.owner = ${owner})
    - count(*) OVER (PARTITION BY ${owner}) + ${positionIn(owner, order ?? record)} AS number ${from}`;

export const isErased = (kind: RecordKind, { owner, id }: OfRecord) =>
  sql`NOT EXISTS (SELECT 1 FROM ${TABLES[kind]} AS r WHERE r.owner = ${owner} AND r.id = ${id})`;

/** The newest entry of a record that satisfies `where`, a condition on `a`, in SQL. Reads all entries that satisfy it. */
const newestEntry = (kind: RecordKind, { owner, id }: OfRecord, where: SQL) =>
  sql`(SELECT a.number FROM activity AS a
    WHERE a.owner = ${owner} AND a.kind = ${kind} AND a.record = ${id} AND ${where} ORDER BY a.number DESC LIMIT 1)`;

type Bounds = {
  after?: SQL | number;
  /** Only entries before this one. */
  from?: number | undefined;
  /** A condition on `a` that finds the newest entry of an erased record, which has no row. */
  gone?: SQL;
};

/** The entries of `records` (owner and id), newest first, in SQL. A row refers to its newest entry, an entry to the previous. */
export function entriesOfRecords(
  kind: RecordKind,
  records: SQL,
  { after = 0, from, gone = sql`false` }: Bounds = {},
): SQL {
  const requested: OfRecord = { owner: sql`asked.owner`, id: sql`CAST(asked.id AS TEXT)` };
  const previous = sql`SELECT a.previous FROM activity AS a
    WHERE a.owner = r.owner AND a.number = ${from ?? null} AND a.kind = ${kind} AND a.record = ${requested.id}`;
  const events = sql`UNION ALL SELECT e.owner, e.activity FROM asked
    CROSS JOIN memory_events AS e ON e.owner = asked.owner AND e.memory_id = asked.id`;
  return sql`(
    WITH RECURSIVE asked(owner, id) AS (${records}),
    leading(owner, number) AS (
      SELECT r.owner, coalesce((${previous}), r.activity) FROM asked
        CROSS JOIN ${TABLES[kind]} AS r ON r.owner = asked.owner AND r.id = asked.id
      UNION ALL SELECT asked.owner, ${newestEntry(kind, requested, gone)} FROM asked WHERE ${isErased(kind, requested)}
      ${kind === "memory" ? events : sql``}
      UNION ALL SELECT a.owner, a.number FROM asked CROSS JOIN activity AS a INDEXED BY activity_record_idx
        ON a.owner = asked.owner AND a.kind = ${kind} AND a.record = ${requested.id}
          AND a.previous IS NULL AND NOT a.has_event),
    entry AS (
      SELECT a.* FROM leading CROSS JOIN activity AS a
        ON a.owner = leading.owner AND a.number = leading.number AND a.number > ${after}
      UNION SELECT a.* FROM entry CROSS JOIN activity AS a
        ON a.owner = entry.owner AND a.number = entry.previous AND a.number > ${after}
      ORDER BY number DESC)
    SELECT * FROM entry)`;
}

type Change = {
  kind: RecordKind;
  record: string | SQL;
  number: number;
  ignoreVerbs?: readonly ActivityVerb[] | undefined;
};

/** True in SQL if a record has been changed since. Ignores changes that have been undone, and the numbers in `ignored`. */
export function isChangedSince(
  ctx: Ctx,
  { kind, record, number, ignoreVerbs = [] }: Change,
  ignored: SQL = sql`(SELECT 0)`,
): SQL {
  const bounds = { after: number, gone: sql`a.number > ${number}` };
  const silent = sqlList(["linked", ...ignoreVerbs]);
  return sql`EXISTS (SELECT 1 FROM ${entriesOfRecords(kind, sql`SELECT ${ctx.owner}, ${record}`, bounds)} AS a
    WHERE a.undone_by IS NULL AND (a.undoes IS NULL OR a.undoes <= ${number})
      AND a.verb NOT IN ${silent} AND a.number NOT IN ${ignored})`;
}

/** True in SQL for the entries of the caller's connection or API key, or of a client without either, of the same name. */
export function isByCaller(ctx: Ctx): SQL {
  const { actor_id, client_name } = activityAuthor(ctx, {});
  return sql`(activity.actor = 'assistant' AND activity.actor_id IS ${actor_id}
    AND (activity.actor_id IS NOT NULL OR activity.client_name IS ${client_name}))`;
}

/** Before the entry of an undo: abort with `overtaken`. After it: mark the entry as undone, and what that had undone as redone. */
function aroundUndo(ctx: Ctx, insert: BatchItem, { kind, record, number, ignoreVerbs }: Change): BatchItem[] {
  const undone = sql`owner = ${ctx.owner} AND number = ${number} AND kind = ${kind} AND record = ${record}`;
  const isDone = sql`EXISTS (SELECT 1 FROM activity WHERE ${undone} AND undone_by IS NULL)`;
  return [
    assertInBatch(ctx, isDone, "overtaken"),
    assertInBatch(ctx, sql`NOT ${isChangedSince(ctx, { kind, record, number, ignoreVerbs })}`, "overtaken"),
    insert,
    ctx.db.run(sql`UPDATE activity SET undone_by = ${lastActivityNumber(ctx)} WHERE ${undone}`),
    ctx.db.run(sql`UPDATE activity SET undone_by = NULL
      WHERE owner = ${ctx.owner} AND number = (SELECT undoes FROM activity WHERE ${undone})`),
  ];
}

/** Called for a change without effect. Refuses an undo as `unchanged`; any other change may have no effect. */
export const rejectEmptyUndo = async (ctx: Ctx, writeContext: WriteContext): Promise<void> => {
  if (writeContext.undoOf !== undefined) await sendBatch(ctx, [assertInBatch(ctx, sql`false`, "unchanged")]);
};

const isSilent = (verb: unknown) => (SILENT_VERBS as readonly unknown[]).includes(verb);

/** The entries with a nonce, in SQL. An entry is never older than its request, and times increase with the numbers. */
const withNonce = (ctx: Ctx, { nonce }: ActivityAuthor) => sql`FROM activity
  WHERE owner = ${ctx.owner} AND nonce = ${nonce} AND number > coalesce((SELECT number FROM activity
    WHERE owner = ${ctx.owner} AND at < ${ctx.now.toISOString()} ORDER BY number DESC LIMIT 1), 0)`;

export function activityStatement(
  ctx: Ctx,
  who: ActivityAuthor,
  verb: ActivityEntry["verb"],
  insert: SQL,
): BatchItem {
  const onRows = (rows: Pick<WrittenEntry, "number" | "verb">[]) =>
    void ctx.changes?.push(...rows.flatMap((row) => (isSilent(row.verb) ? [] : [row.number])));
  return ctx.db.returning<WrittenEntry>(sql`${insert} RETURNING number, verb, record, title`, {
    onRows,
    isUndoable: !isSilent(verb),
    receipt: {
      assertNotWritten: () => assertInBatch(ctx, sql`NOT EXISTS (SELECT 1 ${withNonce(ctx, who)})`, "done"),
      selectWritten: () =>
        ctx.db.all<WrittenEntry>(sql`SELECT number, verb, record, title ${withNonce(ctx, who)}`, { onRows }),
    },
  });
}

export const createdIds = (entries: readonly WrittenEntry[]): number[] =>
  entries.flatMap(({ verb, record }) => (verb === "created" ? Number(record) : []));

/** The numbers of a batch's undoable entries, as JSON in SQL, or null. To be evaluated after the statements. */
export function undoableNumbers(ctx: Ctx, statements: readonly BatchItem[]): SQL | null {
  const count = statements.filter((one) => one instanceof Statement && one.options.isUndoable).length;
  if (count === 0) return null;
  const silent = sql.raw(SILENT_VERBS.map((verb) => `'${verb}'`).join(", "));
  return sql`(SELECT json_group_array(number) FROM (SELECT number FROM activity
    WHERE owner = ${ctx.owner} AND verb NOT IN (${silent}) ORDER BY number DESC LIMIT ${count}))`;
}

/** Records a change by the caller. Must be at the position in the batch where the rows are as the entry expects. */
export function recordActivity(ctx: Ctx, entry: ActivityEntry, writeContext: WriteContext = {}): BatchItem[] {
  const { undoOf, ignoreVerbs, restoredVersion } = writeContext;
  const who = activityAuthor(ctx, writeContext);
  const restored = restoredVersion && { state: sql`json_object('restored_version', ${restoredVersion})` };
  const inserted = insertOf(ctx, who, sql`${ctx.owner}`, { ...entry, ...restored });
  const insert = activityStatement(ctx, who, entry.verb, inserted);
  if (undoOf === undefined) return [insert];
  return aroundUndo(ctx, insert, { kind: entry.kind, record: entry.record, number: undoOf, ignoreVerbs });
}

const SERVICE: ActivityAuthor = {
  actor: "service",
  actor_id: null,
  client_name: null,
  writeContext: {},
  nonce: null,
  reason: null,
};

/** Records a change by the service itself to the rows of `from`; `owner` is a column of these. */
export const recordServiceActivity = (ctx: BaseCtx, owner: SQL, entry: BulkActivityEntry): BatchItem =>
  ctx.db.run(insertOf(ctx, SERVICE, owner, entry));

/** Removes the content of records (owner and id) that are about to be erased from their entries. */
export const forgetEntriesStatement = (ctx: BaseCtx, kind: RecordKind, records: SQL): BatchItem =>
  ctx.db.run(sql`UPDATE activity SET title = NULL, state = NULL, reason = NULL
    WHERE title IS NOT NULL AND (owner, number) IN (SELECT owner, number FROM ${entriesOfRecords(kind, records)})`);

/** Replaces the title in the entries of a version that is about to be erased. */
export function renameEntriesStatement(
  ctx: Ctx,
  kind: RecordKind,
  { id, version, title }: { id: string | number; version: number; title: SQL },
): BatchItem {
  const entries = entriesOfRecords(kind, sql`SELECT ${ctx.owner}, ${id}`);
  return ctx.db.run(sql`UPDATE activity SET title = (${title}), reason = NULL WHERE owner = ${ctx.owner} AND title IS NOT NULL
    AND number IN (SELECT number FROM ${entries} WHERE version_after = ${version})`);
}
