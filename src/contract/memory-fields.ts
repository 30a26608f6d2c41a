import { z } from "@hono/zod-openapi";
import { SourceType, tagsField } from "./document-fields.ts";
import { ExportedClientName, ExportedInstant, ExportedVersion } from "./export-fields.ts";
import { type FieldSpec, pluckFields } from "./field-spec.ts";
import { Name, Text, Timestamp, Uuid } from "./fields.ts";
import { STATUSES } from "./life-cycle.ts";
import { MEMORY_SCOPES, MEMORY_TYPES, OWED_DIRECTIONS, PRIORITIES, REPEATS_FROM } from "./record-words.ts";
import { ReminderList } from "./remind.ts";
import { readRule } from "./repeat/rule.ts";

// Defines each field of a memory once. Requests, responses, tools, exports, versions, diffs, search, sizes and the API
// reference are derived from it.

export const MemoryType = z.enum(MEMORY_TYPES);
export type MemoryType = z.infer<typeof MemoryType>;

export const MemoryScope = z.enum(MEMORY_SCOPES);
export type MemoryScope = z.infer<typeof MemoryScope>;

export const MemoryPriority = z.enum(PRIORITIES);
export const Owed = z.enum(OWED_DIRECTIONS);

export const MemoryStatus = z.enum(STATUSES);

export const Day = z.iso.date().meta({ example: "2026-12-24" });

const Topic = Name(500).meta({ example: "Send Grace the slides" });
export const MemoryContent = Text(1, 20_000).meta({
  example: "Promised in the Monday call; she needs them for the board",
});
export const MemoryNote = Text(1, 2_000);

export const MemoryRecordId = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** A time of day to the minute, in the owner's time zone. */
export const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 17:00")
  .meta({ example: "17:00" });

export const RepeatFrom = z.enum(REPEATS_FROM);

export const RepetitionRuleText = Text(1, 500).meta({ example: "FREQ=WEEKLY;BYDAY=MO" });

/** A repetition rule in an export line. It may have ended by now. */
const ExportedRule = Text(1, 500).transform((text, issue) => {
  const rule = readRule(text, { today: "" });
  if ("text" in rule) return rule.text;
  issue.addIssue({ code: "custom", message: rule.problem });
  return z.NEVER;
});

/** An optional field of time or repetition. Exports of earlier releases do not have it. */
const scheduleField = <Type extends z.ZodType>(type: Type) => ({
  requested: type.nullable().optional(),
  shown: type.nullable(),
  versioned: type.nullable().default(null),
});

/** An optional field that people and tools may set. */
const detailField = <Type extends z.ZodType>(type: Type) => ({
  detail: type,
  requested: type.nullable().optional(),
  shown: type.nullable(),
  versioned: type.nullable(),
});

