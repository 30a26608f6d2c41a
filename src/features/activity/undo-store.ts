import { type SQL, sql } from "drizzle-orm";
import { MAX_UNDONE_CHANGES, type UndoAnswer, type UndoResult } from "../../contract/activity.ts";
import type { ActivityVerb, RecordKind } from "../../contract/activity-words.ts";
import { newestChangesIn } from "../../contract/change-id.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { omit } from "../../contract/omit.ts";
import { isByCaller, isChangedSince } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { readWithDaysAsInstants } from "../../platform/core/days-as-instants.ts";
import { AppError } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import { catchRefusal } from "../../platform/db/call.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { isAwakeSql, NOT_TRASHED } from "../memories/row-store.ts";
import { findDifferences } from "./difference-store.ts";
import { keptVersionStatement, readConflictStates } from "./state-store.ts";
import { firstEntrySince, listEntries } from "./store.ts";
import { type UndoableEntry, type UndoContext, undoActionFor, undoTogether } from "./undo-action-store.ts";

// A change is undone by calling the opposite store function. The undo is a change itself, rejected if overtaken.

/** Which changes to undo: by number, by the change id of an answer, or by client and time. */
type UndoOptions = {
  ids?: number[] | undefined;
  change_id?: string | undefined;
  client?: string | undefined;
  since?: string | undefined;
  before?: number | undefined;
  dry_run: boolean;
  /** Changes that a dry run treats as undone. */
  assume_undone?: number[] | undefined;
  /** Only changes of the caller's own connection. */
  mine?: boolean;
  kinds?: readonly RecordKind[];
};

function notPermittedReason(
  { kind, is_mine }: UndoableEntry,
  { mine, kinds }: UndoOptions,
): string | undefined {
  if (mine && !is_mine) return "This connection did not make it: the user can undo it in the app";
  return kinds && !kinds.includes(kind) ? `This connection may not change a ${kind}` : undefined;
}

/** Why a change can never be undone, or undefined. Tools are named only to assistants (`mine`). */
function impossibleReason(
  { verb, kind, version_before, version_after }: UndoableEntry,
  { mine }: UndoOptions,
) {
  const tools = (names: string) => (mine ? ` (${names})` : "");
  if (verb === "woke") return `The record woke up on its date: defer it again${tools("close_memories")}`;
  if (verb === "restored" && version_before !== version_after)
    return `It came back with a new version: restore an older one${tools("list_versions, restore")}`;
  const hasVersions = kind !== "folder" && verb !== "created";
  return hasVersions && version_before === null ? "Its earlier state is not known" : undefined;
}

/** What prevents an undo now. `ignoreVerbs`: verbs of later changes that do not count. */
async function findObstacles(
  ctx: Ctx,
  found: UndoableEntry,
  assumed: number[],
  ignoreVerbs: readonly ActivityVerb[] = [],
) {
  const { id, kind, record_id } = found;
  const isMemoryThat = (holds: SQL) =>
    kind === "memory"
      ? sql`EXISTS (SELECT 1 FROM memories WHERE owner = ${ctx.owner} AND id = ${Number(record_id)} AND ${holds})`
      : sql`0`;
  const trashed = isMemoryThat(sql`trashed_at IS NOT NULL`);
  const erased = kind === "memory" ? sql`NOT ${isMemoryThat(sql`TRUE`)}` : sql`0`;
  // A record that has woken up counts as changed, although that is stored only with its next change.
  const woken = isMemoryThat(sql`${isAwakeSql(ctx)} AND ${NOT_TRASHED}`);
  const change = { kind, record: record_id, number: id, ignoreVerbs };
  const changed = isChangedSince(ctx, change, sqlList(assumed));
  const overtaken = sql`(${changed} OR ${woken})`;
  const [[now], [version]] = await ctx.db.batch([
    ctx.db.all<{ undone_by: number | null; overtaken: number; trashed: number; erased: number }>(
      sql`SELECT undone_by, ${overtaken} AS overtaken, ${trashed} AS trashed, ${erased} AS erased
        FROM activity WHERE owner = ${ctx.owner} AND number = ${id}`,
    ),
    keptVersionStatement(ctx, found),
  ]);
  return {
    undone_by: now?.undone_by ?? null,
    overtaken: now?.overtaken === 1,
    isTrashed: now?.trashed === 1,
    isErased: now?.erased === 1,
    isKept: version?.kept === 1,
  };
}

