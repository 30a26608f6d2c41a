import { z } from "@hono/zod-openapi";
import { ETagHeader, IfMatch, MAX_TAGS, Tag, TrashedAt, WriterHeaders } from "./document.ts";
import { pickFields, pluckFields } from "./field-spec.ts";
import {
  BooleanParam,
  ContentLength,
  Cursor,
  DaysParam,
  Instant,
  InstantOrDay,
  ItemList,
  NextCursor,
  PageParams,
  RepeatedParam,
  RequestQuery,
  Text,
  UpdateBody,
} from "./fields.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import {
  Day,
  filterParams,
  MEMORY_FIELDS,
  MemoryContent,
  MemoryNote,
  MemoryRecordId,
  MemoryStatus,
  MemoryType,
} from "./memory-fields.ts";
import { APPLIES_TO } from "./record-words.ts";

export { ETagHeader, ReadHeaders } from "./document.ts";
export {
  Day,
  MemoryNote as Note,
  MemoryPriority as Priority,
  MemoryRecordId as Id,
  MemoryScope as Scope,
  MemoryStatus,
  MemoryType,
  memoryDetails as details,
  Owed,
} from "./memory-fields.ts";

export const MemoryIdParam = z
  .string()
  .regex(/^\d{1,16}$/, "must be an integer")
  .transform(Number)
  .pipe(z.number().min(1).max(Number.MAX_SAFE_INTEGER))
  .openapi({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 1 });

const { memory_type, topic, content, tags, document_id, ...otherRequestFields } = pluckFields(
  MEMORY_FIELDS,
  "requested",
);

/**
 * Everything PATCH may change. The order must not change: the hash by which a repeated Idempotency-Key is recognized depends on
 * it, also in requests that an earlier release has carried out.
 */
const requestFields = { memory_type, topic, content, tags, ...otherRequestFields, document_id };
export const EDITABLE_FIELDS = Object.keys(requestFields) as (keyof typeof requestFields)[];

export const MemoryCreateRequest = z
  .strictObject({
    ...requestFields,
    created_at: Instant.optional().openapi({
      description: "When it was created, if not now. Must not be in the future",
    }),
  })
  .meta({
    id: "MemoryCreateRequest",
    example: {
      memory_type: "commitment",
      topic: "Send Grace the slides",
      content: "Promised in the Monday call; she needs them for the board",
      project: "Apollo",
      due_date: "2026-12-24",
    },
  });
export type MemoryCreateRequest = z.infer<typeof MemoryCreateRequest>;

export const resolutionFields = {
  resolution_note: MemoryNote.nullable().optional(),
  resolved_at: Instant.optional().openapi({
    description:
      "When it was done, if not now. May be before it was recorded, but not before the day on which it happened or in the future",
  }),
};
export const deferralFields = {
  deferred_until: Day.nullable().optional().meta({
    description:
      "The day on which it becomes active again. Without one, it stays deferred until it is reopened",
  }),
  note: MemoryNote.nullable().optional(),
};
export const noteField = { note: MemoryNote.nullable().optional() };

export const ResolveRequest = z.strictObject(resolutionFields).meta({
  id: "ResolveRequest",
  example: { resolution_note: "Sent on Thursday" },
});
export const DeferRequest = z.strictObject(deferralFields).meta({
  id: "DeferRequest",
  example: { deferred_until: "2099-01-08", note: "After the holidays" },
});
export const SkipRequest = z.strictObject(noteField).meta({
  id: "SkipRequest",
  example: { note: "Away this week" },
});
export const ArchiveRequest = z.strictObject(noteField).meta({
  id: "ArchiveRequest",
  example: { note: "The board meeting was cancelled" },
});

export const SupersedeRequest = z
  .strictObject(requestFields)
  .partial()
  .extend({ content: MemoryContent })
  .meta({
    id: "SupersedeRequest",
    example: { content: "She needs them by Tuesday now, as a PDF", due_date: "2026-12-22" },
  });
