import { z } from "zod";
import { resolveInstant } from "../../contract/days.ts";
import { MAX_TAGS } from "../../contract/document.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { type Memory, MemoryListQuery, MemoryStatus, MemoryType } from "../../contract/memory.ts";
import { FILTER_NAMES } from "../../contract/memory-fields.ts";
import { omit, omitUndefined } from "../../contract/omit.ts";
import { describeProblems, hasDateProblem } from "../../contract/problems.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { listActive, listDue } from "./active-store.ts";
import { type Clock, daysSince } from "./ages.ts";
import { listTypedAlerts } from "./alert-store.ts";
import { type ClosedStatus, listClosed, readStats } from "./closed-store.ts";
import type { MemoryFilters } from "./filter-store.ts";
import { listMemoriesForTools, type MemoryListOptions } from "./list-store.ts";
import { unknownProjectNote } from "./project-store.ts";
import { userClock } from "./row-store.ts";
import {
  listItem,
  newDetailFields,
  ToolDay,
  ToolItem,
  ToolStats,
  toolMemory,
  toolStats,
} from "./tool-memory.ts";

const View = z.enum(["active", "alerts", "history", "all"]);

/** A tool does not filter by document. */
const TOOL_FILTERS = FILTER_NAMES.filter((name) => name !== "document_id");

