import { z } from "zod";
import type { Ctx } from "../platform/core/ctx.ts";
import { AppError, badRequest } from "../platform/core/errors.ts";
import { given } from "../contract/given.ts";
import { RecordId } from "../contract/ids.ts";
import { defineTool, readInput, todayFor } from "../core/tool.ts";
import { type Updated, updateMemories } from "../features/memories/bulk-store.ts";
import type { FieldChange, Update } from "./change-store.ts";
import { countMentions, findProject, type Mentions, type Renamed, renameProjectOf } from "../features/memories/project-store.ts";
import { type Memory, MemoryType, MemoryUpdateRequest } from "../contract/memory.ts";
import { type ConfirmedMemory, changedDetails, confirmed, nameOfRecord, ToolText } from "../features/memories/tool-memory.ts";
import {
  CHANGED_NAMES,
  inOrder,
  MAX_AT_ONCE,
  publishedRecords,
  type Result,
  readEach,
  readTags,
  receipt,
  tags,
  UNKNOWN,
  unknown,
  Written,
  writerOf,
} from "../features/memories/write-tools.ts";

// Changing the fields of records, and the names of projects.

const Fields = z.strictObject({
  memory_type: MemoryType.optional(),
  topic: ToolText.topic.optional(),
  content: ToolText.content.optional(),
  ...changedDetails,
  add_tags: tags,
  remove_tags: tags,
});
type Fields = z.infer<typeof Fields>;

/** One of several records, with fields of its own. */
const { topic, content, project, due_date } = Fields.shape;
const ChangedRecord = z.strictObject({ id: RecordId, topic, content, project, due_date });

/** The change of these fields. Throws 400 for none, and for invalid tags. */
function changeOf({ add_tags, remove_tags, ...others }: Fields): FieldChange {
  const tagging = given({ add_tags: readTags(add_tags), remove_tags: readTags(remove_tags) });
  const change = { ...MemoryUpdateRequest.parse(given(others)), ...tagging };
  if (Object.keys(change).length > 0) return change;
  throw badRequest("Nothing to change: give at least one field besides the id");
}

const isTagged = ({ add_tags, remove_tags }: FieldChange) =>
  add_tags !== undefined || remove_tags !== undefined;

/** What a change is confirmed with: the tags only where they were changed. */
const confirmedChange = (memory: Memory, change: FieldChange): ConfirmedMemory => ({
  ...confirmed(memory),
  ...(isTagged(change) && { tags: memory.tags }),
});

/** A change of one of several records, as a result. */
function resultOf({ id: number, memory, detail }: Updated, change: FieldChange): Result {
  const id = nameOfRecord(number);
  if (!memory) return { id, ok: false, detail: detail === "Not found" ? `${id} ${UNKNOWN}` : (detail ?? "") };
  return { ok: true, ...confirmedChange(memory, change) };
}

/** Changes what records share. Of one it answers what it is now, of several a line each. Throws what refused a single one. */
async function updateShared(ctx: Ctx, ids: number[], fields: Fields): Promise<Omit<Written, "today">> {
  const change = changeOf(fields);
  const updates = [...new Set(ids)].map((id) => ({ id, change }));
  const [only, ...others] = await updateMemories(ctx, updates, writerOf(ctx));
  if (!only || others.length > 0) {
    return { results: [only, ...others].flatMap((one) => (one ? [resultOf(one, change)] : [])) };
  }
  if (only.memory) return { memory: confirmedChange(only.memory, change) };
  throw only.detail === "Not found" ? unknown(only.id) : badRequest(only.detail ?? "");
}

const ALIASES = { ...CHANGED_NAMES, memory_id: "id" };

/** Changes records that have fields of their own besides those that they share; one that is refused does not stop the others. */
async function updateEach(ctx: Ctx, sent: readonly unknown[], shared: Fields): Promise<Result[]> {
  const tool = { name: "update_memory", input: ChangedRecord, aliases: ALIASES };
  const known = new Set<number>();
  const { valid, refused } = readEach(sent, (one): Update => {
    const { id, ...own } = readInput(tool, one);
    if (known.has(id)) throw badRequest(`${nameOfRecord(id)} is here twice: give all its fields at once`);
    known.add(id);
    return { id, change: changeOf({ ...shared, ...given(own) }) };
  });
  const updates = valid.map(({ value }) => value);
  const updated = updates.length > 0 ? await updateMemories(ctx, updates, writerOf(ctx)) : [];
  const results = valid.map(({ index, value }, place) => {
    const one = updated[place] ?? value;
    return { index, ...resultOf(one, value.change) };
  });
  return inOrder([...refused, ...results]);
}