export type SupersedeRequest = z.infer<typeof SupersedeRequest>;

/** The fields of all actions. Each action reads its own. */
export type ActionInput = z.infer<typeof ResolveRequest> &
  z.infer<typeof DeferRequest> &
  z.infer<typeof ArchiveRequest>;

const shownFields = pluckFields(MEMORY_FIELDS, "shown");

export const historyItemFields = {
  id: z.int().meta({ example: 12 }),
  ...pickFields(shownFields, ["memory_type", "topic", "content", "status", "created_at", "updated_at"]),
  project: z.string().nullable(),
  ...pickFields(shownFields, ["scope", "due_date", "resolved_at", "resolution_note"]),
  days_to_resolve: z.int().nullable().meta({ description: "Calendar days from creation to resolution" }),
};

export const CommitmentStats = z
  .strictObject({
    resolved_this_week: z
      .int()
      .default(0)
      .meta({ description: "Since Monday 00:00 in the caller's time zone" }),
    resolved_this_month: z
      .int()
      .default(0)
      .meta({ description: "Since the 1st of the month 00:00 in the caller's time zone" }),
    avg_days_to_resolve: z.number().nullable().meta({
      description:
        "Mean number of days from creation to resolution of all resolved records, with one decimal",
    }),
    completion_rate_30d: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          "The share of resolved records among the records that left `active` in the last 30 days and have not been " +
          "reopened. Deferred and archived records count only if they are commitments or blockers. Null if none was closed: " +
          "if there are none, or only deferred ones",
      }),
  })
  .meta({ id: "CommitmentStats" });
export type CommitmentStats = z.infer<typeof CommitmentStats>;

export type CommitmentStatsWithCounts = CommitmentStats & {
  closed_30d: { resolved: number; deferred: number; archived: number };
};

const repetitionFields = {
  repeat_text: z
    .string()
    .nullable()
    .meta({ description: "The rule in words; null if it does not repeat", example: "every Monday" }),
  next_due: z
    .array(Day)
    .nullable()
    .meta({
      description:
        "Up to three due dates after this one and after today; with `repeat_from: done`, the next one if it is done today. " +
        "Null if it does not repeat or is closed",
      example: ["2026-12-28", "2027-01-04", "2027-01-11"],
    }),
  missed: z.int().nullable().meta({
    description:
      "Number of further due dates after its due date, up to today; null if it does not repeat or is closed",
    example: 0,
  }),
};

export const Memory = z
  .strictObject({ ...historyItemFields, ...shownFields, ...repetitionFields })
  .meta({ id: "Memory" });
export type Memory = z.infer<typeof Memory>;

export const ReadMemory = Memory.extend({ trashed_at: TrashedAt.optional() }).meta({ id: "ReadMemory" });
export type ReadMemory = z.infer<typeof ReadMemory>;

export const memoryChanges = z
  .strictObject(requestFields)
  .partial()
  .extend({
    apply_to: z
      .enum(APPLIES_TO)
      .optional()
      .meta({
        description:
          "Only for repeating records: whether the change applies to `this` record or also to all `following` ones. By " +
          "default, a due date applies to this one, and everything else also to the following ones",
      }),
  });

export const MemoryUpdateRequest = UpdateBody(memoryChanges, Memory).meta({
  id: "MemoryUpdateRequest",
  example: { due_date: "2027-01-08", tags: ["board"] },
});
export type MemoryUpdateRequest = z.infer<typeof MemoryUpdateRequest>;

export const MemoryList = ItemList("MemoryList", Memory, { next_cursor: NextCursor });
export type MemoryList = z.infer<typeof MemoryList>;

export const MemoryParams = z.object({ memory_id: MemoryIdParam });

export const ProjectFilter = z
  .string()
  .trim()
  .transform((name) => name || undefined)
  .optional()
  .openapi({
    type: "string",
    description: "Only records of this project, by its name in any case",
    example: "Apollo",
  });

