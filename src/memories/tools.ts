import { z } from "zod";
import type { Ctx } from "../core/ctx.ts";
import { dayOf } from "../core/days.ts";
import { AppError, badRequest } from "../core/errors.ts";
import { defineTool } from "../core/tool.ts";
import { changeMemories } from "./bulk-store.ts";
import {
  type BulkOperation,
  Day,
  type Memory,
  MemoryCreateRequest,
  MemoryType,
  MemoryUpdateRequest,
  Scope,
} from "./schema.ts";
import * as store from "./store.ts";

const MAX_IDS = 50;
const MAX_CONTENT = 500;

/** A day as tools publish it: the pattern of a calendar date would cost every model a hundred tokens. */
const ToolDay = z
  .string()
  .refine((day) => Day.safeParse(day).success, "must be a day such as 2026-12-24")
  .meta({ format: "date" });

const Id = z.int().min(1);
const { topic, content, project, tags } = MemoryCreateRequest.shape;

/** Text that costs few tokens to describe and is checked like the field of the API. */
const checked = (field: z.ZodType) =>
  z.string().superRefine((text, issue) => {
    const [problem] = field.safeParse(text).error?.issues ?? [];
    if (problem) issue.addIssue({ code: "custom", message: problem.message });
  });

const ToolText = { topic: checked(topic), content: checked(content), project: checked(project) };

/** A record as tools show it; what it does not have is left out. Plain types: bounds and lists of values cost tokens. */
export const ToolMemory = z.strictObject({
  id: z.number(),
  memory_type: z.string(),
  topic: z.string(),
  content: z.string().optional(),
  status: z.string(),
  scope: z.string().optional(),
  project: z.string().optional(),
  tags: z.array(z.string()).optional(),
  due_date: z.string().optional(),
  deferred_until: z.string().optional(),
  replaces_id: z.number().optional(),
});

export const cut = (text: string, length: number) => {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
};

/** The day and the zone that every answer with dates names. */
const dayAndZone = (ctx: Ctx) => ({
  today: dayOf(ctx.now, ctx.account.timezone),
  timezone: ctx.account.timezone,
});

/** A record without what it does not have. A long content is cut. */
export function toolMemory(memory: Memory): z.infer<typeof ToolMemory> {
  const { id, memory_type, status, scope, due_date, deferred_until, supersedes_id } = memory;
  return {
    id,
    memory_type,
    topic: memory.topic,
    content: cut(memory.content, MAX_CONTENT),
    status,
    ...(scope && { scope }),
    ...(memory.project && { project: memory.project }),
    ...(memory.tags.length > 0 && { tags: memory.tags }),
    ...(due_date && { due_date }),
    ...(deferred_until && { deferred_until }),
    ...(supersedes_id && { replaces_id: supersedes_id }),
  };
}

const originOf = (ctx: Ctx): store.Origin => ({ source_type: "mcp", client_name: ctx.client_name });

const UNKNOWN = "is not one of your records: list_memories shows their ids";

/** The result of a change of one record; where the id is nobody's, the refusal says what to do. */
const explained = <Result>(id: number, change: Promise<Result>): Promise<Result> =>
  change.then(
    (result) => result,
    (problem: unknown) => {
      if (problem instanceof AppError && problem.status === 404) throw new AppError(404, `${id} ${UNKNOWN}`);
      throw problem;
    },
  );

const NAMES = { type: "memory_type", title: "topic", text: "content", due: "due_date", tag: "tags" };

/** A record as a write answers it: whole for whoever may read it. */
const Changed = z.strictObject({
  memory: ToolMemory.partial({ memory_type: true, topic: true, status: true }),
  today: z.string(),
  timezone: z.string(),
});

const receipt = ({ memory: { id }, ...days }: z.infer<typeof Changed>) => ({ memory: { id }, ...days });

const KNOWN = "There is already a record that says exactly this: nothing was added";

