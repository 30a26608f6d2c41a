import { type SQL, sql } from "drizzle-orm";
import type { UndoAnswer, UndoResult } from "../../contract/activity.ts";
import { UNDONE_AT_ONCE } from "../../contract/activity.ts";
import { changesNamedBy } from "../../contract/change-id.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { readSince } from "../../platform/core/since.ts";
import { unless } from "../../platform/db/call.ts";
import { listOf } from "../../platform/db/list.ts";
import { isByCaller } from "../../platform/ledger/store.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import type { Undo } from "./obstacle-store.ts";
import { forbidden, harmlessTo, impossible, obstacles } from "./obstacle-store.ts";
import { type Found, oppositeOf, type UndoContext } from "./opposite-store.ts";
import { statesOf } from "./state-store.ts";
import { firstSince, listEntries } from "./store.ts";

// A change is undone by calling the opposite store function, as a change of its own, refused when overtaken.

/** Entries of one transaction are next to each other, those of a hundred operations at most so far apart. */
const FAR = 200;

/** After these, a change is not there any more. */
const IS_GONE: ReadonlySet<string> = new Set(["undone", "already_undone"]);

/** What closed the records that the created ones among these replaced: alone, an undo would leave nothing that is open. */
const closedFor = (ctx: Ctx, ids: number[]) => sql`(SELECT s.number FROM activity AS c
  CROSS JOIN memories AS m ON m.owner = c.owner AND m.id = CAST(c.record AS INTEGER) AND m.supersedes_id IS NOT NULL
  CROSS JOIN activity AS s ON s.owner = c.owner AND s.number BETWEEN c.number - ${FAR} AND c.number + ${FAR}
  WHERE c.owner = ${ctx.owner} AND c.number IN ${listOf(ids)} AND c.kind = 'memory' AND c.verb = 'created'
    AND s.kind = 'memory' AND s.verb = 'superseded' AND s.at = c.at AND s.record = CAST(m.supersedes_id AS TEXT)
    AND s.undone_by IS NULL)`;

const readFound = (ctx: Ctx, numbers: SQL) =>
  ctx.db.all<Found>(sql`SELECT number AS id, verb, kind, record AS record_id, title, version_before, version_after,
      undoes, undone_by, state, ${isByCaller(ctx)} AS is_mine
    FROM activity WHERE owner = ${ctx.owner} AND verb NOT IN ('erased', 'linked')
      AND number IN ${numbers} ORDER BY number DESC`);

/** True in SQL for an entry that may be undone at all: `impossible` says the same of one that was read. */
const MAY_BE_UNDONE = sql`activity.verb <> 'woke'
  AND NOT (activity.verb = 'restored' AND activity.version_before IS NOT activity.version_after)
  AND (activity.kind = 'folder' OR activity.verb = 'created' OR activity.version_before IS NOT NULL)`;

type Some = { ids: number[]; next?: number | undefined };

const idsSince = (ctx: Ctx, undo: Undo): Promise<Some> =>
  readSince(ctx, undo, ["since"], (bounded) => idsBetween(ctx, bounded));

async function idsBetween(
  ctx: Ctx,
  { client, since = "", before, mine = false, kinds }: Undo,
): Promise<Some> {
  const isUndoOfOlder = sql`activity.undoes < ${firstSince(ctx, since)}`;
  const where = sql`activity.undone_by IS NULL AND (activity.undoes IS NULL OR ${isUndoOfOlder}) AND ${MAY_BE_UNDONE}`;
  const filter = { client, since, mine, where, ...(kinds && { kinds }) };
  const { entries, next } = await listEntries(ctx, filter, { before, limit: UNDONE_AT_ONCE });
  return { ids: entries.map(({ id }) => id), next };
}

const about = ({ id, verb, kind, record_id, title }: Found) => ({ id, verb, kind, record_id, title });

const refused = (found: Found, detail: string): UndoResult => ({
  ...about(found),
  outcome: "not_possible",
  detail,
});

async function changedSince(ctx: Ctx, found: Found): Promise<UndoResult> {
  const { current, previous } = await statesOf(ctx, found);
  return {
    ...about(found),
    outcome: "changed_since",
    detail: "It was changed again since: look at both states",
    ...(current && { current }),
    ...(previous && { previous }),
  };
}

const alreadyUndone = (found: Found, undone_by: number | null): UndoResult => ({
  ...about(found),
  outcome: "already_undone",
  ...(undone_by !== null && { undone_by }),
  detail: undone_by === null ? "It is as it was before" : "It was undone before",
});

/** Carries out the undo of one change; undefined when something came in between. */
async function carryOut(
  ctx: Ctx,
  found: Found,
  around: Pick<UndoContext, "despite" | "isTrashed">,
): Promise<UndoResult | undefined> {
  const { source_type = "api" } = ctx.actor ?? {};
  const undoContext = { source_type, client_name: ctx.client_name, undoing: found.id, ...around };
  const written = await unless(
    oppositeOf(found)(ctx, found, undoContext),
    "overtaken",
    "unchanged",
    "stale",
  ).then(
    ({ refusal }) => refusal,
    (problem: unknown) => problem,
  );
  if (written === "overtaken" || written === "stale") return undefined;
  if (written === "unchanged") return alreadyUndone(found, (await obstacles(ctx, found, [])).undone_by);
  if (written instanceof AppError && written.status < 500) return refused(found, written.message);
  if (written instanceof Error) throw written;
  return { ...about(found), outcome: "undone" };
}

