import { z } from "zod";
import type { Access } from "../core/access.ts";
import type { Ctx } from "../core/ctx.ts";
import { localMinute, sinceOf } from "../core/days.ts";
import { badRequest, invalid } from "../core/errors.ts";
import { Since } from "../core/fields.ts";
import { nameOf } from "../core/links.ts";
import { defineTool, todayFor, withoutNulls } from "../core/tool.ts";
import { ShownFolder, shownFolder } from "../documents/tool-document.ts";
import type { Kind } from "../ledger/words.ts";
import { namedDays } from "../memories/tool-memory.ts";
import { type Difference, describeChange, describeFields } from "./describe-change.ts";
import { differencesOf } from "./difference-store.ts";
import { type Activity, UNDONE_AT_ONCE, type UndoResult } from "./schema.ts";
import { currentStates, GONE, type StateNow } from "./state-store.ts";
import { listEntries } from "./store.ts";
import { undoChanges } from "./undo-store.ts";

// What was changed, and taking back what this connection did.

/** The kinds that a caller with these scopes may read, or write. */
function kindsOf({ scopes }: Ctx, to: "read" | "write"): Kind[] {
  const may = (access: Access) => !scopes || scopes.includes(access);
  return [
    ...(may(`docs:${to}`) ? (["document", "folder"] as const) : []),
    ...(may(`memory:${to}`) ? (["memory"] as const) : []),
  ];
}

/** A date, which begins in the caller's time zone, or a date-time, in the service's own format. Throws 422. */
async function instantOf(ctx: Ctx, since: string): Promise<string> {
  if (!Since.safeParse(since).success) throw invalid("since: must be an ISO 8601 date or date-time");
  const { timezone } = await ctx.user();
  return Since.parse(sinceOf(since, timezone));
}

/** How many changes a list has at most. */
const LISTED = 100;

const refOf = ({ kind, record_id }: Pick<Activity, "kind" | "record_id">) => nameOf({ kind, id: record_id });

const before = z.int().min(1).optional();

/** A change, or several of one kind, of which `ids` are the numbers. */
const Change = z.strictObject({
  id: z.int().optional(),
  ids: z.array(z.int()).optional(),
  at: z.string(),
  by: z.string(),
  change: z.string(),
  record: z.string().optional(),
  title: z.string().optional(),
  undone: z.literal(true).optional(),
});
type Change = z.infer<typeof Change>;

type Described = { entry: Activity; change: string; differences: readonly Difference[] };

function changeOf({ entry, change }: Described, timezone: string): Change {
  const { id, at, actor, title, undone_by } = entry;
  return {
    ...{ id, at: localMinute(at, timezone), by: actor.client_name ?? actor.kind, change },
    record: refOf(entry),
    ...(title !== null && { title }),
    ...(undone_by !== null && { undone: true as const }),
  };
}

/** The project that a change renamed and nothing else, with who did it: what the steps of one renaming share. */
function renamingOf({ entry, differences }: Described): string | undefined {
  const [only, ...others] = differences;
  if (only?.field !== "project" || others.length > 0 || entry.verb !== "changed") return undefined;
  const { actor, undoes, undone_by } = entry;
  return JSON.stringify([only, actor, undoes !== null, undone_by !== null]);
}

/** Changes that follow one another, those of one renaming together. */
function runsOf(all: readonly Described[]): Described[][] {
  const runs: Described[][] = [];
  for (const one of all) {
    const [first] = runs.at(-1) ?? [];
    const renaming = renamingOf(one);
    if (first && renaming !== undefined && renamingOf(first) === renaming) runs.at(-1)?.push(one);
    else runs.push([one]);
  }
  return runs;
}

/** One line for a run of changes: the change itself, or what several did to how many records. */
function lineOf(run: readonly Described[], timezone: string): Change {
  const [first, ...others] = run;
  if (!first) throw new Error("A run has a change");
  const { id: _, record: __, title: ___, ...line } = changeOf(first, timezone);
  if (others.length === 0) return changeOf(first, timezone);
  const verb = first.entry.undoes === null ? "changed" : "undid";
  const change = `${verb} ${describeFields(first.differences)} on ${run.length} records`;
  return { ids: run.map(({ entry }) => entry.id), ...line, change };
}