/** Verbs of later changes that do not prevent this undo: deletion and project changes of a record are independent. */
async function findHarmlessVerbs(ctx: Ctx, found: UndoableEntry): Promise<readonly ActivityVerb[]> {
  const { kind, verb, id } = found;
  if (kind !== "memory") return [];
  if (verb === "deleted") return ["changed"];
  if (verb !== "changed") return [];
  const [only, ...others] = (await findDifferences(ctx, [found])).get(id) ?? [];
  return only?.field === "project" && others.length === 0 ? ["deleted", "restored"] : [];
}

/** Maximum distance between the numbers of entries from one transaction of up to 100 operations. */
const MAX_DISTANCE = 200;

/** Outcomes after which a change no longer has an effect. */
const UNDONE_OUTCOMES: ReadonlySet<string> = new Set(["undone", "already_undone"]);

/** Entries that closed records when the created ones among `ids` replaced them. They are undone too, to reopen those. */
const supersededBy = (ctx: Ctx, ids: number[]) => sql`(SELECT s.number FROM activity AS c
  CROSS JOIN memories AS m ON m.owner = c.owner AND m.id = CAST(c.record AS INTEGER) AND m.supersedes_id IS NOT NULL
  CROSS JOIN activity AS s ON s.owner = c.owner AND s.number BETWEEN c.number - ${MAX_DISTANCE} AND c.number + ${MAX_DISTANCE}
  WHERE c.owner = ${ctx.owner} AND c.number IN ${sqlList(ids)} AND c.kind = 'memory' AND c.verb = 'created'
    AND s.kind = 'memory' AND s.verb = 'superseded' AND s.at = c.at AND s.record = CAST(m.supersedes_id AS TEXT)
    AND s.undone_by IS NULL)`;

/** Closing a record of a series creates the next: each entry of such a pair, or of its undo, by the number of the other. */
async function readCounterparts(ctx: Ctx, numbers: number[]): Promise<Map<number, number>> {
  const near = sqlList(numbers.flatMap((number) => [number - 1, number, number + 1]));
  // What is undone is older than its undo, so the first of a chain has the lowest number. Bulk requests write changes that
  // have nothing to do with each other at the same time, and either record may have left the series since.
  const pairs = await ctx.db.all<{ closing: number; creation: number }>(sql`
    WITH RECURSIVE chain(number, origin) AS (
      SELECT number, number FROM activity WHERE owner = ${ctx.owner} AND number IN ${near} AND kind = 'memory'
      UNION ALL SELECT chain.number, a.undoes FROM chain CROSS JOIN activity AS a
        ON a.owner = ${ctx.owner} AND a.number = chain.origin AND a.undoes IS NOT NULL),
    entry AS (SELECT number, min(origin) AS origin FROM chain GROUP BY number)
    SELECT c.number AS closing, n.number AS creation FROM entry AS c
      CROSS JOIN entry AS n ON n.number IN (c.number - 1, c.number + 1) AND n.origin = c.origin + 1
      CROSS JOIN activity AS closed ON closed.owner = ${ctx.owner} AND closed.number = c.origin
      CROSS JOIN activity AS made ON made.owner = ${ctx.owner} AND made.number = n.origin AND made.at = closed.at
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = CAST(closed.record AS INTEGER)
      CROSS JOIN memories AS next ON next.owner = ${ctx.owner} AND next.id = CAST(made.record AS INTEGER)
    WHERE closed.verb IN ('resolved', 'archived') AND made.verb = 'created' AND next.id <> m.id
      AND (next.series_id = coalesce(m.series_id, m.id) OR next.series_id IS NULL AND EXISTS (
        SELECT 1 FROM memory_events AS e WHERE e.owner = next.owner AND e.memory_id = next.id
          AND e.state ->> '$.version' = made.version_after AND e.state ->> '$.repeat' IS NOT NULL))`);
  return new Map(
    pairs.flatMap(({ closing, creation }): [number, number][] => [
      [closing, creation],
      [creation, closing],
    ]),
  );
}

const readEntriesByNumber = (ctx: Ctx, numbers: SQL) =>
  ctx.db.all<UndoableEntry>(sql`SELECT number AS id, verb, kind, record AS record_id, title, version_before, version_after,
      undoes, undone_by, state, ${isByCaller(ctx)} AS is_mine
    FROM activity WHERE owner = ${ctx.owner} AND verb NOT IN ('erased', 'linked')
      AND number IN ${numbers} ORDER BY number DESC`);

