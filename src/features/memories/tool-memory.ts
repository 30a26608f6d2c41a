import { z } from "zod";
import { dayWithWeekday, describeDay, localDay, localMinute } from "../../contract/days.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { prefixedId } from "../../contract/links.ts";
import {
  type CommitmentStatsWithCounts,
  Day,
  details,
  type Memory,
  MemoryCreateRequest,
  MemoryType,
} from "../../contract/memory.ts";
import { withoutNulls } from "../../platform/tools/tool.ts";
import type { Clock } from "./ages.ts";
import { ConfirmedPlanFields, confirmPlan, repetitionInWords, validatedString } from "./tool-plan.ts";

// Records in the tools' input and output. Types are plain because bounds and enums cost tokens in every conversation.

const MAX_CONTENT = 500;

/** A day, published without the pattern of a calendar date, which would cost a hundred tokens. */
const dayField = (error: string) =>
  z
    .string()
    .refine((day) => Day.safeParse(day).success, { error, params: { day: true } })
    .meta({ format: "date" });

const DAY_ERROR = "must be a day such as 2026-12-24, without a time";

export const ToolDay = dayField(DAY_ERROR);
const DueDay = dayField(`${DAY_ERROR}: the hour is due_time`);

export const typesInput = z.array(MemoryType).max(MemoryType.options.length).optional();

const { topic, content } = MemoryCreateRequest.shape;
export const ToolText = {
  topic: validatedString(topic).meta({ description: "One line" }),
  content: validatedString(content),
};

const { document_id: _, ...detailFields } = details;
type DetailFields = typeof detailFields;
const DETAIL_NAMES = Object.keys(detailFields) as (keyof DetailFields)[];

function inputField(field: z.ZodType): z.ZodType {
  if (field === Day) return ToolDay;
  return field instanceof z.ZodString ? validatedString(field) : field;
}

const outputField = (field: z.ZodType): z.ZodType => (field instanceof z.ZodNumber ? z.number() : z.string());

