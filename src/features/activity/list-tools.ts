import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import type { Activity } from "../../contract/activity.ts";
import type { RecordKind } from "../../contract/activity-words.ts";
import { formatChangeId } from "../../contract/change-id.ts";
import { ChangeId } from "../../contract/change-id-fields.ts";
import { localDay, localMinute, resolveInstant } from "../../contract/days.ts";
import { InstantOrDay } from "../../contract/fields.ts";
import { AnyId } from "../../contract/ids.ts";
import { parseReference, prefixedId, type RecordReference } from "../../contract/links.ts";
import { omit } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest, unprocessable } from "../../platform/core/errors.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { parseDayRange } from "../../shared/query/filter-dates.ts";
import { resolveTitleToId } from "../documents/title-store.ts";
import { describeChange, describeDifferences, type FieldDifference } from "./describe-change.ts";
import { findContentChanges, findDifferences } from "./difference-store.ts";
import { lineChanges } from "./line-changes.ts";
import { listEntries } from "./store.ts";

export function accessibleKinds({ scopes }: Ctx, to: "read" | "write"): RecordKind[] {
  const may = (access: Access) => !scopes || scopes.includes(access);
  return [
    ...(may(`docs:${to}`) ? (["document", "folder"] as const) : []),
    ...(may(`memory:${to}`) ? (["memory"] as const) : []),
  ];
}

/** Parses a day (also in words, as in search), a local time or an instant, and returns an instant. Throws 422. */
export async function parseInstant(ctx: Ctx, since: string, field = "since"): Promise<string> {
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

export const referenceOf = ({ kind, record_id }: Pick<Activity, "kind" | "record_id">) =>
  prefixedId({ kind, id: record_id });

export const BeforeParam = z.int().min(1).optional();

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

const READ_ACCESS: Record<RecordReference["kind"], Access> = { document: "docs:read", memory: "memory:read" };

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