export const MemoryListQuery = RequestQuery({
  status: MemoryStatus.optional(),
  memory_type: RepeatedParam(MemoryType, MemoryType.options.length)
    .optional()
    .openapi({
      description: "Repeat the parameter to get records of any of several types",
      example: ["decision"],
    }),
  ...filterParams,
  project: ProjectFilter,
  tag: RepeatedParam(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat the parameter to require several tags" }),
  q: Text(1, 500)
    .optional()
    .meta({ description: "Only records whose topic, content or note contains these words, in any case" }),
  due_before: Day.optional().meta({ description: "Only records due before this day" }),
  due_after: Day.optional().meta({ description: "Only records due on or after this day" }),
  due: z.enum(["none"]).optional().meta({ description: "`none`: only records without a due date" }),
  repeats: BooleanParam("Only records that repeat").optional(),
  series_id: MemoryIdParam.optional().openapi({
    description: "Only records of the repetition series that starts with this record",
  }),
  created_after: InstantOrDay.optional().openapi({
    description: "Only records created at this time or later. A day means its start in your time zone",
  }),
  created_before: InstantOrDay.optional().openapi({ description: "Only records created before this time" }),
  updated_after: InstantOrDay.optional(),
  resolved_after: InstantOrDay.optional().openapi({
    description: "Only records resolved at this time or later",
  }),
  resolved_before: InstantOrDay.optional().openapi({ description: "Only records resolved before this time" }),
  untouched_days: DaysParam.optional().openapi({
    description:
      "Only records not changed or confirmed for at least this many days. Like `tag`, `q` and the due dates, it reads all " +
      "of the caller's records",
  }),
  sort: z.enum(["updated_at", "created_at", "due_date"]).default("updated_at"),
  order: z
    .enum(["asc", "desc"])
    .optional()
    .meta({ description: "Default: newest first; for `due_date`, earliest first" }),
  content_length: ContentLength,
  ...PageParams,
  cursor: Cursor,
});
export type MemoryListQuery = z.infer<typeof MemoryListQuery>;

const SourceHeader = WriterHeaders.pick({ "x-source-type": true });

export const CreateHeaders = IdempotencyHeaders.extend(SourceHeader.shape);

export const ChangeHeaders = IfMatch.extend(SourceHeader.shape);

export const ActionHeaders = ChangeHeaders.extend(IdempotencyHeaders.shape);

export const NextMemoryHeaders = ETagHeader.extend({
  Location: z.string().optional().meta({
    description: "URL of the next record, if this one repeats",
    example: "/api/memories/13",
  }),
});

export const CreatedHeaders = ETagHeader.extend({
  Location: z.string().meta({ example: "/api/memories/12" }),
});

const versionedFields = pluckFields(MEMORY_FIELDS, "versioned");

export type MemoryState = z.infer<z.ZodObject<typeof versionedFields>>;

const fitsDueDate = ({ due_date, due_time, repeat, repeat_start }: MemoryState) =>
  due_date === null ? due_time === null && repeat === null : (repeat === null) === (repeat_start === null);

const fitsClosing = ({ status, closed_at }: MemoryState) => (status === "active") === (closed_at === null);
const fitsResolution = ({ status, resolved_at }: MemoryState) =>
  (status === "resolved") === (resolved_at !== null);

const withoutContradictions = <Schema extends z.ZodType<MemoryState>>(schema: Schema) =>
  schema
    .refine(fitsClosing, "must fit the status")
    .refine(fitsResolution, "must fit the status")
    .refine(fitsDueDate, "must fit the due date");

export const MemoryState = withoutContradictions(z.strictObject(versionedFields));

export const MemoryExportLine = withoutContradictions(
  z.strictObject({
    type: z.literal("memory"),
    id: MemoryRecordId,
    ...versionedFields,
    ...pluckFields(MEMORY_FIELDS, "exported"),
  }),
);