/** Whether an entry can be undone at all, in SQL. Must match `impossibleReason`. */
const MAY_BE_UNDONE = sql`activity.verb <> 'woke'
  AND NOT (activity.verb = 'restored' AND activity.version_before IS NOT activity.version_after)
  AND (activity.kind = 'folder' OR activity.verb = 'created' OR activity.version_before IS NOT NULL)`;

type ChangeIds = { ids: number[]; next?: number | undefined };

const findIdsSince = (ctx: Ctx, undo: UndoOptions): Promise<ChangeIds> =>
  readWithDaysAsInstants(ctx, undo, ["since"], async (bounded) => {
    const { client, since = "", before, mine = false, kinds } = bounded;
    const isUndoOfOlder = sql`activity.undoes < ${firstEntrySince(ctx, since)}`;
    const where = sql`activity.undone_by IS NULL AND (activity.undoes IS NULL OR ${isUndoOfOlder}) AND ${MAY_BE_UNDONE}`;
    const filter = { client, since, mine, where, ...(kinds && { kinds }) };
    const { entries, next } = await listEntries(ctx, filter, { before, limit: MAX_UNDONE_CHANGES });
    return { ids: entries.map(({ id }) => id), next };
  });

const summary = (found: UndoableEntry) => pickFields(found, ["id", "verb", "kind", "record_id", "title"]);

const HELD_BACK =
  "Another record of its series has been changed since, and both are undone together: undo that change first";

const notPossible = (found: UndoableEntry, detail: string): UndoResult => ({
  ...summary(found),
  outcome: "not_possible",
  detail,
});

async function changedSince(ctx: Ctx, found: UndoableEntry): Promise<UndoResult> {
  const { current, previous } = await readConflictStates(ctx, found);
  return {
    ...summary(found),
    outcome: "changed_since",
    detail: "It has been changed since: compare both states",
    ...(current && { current }),
    ...(previous && { previous }),
  };
}

const alreadyUndone = (found: UndoableEntry, undone_by: number | null): UndoResult => ({
  ...summary(found),
  outcome: "already_undone",
  ...(undone_by !== null && { undone_by }),
  detail: undone_by === null ? "It is already as it was before" : "It was already undone",
});

type ContextOf = (one: UndoableEntry) => UndoContext;

/** Undoes a change, with its counterpart in one transaction; undefined if either was overtaken meanwhile. */
async function performUndo(
  ctx: Ctx,
  found: UndoableEntry,
  counterpart: UndoableEntry | undefined,
  contextOf: ContextOf,
): Promise<UndoResult[] | undefined> {
  const both = counterpart ? [found, counterpart] : [found];
  const written = await catchRefusal(
    counterpart
      ? undoTogether(ctx, [found, counterpart], contextOf)
      : undoActionFor(found)(ctx, found, contextOf(found)),
    "overtaken",
    "unchanged",
    "stale",
  ).then(
    ({ refusal }) => refusal,
    (problem: unknown) => problem,
  );
  if (written === "overtaken" || written === "stale") return undefined;
  // One of the two was erased: the other is undone alone.
  if (counterpart && written instanceof AppError && written.status === 404) return undefined;
  if (written === "unchanged") return [alreadyUndone(found, (await findObstacles(ctx, found, [])).undone_by)];
  if (written instanceof AppError && written.status < 500)
    return both.map((one) => notPossible(one, written.message));
  if (written instanceof Error) throw written;
  return both.map((one) => ({ ...summary(one), outcome: "undone" }));
}

/**
 * `assumed`: changes that a dry run treats as undone. `restored`: the records of all changes that are undone, as far as is
 * known. `counterpart`: the change that is undone together with this one.
 */
type Undoing = {
  assumed: number[];
  restored: ReadonlySet<string>;
  counterpart?: UndoableEntry | undefined;
};

type Obstacles = {
  refusal?: UndoResult;
  isTrashed: boolean;
  isErased: boolean;
  harmless: readonly ActivityVerb[];
};

