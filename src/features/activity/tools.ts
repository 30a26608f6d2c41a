import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import {
  type Activity,
  type FieldDifference,
  MAX_UNDONE_CHANGES,
  type UndoResult,
} from "../../contract/activity.ts";
import type { RecordKind } from "../../contract/activity-words.ts";
import { CHANGE_ID_PATTERN, formatChangeId } from "../../contract/change-id.ts";
import { ChangeId } from "../../contract/change-id-fields.ts";
import { localDay, localMinute, resolveInstant } from "../../contract/days.ts";
import { InstantOrDay } from "../../contract/fields.ts";
import { AnyId } from "../../contract/ids.ts";
import { type ItemReference, parseReference, prefixedId } from "../../contract/links.ts";
import { omit } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest, unprocessable } from "../../platform/core/errors.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { defineTool, todayField, withoutNulls } from "../../platform/tools/tool.ts";
import { parseDayRange } from "../../shared/query/filter-dates.ts";
import { resolveTitleToId } from "../documents/title-store.ts";
import { ToolFolder, toolFolder } from "../documents/tool-document.ts";
import { daysWithWeekday } from "../memories/tool-memory.ts";
import { describeChange, describeDifferences } from "./describe-change.ts";
import { findContentChanges, findDifferences } from "./difference-store.ts";
import { lineChanges } from "./line-changes.ts";
import { type CurrentState, currentStates, GONE_STATE } from "./state-store.ts";
import { listEntries } from "./store.ts";
import { undoChanges } from "./undo-store.ts";

function accessibleKinds({ scopes }: Ctx, to: "read" | "write"): RecordKind[] {
  const may = (access: Access) => !scopes || scopes.includes(access);
  return [
    ...(may(`docs:${to}`) ? (["document", "folder"] as const) : []),
    ...(may(`memory:${to}`) ? (["memory"] as const) : []),
  ];
}

/** Parses a day (also in words, as in search), a local time or an instant, and returns an instant. Throws 422. */
async function parseInstant(ctx: Ctx, since: string, field = "since"): Promise<string> {
  const { timezone } = await ctx.user();
  const named = parseDayRange(since, localDay(ctx.now, timezone))?.from ?? since;
  const read = InstantOrDay.safeParse(resolveInstant(named, timezone));
  if (read.success) return read.data;
  throw unprocessable(
    `${field}: must be a day or a time, such as 2026-11-20, yesterday, last Friday or 2026-11-20T14:00`,
    "day",
  );
}

const DEFAULT_LIMIT = 40;
const MAX_LIMIT = 100;
const DAY_MS = 86_400_000;
const MAX_WITH_LINES = 10;

const referenceOf = ({ kind, record_id }: Pick<Activity, "kind" | "record_id">) =>
  prefixedId({ kind, id: record_id });

const BeforeParam = z.int().min(1).optional();

const Change = z.strictObject({
  id: ChangeId.optional(),
  at: z.string(),
  by: z.string(),
  change: z.string(),
  record: z.string().optional(),
  title: z.string().optional(),
  reason: z.string().optional(),
  undone: z.literal(true).optional(),
  lines: z.array(z.string()).optional(),
});
type Change = z.infer<typeof Change>;

type DescribedEntry = {
  entry: Activity;
  change: string;
  differences: readonly FieldDifference[];
  lines?: string[] | undefined;
};

function toChange({ entry, change, lines }: DescribedEntry, timezone: string): Change {
  const { id, at, actor, title, reason, undone_by } = entry;
  return {
    id: String(id),
    at: localMinute(at, timezone),
    by: actor.client_name ?? actor.kind,
    change,
    record: referenceOf(entry),
    ...(title !== null && { title }),
    ...(reason !== null && { reason }),
    ...(undone_by !== null && { undone: true as const }),
    ...(lines && { lines }),
  };
}

/** Consecutive entries with the same key are one line: the steps of a rename, or records created in a row. */
function groupKey({ entry, differences }: DescribedEntry): string | undefined {
  const { actor, verb, reason, undoes, undone_by } = entry;
  const by = [actor, undoes !== null, undone_by !== null];
  if (verb === "created") return JSON.stringify([verb, reason, ...by]);
  const [only, ...others] = differences;
  if (only?.field !== "project" || others.length > 0 || verb !== "changed") return undefined;
  return JSON.stringify([only, ...by]);
}