export const remember = defineTool({
  name: "remember",
  title: "Remember",
  description:
    "Keeps a short record. Call it when somebody promises or must do something (commitment), decides, is blocked, " +
    "or states a lasting pattern, preference or context. Long texts: create_document. What replaces an older record " +
    "names it in replaces_id.",
  access: "memory:write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    memory_type: MemoryType,
    topic: ToolText.topic.meta({ description: "One line" }),
    content: ToolText.content,
    scope: Scope.optional(),
    project: ToolText.project.optional(),
    due_date: ToolDay.optional(),
    tags: z.array(z.string()).optional(),
    replaces_id: Id.optional(),
  }),
  output: Changed.extend({ note: z.string().optional() }),
  receipt: ({ note: _, ...changed }) => receipt(changed),
  aliases: { ...NAMES, supersedes_id: "replaces_id", replaces: "replaces_id" },
  run: async (ctx, { replaces_id, ...input }) => {
    const record = MemoryCreateRequest.parse({ ...input, tags: readTags(input.tags) });
    if (!replaces_id) {
      const { memory, isNew } = await store.rememberMemory(ctx, record, originOf(ctx));
      return { memory: toolMemory(memory), ...(!isNew && { note: KNOWN }), ...dayAndZone(ctx) };
    }
    const replacing = store.supersedeMemory(ctx, replaces_id, record, originOf(ctx));
    const { successor } = await explained(replaces_id, replacing);
    return { memory: toolMemory(successor), ...dayAndZone(ctx) };
  },
});

/** Tags under the rules of the API. Throws 400. */
function readTags(names: string[] | undefined): string[] | undefined {
  const read = tags.safeParse(names);
  if (!read.success) throw badRequest("tags: at most 50, each of 1 to 64 characters");
  return read.data;
}

export const updateMemory = defineTool({
  name: "update_memory",
  title: "Change a record",
  description:
    "Changes what a record says; fields left out stay, null takes one away. To close, defer, reopen or confirm it " +
    "call close_memories.",
  access: "memory:write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    id: Id,
    memory_type: MemoryType.optional(),
    topic: ToolText.topic.optional(),
    content: ToolText.content.optional(),
    scope: Scope.nullable().optional(),
    project: ToolText.project.nullable().optional(),
    due_date: ToolDay.nullable().optional(),
    tags: z.array(z.string()).optional(),
  }),
  output: Changed,
  receipt,
  aliases: { ...NAMES, memory_id: "id" },
  run: async (ctx, { id, ...fields }) => {
    const { tags: names, ...rest } = fields;
    if (Object.keys(fields).length === 0)
      throw badRequest("Nothing to change: name at least one field beside id");
    const change = MemoryUpdateRequest.parse({ ...rest, ...(names && { tags: readTags(names) }) });
    const memory = await explained(id, store.updateMemory(ctx, id, change, originOf(ctx)));
    return { memory: toolMemory(memory), ...dayAndZone(ctx) };
  },
});

const Outcome = z.enum(["resolved", "deferred", "archived", "reopened", "confirmed"]);

type Closing = { note?: string | undefined; deferred_until?: string | undefined };

/** The step that leads to an outcome. */
const STEPS: Record<z.infer<typeof Outcome>, (id: number, closing: Closing) => BulkOperation> = {
  resolved: (id, { note }) => ({ operation: "resolve", id, resolution_note: note }),
  deferred: (id, { note, deferred_until }) => ({ operation: "defer", id, note, deferred_until }),
  archived: (id, { note }) => ({ operation: "archive", id, note }),
  reopened: (id) => ({ operation: "reopen", id }),
  confirmed: (id) => ({ operation: "confirm", id }),
};

export const closeMemories = defineTool({
  name: "close_memories",
  title: "Close records",
  description:
    "Ends records, or brings them back: resolved (done), deferred (until a day, or until reopened), archived (no " +
    "longer matters), reopened, confirmed (still holds). Each id succeeds or fails on its own.",
  access: "memory:write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(Id).min(1).max(MAX_IDS),
    outcome: Outcome,
    note: z.string().min(1).max(2000).optional(),
    deferred_until: ToolDay.optional(),
  }),
  output: z.strictObject({
    results: z.array(z.strictObject({ id: z.number(), ok: z.boolean(), detail: z.string().optional() })),
    succeeded: z.number(),
    failed: z.number(),
    today: z.string(),
    timezone: z.string(),
  }),
  aliases: {
    id: "ids",
    memory_ids: "ids",
    status: "outcome",
    until: "deferred_until",
    resolution_note: "note",
  },
  run: async (ctx, { ids, outcome, ...closing }) => {
    const steps = [...new Set(ids)].map((id) => STEPS[outcome](id, closing));
    const { results, succeeded, failed } = await changeMemories(ctx, steps, originOf(ctx));
    return {
      results: results.map(({ id = 0, ok, detail }) => ({
        id,
        ok,
        ...(detail && { detail: detail === "Not found" ? `${id} ${UNKNOWN}` : detail }),
      })),
      succeeded,
      failed,
      ...dayAndZone(ctx),
    };
  },
});

export const memoryTools = [remember, updateMemory, closeMemories] as const;