const mapDetails = (make: (field: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(detailFields).map(([name, field]) => [name, make(field)]));

type TypedDetails<Make extends "optional" | "nullish"> = {
  [Name in keyof DetailFields]: z.ZodOptional<
    Make extends "optional"
      ? z.ZodType<z.infer<DetailFields[Name]>>
      : z.ZodType<z.infer<DetailFields[Name]> | null>
  >;
};

/** The optional fields of a new record, and those of a change, where null clears one. */
export const newDetailFields = {
  ...(mapDetails((field) => inputField(field).optional()) as TypedDetails<"optional">),
  due_date: DueDay.optional(),
};
export const changedDetailFields = {
  ...(mapDetails((field) => inputField(field).nullable().optional()) as TypedDetails<"nullish">),
  due_date: DueDay.nullable().optional(),
};

export const recordName = (id: number): string => prefixedId({ kind: "memory", id });

export const linkedRecordName = (id: number | null | undefined) => (id ? recordName(id) : null);

const shownDetailFields = mapDetails((field) => outputField(field).optional()) as {
  [Name in keyof DetailFields]: z.ZodOptional<z.ZodType<z.infer<DetailFields[Name]> | string>>;
};

export const cutToLength = (text: string, length: number) => {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
};

/** A record in a list, with its age and outcome. `note`: the note given when it was closed or deferred. */
export const ToolItem = z.strictObject({
  id: z.string(),
  memory_type: z.string(),
  topic: z.string(),
  content: z.string().optional(),
  ...shownDetailFields,
  due_time: z.string().optional(),
  repeats: z.string().optional(),
  tags: z.array(z.string()).optional(),
  deferred_until: z.string().optional(),
  note: z.string().optional(),
  replaces_id: z.string().optional(),
  status: z.string().optional(),
  days_ago: z.number().optional(),
  when: z.string().optional(),
  alert_type: z.string().optional(),
  days_overdue: z.number().optional(),
  days_stale: z.number().optional(),
  updated_at: z.string(),
  filed_at: z.string().optional(),
  resolved_at: z.string().optional(),
  days_to_resolve: z.number().optional(),
  replaced_by_id: z.string().optional(),
});
export type ToolItem = z.infer<typeof ToolItem>;

/** The fields that lists read, more than tools show. */
type ListedFields = Partial<Memory> &
  Pick<Memory, "id" | "topic" | "status" | "updated_at"> & { touched_at: string };

/**
 * An item of a list: without empty fields, `status` of active records and content that only repeats the topic; times are in
 * the user's time zone. `updated_at` ignores later changes of project, tags or scope, which are `filed_at`.
 */
export function listItem(
  item: ListedFields & Record<string, unknown>,
  { now, timezone }: Clock,
  maxContent = MAX_CONTENT,
): ToolItem {
  const { created_at, resolution_note: _, id, superseded_by_id, content, status, ...planned } = item;
  const { repeat, repeat_from, updated_at, touched_at, resolved_at, ...rest } = planned;
  const local = (instant: string) => localMinute(instant, timezone);
  const today = localDay(now, timezone);
  const day = item.happened_on ?? (created_at && localDay(created_at, timezone));
  return withoutNulls({
    id: recordName(id),
    ...rest,
    ...(repeat && { repeats: repetitionInWords({ repeat, repeat_from }) }),
    ...(content !== undefined && content !== item.topic && { content: cutToLength(content, maxContent) }),
    ...(status !== "active" && { status }),
    ...(day && { when: describeDay(day, today) }),
    updated_at: local(touched_at),
    ...(updated_at > touched_at && { filed_at: local(updated_at) }),
    ...(resolved_at && { resolved_at: local(resolved_at) }),
    replaced_by_id: linkedRecordName(superseded_by_id),
  }) as ToolItem;
}

export const ConfirmedMemory = z.strictObject({
  id: z.string(),
  topic: z.string().optional(),
  status: z.string().optional(),
  ...shownDetailFields,
  ...ConfirmedPlanFields,
  deferred_until: z.string().optional(),
  tags: z.array(z.string()).optional(),
  replaces_id: z.string().optional(),
  version: z.int().optional(),
  warning: z.string().optional(),
});
export type ConfirmedMemory = z.infer<typeof ConfirmedMemory>;

function hiddenPastDueWarning({ status, due_date, deferred_until }: Memory): string | null {
  const isHidden = status === "deferred" && due_date !== null;
  if (!isHidden || (deferred_until !== null && deferred_until <= due_date)) return null;
  const until = deferred_until === null ? "until it is reopened" : `until ${deferred_until}`;
  return `Hidden ${until}, past its due_date ${due_date}: if that moved too, change it with update_memory`;
}

type Days = { due_date?: string | null | undefined; deferred_until?: string | null | undefined };

/** The days of a record with their weekdays, which reveal a wrong date. */
export const daysWithWeekday = ({ due_date, deferred_until }: Days) => ({
  due_date: due_date ? dayWithWeekday(due_date) : null,
  deferred_until: deferred_until ? dayWithWeekday(deferred_until) : null,
});

export const confirmMemory = (memory: Memory): ConfirmedMemory =>
  withoutNulls({
    id: recordName(memory.id),
    topic: memory.topic,
    status: memory.status,
    ...pickFields(memory, DETAIL_NAMES),
    ...daysWithWeekday(memory),
    ...confirmPlan(memory),
    happened_on: memory.happened_on && dayWithWeekday(memory.happened_on),
    replaces_id: linkedRecordName(memory.supersedes_id),
    warning: hiddenPastDueWarning(memory),
  });

export const roundToHundredths = (share: number) => Math.round(share * 100) / 100;

/** Statistics without empty fields, rounded for reading. */
export function toolStats({ closed_30d, ...stats }: CommitmentStatsWithCounts): z.infer<typeof ToolStats> {
  const { resolved, deferred, archived } = closed_30d;
  const { completion_rate_30d: rate } = stats;
  return withoutNulls({
    ...stats,
    completion_rate_30d: rate === null ? null : roundToHundredths(rate),
    completion_30d: `${resolved} resolved; ${deferred} deferred and ${archived} archived commitments and blockers`,
  });
}

export const ToolStats = z.strictObject({
  resolved_this_week: z.number(),
  resolved_this_month: z.number(),
  avg_days_to_resolve: z.number().optional(),
  completion_rate_30d: z.number().optional(),
  completion_30d: z.string(),
});
