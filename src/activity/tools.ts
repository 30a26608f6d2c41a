import { z } from "zod";
import type { Access } from "../core/access.ts";
import type { Ctx } from "../core/ctx.ts";
import { localMinute, sinceOf } from "../core/days.ts";
import { badRequest, invalid } from "../core/errors.ts";
import { Since } from "../core/fields.ts";
import { nameOf } from "../core/links.ts";
import { defineTool, todayFor } from "../core/tool.ts";
import type { Kind } from "../ledger/words.ts";
import { type Activity, UNDONE_AT_ONCE } from "./schema.ts";
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

const refOf = ({ kind, record_id }: Activity) =>
  kind === "folder" ? `folder:${record_id}` : nameOf({ kind, id: record_id });

const Change = z.strictObject({
  id: z.int(),
  at: z.string(),
  by: z.string(),
  change: z.string(),
  record: z.string(),
  title: z.string().optional(),
  undone: z.literal(true).optional(),
});

function changeOf(entry: Activity, timezone: string): z.infer<typeof Change> {
  const { id, at, actor, verb, title, undone_by } = entry;
  return {
    ...{ id, at: localMinute(at, timezone), by: actor.client_name ?? actor.kind, change: verb },
    record: refOf(entry),
    ...(title !== null && { title }),
    ...(undone_by !== null && { undone: true as const }),
  };
}

export const listChangesTool = defineTool({
  name: "list_changes",
  title: "Changes",
  description: "Who changed what since a time, the last 100. mine: only this connection.",
  access: ["docs:read", "memory:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    since: z.string(),
    mine: z.boolean().optional(),
  }),
  output: z.strictObject({ changes: z.array(Change), has_more: z.boolean(), today: z.string().optional() }),
  run: async (ctx, { since, mine = false }) => {
    const kinds = kindsOf(ctx, "read");
    const query = { since: await instantOf(ctx, since), mine, kinds };
    const { entries, next } = await listEntries(ctx, query, LISTED);
    const { timezone } = await ctx.user();
    const changes = entries.map((entry) => changeOf(entry, timezone));
    return { changes, has_more: next !== undefined, ...(await todayFor(ctx)) };
  },
});

export const undoChangesTool = defineTool({
  name: "undo_changes",
  title: "Undo",
  description: "Takes back this connection's own changes: by ids from list_changes, or all since a time.",
  access: ["docs:write", "memory:write"],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(z.int()).max(UNDONE_AT_ONCE).optional(),
    since: z.string().optional(),
  }),
  output: z.strictObject({
    results: z.array(z.strictObject({ id: z.int(), outcome: z.string(), detail: z.string().optional() })),
    undone: z.int(),
    has_more: z.literal(true).optional(),
  }),
  receipt: ({ results, ...counts }) => ({
    results: results.map(({ id, outcome }) => ({ id, outcome })),
    ...counts,
  }),
  aliases: { id: "ids" },
  run: async (ctx, { ids, since }) => {
    if ((ids === undefined) === (since === undefined)) throw badRequest("Give either ids or since");
    const asked = { ids, since: since === undefined ? undefined : await instantOf(ctx, since) };
    const kinds = kindsOf(ctx, "write");
    const { results, undone, has_more } = await undoChanges(ctx, {
      ...asked,
      kinds,
      dry_run: false,
      mine: true,
    });
    const shown = results.map(({ id, outcome, detail }) => ({ id, outcome, ...(detail && { detail }) }));
    return { results: shown, undone, ...(has_more && { has_more: true as const }) };
  },
});

export const activityTools = [listChangesTool, undoChangesTool] as const;
