import { z } from "zod";
import { type MemoryType, Scope } from "../../contract/memory.ts";
import { defineTool, todayFor } from "../../platform/tools/tool.ts";
import type { ActiveItem } from "../memories/active-store.ts";
import type { TypedAlert } from "../memories/alert-store.ts";
import type { List } from "../memories/filter-store.ts";
import { noteOnProject } from "../memories/project-store.ts";
import { nameOfRecord, ToolStats, toolStats } from "../memories/tool-memory.ts";
import { type BriefingItem, cutToTokens, fitBriefing, type Section } from "./briefing.ts";
import * as store from "./store.ts";

const BRIEFED = { items: 10, topic: 40, content: 40, project: 15, note: 300 };
const BRIEFING_TOKENS = 1_500;

const SECTIONS = ["overdue", "due_soon", "stale", "blockers", "recent_decisions"] as const;

const BriefingSection = z.strictObject({
  section: z.string(),
  items: z.array(
    z.strictObject({
      id: z.string(),
      what: z.string().optional(),
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

type Listed = ActiveItem | TypedAlert | (ActiveItem & { days_stale?: number });

function whatOf(section: (typeof SECTIONS)[number], type: MemoryType): string | undefined {
  if (type === "commitment" || !["overdue", "due_soon"].includes(section)) return undefined;
  return type === "decision" ? "decision to make" : type;
}

function briefingItem(item: Listed, section: (typeof SECTIONS)[number]): BriefingItem {
  const { id, memory_type, topic, content, project, due_date, days_ago } = item;
  const what = whatOf(section, memory_type);
  const isAged = "days_overdue" in item || "days_stale" in item;
  return {
    id: nameOfRecord(id),
    ...(what && { what }),
    topic: cutToTokens(topic, BRIEFED.topic),
    ...(content !== topic && { content: cutToTokens(content, BRIEFED.content) }),
    ...(project && { project: cutToTokens(project, BRIEFED.project) }),
    ...(due_date && { due_date }),
    ...("days_overdue" in item && { days_overdue: item.days_overdue }),
    ...("days_stale" in item && { days_stale: item.days_stale }),
    ...(!isAged && !due_date && { days_ago }),
  };
}

const sectionOf = (parts: store.BriefingParts, section: (typeof SECTIONS)[number]): Section => {
  const { items, total }: List<Listed> = parts[section];
  const shown = items.map((item) => briefingItem(item, section));
  return { section, items: shown, total, has_more: items.length < total };
};

export const getBriefing = defineTool({
  name: "get_briefing",
  title: "Today's briefing",
  description:
    "What matters today, briefly: overdue, due soon, stale, blockers, recent decisions, statistics. Call it at the start " +
    "of a day or a session.",
  access: "memory:read",
  adds: [],
  changes: [],
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ scope: Scope.optional(), project: z.string().optional() }),
  output: z.strictObject({
    today: z.string(),
    timezone: z.string(),
    due_soon_days: z.number(),
    stale_after_days: z.strictObject({ commitment: z.number(), blocker: z.number() }),
    sections: z.array(BriefingSection),
    stats: ToolStats,
    note: z.string().optional(),
  }),
  run: async (ctx, { scope, project }) => {
    const filters = { scope, project: project?.trim() || undefined };
    const parts = await store.getBriefingParts(ctx, filters, BRIEFED.items);
    const sections = SECTIONS.map((section) => sectionOf(parts, section));
    const isEmpty = sections.every(({ total }) => total === 0);
    const note = isEmpty && filters.project ? await noteOnProject(ctx, filters.project) : undefined;
    const { due_soon_days, stale_after_days } = parts;
    const { timezone } = await ctx.user();
    const thresholds = { due_soon_days, stale_after_days };
    const briefing = {
      ...(await todayFor(ctx)),
      timezone,
      ...thresholds,
      ...(note && { note: cutToTokens(note, BRIEFED.note) }),
      sections,
      stats: toolStats(parts.stats),
    };
    return fitBriefing(briefing, BRIEFING_TOKENS);
  },
});

export const dashboardTools = [getBriefing] as const;
