import { z } from "zod";
import { RecordId } from "../../contract/ids.ts";
import { type Memory, MemoryType, MemoryUpdateRequest } from "../../contract/memory.ts";
import { omitUndefined } from "../../contract/omit.ts";
import { APPLIES_TO } from "../../contract/record-words.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { TOOL_PREFERENCE } from "../../platform/http/prefer.ts";
import { jobProgressText } from "../../platform/jobs/run.ts";
import { mergeResults, parseEach } from "../../platform/tools/batch.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { readRecordInput } from "../../platform/tools/tool-input.ts";
import { resolveNewProjectName, updateWithKnownNames } from "./known-names-store.ts";
import { startProjectRename } from "./project-job.ts";
import { countNameMentions, findSimilarProject, type NameMentions } from "./project-store.ts";
import { explainRejections } from "./rejection-store.ts";
import {
  type ConfirmedMemory,
  changedDetailFields,
  confirmMemory,
  recordName,
  ToolText,
} from "./tool-memory.ts";
import { changedPlanFields, dayForWords, parsePlan } from "./tool-plan.ts";
import type { FieldChange, MemoryUpdate } from "./update-store.ts";
import {
  CHANGE_ALIASES,
  closingElsewhere,
  MAX_PER_CALL,
  publishedRecords,
  readTags,
  responseWithoutContent,
  tagsInput,
  toolWriter,
  WriteResponse,
  type WriteResult,
} from "./write-tools.ts";

/** The fields that can be cleared, with their empty values. */
const CLEARED_VALUES: Record<string, null | never[]> = {
  ...Object.fromEntries(
    Object.keys({ ...changedDetailFields, ...changedPlanFields }).map((name) => [name, null]),
  ),
  tags: [],
};

/** How many unknown names an error repeats. */
const MAX_NAMES_SHOWN = 5;

const clear = z
  .array(z.string())
  .max(Object.keys(CLEARED_VALUES).length)
  .superRefine((names, issue) => {
    const unknown = names.filter((name) => !Object.hasOwn(CLEARED_VALUES, name));
    if (unknown.length === 0) return;
    const known = Object.keys(CLEARED_VALUES).join(", ");
    const named = unknown.slice(0, MAX_NAMES_SHOWN).map((name) => name.slice(0, 40).toWellFormed());
    issue.addIssue({
      code: "custom",
      message: `${named.join(", ")} cannot be cleared; you can clear ${known}`,
    });
  })
  .optional()
  .meta({ description: "Names of fields to empty" });

const Fields = z.strictObject({
  memory_type: MemoryType.optional(),
  topic: ToolText.topic.optional(),
  content: ToolText.content.optional(),
  ...changedDetailFields,
  ...changedPlanFields,
  apply_to: z.enum(APPLIES_TO).optional().meta({ description: "Of what repeats" }),
  clear,
  add_tags: tagsInput,
  remove_tags: tagsInput,
  expected_version: z.int().min(1).optional().meta({ description: "Refuse if changed; fetch shows it" }),
});
type Fields = z.infer<typeof Fields>;

const ChangedRecord = z.strictObject({ id: RecordId, ...Fields.shape });

/** Fields that several records cannot share. */
const INDIVIDUAL_FIELDS = ["topic", "content", "expected_version"] as const;

/** Throws 400 if several records would share fields that are individual. */
function checkShared(fields: Fields, count: number): void {
  const names = INDIVIDUAL_FIELDS.filter((name) => fields[name] !== undefined);
  if (count < 2 || names.length === 0) return;
  throw badRequest(
    `${names.join(", ")}: cannot be the same for ${count} records; nothing was changed. Give each its own in records, as in ` +
      `[{"id": "mem:4", "${names[0]}": …}, …]`,
  );
}

