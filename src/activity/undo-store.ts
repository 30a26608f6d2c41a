import { sql } from "drizzle-orm";
import { breathe } from "../platform/turns/yield.ts";
import type { Ctx } from "../platform/core/ctx.ts";
import { AppError } from "../platform/core/errors.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { unless } from "../platform/db/call.ts";
import { deleteDocument, restoreDocument } from "../features/documents/trash-store.ts";
import { restoreVersion } from "../features/documents/versions-store.ts";
import { deleteFolder, type KeptFolder, restoreFolder, updateFolder } from "../folders/store.ts";
import { isByCaller, isOvertaken } from "../platform/ledger/store.ts";
import type { Kind, Verb } from "../contract/ledger-words.ts";
import { refileTrashed } from "../features/memories/project-store.ts";
import { deleteMemory, restoreMemory } from "../features/memories/trash-store.ts";
import { restoreMemoryVersion } from "../features/memories/versions-store.ts";
import { differencesOf } from "../features/activity/difference-store.ts";
import type { Activity, UndoAnswer, UndoResult } from "../contract/activity.ts";
import { UNDONE_AT_ONCE } from "../contract/activity.ts";
import { keptVersionStatement, statesOf } from "../features/activity/state-store.ts";
import { firstSince, listEntries } from "../features/activity/store.ts";

// Undoing changes. Each is undone by the store function that its opposite is, as a change of its own, which refuses when
// the record has changed since.

/**
 * Which changes: by their numbers, or those of a client since a time and before a number; with `mine`, only the caller's
 * own connection's, whose refusals name tools.
 */
export type Undo = {
  ids?: number[] | undefined;
  client?: string | undefined;
  since?: string | undefined;
  before?: number | undefined;
  dry_run: boolean;
  /** What a dry run takes for undone besides what it tries out. */
  assume_undone?: number[] | undefined;
  mine?: boolean;
  /** The kinds that the caller may write; all by default. */
  kinds?: readonly Kind[];
};

type Found = Activity & { state: string | null; is_mine: number };