/** Undoes one change, unless something stands in the way. `assumed` are those that a dry run takes for undone. */
async function undoOne(ctx: Ctx, found: Found, undo: Undo, assumed: number[]): Promise<UndoResult> {
  const reason = forbidden(found, undo) ?? impossible(found, undo);
  if (reason) return refused(found, reason);
  return untilWritten(found.kind, async () => {
    const { undone_by, overtaken, isTrashed, isKept } = await obstacles(ctx, found, assumed);
    if (undone_by !== null) return alreadyUndone(found, undone_by);
    const despite = overtaken ? await harmlessTo(ctx, found) : [];
    const isInTheWay = async () => (await obstacles(ctx, found, assumed, despite)).overtaken;
    if (overtaken && (despite.length === 0 || (await isInTheWay()))) return changedSince(ctx, found);
    if (!isKept) return refused(found, "The version before it is no longer kept");
    return undo.dry_run
      ? { ...about(found), outcome: "undone" as const }
      : carryOut(ctx, found, { despite, isTrashed });
  });
}

/** Adds to the results by which change each was undone; one that was done again meanwhile has none. */
async function withNumbers(ctx: Ctx, results: UndoResult[]): Promise<UndoResult[]> {
  const done = results.filter(({ outcome }) => outcome === "undone").map(({ id }) => id);
  const rows = await ctx.db.all<{ id: number; undone_by: number | null }>(
    sql`SELECT number AS id, undone_by FROM activity WHERE owner = ${ctx.owner} AND number IN ${listOf(done)}`,
  );
  const by = new Map(rows.map(({ id, undone_by }) => [id, undone_by ?? undefined]));
  return results.map((result) => (by.get(result.id) ? { ...result, undone_by: by.get(result.id) } : result));
}

function idsOf(ctx: Ctx, undo: Undo): Promise<Some> | Some {
  const { ids, change_id, before } = undo;
  if (ids) return { ids: [...new Set(ids)] };
  return change_id ? changesNamedBy(change_id, { before, limit: UNDONE_AT_ONCE }) : idsSince(ctx, undo);
}

/** Undoes changes, the newest first, each in its own transaction; one that is refused does not stop the others. */
export async function undoChanges(ctx: Ctx, undo: Undo): Promise<UndoAnswer> {
  const { ids, next } = await idsOf(ctx, undo);
  const results: UndoResult[] = [];
  const assumed = [...(undo.assume_undone ?? [])];
  const undoAll = async (found: readonly Found[]) => {
    for (const one of found) {
      const result = await undoOne(ctx, one, undo, assumed);
      results.push(result);
      if (undo.dry_run && result.outcome === "undone") assumed.push(one.id);
      await yieldToOthers();
    }
  };
  const found = await readFound(ctx, listOf(ids));
  await undoAll(found);
  const created = found.filter(({ kind, verb }) => kind === "memory" && verb === "created");
  const gone = created.filter(({ id }) => results.some((one) => one.id === id && IS_GONE.has(one.outcome)));
  if (gone.length > 0) {
    const closed = await readFound(
      ctx,
      closedFor(
        ctx,
        gone.map(({ id }) => id),
      ),
    );
    await undoAll(closed.filter(({ id }) => !ids.includes(id)));
  }
  const missing = ids.filter((id) => !results.some((one) => one.id === id));
  const unknown = missing.map((id) => ({ id, outcome: "not_found", detail: "Not found" }) as const);
  const all = [...(undo.dry_run ? results : await withNumbers(ctx, results)), ...unknown];
  const undone = all.filter(({ outcome }) => outcome === "undone").length;
  const counts = { undone, not_undone: all.length - undone, dry_run: undo.dry_run };
  return { results: all, ...counts, has_more: next !== undefined, ...(next && { next_before: next }) };
}

/** What is kept of an answer for a repetition: nothing of what a record says. */
export const storedOfUndo = ({ results, ...counts }: UndoAnswer): UndoAnswer => ({
  results: results.map(({ title: _, current: __, previous: ___, ...outcome }) => outcome),
  ...counts,
});

export async function undoneAgain(ctx: Ctx, { results, ...counts }: UndoAnswer): Promise<UndoAnswer> {
  const found = await readFound(ctx, listOf(results.map(({ id }) => id)));
  const shown: UndoResult[] = [];
  for (const result of results) {
    const change = found.find(({ id }) => id === result.id);
    const states = result.outcome === "changed_since" && change ? await changedSince(ctx, change) : {};
    shown.push({ ...states, ...(change && { title: change.title }), ...result });
  }
  return { results: shown, ...counts };
}