const Input = z.strictObject({
  view: View.optional(),
  memory_type: z.array(MemoryType).max(MemoryType.options.length).optional(),
  ...pickFields(newDetailFields, TOOL_FILTERS),
  project: z.string().optional(),
  status: MemoryStatus.optional(),
  tag: z.array(z.string()).max(MAX_TAGS).optional(),
  q: z.string().optional().meta({ description: "Words it must contain" }),
  created_after: z.string().optional().meta({ description: "A date or date-time" }),
  created_before: z.string().optional(),
  updated_after: z.string().optional(),
  resolved_after: z.string().optional(),
  resolved_before: z.string().optional(),
  due_after: ToolDay.optional().meta({ description: "Due that day or later" }),
  due_before: ToolDay.optional(),
  due: MemoryListQuery.shape.due,
  untouched_days: z.int().min(1).optional(),
  sort: MemoryListQuery.shape.sort.unwrap().optional(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
type Input = z.infer<typeof Input>;

type ListResult = { items: ToolItem[]; total: number; stats?: z.infer<typeof ToolStats> };

/** With more items than this, contents are cut shorter; beyond MAX_RESPONSE_LENGTH the response ends. */
const FULL_CONTENT_ITEMS = 20;
const SHORT_CONTENT = 160;
const MAX_RESPONSE_LENGTH = 16_000;

/** The items that fit into a response, at least one. */
function truncateToLimit(items: ToolItem[]): ToolItem[] {
  let length = 0;
  const end = items.findIndex((item) => {
    length += JSON.stringify(item).length;
    return length > MAX_RESPONSE_LENGTH;
  });
  return end < 0 ? items : items.slice(0, Math.max(1, end));
}

const itemFormatter = (clock: Clock, count: number) => (item: Parameters<typeof listItem>[0]) =>
  listItem(item, clock, count > FULL_CONTENT_ITEMS ? SHORT_CONTENT : undefined);

const DUE_RANGE = ["due_after", "due_before"] as const;

/** Filters that only the list of all records supports; views that get one use that list. */
const NARROWING_FILTERS = [
  ...DUE_RANGE,
  ...TOOL_FILTERS.filter((name) => name !== "scope"),
  "due",
  "tag",
  "q",
  "created_after",
  "created_before",
  "updated_after",
  "resolved_after",
  "resolved_before",
  "untouched_days",
  "sort",
] as const;

const narrowingFilters = (input: Input) => NARROWING_FILTERS.filter((name) => input[name] !== undefined);

const toFilters = ({ memory_type, scope, project }: Input): MemoryFilters => ({
  memory_type: memory_type?.length ? memory_type : undefined,
  scope,
  project: project?.trim() || undefined,
});

function toListItem(memory: Memory & { touched_at: string }, clock: Clock) {
  const { superseded_by_id, created_at, updated_at, touched_at, resolved_at, days_to_resolve } = memory;
  const days_ago = daysSince(created_at, clock);
  const note = memory.resolution_note ?? memory.note;
  const dates = { created_at, days_ago, updated_at, touched_at, resolved_at, days_to_resolve };
  return { ...toolMemory(memory), id: memory.id, ...dates, note, superseded_by_id };
}

async function listNarrowed(
  ctx: Ctx,
  input: Input,
  overrides: Partial<MemoryListOptions>,
): Promise<ListResult> {
  const {
    limit,
    offset,
    created_after,
    created_before,
    updated_after,
    resolved_after,
    resolved_before,
    untouched_days,
    ...rest
  } = omit(input, "view", "memory_type");
  const since = omitUndefined({
    created_after,
    created_before,
    updated_after,
    resolved_after,
    resolved_before,
  });
  const { timezone } = Object.keys(since).length > 0 ? await ctx.user() : { timezone: "UTC" };
  const instants = Object.entries(since).map(([name, day]) => [name, resolveInstant(day, timezone)]);
  const { memory_type } = toFilters(input);
  const query = MemoryListQuery.safeParse({
    ...rest,
    ...(memory_type && { memory_type }),
    ...Object.fromEntries(instants),
    ...(untouched_days && { untouched_days: String(untouched_days) }),
    limit: String(limit),
    offset: String(offset),
  });
  if (!query.success)
    throw badRequest(describeProblems(query.error), hasDateProblem(query.error) ? "day" : undefined);
  const attended_after = query.data.updated_after;
  const { items, total } = await listMemoriesForTools(ctx, { ...query.data, attended_after, ...overrides });
  const clock = await userClock(ctx);
  const show = itemFormatter(clock, items.length);
  return { items: items.map((memory) => show(toListItem(memory, clock))), total };
}

function closedStatus(status: Input["status"]): ClosedStatus | undefined {
  if (status === "active")
    throw badRequest("status: history has no active records; call again with view active");
  return status;
}

async function listHistory(ctx: Ctx, input: Input): Promise<ListResult> {
  const status = closedStatus(input.status);
  if (narrowingFilters(input).length > 0) {
    const found = await listNarrowed(ctx, input, { closed: true, ...(!input.sort && { sort: "closed_at" }) });
    return { ...found, stats: toolStats(await readStats(ctx, toFilters(input))) };
  }
  const { limit, offset } = input;
  const { items, total, stats } = await listClosed(ctx, { ...toFilters(input), limit, offset, status });
  const clock = await userClock(ctx);
  const show = itemFormatter(clock, items.length);
  const shown = items.map((item) => show({ ...item, note: item.resolution_note ?? item.note }));
  return { items: shown, total, stats: toolStats(stats) };
}

const LONGEST_FIRST = { sort: "attended_at", order: "asc" } as const;

async function listActiveView(ctx: Ctx, input: Input): Promise<ListResult> {
  const narrowing = narrowingFilters(input);
  const { due_after, due_before, untouched_days, sort, limit, offset } = input;
  if (narrowing.some((name) => !DUE_RANGE.some((due) => due === name))) {
    const order = untouched_days && !sort ? LONGEST_FIRST : {};
    return listNarrowed(ctx, { ...input, sort: sort ?? "due_date" }, { status: "active", ...order });
  }
  const page = { limit, offset };
  const { items, total } =
    narrowing.length > 0
      ? await listDue(ctx, { ...toFilters(input), due_after, due_before }, page)
      : await listActive(ctx, toFilters(input), page);
  const clock = await userClock(ctx);
  return { items: items.map(itemFormatter(clock, items.length)), total };
}

async function listAlertsView(ctx: Ctx, input: Input): Promise<ListResult> {
  const { items, total } = await listTypedAlerts(ctx, toFilters(input), input);
  const clock = await userClock(ctx);
  return { items: items.map(itemFormatter(clock, items.length)), total };
}

const VIEWS: Record<z.infer<typeof View>, (ctx: Ctx, input: Input) => Promise<ListResult>> = {
  active: listActiveView,
  alerts: listAlertsView,
  history: listHistory,
  all: (ctx, input) => listNarrowed(ctx, input, input.untouched_days && !input.sort ? LONGEST_FIRST : {}),
};

const resolvedFilter = (input: Pick<Input, "resolved_after" | "resolved_before">) =>
  (["resolved_after", "resolved_before"] as const).find((name) => input[name] !== undefined);

function inferView({ view, status, ...input }: Input): z.infer<typeof View> {
  if (view) return view;
  return resolvedFilter(input) || (status && status !== "active") ? "history" : "active";
}

function checkFilters(view: z.infer<typeof View>, input: Input): void {
  const { status } = input;
  const resolved = resolvedFilter(input);
  const narrowing = narrowingFilters(input);
  if (view === "alerts" && narrowing.length > 0) {
    throw badRequest(
      `${narrowing.join(" and ")}: not available with view alerts; call again with view active`,
    );
  }
  if (view === "active" && resolved) {
    throw badRequest(`${resolved}: view active has no resolved records; call again with view history`);
  }
  if (status && (view === "alerts" || (view === "active" && status !== "active"))) {
    throw badRequest(`status: view ${view} shows active records only; call again with view history or all`);
  }
}

/** Lists a view. For a project without records, the note suggests existing ones. */
async function listView(
  ctx: Ctx,
  view: z.infer<typeof View>,
  input: Input,
): Promise<ListResult & { note?: string }> {
  const found = await VIEWS[view](ctx, input);
  const project = input.project?.trim();
  if (found.total > 0 || !project) return found;
  const note = await unknownProjectNote(ctx, project);
  return { ...found, ...(note && { note }) };
}

export const listMemories = defineTool({
  name: "list_memories",
  title: "List records",
  description:
    "Records: active (default; overdue first, then by due date), alerts (overdue or stale), history (resolved, " +
    "deferred, archived; last closed first, with statistics) or all. untouched_days: neither " +
    "changed nor confirmed (updated_at) for so long; filed_at: a later change of project, tags or scope. Long contents " +
    "are cut: fetch has all.",
  access: "memory:read",
  adds: [],
  changes: [],
  quotes: true,
  hints: { destructive: false, idempotent: true, openWorld: false },
  hasView: true,
  input: Input,
  output: z.strictObject({
    view: z.string(),
    items: z.array(ToolItem),
    total: z.number(),
    has_more: z.boolean(),
    next_offset: z.number().optional(),
    stats: ToolStats.optional(),
    note: z.string().optional(),
    today: z.string(),
  }),
  aliases: {
    type: "memory_type",
    query: "q",
    tags: "tag",
    order: "sort",
    order_by: "sort",
    created_since: "created_after",
    created_until: "created_before",
    updated_since: "updated_after",
    since: "updated_after",
    resolved_since: "resolved_after",
    completed_after: "resolved_after",
    stale_days: "untouched_days",
    due_from: "due_after",
    due_since: "due_after",
    due_date_after: "due_after",
    due_date_before: "due_before",
  },
  run: async (ctx, input) => {
    const view = inferView(input);
    checkFilters(view, input);
    const found = await listView(ctx, view, input);
    const items = truncateToLimit(found.items);
    const next = input.offset + items.length;
    const more = next < found.total;
    const cutOff = items.length < found.items.length && { next_offset: next };
    return { view, ...found, items, has_more: more, ...cutOff, ...(await todayField(ctx)) };
  },
});