const OWN_FIELDS = {
  memory_type: {
    meaning: "The type of record",
    requested: MemoryType,
    shown: MemoryType,
    versioned: MemoryType,
    searched: "facts",
    difference: "values",
  },
  topic: {
    meaning: "The subject, in one line",
    requested: Topic,
    shown: z.string(),
    versioned: Topic,
    searched: "title",
    counted: true,
    difference: "values",
  },
  content: {
    meaning: "What to remember, in full sentences",
    requested: MemoryContent,
    shown: z.string(),
    versioned: MemoryContent,
    searched: "text",
    counted: true,
    difference: "name",
    compared: z.string().meta({ description: "Content of a memory record" }),
  },
  status: { shown: MemoryStatus, versioned: MemoryStatus, difference: "values", compared: MemoryStatus },
  scope: {
    meaning: "Whether it is personal or work; null if neither",
    ...detailField(MemoryScope),
    difference: "values",
    compared: MemoryScope.nullable(),
    filter: "Only records of this scope",
  },
  project: {
    meaning: "Name of the project it belongs to; null if none",
    ...detailField(Name(200).meta({ example: "Apollo" })),
    searched: "tags",
    counted: true,
    difference: "values",
    compared: z.string().nullable(),
  },
  tags: tagsField,
  document_id: {
    ...detailField(Uuid.meta({ description: "Id of the document it belongs to" })),
    difference: "name",
    filter: "Only records that belong to this document",
  },
  priority: {
    meaning: "How important it is; null if not set",
    ...detailField(MemoryPriority),
    versioned: MemoryPriority.nullable().default(null),
    difference: "values",
    compared: MemoryPriority.nullable(),
    filter: "Only records of this priority",
  },
  owed: {
    meaning:
      "Whether the owner owes it to someone (`by_me`) or someone owes it to the owner (`to_me`); null if neither",
    ...detailField(Owed),
    versioned: Owed.nullable().default(null),
    difference: "values",
    compared: Owed.nullable(),
    filter: "Only records that the caller owes, or that are owed to them",
  },
  due_date: {
    meaning: "The day on which it is due; null if none",
    ...detailField(Day),
    searched: "facts",
    difference: "values",
    compared: z.string().nullable(),
  },
  due_time: {
    meaning: "The time of day at which it is due, in the owner's time zone; null for the whole day",
    ...scheduleField(TimeOfDay),
    difference: "values",
    compared: z.string().nullable(),
  },
  remind: {
    meaning: "When to remind the owner of it; null for never",
    ...scheduleField(ReminderList),
    difference: "name",
  },
  remind_until_done: {
    meaning: "Whether the reminder is repeated every hour until the record is done",
    ...scheduleField(z.boolean()),
    difference: "name",
  },
  repeat: {
    meaning: "How it repeats: a recurrence rule of RFC 5545 without DTSTART; null if it does not repeat",
    ...scheduleField(RepetitionRuleText),
    versioned: ExportedRule.nullable().default(null),
    difference: "values",
    compared: z.string().nullable(),
  },
  repeat_from: {
    meaning:
      "Whether it repeats by the calendar (`due`, also for null) or from the day on which it was done (`done`)",
    ...scheduleField(RepeatFrom),
    difference: "values",
    compared: RepeatFrom.nullable(),
  },
  repeat_start: {
    meaning: "The first day of its repetition rule; null if it does not repeat",
    shown: Day.nullable(),
    versioned: Day.nullable().default(null),
  },
  series_id: {
    shown: z.int().nullable().meta({ description: "Id of the first record of its repetition series" }),
    exported: MemoryRecordId.nullable().default(null),
  },
  remind_at: {
    shown: Timestamp.nullable().meta({ description: "When the next reminder is sent; null if none" }),
  },
  happened_on: {
    meaning: "The day on which it happened, if that is not the day it was recorded; null if not set",
    ...detailField(Day),
    versioned: Day.nullable().default(null),
    difference: "values",
    compared: z.string().nullable(),
  },
  deferred_until: {
    meaning:
      "The day on which it becomes active again; null if it is not deferred, or deferred until it is reopened",
    shown: Day.nullable(),
    versioned: Day.nullable(),
    difference: "values",
    compared: z.string().nullable(),
  },
  resolved_at: {
    meaning: "When it was resolved; null if it is not resolved",
    shown: Timestamp.nullable(),
    versioned: ExportedInstant.nullable(),
  },
  resolution_note: {
    meaning: "How it was resolved; null if no note was given",
    shown: z.string().nullable(),
    versioned: MemoryNote.nullable(),
    searched: "text",
    counted: true,
  },
  note: {
    shown: z
      .string()
      .nullable()
      .meta({ description: "The note given when it was last deferred, archived or reopened" }),
    versioned: MemoryNote.nullable().default(null),
    searched: "text",
    counted: true,
    difference: "name",
  },
  last_confirmed_at: {
    meaning: "When it was last confirmed; null if never",
    shown: Timestamp.nullable(),
    versioned: ExportedInstant.nullable(),
  },
  version: {
    shown: z.int().meta({ description: "Increases with every change. The ETag is derived from it" }),
    versioned: ExportedVersion,
  },
  updated_at: { shown: Timestamp, versioned: ExportedInstant },
  closed_at: { versioned: ExportedInstant.nullable() },
  touched_at: { versioned: ExportedInstant },
  renewed_at: { versioned: ExportedInstant.nullable().default(null) },
  supersedes_id: {
    shown: z.int().nullable().meta({ description: "The record that this one replaced" }),
    exported: MemoryRecordId.nullable(),
  },
  superseded_by_id: {
    shown: z.int().nullable().meta({ description: "The record that replaced this one" }),
    exported: MemoryRecordId.nullable(),
  },
  source_type: { shown: SourceType, exported: SourceType },
  client_name: {
    meaning: "Name of the program that did it, if it gave one",
    shown: z.string().nullable().meta({ description: "Name of the program that wrote it, if it gave one" }),
    exported: ExportedClientName,
  },
  created_at: { shown: Timestamp, exported: ExportedInstant },
  trashed_at: { exported: ExportedInstant.nullable().default(null) },
} satisfies Record<string, FieldSpec>;

/** Values that the next memory of a series gets instead of those of the previous one: all but the days and the rule. */
export const NextValues = z
  .strictObject(pluckFields(OWN_FIELDS, "requested"))
  .omit({ due_date: true, repeat: true, repeat_from: true, happened_on: true })
  .partial();
export type NextValues = z.infer<typeof NextValues>;
export const NEXT_VALUE_NAMES = Object.keys(NextValues.shape) as (keyof NextValues)[];

export const MEMORY_FIELDS = {
  ...OWN_FIELDS,
  next_values: {
    shown: NextValues.nullable().meta({
      description:
        "What the following records of its series get instead of its own values, after changes for `this` record only; null if " +
        "nothing",
    }),
    versioned: NextValues.nullable().default(null),
    counted: true,
  },
} satisfies Record<string, FieldSpec>;

export const memoryDetails = pluckFields(MEMORY_FIELDS, "detail");

const filters = pluckFields(MEMORY_FIELDS, "filter");
export type FilterName = keyof typeof filters;
export const FILTER_NAMES = Object.keys(filters) as FilterName[];

/** The parameters of a list that take the exact value of a field. */
export const filterParams = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, memoryDetails[name].optional().meta({ description: filters[name] })]),
) as { [Name in FilterName]: z.ZodOptional<(typeof memoryDetails)[Name]> };
