import { z } from "zod";
import { TimeZone } from "../../contract/auth.ts";
import { localMinute } from "../../contract/days.ts";
import { type MemoryType, Scope } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayFor } from "../../platform/tools/tool.ts";
import type { ActiveItem } from "../memories/active-store.ts";
import type { TypedAlert } from "../memories/alert-store.ts";
import type { List } from "../memories/filter-store.ts";
import { noteOnProject } from "../memories/project-store.ts";
import { nameOfRecord, ToolStats, toolStats } from "../memories/tool-memory.ts";
import { repeatText } from "../memories/tool-plan.ts";
import { type BriefingItem, cutToTokens, fitBriefing, type Section } from "./briefing.ts";
import * as store from "./store.ts";

const BRIEFED = { items: 10, topic: 40, content: 40, project: 15, repeats: 15, note: 300 };
/** With the fences around it, at most 1,500. */
const BRIEFING_TOKENS = 1_475;

const SECTIONS = ["overdue", "due_soon", "stale", "blockers", "recent_decisions", "preferences"] as const;

const BriefingSection = z.strictObject({
  section: z.string(),
  items: z.array(
    z.strictObject({
      id: z.string(),
      what: z.string().optional(),
      topic: z.string(),
      content: z.string().optional(),
      project: z.string().optional(),
      priority: z.string().optional(),
      owed: z.string().optional(),
      due_date: z.string().optional(),
      due_time: z.string().optional(),
      repeats: z.string().optional(),
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
  const { id, memory_type, topic, content, project, due_date, due_time, repeat, days_ago } = item;
  const { priority, owed } = item;
  const repeats = repeatText(repeat);
  const what = whatOf(section, memory_type);
  const isAged = "days_overdue" in item || "days_stale" in item;
  return {
    id: nameOfRecord(id),
    ...(what && { what }),
    topic: cutToTokens(topic, BRIEFED.topic),
    ...(content !== topic && { content: cutToTokens(content, BRIEFED.content) }),
    ...(project && { project: cutToTokens(project, BRIEFED.project) }),
    ...(priority && { priority }),
    ...(owed && { owed }),
    ...(due_date && { due_date }),
    ...(due_time && { due_time }),
    ...(repeats && { repeats: cutToTokens(repeats, BRIEFED.repeats) }),
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

/** What time it is in a time zone. Throws 400 for one that does not exist. */
function nowIn({ now }: Ctx, timezone: string): string {
  const read = TimeZone.safeParse(timezone);
  if (!read.success) throw badRequest("timezone: must be a name such as Europe/Berlin");
  return localMinute(now.toISOString(), read.data);
}

export const getBriefing = defineTool({
  name: "get_briefing",
  title: "Today's briefing",
  description:
    "What matters now: the time, overdue, due soon, stale, blockers, recent decisions, preferences, statistics. Call it at the " +
    "start of a day or a session.",
  access: "memory:read",
  adds: [],
  changes: [],
  quotes: true,
  hints: { destructive: false, idempotent: true, openWorld: false },
  hasView: true,
  input: z.strictObject({
    scope: Scope.optional(),
    project: z.string().optional(),
    preferences: z.boolean().optional(),
    timezone: z.string().optional().meta({ description: "Tells now there, such as Asia/Tokyo" }),
  }),
  output: z.strictObject({
    now: z.string(),
    now_there: z.string().optional(),
    today: z.string(),
    timezone: z.string(),
    due_soon_days: z.number(),
    stale_after_days: z.strictObject({ commitment: z.number(), blocker: z.number() }),
    sections: z.array(BriefingSection),
    stats: ToolStats,
    note: z.string().optional(),
  }),
  run: async (ctx, { scope, project, preferences, timezone: there }) => {
    const now_there = there && nowIn(ctx, there);
    const filters = { scope, project: project?.trim() || undefined };
    const parts = await store.getBriefingParts(ctx, { ...filters, preferences }, BRIEFED.items);
    const shown = SECTIONS.filter((section) => section !== "preferences" || preferences !== false);
    const sections = shown.map((section) => sectionOf(parts, section));
    const isEmpty = sections.every(({ section, total }) => section === "preferences" || total === 0);
    const note = isEmpty && filters.project ? await noteOnProject(ctx, filters.project) : undefined;
    const { due_soon_days, stale_after_days } = parts;
    const { timezone } = await ctx.user();
    const thresholds = { due_soon_days, stale_after_days };
    const briefing = {
      now: nowIn(ctx, timezone),
      ...(now_there && { now_there }),
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
