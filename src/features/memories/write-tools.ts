import { z } from "zod";
import { MAX_TAGS } from "../../contract/document.ts";
import { RecordId } from "../../contract/ids.ts";
import { type Memory, MemoryCreateRequest, MemoryType } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { type ParsedRecords, parseEach, rejectedItem, sortByIndex } from "../../platform/tools/batch.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { readInput, readRecordInput } from "../../platform/tools/tool-input.ts";
import { attachToolFiles, FilesParameter, storeToolFiles } from "../files/tool-files.ts";
import {
  rememberAllWithKnownNames,
  rememberWithKnownNames,
  supersedeWithKnownNames,
  type WithNote,
} from "./known-names-store.ts";
import { explainMemoryRejection } from "./rejection-store.ts";
import type { RememberResult } from "./remember-store.ts";
import type { MemoryWriter } from "./row-store.ts";
import { ConfirmedMemory, confirmMemory, newDetailFields, recordName, ToolText } from "./tool-memory.ts";
import { dayForWords, newPlanFields, parsePlan } from "./tool-plan.ts";

// The tool that stores records, and what all tools that write records share.

export const MAX_PER_CALL = 50;

export const tagsInput = z.array(z.string()).max(MAX_TAGS).optional();

export const toolWriter = (ctx: Ctx): MemoryWriter => ({ source_type: "mcp", client_name: ctx.client_name });

export const CHANGE_ALIASES = {
  type: "memory_type",
  title: "topic",
  text: "content",
  due: "due_date",
  rrule: "repeat",
  recurrence: "repeat",
  reminders: "remind",
  reminder: "remind",
};

/** A hint for parameters that models send to close a record. */
export const closingElsewhere = (hint: string): Record<string, string> => ({
  status: hint,
  outcome: hint,
  resolution_note: hint,
  resolved_at: hint,
  resolved_on: hint,
  done_on: hint,
  completed_on: hint,
});

/** Validates tags like the API. Throws 400. */
export function readTags(names: string[] | undefined): string[] | undefined {
  const read = MemoryCreateRequest.shape.tags.safeParse(names);
  if (!read.success) throw badRequest("tags: at most 50, each of 1 to 64 characters");
  return read.data;
}

const Similar = z.array(z.strictObject({ id: z.string(), topic: z.string(), why: z.string() })).optional();

/** The result for one of several records. */
export const RecordResult = ConfirmedMemory.partial({ id: true }).extend({
  index: z.number().optional(),
  ok: z.boolean(),
  note: z.string().optional(),
  detail: z.string().optional(),
});

const WriteResult = RecordResult.extend({ similar: Similar });
export type WriteResult = z.infer<typeof WriteResult>;

/** A list of records, each validated by itself, so that a rejected one does not stop the others. `fields`: JSON Schemas to publish. */
export function publishedRecords(
  required: readonly string[],
  description: string,
  fields: Record<string, Record<string, unknown>> = {},
) {
  const typed = Object.entries(fields).map(([name, schema]) => [name, z.unknown().optional().meta(schema)]);
  const record = z.looseObject(Object.fromEntries(typed)).meta({ required });
  return z.array(record).min(1).max(MAX_PER_CALL).optional().meta({ description });
}

const STRING_SCHEMA = { type: "string" };

/** The fields published for each of several new records. */
const PUBLISHED_FIELDS = {
  memory_type: { ...STRING_SCHEMA, enum: MemoryType.options },
  topic: STRING_SCHEMA,
  content: STRING_SCHEMA,
  project: STRING_SCHEMA,
  due_date: STRING_SCHEMA,
  due_time: STRING_SCHEMA,
  repeat: STRING_SCHEMA,
  tags: { type: "array", items: STRING_SCHEMA, maxItems: MAX_TAGS },
};

/** The response to a write: the record, or a result for each of several. */
export const WriteResponse = z.strictObject({
  memory: ConfirmedMemory.optional(),
  files: z.array(z.string()).optional(),
  note: z.string().optional(),
  similar: Similar,
  results: z.array(WriteResult).optional(),
  renamed: z.number().optional(),
  in_trash: z.number().optional(),
  today: z.string(),
});
export type WriteResponse = z.infer<typeof WriteResponse>;

/** The response for a caller without permission to read records. */
export const responseWithoutContent = ({
  memory,
  results,
  renamed,
  in_trash,
  today,
}: WriteResponse): WriteResponse => ({
  ...(memory && { memory: { id: memory.id } }),
  ...(results && { results: results.map(({ index, ok, id, detail }) => ({ index, ok, id, detail })) }),
  ...(renamed !== undefined && { renamed, in_trash }),
  today,
});

const NewRecord = z.strictObject({
  memory_type: MemoryType,
  ...ToolText,
  ...newDetailFields,
  ...newPlanFields,
  tags: tagsInput,
  replaces_id: RecordId.optional(),
});

/** The record to store, and the one it replaces. Throws 400 for an invalid plan or tag. */
function createRequest(sent: z.infer<typeof NewRecord>, today: string) {
  const { replaces_id, ...record } = parsePlan(sent, { today, isNew: true });
  return { replaces_id, record: MemoryCreateRequest.parse({ ...record, tags: readTags(record.tags) }) };
}
type CreateRequest = ReturnType<typeof createRequest>;
type Replacement = CreateRequest & { replaces_id: number };

const isReplacement = (request: CreateRequest): request is Replacement => request.replaces_id !== undefined;

const ALREADY_STORED = "An identical record already exists: nothing was added";

