import { z } from "@hono/zod-openapi";
import { pickFields } from "./field-spec.ts";
import { ContentLength, IntegerParam, RequestQuery, Text } from "./fields.ts";
import { CommitmentStats, Day, historyItemFields, MemoryType, ProjectFilter, Scope } from "./memory.ts";
import { MemoryPriority, Owed, TimeOfDay } from "./memory-fields.ts";

const commitmentFields = {
  id: z.int(),
  ...pickFields(historyItemFields, ["topic", "content", "created_at", "updated_at"]),
  days_ago: z.int().meta({ description: "Age in calendar days, in the caller's time zone" }),
  ...pickFields(historyItemFields, ["status", "project", "scope", "due_date"]),
  due_time: TimeOfDay.optional().meta({ description: "Absent if the record has no due time" }),
  priority: MemoryPriority.optional().meta({ description: "Absent if the record has none" }),
  owed: Owed.optional().meta({ description: "Absent if nothing is owed by or to the caller" }),
};

export const CommitmentItem = z.strictObject(commitmentFields).meta({ id: "CommitmentItem" });
export type CommitmentItem = z.infer<typeof CommitmentItem>;

export const OverdueItem = z
  .strictObject({ ...commitmentFields, alert_type: z.literal("overdue"), days_overdue: z.int() })
  .meta({ id: "OverdueItem" });

export const StaleItem = z
  .strictObject({ ...commitmentFields, alert_type: z.literal("stale"), days_stale: z.int() })
  .meta({ id: "StaleItem" });

export const AlertItem = z.union([OverdueItem, StaleItem]);
export type AlertItem = z.infer<typeof AlertItem>;

export const DecisionItem = z
  .strictObject({ ...commitmentFields, memory_type: z.literal("decision") })
  .meta({ id: "DecisionItem" });

const total = z.int().meta({ description: "Number of matches on all pages" });

export const CommitmentList = z
  .strictObject({ items: z.array(z.union([CommitmentItem, OverdueItem, StaleItem, DecisionItem])), total })
  .meta({ id: "CommitmentList" });

export const CommitmentsQuery = RequestQuery({
  scope: Scope.optional(),
  project: ProjectFilter,
  limit: IntegerParam({ min: 1, max: 100, default: 20 }),
});

export const AlertsQuery = RequestQuery({
  scope: Scope.optional(),
  content_length: ContentLength,
  limit: IntegerParam({ min: 1, max: 100, default: 100 }),
  offset: IntegerParam({ min: 0, default: 0 }),
});

export const HistoryItem = z.strictObject(historyItemFields).meta({ id: "CommitmentHistoryItem" });

export const CommitmentHistory = z
  .strictObject({ items: z.array(HistoryItem), total, stats: CommitmentStats })
  .meta({ id: "CommitmentHistory" });
export type CommitmentHistory = z.infer<typeof CommitmentHistory>;

export const HistoryQuery = RequestQuery({
  status: z.enum(["resolved", "deferred", "archived"]).optional(),
  scope: Scope.optional(),
  project: ProjectFilter,
  memory_type: MemoryType.optional(),
  limit: IntegerParam({ min: 1, max: 100, default: 50 }),
  offset: IntegerParam({ min: 0, default: 0 }),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

const counts = { active: z.int(), deferred: z.int(), resolved: z.int(), archived: z.int() };

export const Summary = z
  .strictObject({
    today: Day,
    timezone: z.string(),
    by_status: z.strictObject(counts),
    by_memory_type: z.array(z.strictObject({ memory_type: MemoryType, ...counts })),
    by_project: z
      .array(z.strictObject({ project: z.string(), ...counts }))
      .meta({ description: "The 100 projects with the most active records" }),
    overdue: z.int(),
    due_today: z.int(),
    due_in_7_days: z.int().meta({ description: "Due from tomorrow to 7 days from today" }),
    stale: z.int(),
  })
  .meta({ id: "Summary" });
export type Summary = z.infer<typeof Summary>;

export const SummaryQuery = RequestQuery({ scope: Scope.optional() });

export const CalendarQuery = RequestQuery({
  token: Text(1, 200).meta({ description: "The secret in the URL of the feed" }),
});

export const CalendarHeaders = z.object({ "if-none-match": z.string().optional() });

export const CalendarTag = z.object({ ETag: z.string().meta({ example: '"4f5d3c1a"' }) });

export const CalendarToken = z
  .strictObject({
    token: z.string(),
    url: z.url().meta({ description: "URL to subscribe to. Anyone who has it can read the due dates" }),
  })
  .meta({ id: "CalendarToken" });
