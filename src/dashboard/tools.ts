import { z } from "zod";
import type { Ctx } from "../core/ctx.ts";
import { badRequest } from "../core/errors.ts";
import { problemsOf } from "../core/problems.ts";
import { defineTool, withoutNulls } from "../core/tool.ts";
import { daysSince } from "../memories/ages.ts";
import { listMemories as listAll } from "../memories/list-store.ts";
import { type Memory, MemoryListQuery, MemoryStatus, MemoryType, Scope } from "../memories/schema.ts";
import { cut, ToolMemory, toolMemory } from "../memories/tools.ts";
import { type BriefingItem, cutToTokens, fitBriefing, type Section } from "./briefing.ts";
import type { Stats } from "./schema.ts";
import * as store from "./store.ts";

const MAX_CONTENT = 500;
/** Of each part of a briefing, at most so many items, and of each item at most so many tokens. */
const BRIEFED = { items: 10, topic: 40, content: 40, project: 15 };
const BRIEFING_TOKENS = 1_500;

const ToolStats = z.strictObject({
  resolved_this_week: z.number(),
  resolved_this_month: z.number(),
  avg_days_to_resolve: z.number().optional(),
  completion_rate_30d: z.number().optional(),
});

const View = z.enum(["active", "alerts", "history", "all"]);

