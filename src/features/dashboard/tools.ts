import { z } from "zod";
import { TimeZone } from "../../contract/auth.ts";
import { localMinute } from "../../contract/days.ts";
import { type MemoryType, Scope } from "../../contract/memory.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayField, withoutNulls } from "../../platform/tools/tool.ts";
import type { ActiveItem } from "../memories/active-store.ts";
import type { ItemPage } from "../memories/filter-store.ts";
import { unknownProjectNote } from "../memories/project-store.ts";
import { recordName, ToolStats, toolStats } from "../memories/tool-memory.ts";
import { repetitionInWords } from "../memories/tool-plan.ts";
import * as store from "./store.ts";
import { cutToTokens, fitBriefing } from "./token-budget.ts";

const LIMITS = { items: 10, topic: 40, content: 40, project: 15, repeats: 15, note: 300 };
/** At most 1,500 with the fences around it. */
const BRIEFING_TOKENS = 1_475;

const SECTIONS = ["overdue", "due_soon", "stale", "blockers", "recent_decisions", "preferences"] as const;

const SectionOutput = z.strictObject({
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
type BriefingSection = z.infer<typeof SectionOutput>;

type BriefingRow = ActiveItem & { days_overdue?: number; days_stale?: number };

function whatLabel(section: (typeof SECTIONS)[number], type: MemoryType): string | null {
  if (type === "commitment" || !["overdue", "due_soon"].includes(section)) return null;
  return type === "decision" ? "decision to make" : type;
}

function briefingItem(
  item: BriefingRow,
  section: (typeof SECTIONS)[number],
): BriefingSection["items"][number] {
  const { topic, content, project, due_date, days_overdue, days_stale } = item;
  const repeats = repetitionInWords(item);
  const isDated = due_date !== null || days_overdue !== undefined || days_stale !== undefined;
  return withoutNulls({
    id: recordName(item.id),
    what: whatLabel(section, item.memory_type),
    topic: cutToTokens(topic, LIMITS.topic),
    content: content === topic ? null : cutToTokens(content, LIMITS.content),
    project: project && cutToTokens(project, LIMITS.project),
    priority: item.priority,
    owed: item.owed,
    due_date,
    due_time: item.due_time,
    repeats: repeats && cutToTokens(repeats, LIMITS.repeats),
    days_overdue: days_overdue ?? null,
    days_stale: days_stale ?? null,
    days_ago: isDated ? null : item.days_ago,
  });
}

const toSection = (parts: store.BriefingParts, section: (typeof SECTIONS)[number]): BriefingSection => {
  const { items, total }: ItemPage<BriefingRow> = parts[section];
  const shown = items.map((item) => briefingItem(item, section));
  return { section, items: shown, total, has_more: items.length < total };
};

/** The current time in a time zone. Throws 400 for an unknown time zone. */
function localNow({ now }: Ctx, timezone: string): string {
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
    sections: z.array(SectionOutput),
    stats: ToolStats,
    note: z.string().optional(),
  }),
  run: async (ctx, { scope, project, preferences, timezone: there }) => {
    const now_there = there && localNow(ctx, there);
    const filters = { scope, project: project?.trim() || undefined };
    const parts = await store.getBriefingParts(ctx, { ...filters, preferences }, LIMITS.items);
    const shown = SECTIONS.filter((section) => section !== "preferences" || preferences !== false);
    const sections = shown.map((section) => toSection(parts, section));
    const isEmpty = sections.every(({ section, total }) => section === "preferences" || total === 0);
    const note = isEmpty && filters.project ? await unknownProjectNote(ctx, filters.project) : undefined;
    const { due_soon_days, stale_after_days } = parts;
    const { timezone } = await ctx.user();
    const briefing = {
      now: localNow(ctx, timezone),
      ...(now_there && { now_there }),
      ...(await todayField(ctx)),
      timezone,
      due_soon_days,
      stale_after_days,
      ...(note && { note: cutToTokens(note, LIMITS.note) }),
      sections,
      stats: toolStats(parts.stats),
    };
    return fitBriefing(briefing, BRIEFING_TOKENS);
  },
});

export const dashboardTools = [getBriefing] as const;