const remarks = ({ isNew, similar, note }: RememberResult & WithNote) => ({
  ...((!isNew || note) && { note: isNew ? note : ALREADY_STORED }),
  ...(similar.length > 0 && { similar: similar.map((one) => ({ ...one, id: recordName(one.id) })) }),
});

/** How a new record is confirmed: without its status, which is always active. */
function confirmedNew(memory: Memory): ConfirmedMemory {
  const { status: _, ...rest } = confirmMemory(memory);
  return { ...rest, ...(memory.tags.length > 0 && { tags: memory.tags }) };
}

/** Names the parameter in the error for a record that cannot be replaced. */
function rethrowForReplacesId(problem: unknown): never {
  if (!(problem instanceof AppError)) throw problem;
  throw new AppError(
    problem.status,
    `replaces_id: ${problem.message}. To store this one as well, leave replaces_id out`,
  );
}

async function storeReplacing(ctx: Ctx, { record, replaces_id }: Replacement) {
  const replacing = supersedeWithKnownNames(ctx, replaces_id, record, toolWriter(ctx));
  const stored = await replacing.catch(explainMemoryRejection(ctx, replaces_id)).catch(rethrowForReplacesId);
  return { ...stored, isNew: true, similar: [] };
}

async function rememberOne(ctx: Ctx, request: CreateRequest): Promise<Omit<WriteResponse, "today">> {
  const stored = await (isReplacement(request)
    ? storeReplacing(ctx, request)
    : rememberWithKnownNames(ctx, request.record, toolWriter(ctx)));
  return { memory: confirmedNew(stored.memory), ...remarks(stored) };
}

const writeResult = (index: number, stored: RememberResult & WithNote): WriteResult => {
  return { index, ok: true, ...confirmedNew(stored.memory), ...remarks(stored) };
};

type NewRecords = ParsedRecords<CreateRequest>["valid"];

/** An invalid record must not reject the others. */
function undefinedIfInvalid(problem: unknown): undefined {
  if (!(problem instanceof AppError) || problem.status !== 422) throw problem;
}

/** Stores records that replace no others: in one transaction, or each by itself if that fails. */
async function storeNew(ctx: Ctx, newRecords: NewRecords): Promise<WriteResult[]> {
  if (newRecords.length === 0) return [];
  const inputs = newRecords.map(({ value }) => value.record);
  const writer = toolWriter(ctx);
  const together = await rememberAllWithKnownNames(ctx, inputs, writer).catch(undefinedIfInvalid);
  if (together) return together.map((stored, place) => writeResult(newRecords[place]?.index ?? 0, stored));
  const results: WriteResult[] = [];
  for (const [place, input] of inputs.entries()) {
    const index = newRecords[place]?.index ?? 0;
    const storing = rememberWithKnownNames(ctx, input, writer);
    results.push(await storing.then((stored) => writeResult(index, stored), rejectedItem(index)));
    await yieldToOthers();
  }
  return results;
}

async function rememberMany(ctx: Ctx, sent: readonly unknown[]): Promise<WriteResult[]> {
  const today = await dayForWords(ctx, sent);
  const { valid, refused } = parseEach(sent, (one) => createRequest(readRecordInput(RECORD, one), today));
  const fresh = valid.filter(({ value }) => !isReplacement(value));
  const results = [...refused, ...(await storeNew(ctx, fresh))];
  for (const { index, value } of valid) {
    if (!isReplacement(value)) continue;
    results.push(
      await storeReplacing(ctx, value).then((one) => writeResult(index, one), rejectedItem(index)),
    );
  }
  return sortByIndex(results);
}

const ALIASES: Record<string, string> = {
  ...CHANGE_ALIASES,
  tag: "tags",
  supersedes_id: "replaces_id",
  replaces: "replaces_id",
};
const elsewhere = closingElsewhere(
  "close_memories closes it afterwards, with resolved_on for an earlier day",
);
const RECORD = { name: "remember", input: NewRecord, aliases: ALIASES, elsewhere };

export const remember = defineTool({
  name: "remember",
  title: "Remember",
  description:
    "Stores a short record. Call it when somebody promises or must do something (commitment), decides, is blocked, " +
    "or states a lasting pattern, preference or context. To replace an older record, give its id in replaces_id. Names " +
    "similar open records.",
  access: "memory:write",
  adds: ["records", "bytes"],
  changes: ["memory"],
  hints: { destructive: false, idempotent: false, openWorld: false },
  input: NewRecord.partial().extend({
    files: FilesParameter,
    records: publishedRecords(
      ["memory_type", "topic", "content"],
      "Several at once, each with any of these fields",
      PUBLISHED_FIELDS,
    ),
  }),
  output: WriteResponse,
  withoutContent: responseWithoutContent,
  aliases: { ...ALIASES, memories: "records", attachments: "files" },
  elsewhere,
  run: async (ctx, { records, files, ...one }) => {
    const isSingle = Object.values(one).some((value) => value !== undefined);
    if (records && isSingle) throw badRequest("records: give either records or the fields of a single one");
    if (records && files) throw badRequest("files: goes with a single record");
    if (records) return { results: await rememberMany(ctx, records), ...(await todayField(ctx)) };
    if (!isSingle) throw badRequest("records: give the fields of a record, or several records");
    const today = await dayForWords(ctx, [one]);
    const request = createRequest(readInput(RECORD, one), today);
    const stored = await storeToolFiles(ctx, files);
    const written = await rememberOne(ctx, request);
    const memory_id = written.memory && Number(written.memory.id.replace("mem:", ""));
    return { ...written, ...(await attachToolFiles(ctx, stored, { memory_id })), ...(await todayField(ctx)) };
  },
});