export const listChangesTool = defineTool({
  name: "list_changes",
  title: "Changes",
  description:
    "Who changed what since a time, and from what to what; 100 at most, go on with before: next_before. mine: only this " +
    "connection.",
  access: ["docs:read", "memory:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ since: z.string(), mine: z.boolean().optional(), before }),
  output: z.strictObject({
    changes: z.array(Change),
    has_more: z.boolean(),
    next_before: z.int().optional(),
    today: z.string().optional(),
  }),
  aliases: { next_before: "before" },
  run: async (ctx, { since, mine = false, before }) => {
    const kinds = kindsOf(ctx, "read");
    const query = { since: await instantOf(ctx, since), mine, kinds };
    const { entries, next } = await listEntries(ctx, query, { before, limit: LISTED });
    const found = await differencesOf(ctx, entries);
    const { timezone } = await ctx.user();
    const described = entries.map((entry) => {
      const differences = found.get(entry.id) ?? [];
      return { entry, differences, change: describeChange(entry, differences) };
    });
    const changes = runsOf(described).map((run) => lineOf(run, timezone));
    const more = next !== undefined && { next_before: next };
    return { changes, has_more: next !== undefined, ...more, ...(await todayFor(ctx)) };
  },
});

/** What became of a change, and what its record is now, in the words of other answers. */
const Undone = z.strictObject({
  id: z.int(),
  outcome: z.string(),
  record: z.string().optional(),
  title: z.string().optional(),
  status: z.string().optional(),
  due_date: z.string().optional(),
  deferred_until: z.string().optional(),
  project: z.string().optional(),
  folder: ShownFolder.optional(),
  tags: z.array(z.string()).optional(),
  version: z.int().optional(),
  detail: z.string().optional(),
});

/** What a record is now. */
function shownState(kind: Kind, { presence, title, version, tags = [], ...state }: StateNow) {
  const shown = { title, ...(tags.length > 0 && { tags }) };
  if (presence === "gone") return withoutNulls({ title, status: "gone" });
  if (presence === "trashed") return withoutNulls({ title, status: "in the trash" });
  if (kind === "document") {
    const { folder_id: id, folder_path: path } = state;
    return withoutNulls({ ...shown, folder: shownFolder(id && path ? { id, path } : null), version });
  }
  const { status, due_date, deferred_until, project } = state;
  return withoutNulls({ ...shown, status, ...namedDays({ due_date, deferred_until }), project });
}

/** The results of an undo, each with its record and what that is now. */
async function resultsOf(ctx: Ctx, results: readonly UndoResult[]): Promise<z.infer<typeof Undone>[]> {
  const named = results.flatMap(({ kind, record_id }) => (kind && record_id ? [{ kind, record_id }] : []));
  const states = await currentStates(ctx, named);
  return results.map(({ id, outcome, kind, record_id, title, detail }) => {
    const told = { ...(detail && { detail }) };
    if (!kind || !record_id) return { id, outcome, ...told };
    const state = states.get(`${kind} ${record_id}`) ?? { ...GONE, title: title ?? null };
    return { id, outcome, record: refOf({ kind, record_id }), ...shownState(kind, state), ...told };
  });
}

export const undoChangesTool = defineTool({
  name: "undo_changes",
  title: "Undo",
  description:
    "Takes back this connection's own changes: by ids from list_changes, or all since a time, 100 at most; go on with " +
    "before: next_before.",
  access: ["docs:write", "memory:write"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(z.int()).max(UNDONE_AT_ONCE).optional(),
    since: z.string().optional(),
    before,
  }),
  output: z.strictObject({
    results: z.array(Undone),
    undone: z.int(),
    has_more: z.literal(true).optional(),
    next_before: z.int().optional(),
  }),
  receipt: ({ results, ...counts }) => ({
    results: results.map(({ id, outcome }) => ({ id, outcome })),
    ...counts,
  }),
  aliases: { id: "ids", change_ids: "ids", next_before: "before" },
  run: async (ctx, { ids, since, before }) => {
    if ((ids === undefined) === (since === undefined)) throw badRequest("Give either ids or since");
    if (ids && before) throw badRequest("before: goes with since, not with ids");
    const asked = { ids, before, since: since === undefined ? undefined : await instantOf(ctx, since) };
    const kinds = kindsOf(ctx, "write");
    const undo = { ...asked, kinds, dry_run: false, mine: true };
    const { results, undone, next_before } = await undoChanges(ctx, undo);
    const more = next_before !== undefined && { has_more: true as const, next_before };
    return { results: await resultsOf(ctx, results), undone, ...more };
  },
});

export const activityTools = [listChangesTool, undoChangesTool] as const;