function fieldChange(fields: Fields, today: string): FieldChange {
  const { add_tags, remove_tags, expected_version: _, clear = [], ...sent } = fields;
  const conflicting = clear.filter((name) => Object.hasOwn(omitUndefined(sent), name));
  if (conflicting.length > 0)
    throw badRequest(`clear: ${conflicting.join(", ")} also has a value: either set or clear it`);
  const cleared = Object.fromEntries(clear.map((name) => [name, CLEARED_VALUES[name]]));
  const others = { ...parsePlan(sent, { today, isNew: false }), ...cleared };
  const tagging = omitUndefined({ add_tags: readTags(add_tags), remove_tags: readTags(remove_tags) });
  const change = { ...MemoryUpdateRequest.parse(omitUndefined(others)), ...tagging };
  if (Object.keys(change).length > 0) return change;
  throw badRequest(
    "Nothing to change: give at least one field besides the id; to empty a field, name it in clear",
  );
}

type UpdateOfVersion = MemoryUpdate & { expected?: number | undefined };

const toUpdate = (id: number, fields: Fields, today: string): UpdateOfVersion => ({
  id,
  change: fieldChange(fields, today),
  expected: fields.expected_version,
  ...(fields.expected_version !== undefined && { ifMatch: etagOf(fields.expected_version) }),
});

/** How a change is confirmed: with tags if they were changed, with the version if `isExact`. */
const confirmedChange = (memory: Memory, { change }: MemoryUpdate, isExact: boolean): ConfirmedMemory => ({
  ...confirmMemory(memory),
  ...((change.add_tags || change.remove_tags) && { tags: memory.tags }),
  ...(isExact && { version: memory.version }),
});

/** Returns a result for each update. */
async function runUpdates(ctx: Ctx, updates: readonly UpdateOfVersion[]) {
  const updated = updates.length > 0 ? await updateWithKnownNames(ctx, updates, toolWriter(ctx)) : [];
  const outcomes = updated.map((one, place) => ({ ...one, expected: updates[place]?.expected }));
  const details = await explainRejections(ctx, outcomes);
  return updated.map(({ id, memory, note }, place): WriteResult => {
    const update = updates[place];
    if (!memory || !update) return { id: recordName(id), ok: false, detail: details[place] ?? "" };
    const isExact = updates.length === 1 || update.expected !== undefined;
    return { ok: true, ...confirmedChange(memory, update, isExact), ...(note && { note }) };
  });
}

/** Makes the same change to all records. Returns the record if it is one, else a result for each. Throws if a single one fails. */
async function updateShared(ctx: Ctx, ids: number[], fields: Fields): Promise<Omit<WriteResponse, "today">> {
  const all = [...new Set(ids)];
  checkShared(fields, all.length);
  const today = await dayForWords(ctx, [fields]);
  const updates = all.map((id) => toUpdate(id, fields, today));
  const results = await runUpdates(ctx, updates);
  const [only] = results;
  if (!only || results.length > 1) return { results };
  const { ok, detail = "", id = "", note, ...memory } = only;
  if (ok) return { memory: { id, ...memory }, ...(note && { note }) };
  throw badRequest(detail);
}

const ALIASES = { ...CHANGE_ALIASES, memory_id: "id" };

/** Changes records that have fields of their own besides shared ones; a rejected one does not stop the others. */
async function updateEach(ctx: Ctx, sent: readonly unknown[], shared: Fields): Promise<WriteResult[]> {
  checkShared(shared, sent.length);
  const tool = { name: "update_memory", input: ChangedRecord, aliases: ALIASES };
  const today = await dayForWords(ctx, [shared, ...sent]);
  const known = new Set<number>();
  const parsed = parseEach(sent, (one) => {
    const { id, ...own } = readRecordInput(tool, one);
    if (known.has(id)) throw badRequest(`${recordName(id)} appears twice: give all its fields in one entry`);
    known.add(id);
    return toUpdate(id, { ...shared, ...omitUndefined(own) }, today);
  });
  const updates = parsed.valid.map(({ value }) => value);
  return mergeResults(parsed, await runUpdates(ctx, updates));
}

type UpdateInput = Fields & { ids?: number[] | undefined; records?: unknown[] | undefined };

