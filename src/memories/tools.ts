import { z } from "zod";
import type { Ctx } from "../core/ctx.ts";
import { AppError, badRequest } from "../core/errors.ts";
import { defineTool, todayFor } from "../core/tool.ts";
import { MAX_TAGS } from "../documents/schema.ts";
import type { BulkOperation } from "./bulk-schema.ts";
import { carryOut, type Outcome } from "./bulk-store.ts";
import * as changes from "./change-store.ts";
import type { Writer } from "./row-store.ts";
import { MemoryCreateRequest, MemoryType, MemoryUpdateRequest } from "./schema.ts";
import { rememberMemory } from "./store.ts";
import { ConfirmedMemory, changedDetails, confirmed, newDetails, ToolDay, ToolText } from "./tool-memory.ts";

const MAX_IDS = 50;

const Id = z.int().min(1);
const { tags } = MemoryCreateRequest.shape;

const writerOf = (ctx: Ctx): Writer => ({ source_type: "mcp", client_name: ctx.client_name });

const UNKNOWN = "is not one of your records: list_memories shows their ids";

/** The result of changing one record. If it is not found, the error says how to find its id. */
const explained = <Result>(id: number, change: Promise<Result>): Promise<Result> =>
  change.then(
    (result) => result,
    (problem: unknown) => {
      if (problem instanceof AppError && problem.status === 404) throw new AppError(404, `${id} ${UNKNOWN}`);
      throw problem;
    },
  );

const NAMES = { type: "memory_type", title: "topic", text: "content", due: "due_date", tag: "tags" };

/** The answer to a write. A caller who may not read records gets the `receipt` instead. */
const Changed = z.strictObject({ memory: ConfirmedMemory, today: z.string() });

const receipt = ({ memory: { id }, today }: z.infer<typeof Changed>) => ({ memory: { id }, today });

const KNOWN = "There is already a record that says exactly this: nothing was added";

export const remember = defineTool({
  name: "remember",
  title: "Remember",
  description:
    "Stores a short record. Call it when somebody promises or must do something (commitment), decides, is blocked, " +
    "or states a lasting pattern, preference or context. For long texts call create_document. To replace an older record, " +
    "give its id in replaces_id.",
  access: "memory:write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    memory_type: MemoryType,
    ...ToolText,
    ...newDetails,
    tags: z.array(z.string()).max(MAX_TAGS).optional(),
    replaces_id: Id.optional(),
  }),
  output: Changed.extend({ note: z.string().optional() }),
  receipt,
  aliases: { ...NAMES, supersedes_id: "replaces_id", replaces: "replaces_id" },
  run: async (ctx, { replaces_id, ...input }) => {
    const record = MemoryCreateRequest.parse({ ...input, tags: readTags(input.tags) });
    if (!replaces_id) {
      const { memory, isNew } = await rememberMemory(ctx, record, writerOf(ctx));
      return { memory: confirmed(memory), ...(!isNew && { note: KNOWN }), ...(await todayFor(ctx)) };
    }
    const replacing = changes.supersedeMemory(ctx, replaces_id, record, writerOf(ctx));
    const { successor } = await explained(replaces_id, replacing);
    return { memory: confirmed(successor), ...(await todayFor(ctx)) };
  },
});

/** Validates tags like the API. Throws 400. */
function readTags(names: string[] | undefined): string[] | undefined {
  const read = tags.safeParse(names);
  if (!read.success) throw badRequest("tags: at most 50, each of 1 to 64 characters");
  return read.data;
}

export const updateMemory = defineTool({
  name: "update_memory",
  title: "Change a record",
  description:
    "Changes fields of a record, such as due_date when it is postponed; omitted ones stay, null clears one. To close, " +
    "defer, reopen or confirm it, call close_memories.",
  access: "memory:write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    id: Id,
    memory_type: MemoryType.optional(),
    topic: ToolText.topic.optional(),
    content: ToolText.content.optional(),
    ...changedDetails,
    tags: z.array(z.string()).max(MAX_TAGS).optional(),
  }),
  output: Changed,
  receipt,
  aliases: { ...NAMES, memory_id: "id" },
  run: async (ctx, { id, ...fields }) => {
    const { tags: names, ...rest } = fields;
    if (Object.keys(fields).length === 0)
      throw badRequest("Nothing to change: give at least one field besides id");
    const change = MemoryUpdateRequest.parse({ ...rest, ...(names && { tags: readTags(names) }) });
    const memory = await explained(id, changes.updateMemory(ctx, id, change, writerOf(ctx)));
    return { memory: confirmed(memory), ...(await todayFor(ctx)) };
  },
});

const Step = z.enum(["resolved", "deferred", "archived", "reopened", "confirmed", "deleted"]);

type Closing = { note?: string | undefined; deferred_until?: string | undefined };

/** The operation that leads to each outcome. */
const STEPS: Record<z.infer<typeof Step>, (id: number, closing: Closing) => BulkOperation> = {
  resolved: (id, { note }) => ({ operation: "resolve", id, resolution_note: note }),
  deferred: (id, { note, deferred_until }) => ({ operation: "defer", id, note, deferred_until }),
  archived: (id, { note }) => ({ operation: "archive", id, note }),
  reopened: (id, { note }) => ({ operation: "reopen", id, note }),
  confirmed: (id, { note }) => ({ operation: "confirm", id, note }),
  deleted: (id) => ({ operation: "delete", id }),
};

export const closeMemories = defineTool({
  name: "close_memories",
  title: "Close records",
  description:
    "Closes or reopens records: resolved (done), deferred (hidden until deferred_until, or until reopened; its due_date " +
    "stays, a new deadline is update_memory's due_date), archived (no longer matters), reopened, confirmed (still holds), " +
    "deleted (a mistake: to the trash, not counted; restore brings it back). Each id succeeds or fails on its own.",
  access: "memory:write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ids: z.array(Id).min(1).max(MAX_IDS),
    outcome: Step,
    note: z.string().min(1).max(2000).optional(),
    deferred_until: ToolDay.optional(),
  }),
  output: z.strictObject({
    results: z.array(ConfirmedMemory.extend({ ok: z.boolean(), detail: z.string().optional() })),
    succeeded: z.number(),
    failed: z.number(),
    today: z.string(),
  }),
  receipt: ({ results, ...rest }) => ({
    results: results.map(({ id, ok, detail }) => ({ id, ok, ...(detail && { detail }) })),
    ...rest,
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
    const outcomes = await carryOut(ctx, steps, writerOf(ctx));
    const succeeded = outcomes.filter(({ ok }) => ok).length;
    return {
      results: outcomes.map(resultOf),
      succeeded,
      failed: outcomes.length - succeeded,
      ...(await todayFor(ctx)),
    };
  },
});

/** The result for one record: what it is now, or why it was refused. */
const resultOf = ({ id = 0, ok, detail, memory }: Outcome) => ({
  ...(memory ? confirmed(memory) : { id }),
  ok,
  ...(detail && { detail: detail === "Not found" ? `${id} ${UNKNOWN}` : detail }),
});

export const memoryTools = [remember, updateMemory, closeMemories] as const;