type Asked = { ids?: number[] | undefined; records?: unknown[] | undefined };

/** Changes the records that were asked for. Throws 400 for none, or for both ways of naming them. */
async function update(ctx: Ctx, { ids, records }: Asked, fields: Fields): Promise<Omit<Written, "today">> {
  if (ids && records) throw badRequest("records: give either ids or records");
  if (records) return { results: await updateEach(ctx, records, fields) };
  if (ids) return updateShared(ctx, ids, fields);
  throw badRequest("ids: which records? list_memories and search show their ids");
}

export const updateMemory = defineTool({
  name: "update_memory",
  title: "Change records",
  description:
    "Changes fields of one or more records, such as due_date when one is postponed; omitted ones stay, null clears one. To " +
    "close, defer, reopen or confirm them, call close_memories. in_project instead of ids, with project: renames or " +
    "merges a project; undo_changes takes its change_ids.",
  access: "memory:write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(RecordId).min(1).max(MAX_AT_ONCE).optional(),
    records: publishedRecords(
      Object.keys(ChangedRecord.shape),
      ["id"],
      "Instead of ids: each with fields of its own",
    ),
    in_project: z.string().optional(),
    ...Fields.shape,
  }),
  output: Written,
  receipt,
  aliases: { ...CHANGED_NAMES, id: "ids", memory_id: "ids", memory_ids: "ids", memories: "records" },
  run: async (ctx, { ids, records, in_project, ...fields }) => {
    if (in_project === undefined) {
      return { ...(await update(ctx, { ids, records }, fields)), ...(await todayFor(ctx)) };
    }
    const { in_trash, ...renamed } = await renameProject(ctx, {
      in_project,
      others: { ...fields, ids, records },
    });
    const renaming = { ...renamed, ...(in_trash > 0 && { in_trash }) };
    const note = mentionsNote(in_project.trim(), await countMentions(ctx, in_project.trim()), ctx);
    return { ...renaming, ...(note && { note }), ...(await todayFor(ctx)) };
  },
});

type Renaming = { in_project: string; others: Fields & Asked };

/** Renames a project; returns how many records it changed, and the numbers of the changes. Throws 400 for anything else, 404 for an unknown one. */
async function renameProject(ctx: Ctx, { in_project, others }: Renaming): Promise<Renamed> {
  const { project, ...more } = others;
  if (!project || Object.keys(given(more)).length > 0)
    throw badRequest("in_project: goes with project, the new name, and nothing else");
  const renaming = renameProjectOf(ctx, { project: in_project.trim(), next: project }, writerOf(ctx));
  return renaming.catch(async (problem: unknown) => {
    if (!(problem instanceof AppError) || problem.status !== 404) throw problem;
    const { meant, near } = await findProject(ctx, in_project.trim());
    const name = meant ?? near;
    const hint = name === undefined ? "whoami lists the projects" : `did you mean "${name}"?`;
    throw new AppError(404, `No record has the project ${in_project}: ${hint}`);
  });
}

const counted = (count: number, one: string, many = `${one}s`) =>
  count > 0 ? [`${count} ${count === 1 ? one : many}`] : [];

/** Says where the old name of a project is still found, as far as the caller may know; undefined if nowhere. */
function mentionsNote(name: string, mentions: Mentions, { scopes }: Ctx): string | undefined {
  const readsDocuments = !scopes || scopes.includes("docs:read");
  const places = [
    ...counted(mentions.topics, "topic of a record", "topics of records"),
    ...(readsDocuments
      ? [
          ...counted(mentions.titles, "title of a document", "titles of documents"),
          ...counted(mentions.folders, "folder"),
          ...counted(mentions.tags, "tagging"),
        ]
      : []),
  ];
  return places.length > 0 ? `"${name}" is still in ${places.join(", ")}: search finds them` : undefined;
}
