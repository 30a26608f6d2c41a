import { z } from "zod";
import { MAX_UNDONE_CHANGES, type UndoResult } from "../../contract/activity.ts";
import type { RecordKind } from "../../contract/activity-words.ts";
import { CHANGE_ID_PATTERN } from "../../contract/change-id.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayField, withoutNulls } from "../../platform/tools/tool.ts";
import { ToolFolder, toolFolder } from "../documents/tool-document.ts";
import { daysWithWeekday } from "../memories/tool-memory.ts";
import { accessibleKinds, BeforeParam, listChangesTool, parseInstant, referenceOf } from "./list-tools.ts";
import { type CurrentState, currentStates, GONE_STATE } from "./state-store.ts";
import { listEntries } from "./store.ts";
import { undoChanges } from "./undo-store.ts";

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

export { listChangesTool };

export const activityTools = [listChangesTool, undoChangesTool] as const;