const list = (values: readonly unknown[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** The entries with these numbers, newest first. */
const readFound = (ctx: Ctx, ids: number[]) =>
  ctx.db.all<Found>(sql`SELECT number AS id, verb, kind, record AS record_id, title, version_before, version_after,
      undoes, undone_by, state, ${isByCaller(ctx)} AS is_mine
    FROM activity WHERE owner = ${ctx.owner} AND number IN ${list(ids)} AND verb NOT IN ('erased', 'linked') ORDER BY number DESC`);

/**
 * True in SQL for an entry that may be undone, whatever has happened to its record since: `impossible` says the same of
 * one that was read.
 */
const MAY_BE_UNDONE = sql`activity.verb <> 'woke'
  AND NOT (activity.verb = 'restored' AND activity.version_before IS NOT activity.version_after)
  AND (activity.kind = 'folder' OR activity.verb = 'created' OR activity.version_before IS NOT NULL)`;

/** The newest entries of a client since a time that may be undone, and the number before which to continue, if any. */
async function idsSince(
  ctx: Ctx,
  { client, since = "", before, mine = false, kinds }: Undo,
): Promise<{ ids: number[]; next?: number | undefined }> {
  const isUndoOfOlder = sql`activity.undoes < ${firstSince(ctx, since)}`;
  const where = sql`activity.undone_by IS NULL AND (activity.undoes IS NULL OR ${isUndoOfOlder}) AND ${MAY_BE_UNDONE}`;
  const asked = { client, since, mine, where, ...(kinds && { kinds }) };
  const { entries, next } = await listEntries(ctx, asked, { before, limit: UNDONE_AT_ONCE });
  return { ids: entries.map(({ id }) => id), next };
}

/** Whose change it is and of what kind, if that forbids the caller to undo it. */
function forbidden({ kind, is_mine }: Found, { mine, kinds }: Undo): string | undefined {
  if (mine && !is_mine) return "This connection did not make it: the user can undo it in the app";
  return kinds && !kinds.includes(kind) ? `This connection may not change a ${kind}` : undefined;
}

/** Why a change cannot be undone whatever has happened since, or undefined. Only assistants know tools. */
function impossible({ verb, kind, version_before, version_after }: Found, { mine }: Undo) {
  const tools = (names: string) => (mine ? ` (${names})` : "");
  if (verb === "woke") return `The record's day had come: defer it again${tools("close_memories")}`;
  if (verb === "restored" && version_before !== version_after)
    return `It came back with a new version: restore an older one${tools("list_versions, restore")}`;
  const hasVersions = kind !== "folder" && verb !== "created";
  return hasVersions && version_before === null ? "What it was before is not known" : undefined;
}

type Way = (ctx: Ctx, found: Found, told: Told) => Promise<unknown>;
type Told = {
  source_type: "api" | "mcp" | "web";
  client_name?: string | undefined;
  undoing: number;
  despite?: readonly Verb[];
  isTrashed: boolean;
};

const toVersionBefore = ({ version_before }: Found) => version_before ?? 0;
const kept = ({ state }: Found) => JSON.parse(state ?? "{}") as KeptFolder;

/** How the changes of each kind are undone; what is not named, by the version before it. */
const WAYS: Record<Kind, { created: Way; deleted: Way; restored: Way; changed: Way }> = {
  document: {
    created: (ctx, { record_id }, told) => deleteDocument(ctx, record_id, told),
    deleted: (ctx, { record_id, version_before, version_after }, told) =>
      restoreDocument(
        ctx,
        record_id,
        told,
        version_before === version_after ? undefined : (version_before ?? undefined),
      ),
    restored: (ctx, { record_id }, told) => deleteDocument(ctx, record_id, told),
    changed: (ctx, found, told) => restoreVersion(ctx, found.record_id, toVersionBefore(found), told),
  },
  memory: {
    created: (ctx, { record_id }, told) => deleteMemory(ctx, Number(record_id), told),
    deleted: (ctx, { record_id }, told) => restoreMemory(ctx, Number(record_id), told),
    restored: (ctx, { record_id }, told) => deleteMemory(ctx, Number(record_id), told),
    changed: (ctx, found, told) =>
      (told.isTrashed ? refileTrashed : restoreMemoryVersion)(
        ctx,
        Number(found.record_id),
        toVersionBefore(found),
        told,
      ),
  },
  folder: {
    created: (ctx, { record_id }, told) => deleteFolder(ctx, record_id, undefined, told),
    deleted: (ctx, found, told) => restoreFolder(ctx, found.record_id, kept(found), told),
    restored: (ctx, { record_id }, told) => deleteFolder(ctx, record_id, undefined, told),
    changed: (ctx, found, told) => {
      const { name, parent_id } = kept(found);
      return updateFolder(ctx, found.record_id, { name, parent_id }, told);
    },
  },
};

const wayOf = ({ kind, verb }: Found): Way =>
  verb === "created" || verb === "deleted" || verb === "restored" ? WAYS[kind][verb] : WAYS[kind].changed;

const about = ({ id, verb, kind, record_id, title }: Found) => ({ id, verb, kind, record_id, title });

const refused = (found: Found, detail: string): UndoResult => ({
  ...about(found),
  outcome: "not_possible",
  detail,
});

/**
 * What stands in the way now: how often the change was undone, and whether the record has changed, is in the trash or has
 * lost the version.
 *
 * @param despite verbs of later changes that do not count
 */
async function obstacles(ctx: Ctx, found: Found, assumed: number[], despite: readonly Verb[] = []) {
  const { id, kind, record_id } = found;
  const overtaken = isOvertaken(ctx, { kind, record: record_id, number: id, despite }, list(assumed));
  const trashed =
    kind === "memory"
      ? sql`EXISTS (SELECT 1 FROM memories
          WHERE owner = ${ctx.owner} AND id = ${Number(record_id)} AND trashed_at IS NOT NULL)`
      : sql`0`;
  const [[now], [version]] = await ctx.db.batch([
    ctx.db.all<{ undone_by: number | null; overtaken: number; trashed: number }>(
      sql`SELECT undone_by, ${overtaken} AS overtaken, ${trashed} AS trashed
        FROM activity WHERE owner = ${ctx.owner} AND number = ${id}`,
    ),
    keptVersionStatement(ctx, found),
  ]);
  return {
    undone_by: now?.undone_by ?? null,
    overtaken: now?.overtaken === 1,
    isTrashed: now?.trashed === 1,
    isKept: version?.kept === 1,
  };
}

/**
 * The verbs of later changes that do not stand in the way of undoing one. A record keeps its project in the trash, so that
 * of a project is undone wherever the record is since; and a deletion whatever its project is called since.
 */
async function harmlessTo(ctx: Ctx, found: Found): Promise<readonly Verb[]> {
  const { kind, verb, id } = found;
  if (kind !== "memory") return [];
  if (verb === "deleted") return ["changed"];
  if (verb !== "changed") return [];
  const [only, ...others] = (await differencesOf(ctx, [found])).get(id) ?? [];
  return only?.field === "project" && others.length === 0 ? ["deleted", "restored"] : [];
}

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
  around: Pick<Told, "despite" | "isTrashed">,
): Promise<UndoResult | undefined> {
  const { source_type = "api" } = ctx.actor ?? {};
  const told = { source_type, client_name: ctx.client_name, undoing: found.id, ...around };
  const written = await unless(wayOf(found)(ctx, found, told), "overtaken", "unchanged", "stale").then(
    ({ refusal }) => refusal,
    (problem: unknown) => problem,
  );
  if (written === "overtaken" || written === "stale") return undefined;
  if (written === "unchanged") return alreadyUndone(found, (await obstacles(ctx, found, [])).undone_by);
  if (written instanceof AppError) return refused(found, written.message);
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
    sql`SELECT number AS id, undone_by FROM activity WHERE owner = ${ctx.owner} AND number IN ${list(done)}`,
  );
  const by = new Map(rows.map(({ id, undone_by }) => [id, undone_by ?? undefined]));
  return results.map((result) => (by.get(result.id) ? { ...result, undone_by: by.get(result.id) } : result));
}

/** Undoes changes, the newest first, each in its own transaction; one that is refused does not stop the others. */
export async function undoChanges(ctx: Ctx, undo: Undo): Promise<UndoAnswer> {
  const { ids, next } = undo.ids ? { ids: [...new Set(undo.ids)] } : await idsSince(ctx, undo);
  const found = await readFound(ctx, ids);
  const results: UndoResult[] = [];
  const assumed = [...(undo.assume_undone ?? [])];
  for (const one of found) {
    const result = await undoOne(ctx, one, undo, assumed);
    results.push(result);
    if (undo.dry_run && result.outcome === "undone") assumed.push(one.id);
    await breathe();
  }
  const missing = ids.filter((id) => !found.some((one) => one.id === id));
  const unknown = missing.map((id) => ({ id, outcome: "not_found", detail: "Not found" }) as const);
  const all = [...(undo.dry_run ? results : await withNumbers(ctx, results)), ...unknown];
  const undone = all.filter(({ outcome }) => outcome === "undone").length;
  const counts = { undone, not_undone: all.length - undone, dry_run: undo.dry_run };
  return { results: all, ...counts, has_more: next !== undefined, ...(next && { next_before: next }) };
}