/** Fewer creations in a row than this get a line each. */
const MIN_GROUPED = 20;

const hasOneLine = ([first, ...others]: readonly DescribedEntry[]) =>
  first?.entry.verb !== "created" || others.length >= MIN_GROUPED;

function groupEntries(all: readonly DescribedEntry[]): DescribedEntry[][] {
  const runs: DescribedEntry[][] = [];
  for (const one of all) {
    const [first] = runs.at(-1) ?? [];
    const shared = groupKey(one);
    if (first && shared !== undefined && groupKey(first) === shared) runs.at(-1)?.push(one);
    else runs.push([one]);
  }
  return runs.flatMap((run) => (hasOneLine(run) ? [run] : run.map((one) => [one])));
}

const MAX_NAMED = 3;
const NOUNS = { memory: "record", document: "document", folder: "folder" };

/** `created 48 records: mem:48 "A", mem:47 "B", mem:46 "C" and 45 more (with limit 20 each has a line)` */
function describeCreations(run: readonly DescribedEntry[]): string {
  const entries = run.map(({ entry }) => entry);
  const kinds = Object.entries(NOUNS).flatMap(([kind, noun]) => {
    const { length } = entries.filter((entry) => entry.kind === kind);
    return length > 0 ? [`${length} ${noun}${length === 1 ? "" : "s"}`] : [];
  });
  const named = entries
    .slice(0, MAX_NAMED)
    .map((entry) => `${referenceOf(entry)} ${JSON.stringify(entry.title ?? "")}`);
  const more = `${entries.length - named.length} more (with limit ${MIN_GROUPED} each has a line)`;
  return `created ${kinds.join(", ")}: ${named.join(", ")} and ${more}`;
}

function toLine(run: readonly DescribedEntry[], timezone: string): Change {
  const [first, ...others] = run;
  if (!first) throw new Error("A group is never empty");
  const own = toChange(first, timezone);
  if (others.length === 0) return own;
  const line = omit(own, "id", "record", "title");
  const id = formatChangeId(run.map(({ entry }) => entry.id));
  if (first.entry.verb === "created") return { id, ...line, change: describeCreations(run) };
  const verb = first.entry.undoes === null ? "changed" : "undid";
  const change = `${verb} ${describeDifferences(first.differences)} on ${run.length} records`;
  return { id, ...line, change };
}

const READ_ACCESS: Record<ItemReference["kind"], Access> = { document: "docs:read", memory: "memory:read" };

async function resolveRecord(ctx: Ctx, sent: string): Promise<Pick<Activity, "kind" | "record_id">> {
  const { kind, id } = parseReference(sent) ?? {};
  if (kind && id) return { kind, record_id: id };
  return { kind: "document", record_id: await resolveTitleToId(ctx, sent, "record") };
}

async function readLineChanges(ctx: Ctx, entries: readonly Activity[]): Promise<Map<number, string[]>> {
  const lines = new Map<number, string[]>();
  for (const { id, before, after } of await findContentChanges(ctx, entries)) {
    lines.set(id, before === null || after === null ? [TOO_LONG] : lineChanges(before, after));
    await yieldToOthers();
  }
  return lines;
}

type Range = { since: string | undefined; until: string | undefined; isOpen: boolean; mine: boolean };

/** The instants between which changes are listed; `mine` defaults to the last day. Throws 400 without a start. */
async function resolveRange(ctx: Ctx, { since, until, isOpen, mine }: Range) {
  if (since === undefined && !isOpen && !mine)
    throw badRequest("since: since when? Give a day such as 2026-11-20, or a record, or mine");
  const yesterday = new Date(ctx.now.getTime() - DAY_MS).toISOString();
  const from = since === undefined ? (isOpen ? undefined : yesterday) : await parseInstant(ctx, since);
  return {
    ...(from !== undefined && { since: from }),
    ...(until !== undefined && { until: await parseInstant(ctx, until, "until") }),
  };
}

const TOO_LONG = "too long to compare: list_versions has the earlier texts";

