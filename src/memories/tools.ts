import { z } from "zod";
import type { Ctx } from "../core/ctx.ts";
import { AppError, badRequest } from "../core/errors.ts";
import { problemsOf } from "../core/problems.ts";
import { defineTool } from "../core/tool.ts";
import { MAX_TAGS } from "../documents/schema.ts";
import { listActive } from "./active-store.ts";
import { type Clock, daysSince } from "./ages.ts";
import { listTypedAlerts } from "./alert-store.ts";
import type { BulkOperation } from "./bulk-schema.ts";
import { changeMemories } from "./bulk-store.ts";
import * as changes from "./change-store.ts";
import { type ClosedStatus, listClosed } from "./closed-store.ts";
import type { Filters } from "./filter-store.ts";
import { listMemories as listAll } from "./list-store.ts";
import { clockOf, dayAndZone, type Writer } from "./row-store.ts";
import {
  type Memory,
  MemoryCreateRequest,
  MemoryListQuery,
  MemoryStatus,
  MemoryType,
  MemoryUpdateRequest,
  Scope,
} from "./schema.ts";
import { rememberMemory } from "./store.ts";
import {
  activeToolItem,
  changedDetails,
  closedToolItem,
  newDetails,
  ToolDay,
  ToolItem,
  ToolMemory,
  ToolStats,
  ToolText,
  toolMemory,
  toolStats,
} from "./tool-memory.ts";

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
  receipt: ({ note: _, ...changed }) => receipt(changed),
  aliases: { ...NAMES, supersedes_id: "replaces_id", replaces: "replaces_id" },
  run: async (ctx, { replaces_id, ...input }) => {
    const record = MemoryCreateRequest.parse({ ...input, tags: readTags(input.tags) });
    if (!replaces_id) {
      const { memory, isNew } = await rememberMemory(ctx, record, writerOf(ctx));
      return { memory: toolMemory(memory), ...(!isNew && { note: KNOWN }), ...(await dayAndZone(ctx)) };
    }
    const replacing = changes.supersedeMemory(ctx, replaces_id, record, writerOf(ctx));
    const { successor } = await explained(replaces_id, replacing);
    return { memory: toolMemory(successor), ...(await dayAndZone(ctx)) };
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
    "Changes fields of a record; omitted ones stay, null clears one. To close, defer, reopen or confirm it, " +
    "call close_memories.",
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
    return { memory: toolMemory(memory), ...(await dayAndZone(ctx)) };
  },
});

const Outcome = z.enum(["resolved", "deferred", "archived", "reopened", "confirmed", "deleted"]);

type Closing = { note?: string | undefined; deferred_until?: string | undefined };

/** The operation that leads to each outcome. */
const STEPS: Record<z.infer<typeof Outcome>, (id: number, closing: Closing) => BulkOperation> = {
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
    "Closes or reopens records: resolved (done), deferred (until a day, or until reopened), archived (no " +
    "longer matters), reopened, confirmed (still holds), deleted (a mistake: to the trash, not counted; restore " +
    "brings it back). Each id succeeds or fails on its own.",
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
    const { results, succeeded, failed } = await changeMemories(ctx, steps, writerOf(ctx));
    return {
      results: results.map(({ id = 0, ok, detail }) => ({
        id,
        ok,
        ...(detail && { detail: detail === "Not found" ? `${id} ${UNKNOWN}` : detail }),
      })),
      succeeded,
      failed,
      ...(await dayAndZone(ctx)),
    };
  },
});

const View = z.enum(["active", "alerts", "history", "all"]);

const Input = z.strictObject({
  view: View.default("active"),
  memory_type: MemoryType.optional(),
  scope: Scope.optional(),
  project: z.string().optional(),
  status: MemoryStatus.optional(),
  tag: z.array(z.string()).max(MAX_TAGS).optional(),
  q: z.string().optional().meta({ description: "Words it must contain" }),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
type Input = z.infer<typeof Input>;

type Found = { items: ToolItem[]; total: number; stats?: z.infer<typeof ToolStats> };

const filtersOf = ({ memory_type, scope, project }: Input): Filters => ({
  memory_type,
  scope,
  project: project?.trim() || undefined,
});

/** A record in any state, with its age and its replacement. */
function anyItem(memory: Memory, clock: Clock): ToolItem {
  const days_ago = daysSince(memory.created_at, clock);
  const replaced_by_id = memory.superseded_by_id;
  return { ...toolMemory(memory), days_ago, ...(replaced_by_id && { replaced_by_id }) };
}

function closedStatus(status: Input["status"]): ClosedStatus | undefined {
  if (status === "active")
    throw badRequest("status: history has no active records; call again with view active");
  return status;
}

/** The query of each view. */
const VIEWS: Record<Input["view"], (ctx: Ctx, input: Input) => Promise<Found>> = {
  active: async (ctx, input) => {
    const { items, total } = await listActive(ctx, filtersOf(input), input);
    return { items: items.map(activeToolItem), total };
  },
  alerts: async (ctx, input) => {
    const { items, total } = await listTypedAlerts(ctx, filtersOf(input), input);
    return { items: items.map(activeToolItem), total };
  },
  history: async (ctx, input) => {
    const { limit, offset } = input;
    const query = { ...filtersOf(input), limit, offset, status: closedStatus(input.status) };
    const { items, total, stats } = await listClosed(ctx, query);
    return { items: items.map(closedToolItem), total, stats: toolStats(stats) };
  },
  all: async (ctx, { view: _, limit, offset, ...input }) => {
    const page = { limit: String(limit), offset: String(offset) };
    const query = MemoryListQuery.safeParse({ ...input, ...page });
    if (!query.success) throw badRequest(problemsOf(query.error));
    const { items, total } = await listAll(ctx, query.data);
    const clock = await clockOf(ctx);
    return { items: items.map((memory) => anyItem(memory, clock)), total };
  },
};

/** Throws 400 for a filter that the view does not support. */
function checkFilters({ view, status, tag, q }: Input): void {
  const onlyAll = [...(tag ? ["tag"] : []), ...(q ? ["q"] : [])];
  if (onlyAll.length > 0 && view !== "all") {
    throw badRequest(
      `${onlyAll.join(" and ")}: only available with view all; call again with view all and a status`,
    );
  }
  if (status && (view === "alerts" || (view === "active" && status !== "active"))) {
    throw badRequest(`status: view ${view} shows active records only; call again with view history or all`);
  }
}

export const listMemories = defineTool({
  name: "list_memories",
  title: "List records",
  description:
    "Lists records: active (overdue first, then by due date), alerts (overdue or stale), history (closed, with " +
    "statistics) or all. status works with history and all, tag and q with all. Long contents are cut: fetch " +
    "returns one in full.",
  access: "memory:read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: Input,
  output: z.strictObject({
    view: z.string(),
    items: z.array(ToolItem),
    total: z.number(),
    has_more: z.boolean(),
    stats: ToolStats.optional(),
    today: z.string(),
    timezone: z.string(),
  }),
  aliases: { type: "memory_type", query: "q", tags: "tag" },
  run: async (ctx, input) => {
    checkFilters(input);
    const found = await VIEWS[input.view](ctx, input);
    const has_more = input.offset + found.items.length < found.total;
    return { view: input.view, ...found, has_more, ...(await dayAndZone(ctx)) };
  },
});

export const memoryTools = [remember, updateMemory, closeMemories, listMemories] as const;
