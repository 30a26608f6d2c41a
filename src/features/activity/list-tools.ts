import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import type { Activity } from "../../contract/activity.ts";
import { localMinute, sinceOf } from "../../contract/days.ts";
import { Since } from "../../contract/fields.ts";
import { AnyId } from "../../contract/ids.ts";
import type { Kind } from "../../contract/ledger-words.ts";
import { nameOf, type Reference, readReference } from "../../contract/links.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest, invalid } from "../../platform/core/errors.ts";
import { defineTool, todayFor } from "../../platform/tools/tool.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { type Difference, describeChange, describeFields } from "./describe-change.ts";
import { differencesOf, textsOf } from "./difference-store.ts";
import { lineChanges } from "./line-changes.ts";
import { listEntries } from "./store.ts";

export function kindsOf({ scopes }: Ctx, to: "read" | "write"): Kind[] {
  const may = (access: Access) => !scopes || scopes.includes(access);
  return [
    ...(may(`docs:${to}`) ? (["document", "folder"] as const) : []),
    ...(may(`memory:${to}`) ? (["memory"] as const) : []),
  ];
}

/** A date or time in the caller's time zone, or an instant, in the service's own format. Throws 422. */
export async function instantOf(ctx: Ctx, since: string): Promise<string> {
  const { timezone } = await ctx.user();
  const read = Since.safeParse(sinceOf(since, timezone));
  if (read.success) return read.data;
  throw invalid("since: must be a day or a time, such as 2026-11-20 or 2026-11-20T14:00", "day");
}

const LISTED = 100;
const LISTED_WITH_LINES = 10;

export const refOf = ({ kind, record_id }: Pick<Activity, "kind" | "record_id">) =>
  nameOf({ kind, id: record_id });

export const before = z.int().min(1).optional();

const Change = z.strictObject({
  id: z.int().optional(),
  ids: z.array(z.int()).optional(),
  at: z.string(),
  by: z.string(),
  change: z.string(),
  record: z.string().optional(),
  title: z.string().optional(),
  undone: z.literal(true).optional(),
  lines: z.array(z.string()).optional(),
});
type Change = z.infer<typeof Change>;

type Described = {
  entry: Activity;
  change: string;
  differences: readonly Difference[];
  lines?: string[] | undefined;
};

function changeOf({ entry, change, lines }: Described, timezone: string): Change {
  const { id, at, actor, title, undone_by } = entry;
  return {
    ...{ id, at: localMinute(at, timezone), by: actor.client_name ?? actor.kind, change },
    record: refOf(entry),
    ...(title !== null && { title }),
    ...(undone_by !== null && { undone: true as const }),
    ...(lines && { lines }),
  };
}

/** The project that a change renamed and nothing else, with who did it: what the steps of one renaming share. */
function renamingOf({ entry, differences }: Described): string | undefined {
  const [only, ...others] = differences;
  if (only?.field !== "project" || others.length > 0 || entry.verb !== "changed") return undefined;
  const { actor, undoes, undone_by } = entry;
  return JSON.stringify([only, actor, undoes !== null, undone_by !== null]);
}

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

function lineOf(run: readonly Described[], timezone: string): Change {
  const [first, ...others] = run;
  if (!first) throw new Error("A run has a change");
  const { id: _, record: __, title: ___, ...line } = changeOf(first, timezone);
  if (others.length === 0) return changeOf(first, timezone);
  const verb = first.entry.undoes === null ? "changed" : "undid";
  const change = `${verb} ${describeFields(first.differences)} on ${run.length} records`;
  return { ids: run.map(({ entry }) => entry.id), ...line, change };
}

const READ: Record<Reference["kind"], Access> = { document: "docs:read", memory: "memory:read" };

function recordOf(id: string): { kind: Reference["kind"]; record_id: string } {
  const { kind, id: record_id } = readReference(id) ?? {};
  if (kind && record_id) return { kind, record_id };
  throw badRequest("record: must be doc:<uuid> or mem:<number>, as search and list_changes return it");
}

async function linesOf(ctx: Ctx, entries: readonly Activity[]): Promise<Map<number, string[]>> {
  const lines = new Map<number, string[]>();
  for (const { id, before, after } of await textsOf(ctx, entries)) {
    lines.set(id, before === null || after === null ? [TOO_LONG] : lineChanges(before, after));
    await yieldToOthers();
  }
  return lines;
}

const unknown = (name: string) =>
  new AppError(404, `${name} was not found: search and list_changes show the ids`);

const TOO_LONG = "too long to compare: list_versions has the earlier texts";

export const listChangesTool = defineTool({
  name: "list_changes",
  title: "Changes",
  description:
    "Who changed what since a time, and from what to what; 100 at most, go on with before: next_before. mine: only this " +
    "connection. record: only that one, with the lines that changed.",
  access: ["docs:read", "memory:read"],
  needs: ({ record }) => {
    const reference = record === undefined ? undefined : readReference(record);
    return reference ? [READ[reference.kind]] : [];
  },
  adds: [],
  changes: [],
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    since: z.string().optional(),
    record: AnyId.optional(),
    mine: z.boolean().optional(),
    before,
  }),
  output: z.strictObject({
    record: z.string().optional(),
    changes: z.array(Change),
    has_more: z.boolean(),
    next_before: z.int().optional(),
    today: z.string().optional(),
  }),
  aliases: { next_before: "before", id: "record", document_id: "record", memory_id: "record" },
  run: async (ctx, { since, record, mine = false, before }) => {
    if (since === undefined && record === undefined)
      throw badRequest("since: since when? Give a day such as 2026-11-20, or a record");
    const one = record === undefined ? undefined : recordOf(record);
    const from = since === undefined ? {} : { since: await instantOf(ctx, since) };
    const page = { before, limit: one ? LISTED_WITH_LINES : LISTED };
    const { entries, next } = await listEntries(
      ctx,
      { ...from, ...one, mine, kinds: kindsOf(ctx, "read") },
      page,
    );
    const isAll = since === undefined && before === undefined && !mine;
    if (one && entries.length === 0 && isAll) throw unknown(refOf(one));
    const found = await differencesOf(ctx, entries);
    const lines = one ? await linesOf(ctx, entries) : new Map<number, string[]>();
    const { timezone } = await ctx.user();
    const described = entries.map((entry) => {
      const differences = found.get(entry.id) ?? [];
      return { entry, differences, change: describeChange(entry, differences), lines: lines.get(entry.id) };
    });
    const changes = runsOf(described).map((run) => lineOf(run, timezone));
    const more = next !== undefined && { next_before: next };
    const answer = { changes, has_more: next !== undefined, ...more, ...(await todayFor(ctx)) };
    return one
      ? { record: refOf(one), ...answer, changes: changes.map(({ record: _, ...change }) => change) }
      : answer;
  },
});