export const listChangesTool = defineTool({
  name: "list_changes",
  title: "Changes",
  description:
    "Who changed what since a time, from what to what, and why; go on with before: next_before. mine: this connection's, of " +
    "the last day unless since says more. record: only that one, with the lines that changed.",
  access: ["docs:read", "memory:read"],
  needs: ({ record }) =>
    record === undefined ? [] : [READ_ACCESS[parseReference(record)?.kind ?? "document"]],
  adds: [],
  changes: [],
  quotes: true,
  hints: { destructive: false, idempotent: true, openWorld: false },
  hasView: true,
  input: z.strictObject({
    since: z.string().optional(),
    record: AnyId.optional(),
    until: z.string().optional(),
    mine: z.boolean().optional(),
    by: z.string().optional().meta({ description: "A client's name" }),
    limit: z.int().min(1).max(MAX_LIMIT).optional(),
    before: BeforeParam,
  }),
  output: z.strictObject({
    record: z.string().optional(),
    changes: z.array(Change),
    has_more: z.boolean(),
    next_before: z.int().optional(),
    today: z.string().optional(),
  }),
  aliases: { next_before: "before", id: "record", document_id: "record", memory_id: "record" },
  run: async (ctx, { since, until, record, mine = false, by, limit, before }) => {
    const one = record === undefined ? undefined : await resolveRecord(ctx, record);
    const range = await resolveRange(ctx, { since, until, isOpen: one !== undefined, mine });
    const most = one ? Math.min(limit ?? MAX_LIMIT, MAX_WITH_LINES) : (limit ?? DEFAULT_LIMIT);
    const kinds = accessibleKinds(ctx, "read");
    const filter = { ...range, ...one, mine, kinds, ...(by !== undefined && { client: by }) };
    const { entries, next } = await listEntries(ctx, filter, { before, limit: most });
    const isAll = [since, until, by, before].every((one) => one === undefined) && !mine;
    if (one && entries.length === 0 && isAll)
      throw new AppError(404, `${referenceOf(one)} was not found: search and list_changes show the ids`);
    const found = await findDifferences(ctx, entries);
    const lines = one ? await readLineChanges(ctx, entries) : new Map<number, string[]>();
    const { timezone } = await ctx.user();
    const described = entries.map((entry) => {
      const differences = found.get(entry.id) ?? [];
      return { entry, differences, change: describeChange(entry, differences), lines: lines.get(entry.id) };
    });
    const changes = groupEntries(described).map((run) => toLine(run, timezone));
    const more = next !== undefined && { next_before: next };
    const answer = { changes, has_more: next !== undefined, ...more, ...(await todayField(ctx)) };
    return one
      ? { record: referenceOf(one), ...answer, changes: changes.map(({ record: _, ...change }) => change) }
      : answer;
  },
});

/** Ids of changes, as a list or in one text; also as numbers. */
const ChangeIdsInput = z
  .unknown()
  .meta({ type: "array", items: { type: "string" }, maxItems: MAX_UNDONE_CHANGES })
  .transform((sent, issue) => {
    const named = [sent].flat();
    const ids = named.map(Number);
    const areNumbers = ids.every(Number.isInteger) && ids.length <= MAX_UNDONE_CHANGES;
    const [only] = named;
    if (areNumbers && (named.length > 1 || typeof only !== "string")) return { ids };
    const change_id = named.join();
    if (CHANGE_ID_PATTERN.test(change_id)) return { change_id };
    if (areNumbers) return { ids };
    issue.addIssue({
      code: "custom",
      message: `must be at most ${MAX_UNDONE_CHANGES} ids from list_changes, or the change_id of an answer`,
    });
    return z.NEVER;
  });

const ShownUndoResult = z.strictObject({
  /** For an unknown change, the id as it was sent. */
  id: z.string(),
  outcome: z.string(),
  record: z.string().optional(),
  title: z.string().optional(),
  status: z.string().optional(),
  due_date: z.string().optional(),
  deferred_until: z.string().optional(),
  project: z.string().optional(),
  folder: ToolFolder.optional(),
  tags: z.array(z.string()).optional(),
  version: z.int().optional(),
  detail: z.string().optional(),
});

function presentState(kind: RecordKind, { presence, title, version, tags = [], ...state }: CurrentState) {
  const shown = { title, ...(tags.length > 0 && { tags }) };
  if (presence === "gone") return withoutNulls({ title, status: "gone" });
  if (presence === "trashed") return withoutNulls({ title, status: "in the trash" });
  if (kind === "document") {
    const { folder_id: id, folder_path: path } = state;
    return withoutNulls({ ...shown, folder: toolFolder(id && path ? { id, path } : null), version });
  }
  const { status, due_date, deferred_until, project } = state;
  return withoutNulls({ ...shown, status, ...daysWithWeekday({ due_date, deferred_until }), project });
}