const Input = z.strictObject({
  view: View.default("active"),
  memory_type: MemoryType.optional(),
  scope: Scope.optional(),
  project: z.string().optional(),
  status: MemoryStatus.optional(),
  tag: z.array(z.string()).optional(),
  q: z.string().optional().meta({ description: "Words it holds" }),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
type Input = z.infer<typeof Input>;

const Item = ToolMemory.extend({
  days_ago: z.number().optional(),
  alert_type: z.string().optional(),
  days_overdue: z.number().optional(),
  days_stale: z.number().optional(),
  resolved_at: z.string().optional(),
  resolution_note: z.string().optional(),
  days_to_resolve: z.number().optional(),
  replaced_by_id: z.number().optional(),
});
type Item = z.infer<typeof Item>;

type Found = { items: Item[]; total: number; stats?: z.infer<typeof ToolStats> };

const filtersOf = ({ memory_type, scope, project }: Input): store.Filters => ({
  memory_type,
  scope,
  project: project?.trim() || undefined,
});

const shortened = <Row extends { content: string }>(row: Row) => ({
  ...row,
  content: cut(row.content, MAX_CONTENT),
});

/** An item of the active lists without what it does not have. */
function activeItem(item: store.ActiveItem | store.TypedAlert): Item {
  const { created_at: _, updated_at: __, ...shown } = item;
  return withoutNulls(shortened(shown)) as Item;
}

function closedItem(item: store.ClosedItem): Item {
  const { created_at: _, updated_at: __, superseded_by_id: replaced_by_id, ...shown } = item;
  return withoutNulls(shortened({ ...shown, replaced_by_id })) as Item;
}

/** A record of any state, with its age and what took its place. */
function anyItem({ now, account: { timezone } }: Ctx, memory: Memory): Item {
  const days_ago = daysSince(memory.created_at, { now, timezone });
  const replaced_by_id = memory.superseded_by_id;
  return { ...toolMemory(memory), days_ago, ...(replaced_by_id && { replaced_by_id }) };
}

function closedStatus(status: Input["status"]): store.ClosedStatus | undefined {
  if (status === "active")
    throw badRequest("status: history holds no active records: call again with view active");
  return status;
}

/** What each view asks. */
const VIEWS: Record<Input["view"], (ctx: Ctx, input: Input) => Promise<Found>> = {
  active: async (ctx, input) => {
    const { items, total } = await store.listActive(ctx, filtersOf(input), input);
    return { items: items.map(activeItem), total };
  },
  alerts: async (ctx, input) => {
    const { items, total } = await store.listTypedAlerts(ctx, filtersOf(input), input);
    return { items: items.map(activeItem), total };
  },
  history: async (ctx, input) => {
    const { limit, offset } = input;
    const query = { ...filtersOf(input), limit, offset, status: closedStatus(input.status) };
    const { items, total, stats } = await store.listClosed(ctx, query);
    return { items: items.map(closedItem), total, stats: withoutNulls<Stats>(stats) };
  },
  all: async (ctx, { view: _, limit, offset, ...input }) => {
    const page = { limit: String(limit), offset: String(offset) };
    const query = MemoryListQuery.safeParse({ ...input, ...page });
    if (!query.success) throw badRequest(problemsOf(query.error));
    const { items, total } = await listAll(ctx, query.data);
    return { items: items.map((memory) => anyItem(ctx, memory)), total };
  },
};

/** Throws 400 for a filter that a view does not have. */
function checkFilters({ view, status, tag, q }: Input): void {
  const onlyAll = [...(tag ? ["tag"] : []), ...(q ? ["q"] : [])];
  if (onlyAll.length > 0 && view !== "all") {
    throw badRequest(
      `${onlyAll.join(" and ")}: works with view all only: call again with view all and a status`,
    );
  }
  if (status && (view === "alerts" || (view === "active" && status !== "active"))) {
    throw badRequest(`status: view ${view} shows active records only: call again with view history or all`);
  }
}

export const listMemories = defineTool({
  name: "list_memories",
  title: "List records",
  description:
    "Lists records: active (overdue first, then by due date), alerts (overdue or stale), history (closed, with " +
    "statistics) or all. status works with history and all, tag and q with all. Long contents are cut: fetch gives " +
    "one whole.",
  access: "memory:read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: Input,
  output: z.strictObject({
    view: z.string(),
    items: z.array(Item),
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
    return { view: input.view, ...found, has_more, ...store.dayAndZone(ctx) };
  },
});

const SECTIONS = ["overdue", "due_soon", "stale", "blockers", "recent_decisions"] as const;

const BriefingSection = z.strictObject({
  section: z.string(),
  items: z.array(
    z.strictObject({
      id: z.number(),
      topic: z.string(),
      content: z.string().optional(),
      project: z.string().optional(),
      due_date: z.string().optional(),
      days_overdue: z.number().optional(),
      days_stale: z.number().optional(),
      days_ago: z.number().optional(),
    }),
  ),
  total: z.number(),
  has_more: z.boolean(),
});

/** An item as a briefing names it: one age at most, and what it says only as long as it is short. */
function briefingItem(item: store.ActiveItem | store.TypedAlert): BriefingItem {
  const { id, topic, content, project, due_date, days_ago } = item;
  return {
    id,
    topic: cutToTokens(topic, BRIEFED.topic),
    ...(content !== topic && { content: cutToTokens(content, BRIEFED.content) }),
    ...(project && { project: cutToTokens(project, BRIEFED.project) }),
    ...(due_date && { due_date }),
    ...("days_overdue" in item && { days_overdue: item.days_overdue }),
    ...("days_stale" in item && { days_stale: item.days_stale }),
    ...(!("alert_type" in item) && !due_date && { days_ago }),
  };
}

const sectionOf = (parts: store.BriefingParts, section: (typeof SECTIONS)[number]): Section => {
  const { items, total }: store.List<store.ActiveItem | store.TypedAlert> = parts[section];
  return { section, items: items.map(briefingItem), total, has_more: items.length < total };
};

export const getBriefing = defineTool({
  name: "get_briefing",
  title: "Today's briefing",
  description:
    "What matters today in at most 1,500 tokens: overdue, due within 7 days, stale, blockers, recent decisions, " +
    "statistics. Call it at the start of a day or a session.",
  access: "memory:read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ scope: Scope.optional(), project: z.string().optional() }),
  output: z.strictObject({
    today: z.string(),
    timezone: z.string(),
    sections: z.array(BriefingSection),
    stats: ToolStats,
  }),
  run: async (ctx, { scope, project }) => {
    const filters = { scope, project: project?.trim() || undefined };
    const parts = await store.getBriefingParts(ctx, filters, BRIEFED.items);
    const sections = SECTIONS.map((section) => sectionOf(parts, section));
    const briefing = { ...store.dayAndZone(ctx), sections, stats: withoutNulls<Stats>(parts.stats) };
    return fitBriefing(briefing, BRIEFING_TOKENS);
  },
});

export const dashboardTools = [listMemories, getBriefing] as const;
