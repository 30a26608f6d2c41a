import { z } from "zod";
import { resolveInstant } from "../../contract/days.ts";
import { MAX_TAGS } from "../../contract/document.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { type Memory, MemoryListQuery, MemoryStatus } from "../../contract/memory.ts";
import { FILTER_NAMES } from "../../contract/memory-fields.ts";
import { omit, omitUndefined } from "../../contract/omit.ts";
import { describeProblems, hasDateProblem } from "../../contract/problems.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { listActive, listDue } from "./active-store.ts";
import { type Clock, daysSince } from "./ages.ts";
import { listTypedAlerts } from "./alert-store.ts";
import { listClosed, readStats } from "./closed-store.ts";
import type { MemoryFilters } from "./filter-store.ts";
import { listMemoriesForTools, type MemoryListOptions, SINCE_FIELDS } from "./list-store.ts";
import { unknownProjectNote } from "./project-store.ts";
import { LISTED_FIELDS, userClock } from "./row-store.ts";
import {
  linkedRecordName,
  listItem,
  newDetailFields,
  ToolDay,
  ToolItem,
  ToolStats,
  toolStats,
  typesInput,
} from "./tool-memory.ts";

const View = z.enum(["active", "alerts", "history", "all"]);

/** A tool does not filter by document. */
const TOOL_FILTERS = FILTER_NAMES.filter((name) => name !== "document_id");

const Input = z.strictObject({
  view: View.optional(),
  memory_type: typesInput,
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

async function showItems(ctx: Ctx, items: Parameters<typeof listItem>[0][]): Promise<ToolItem[]> {
  const clock = await userClock(ctx);
  const maxContent = items.length > FULL_CONTENT_ITEMS ? SHORT_CONTENT : undefined;
  return items.map((item) => listItem(item, clock, maxContent));
}

const DUE_RANGE = ["due_after", "due_before"] as const;

/** Filters that only the list of all records supports; views that get one use that list. */
const NARROWING_FILTERS = [
  ...DUE_RANGE,
  ...TOOL_FILTERS.filter((name) => name !== "scope"),
  "due",
  "tag",
  "q",
  ...SINCE_FIELDS,
  "untouched_days",
  "sort",
] as const;

const narrowingFilters = (input: Input) => NARROWING_FILTERS.filter((name) => input[name] !== undefined);

const toFilters = ({ memory_type, scope, project }: Input): MemoryFilters => ({
  memory_type: memory_type?.length ? memory_type : undefined,
  scope,
  project: project?.trim() || undefined,
});

const toListItem = (memory: Memory & { touched_at: string }, clock: Clock) => ({
  ...pickFields(memory, LISTED_FIELDS),
  ...pickFields(memory, ["status", "touched_at", "deferred_until", "resolved_at", "superseded_by_id"]),
  ...(memory.tags.length > 0 && { tags: memory.tags }),
  days_ago: daysSince(memory.created_at, clock),
  days_to_resolve: memory.days_to_resolve,
  note: memory.resolution_note ?? memory.note,
  replaces_id: linkedRecordName(memory.supersedes_id),
});

async function listNarrowed(
  ctx: Ctx,
  input: Input,
  overrides: Partial<MemoryListOptions>,
): Promise<ListResult> {
  const { limit, offset, untouched_days, ...rest } = omit(input, "view", "memory_type");
  const since = omitUndefined(pickFields(input, SINCE_FIELDS));
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
  const listed = items.map((memory) => toListItem(memory, clock));
  return { items: await showItems(ctx, listed), total };
}

async function listHistory(ctx: Ctx, input: Input): Promise<ListResult> {
  const { status, limit, offset } = input;
  if (status === "active")
    throw badRequest("status: history has no active records; call again with view active");
  if (narrowingFilters(input).length > 0) {
    const found = await listNarrowed(ctx, input, { closed: true, ...(!input.sort && { sort: "closed_at" }) });
    return { ...found, stats: toolStats(await readStats(ctx, toFilters(input))) };
  }
  const { items, total, stats } = await listClosed(ctx, { ...toFilters(input), limit, offset, status });
  const listed = items.map((item) => ({ ...item, note: item.resolution_note ?? item.note }));
  return { items: await showItems(ctx, listed), total, stats: toolStats(stats) };
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
  return { items: await showItems(ctx, items), total };
}

async function listAlertsView(ctx: Ctx, input: Input): Promise<ListResult> {
  const { items, total } = await listTypedAlerts(ctx, toFilters(input), input);
  return { items: await showItems(ctx, items), total };
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
    const found = await VIEWS[view](ctx, input);
    const project = input.project?.trim();
    const note = found.total === 0 && project ? await unknownProjectNote(ctx, project) : undefined;
    const items = truncateToLimit(found.items);
    const next = input.offset + items.length;
    const more = next < found.total;
    const cutOff = items.length < found.items.length && { next_offset: next };
    const answer = { view, ...found, items, has_more: more, ...cutOff };
    return { ...answer, ...(note && { note }), ...(await todayField(ctx)) };
  },
});