async function refusalNow(
  ctx: Ctx,
  found: UndoableEntry,
  undo: UndoOptions,
  assumed: number[],
): Promise<Obstacles> {
  const reason = notPermittedReason(found, undo) ?? impossibleReason(found, undo);
  if (reason) return { refusal: notPossible(found, reason), isTrashed: false, isErased: false, harmless: [] };
  const { undone_by, overtaken, isTrashed, isErased, isKept } = await findObstacles(ctx, found, assumed);
  const refused = (refusal: UndoResult): Obstacles => ({ refusal, isTrashed, isErased, harmless: [] });
  if (undone_by !== null) return refused(alreadyUndone(found, undone_by));
  const harmless = overtaken ? await findHarmlessVerbs(ctx, found) : [];
  const isStillOvertaken = async () => (await findObstacles(ctx, found, assumed, harmless)).overtaken;
  if (overtaken && (harmless.length === 0 || (await isStillOvertaken())))
    return refused(await changedSince(ctx, found));
  if (!isKept) return refused(notPossible(found, "The previous version is no longer kept"));
  return { isTrashed, isErased, harmless };
}

/** Why a change must stay because its counterpart must: a series whose next record was deleted by hand may go on with this one. */
function heldBackReason({ verb }: UndoableEntry, { refusal, isTrashed, isErased }: Obstacles) {
  const isGone = isErased || (isTrashed && (verb === "created" || verb === "restored"));
  if (refusal === undefined || UNDONE_OUTCOMES.has(refusal.outcome) || isGone) return undefined;
  return refusal.outcome === "changed_since" ? HELD_BACK : refusal.detail;
}

/** Undoes one change, and its counterpart with it, unless something prevents it. */
async function undoOne(
  ctx: Ctx,
  found: UndoableEntry,
  undo: UndoOptions,
  { assumed, restored, counterpart }: Undoing,
): Promise<UndoResult[]> {
  return retryUntilWritten(found.kind, async () => {
    const { refusal, ...own } = await refusalNow(ctx, found, undo, assumed);
    if (refusal) return [refusal];
    const other = counterpart && (await refusalNow(ctx, counterpart, undo, assumed));
    const heldBack = counterpart && other && heldBackReason(counterpart, other);
    if (heldBack !== undefined) return [notPossible(found, heldBack)];
    if (undo.dry_run) return [{ ...summary(found), outcome: "undone" as const }];
    const { source_type = "api" } = ctx.actor ?? {};
    const contextOf = (one: UndoableEntry) => {
      const { isTrashed, harmless: ignoreVerbs } = one === found || !other ? own : other;
      const by = { source_type, client_name: ctx.client_name, undoOf: one.id };
      return { ...by, ignoreVerbs, isTrashed, restored };
    };
    const isAlone = own.isErased || other?.isErased || other?.refusal;
    return performUndo(ctx, found, isAlone ? undefined : counterpart, contextOf);
  });
}

/** Adds the number of the undoing change to each result; a change that was redone meanwhile has none. */
async function addUndoneBy(ctx: Ctx, results: UndoResult[]): Promise<UndoResult[]> {
  const done = results.filter(({ outcome }) => outcome === "undone").map(({ id }) => id);
  const rows = await ctx.db.all<{ id: number; undone_by: number | null }>(
    sql`SELECT number AS id, undone_by FROM activity WHERE owner = ${ctx.owner} AND number IN ${sqlList(done)}`,
  );
  const by = new Map(rows.map(({ id, undone_by }) => [id, undone_by ?? undefined]));
  return results.map((result) => (by.get(result.id) ? { ...result, undone_by: by.get(result.id) } : result));
}

function newestOf(ids: readonly number[], before = Number.MAX_SAFE_INTEGER): ChangeIds {
  const all = [...new Set(ids)].filter((id) => id < before).sort((a, b) => b - a);
  const page = all.slice(0, MAX_UNDONE_CHANGES);
  return { ids: page, next: all.length > page.length ? page.at(-1) : undefined };
}

function resolveIds(ctx: Ctx, undo: UndoOptions): Promise<ChangeIds> | ChangeIds {
  const { ids, change_id, before } = undo;
  if (ids) return newestOf(ids, before);
  return change_id
    ? newestChangesIn(change_id, { before, limit: MAX_UNDONE_CHANGES })
    : findIdsSince(ctx, undo);
}

/** Further pages that are looked at. Changes since a time have to be searched for, so of those it is one. */
const MAX_LATER_PAGES = 9;

