import { z } from "zod";
import { defineTool, withoutNulls } from "../core/tool.ts";
import type { ActiveItem } from "../memories/active-store.ts";
import type { TypedAlert } from "../memories/alert-store.ts";
import type { List } from "../memories/filter-store.ts";
import { dayAndZone } from "../memories/row-store.ts";
import { Scope, type Stats } from "../memories/schema.ts";
import { ToolStats } from "../memories/tool-memory.ts";
import { type BriefingItem, cutToTokens, fitBriefing, type Section } from "./briefing.ts";
import * as store from "./store.ts";

/** The limits of a briefing: items per section, and tokens per field of an item. */
const BRIEFED = { items: 10, topic: 40, content: 40, project: 15 };
const BRIEFING_TOKENS = 1_500;

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

/** An item of a briefing: one age at most, its texts cut short. */
function briefingItem(item: ActiveItem | TypedAlert): BriefingItem {
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
  const { items, total }: List<ActiveItem | TypedAlert> = parts[section];
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
    const briefing = { ...(await dayAndZone(ctx)), sections, stats: withoutNulls<Stats>(parts.stats) };
    return fitBriefing(briefing, BRIEFING_TOKENS);
  },
});

export const dashboardTools = [getBriefing] as const;