async function update(
  ctx: Ctx,
  { ids, records, ...fields }: UpdateInput,
): Promise<Omit<WriteResponse, "today">> {
  if (ids && records) throw badRequest("records: give either ids or records");
  if (records) return { results: await updateEach(ctx, records, fields) };
  if (ids) return updateShared(ctx, ids, fields);
  throw badRequest("ids: which records? list_memories and search show their ids");
}

const CLOSED_BY = "close_memories resolves, skips, defers, archives and reopens";

export const updateMemory = defineTool({
  name: "update_memory",
  alone: true,
  title: "Change records",
  description:
    "Changes fields of records, such as due_date when one is postponed; omitted ones stay, those in clear are emptied (repeat " +
    "ends a series). Of what repeats, a due_date is for this one and all else for all that follow, unless apply_to says " +
    "otherwise. To close, skip, defer, reopen or confirm, call close_memories. in_project instead of ids, with project: renames or merges a project.",
  access: "memory:write",
  adds: ["bytes"],
  changes: ["memory"],
  hints: { destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(RecordId).min(1).max(MAX_PER_CALL).optional(),
    records: publishedRecords(["id"], "Instead of ids: each with fields of its own"),
    in_project: z.string().optional(),
    ...Fields.shape,
  }),
  output: WriteResponse,
  withoutContent: responseWithoutContent,
  aliases: { ...CHANGE_ALIASES, id: "ids", memory_id: "ids", memory_ids: "ids", memories: "records" },
  elsewhere: { ...closingElsewhere(CLOSED_BY), deferred_until: CLOSED_BY, note: CLOSED_BY, skip: CLOSED_BY },
  run: async (ctx, { in_project, ...input }) => {
    const done = in_project === undefined ? update(ctx, input) : renameProject(ctx, in_project, input);
    return { ...(await done), ...(await todayField(ctx)) };
  },
});

/** Renames a project. Throws 400 for other fields, 404 for an unknown project. */
async function renameProject(
  ctx: Ctx,
  in_project: string,
  { project, ...others }: UpdateInput,
): Promise<Omit<WriteResponse, "today">> {
  if (!project || Object.keys(omitUndefined(others)).length > 0)
    throw badRequest("in_project: goes with project, the new name, and nothing else");
  const old = in_project.trim();
  const { next, note: spelled } = await resolveNewProjectName(ctx, { project: old, next: project });
  const renaming = startProjectRename(
    ctx,
    { project: old, next },
    { writer: toolWriter(ctx), prefer: TOOL_PREFERENCE },
  );
  const renamed = await renaming.catch(async (problem: unknown) => {
    if (!(problem instanceof AppError) || problem.status !== 404) throw problem;
    const { meant, near } = await findSimilarProject(ctx, old);
    const name = meant ?? near;
    const hint = name === undefined ? "whoami lists the projects" : `did you mean "${name}"?`;
    throw new AppError(404, `No record has the project ${in_project}: ${hint}`);
  });
  const { result = { renamed: 0, in_trash: 0 }, job } = renamed;
  const mentions = mentionsNote(old, await countNameMentions(ctx, old), ctx);
  const note = [spelled, job && jobProgressText(job), mentions].filter(Boolean).join("; ");
  const { in_trash } = result;
  return { renamed: result.renamed, ...(in_trash > 0 && { in_trash }), ...(note && { note }) };
}

const countText = (count: number, one: string, many = `${one}s`) =>
  count > 0 ? [`${count} ${count === 1 ? one : many}`] : [];

/** Tells where the old name of a project still occurs, as far as the caller may read; undefined if nowhere. */
function mentionsNote(name: string, mentions: NameMentions, { scopes }: Ctx): string | undefined {
  const readsDocuments = !scopes || scopes.includes("docs:read");
  const places = [
    ...countText(mentions.topics, "topic of a record", "topics of records"),
    ...(readsDocuments
      ? [
          ...countText(mentions.titles, "title of a document", "titles of documents"),
          ...countText(mentions.folders, "folder"),
          ...countText(mentions.tags, "tagged item"),
        ]
      : []),
  ];
  return places.length > 0 ? `"${name}" is still in ${places.join(", ")}: search finds them` : undefined;
}