/** The documents that the next pages of an undo restore. */
async function restoredLater(ctx: Ctx, undo: UndoOptions, next: number | undefined): Promise<string[]> {
  const numbers: number[] = [];
  const most = undo.since === undefined ? MAX_LATER_PAGES : 1;
  for (let [page, before] = [0, next]; page < most && before !== undefined; page++) {
    const later = await resolveIds(ctx, { ...undo, before });
    numbers.push(...later.ids);
    before = later.next;
  }
  if (numbers.length === 0) return [];
  const rows = await ctx.db.all<{ record: string }>(sql`SELECT DISTINCT record FROM activity
    WHERE owner = ${ctx.owner} AND number IN ${sqlList(numbers)} AND kind = 'document' AND undone_by IS NULL`);
  return rows.map(({ record }) => record);
}

/** Undoes changes, newest first, each in a transaction of its own or of it and its counterpart. A rejected one does not stop the others. */
export async function undoChanges(ctx: Ctx, undo: UndoOptions): Promise<UndoAnswer> {
  const page = await resolveIds(ctx, undo);
  const counterparts = await readCounterparts(ctx, page.ids);
  const assumed = [...(undo.assume_undone ?? [])];
  const named = page.ids.flatMap((id) => [id, counterparts.get(id) ?? id]);
  const ids = [...new Set(named)].filter((id) => !assumed.includes(id));
  // The counterpart of the page's last change may be the first of the next page.
  const next = page.next && Math.min(page.next, ...ids);
  const results: UndoResult[] = [];
  const later = new Set(undo.dry_run ? [] : await restoredLater(ctx, undo, next));
  const undoAll = async (found: readonly UndoableEntry[]) => {
    const restored = new Set([...found.map(({ record_id }) => record_id), ...later]);
    const note = (result: UndoResult) => {
      const { id, outcome, record_id = "" } = result;
      results.push(result);
      if (outcome !== "undone" && !later.has(record_id)) restored.delete(record_id);
      if (undo.dry_run && outcome === "undone") assumed.push(id);
    };
    const isLeft = (one: UndoableEntry) => !results.some(({ id }) => id === one.id);
    for (const one of found) {
      const counterpart = found.find(({ id }) => id === counterparts.get(one.id));
      if (isLeft(one)) (await undoOne(ctx, one, undo, { assumed, restored, counterpart })).forEach(note);
      await yieldToOthers();
    }
  };
  const found = await readEntriesByNumber(ctx, sqlList(ids));
  await undoAll(found);
  const gone = results
    .filter(({ kind, verb }) => kind === "memory" && verb === "created")
    .filter(({ outcome }) => UNDONE_OUTCOMES.has(outcome))
    .map(({ id }) => id);
  if (gone.length > 0) {
    const closed = await readEntriesByNumber(ctx, supersededBy(ctx, gone));
    await undoAll(closed.filter(({ id }) => !ids.includes(id)));
  }
  const missing = ids.filter((id) => !results.some((one) => one.id === id));
  const unknown = missing.map((id) => ({ id, outcome: "not_found", detail: "Not found" }) as const);
  const all = [...(undo.dry_run ? results : await addUndoneBy(ctx, results)), ...unknown];
  const undone = all.filter(({ outcome }) => outcome === "undone").length;
  const counts = { undone, not_undone: all.length - undone, dry_run: undo.dry_run };
  return { results: all, ...counts, has_more: next !== undefined, ...(next && { next_before: next }) };
}

/** What is stored of an answer for repeated requests: no content of records. */
export const storedUndoAnswer = ({ results, ...counts }: UndoAnswer): UndoAnswer => ({
  results: results.map((outcome) => omit(outcome, "title", "current", "previous")),
  ...counts,
});

/** The answer to a repeated request, with titles and states as they are now. */
export async function repeatedUndoAnswer(ctx: Ctx, { results, ...counts }: UndoAnswer): Promise<UndoAnswer> {
  const found = await readEntriesByNumber(ctx, sqlList(results.map(({ id }) => id)));
  const shown: UndoResult[] = [];
  for (const result of results) {
    const change = found.find(({ id }) => id === result.id);
    const states = result.outcome === "changed_since" && change ? await changedSince(ctx, change) : {};
    shown.push({ ...states, ...(change && { title: change.title }), ...result });
  }
  return { results: shown, ...counts };
}
