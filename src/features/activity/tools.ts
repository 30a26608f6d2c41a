import { z } from "zod";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayFor, withoutNulls } from "../../core/tool.ts";
import { ShownFolder, shownFolder } from "../documents/tool-document.ts";
import type { Kind } from "../../contract/ledger-words.ts";
import { namedDays } from "../memories/tool-memory.ts";
import { before, instantOf, kindsOf, listChangesTool, refOf } from "./list-tools.ts";
import { UNDONE_AT_ONCE, type UndoResult } from "../../contract/activity.ts";
import { currentStates, GONE, type StateNow } from "./state-store.ts";
import { undoChanges } from "../../activity/undo-store.ts";

// Taking back what this connection did.

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
    today: z.string(),
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
    return { results: await resultsOf(ctx, results), undone, ...more, ...(await todayFor(ctx)) };
  },
});

export { listChangesTool };

export const activityTools = [listChangesTool, undoChangesTool] as const;