async function presentResults(
  ctx: Ctx,
  results: readonly UndoResult[],
): Promise<z.infer<typeof ShownUndoResult>[]> {
  const records = results.flatMap(({ kind, record_id }) => (kind && record_id ? [{ kind, record_id }] : []));
  const states = await currentStates(ctx, records);
  return results.map(({ id: number, outcome, kind, record_id, title, detail }) => {
    const detailField = { ...(detail && { detail }) };
    const id = String(number);
    if (!kind || !record_id) return { id, outcome, ...detailField };
    const state = states.get(`${kind} ${record_id}`) ?? { ...GONE_STATE, title: title ?? null };
    const record = referenceOf({ kind, record_id });
    return { id, outcome, record, ...presentState(kind, state), ...detailField };
  });
}

/** The ids of this connection's last changes that are not undone: all made by one call. Throws 404 if there are none. */
async function lastChange(ctx: Ctx): Promise<{ ids: number[] }> {
  const { entries } = await listEntries(
    ctx,
    { mine: true, kinds: accessibleKinds(ctx, "write") },
    { limit: MAX_UNDONE_CHANGES },
  );
  const notUndone = entries.filter(({ undoes, undone_by }) => undoes === null && undone_by === null);
  const ids = notUndone.filter(({ at }) => at === notUndone[0]?.at).map(({ id }) => id);
  if (ids.length > 0) return { ids };
  throw new AppError(404, "This connection has no changes left to undo: list_changes shows who did what");
}

const MAX_SHOWN = 10;

/** Of many results, shows those not undone and the first undone ones. */
function truncateResults(results: z.infer<typeof ShownUndoResult>[]) {
  if (results.length <= MAX_SHOWN) return { results };
  const others = results.filter(({ outcome }) => outcome !== "undone");
  const first = results.filter(({ outcome }) => outcome === "undone").slice(0, MAX_SHOWN);
  const shown = results.filter((one) => others.includes(one) || first.includes(one));
  const not_shown = results.length - shown.length;
  return { results: shown, ...(not_shown > 0 && { not_shown }) };
}

export const undoChangesTool = defineTool({
  name: "undo_changes",
  alone: true,
  title: "Undo",
  description:
    "Takes back this connection's changes: without ids its last one, or the change_id of an answer, ids from " +
    "list_changes, or all since a time; 100 at most. Others' changes: restore with a version.",
  access: ["docs:write", "memory:write"],
  adds: ["documents", "records", "bytes"],
  changes: ["document", "memory", "folder"],
  hints: { destructive: true, idempotent: true, openWorld: false },
  hasView: true,
  input: z.strictObject({
    ids: ChangeIdsInput.optional(),
    since: z.string().optional(),
    before: BeforeParam,
  }),
  output: z.strictObject({
    results: z.array(ShownUndoResult),
    not_shown: z.int().optional(),
    undone: z.int(),
    has_more: z.literal(true).optional(),
    next_before: z.int().optional(),
    today: z.string(),
  }),
  withoutContent: ({ results, ...counts }) => ({
    results: results.map(({ id, outcome }) => ({ id, outcome })),
    ...counts,
  }),
  aliases: { id: "ids", change_id: "ids", change_ids: "ids", next_before: "before" },
  run: async (ctx, { ids: changes, since, before }) => {
    if (changes !== undefined && since !== undefined)
      throw badRequest("ids: give either ids, which list_changes shows, or since");
    if (changes && "ids" in changes && before)
      throw badRequest("before: goes with since or a change_id, not with ids");
    const { results, undone, next_before } = await undoChanges(ctx, {
      ...(changes ?? (since === undefined ? await lastChange(ctx) : {})),
      before,
      since: since === undefined ? undefined : await parseInstant(ctx, since),
      kinds: accessibleKinds(ctx, "write"),
      dry_run: false,
      mine: true,
    });
    const more = next_before !== undefined && { has_more: true as const, next_before };
    return {
      ...truncateResults(await presentResults(ctx, results)),
      undone,
      ...more,
      ...(await todayField(ctx)),
    };
  },
});

export const activityTools = [listChangesTool, undoChangesTool] as const;
