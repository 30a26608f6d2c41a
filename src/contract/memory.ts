import { z } from "@hono/zod-openapi";
import { MAX_TAGS, SourceType, Tag, TrashedAt } from "./document.ts";
import { each } from "./field.ts";
import {
  ChangeBody,
  ContentLength,
  Cursor,
  DaysParam,
  Flag,
  Instant,
  NextCursor,
  Page,
  Repeated,
  RequestQuery,
  Since,
  Text,
  Timestamp,
  Uuid,
} from "./fields.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import {
  Content,
  Day,
  Id,
  MEMORY,
  MemoryStatus,
  MemoryType,
  Note,
  Owed,
  Priority,
  Scope,
} from "./memory-fields.ts";
import { APPLIES_TO } from "./record-words.ts";

export { Day, details, Id, MemoryStatus, MemoryType, Note, Owed, Priority, Scope } from "./memory-fields.ts";

export const MemoryId = z
  .string()
  .regex(/^\d{1,16}$/, "must be an integer")
  .transform(Number)
  .pipe(z.number().min(1).max(Number.MAX_SAFE_INTEGER))
  .openapi({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 1 });

const { memory_type, topic, content, tags, ...others } = each(MEMORY, "requested");

/** The contents of a record: everything that PATCH may change, in the order in which refusals name them. */
const givenFields = { memory_type, topic, content, tags, ...others };
export const GIVEN_FIELDS = Object.keys(givenFields) as (keyof typeof givenFields)[];

export const MemoryCreateRequest = z
  .strictObject({
    ...givenFields,
    created_at: Instant.optional().openapi({
      description: "When it began, if not now; not in the future",
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

export const resolution = {
  resolution_note: Note.nullable().optional(),
  resolved_at: Instant.optional().openapi({
    description:
      "When it was done, if not now: also before it was recorded, but not before the day on which it happened, and not in the future",
  }),
};
export const deferral = {
  deferred_until: Day.nullable()
    .optional()
    .meta({ description: "The day on which it is active again; without one it waits until it is reopened" }),
  note: Note.nullable().optional(),
};
export const noted = { note: Note.nullable().optional() };

export const ResolveRequest = z.strictObject(resolution).meta({
  id: "ResolveRequest",
  example: { resolution_note: "Sent on Thursday" },
});
export const DeferRequest = z.strictObject(deferral).meta({
  id: "DeferRequest",
  example: { deferred_until: "2099-01-08", note: "After the holidays" },
});
export const SkipRequest = z.strictObject(noted).meta({
  id: "SkipRequest",
  example: { note: "Away this week" },
});
export const ArchiveRequest = z.strictObject(noted).meta({
  id: "ArchiveRequest",
  example: { note: "The board meeting was cancelled" },
});

export const SupersedeRequest = z
  .strictObject(givenFields)
  .partial()
  .extend({ content: Content })
  .meta({
    id: "SupersedeRequest",
    example: { content: "She needs them by Tuesday now, as a PDF", due_date: "2026-12-22" },
  });
export type SupersedeRequest = z.infer<typeof SupersedeRequest>;

/** The fields of all actions; each action reads its own. */
export type ActionInput = z.infer<typeof ResolveRequest> &
  z.infer<typeof DeferRequest> &
  z.infer<typeof ArchiveRequest>;

export const historyItem = {
  id: z.int().meta({ example: 12 }),
  memory_type: MemoryType,
  topic: z.string(),
  content: z.string(),
  status: MemoryStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
  project: z.string().nullable(),
  scope: Scope.nullable(),
  due_date: Day.nullable(),
  resolved_at: Timestamp.nullable(),
  resolution_note: z.string().nullable(),
  days_to_resolve: z.int().nullable().meta({ description: "Calendar days from creation to resolution" }),
};

export const Stats = z
  .strictObject({
    resolved_this_week: z.int().default(0).meta({ description: "Since Monday 00:00 of the caller's week" }),
    resolved_this_month: z
      .int()
      .default(0)
      .meta({ description: "Since the 1st 00:00 of the caller's month" }),
    avg_days_to_resolve: z.number().nullable().meta({
      description: "Mean days from creation to resolution of all resolved records, to one decimal",
    }),
    completion_rate_30d: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          "The share of resolved records among those that left `active` in the last 30 days and have not returned: all that " +
          "were resolved, and the commitments and blockers that were deferred or archived",
      }),
  })
  .meta({ id: "CommitmentStats" });
export type Stats = z.infer<typeof Stats>;

export type CountedStats = Stats & { closed_30d: { resolved: number; deferred: number; archived: number } };

const repetition = {
  repeat_text: z
    .string()
    .nullable()
    .meta({ description: "The rule in words; null for once", example: "every Monday" }),
  next_due: z
    .array(Day)
    .nullable()
    .meta({
      description:
        "Up to three due dates after this one and after today; with `repeat_from: done` the one that follows if it is done " +
        "today. Null for what does not repeat, or is closed",
      example: ["2026-12-28", "2027-01-04", "2027-01-11"],
    }),
  missed: z.int().nullable().meta({
    description:
      "How often it would have been due since its due date, up to today; null for what does not repeat, or is closed",
    example: 0,
  }),
};

export const Memory = z
  .strictObject({
    ...historyItem,
    ...each(MEMORY, "shown"),
    ...repetition,
  })
  .meta({ id: "Memory" });
export type Memory = z.infer<typeof Memory>;

export const ReadMemory = Memory.extend({ trashed_at: TrashedAt.optional() }).meta({ id: "ReadMemory" });
export type ReadMemory = z.infer<typeof ReadMemory>;

export const changes = z
  .strictObject(givenFields)
  .partial()
  .extend({
    apply_to: z
      .enum(APPLIES_TO)
      .optional()
      .meta({
        description:
          "Only for a record that repeats: whether the change is for `this` one alone, or for all that `following` too. Without " +
          "it, a due date is for this one, and everything else for all that follow",
      }),
  });

export const MemoryUpdateRequest = ChangeBody(changes, Memory).meta({
  id: "MemoryUpdateRequest",
  example: { due_date: "2027-01-08", tags: ["board"] },
});
export type MemoryUpdateRequest = z.infer<typeof MemoryUpdateRequest>;

export const MemoryList = z
  .strictObject({ items: z.array(Memory), total: z.int(), next_cursor: NextCursor })
  .meta({ id: "MemoryList" });
export type MemoryList = z.infer<typeof MemoryList>;

export const MemoryParams = z.object({ memory_id: MemoryId });

export const ProjectFilter = z
  .string()
  .trim()
  .transform((name) => name || undefined)
  .optional()
  .openapi({ type: "string", description: "Only this project, by its name in any case", example: "Apollo" });

export const MemoryListQuery = RequestQuery({
  status: MemoryStatus.optional(),
  memory_type: Repeated(MemoryType, MemoryType.options.length)
    .optional()
    .openapi({ description: "Repeat it to get records of any of several types", example: ["decision"] }),
  scope: Scope.optional(),
  project: ProjectFilter,
  priority: Priority.optional().meta({ description: "Only records of this priority" }),
  owed: Owed.optional().meta({ description: "Only what the caller owes, or what is owed to them" }),
  tag: Repeated(Tag, MAX_TAGS).optional().openapi({ description: "Repeat it to require several tags" }),
  document_id: Uuid.optional().meta({ description: "Only the records that belong to this document" }),
  q: Text(1, 500)
    .optional()
    .meta({ description: "Words that the topic, the content or the note must contain, in any case" }),
  due_before: Day.optional().meta({ description: "Due before this day" }),
  due_after: Day.optional().meta({ description: "Due on this day or after it" }),
  due: z.enum(["none"]).optional().meta({ description: "`none`: only records without a due date" }),
  repeats: Flag("Only records that repeat").optional(),
  series_id: MemoryId.optional().openapi({
    description: "Only the records that follow each other by this one's rule, itself among them",
  }),
  created_after: Since.optional().openapi({
    description: "Only records that were created since then; a day means its beginning in your time zone",
  }),
  created_before: Since.optional().openapi({ description: "Only records that were created before then" }),
  updated_after: Since.optional(),
  resolved_after: Since.optional().openapi({ description: "Only records that were resolved since then" }),
  resolved_before: Since.optional().openapi({ description: "Only records that were resolved before then" }),
  untouched_days: DaysParam.optional().openapi({
    description:
      "Only records that were neither changed nor confirmed for so many days. Like `tag`, `q` and the due dates it reads " +
      "all of the caller's records",
  }),
  sort: z.enum(["updated_at", "created_at", "due_date"]).default("updated_at"),
  order: z
    .enum(["asc", "desc"])
    .optional()
    .meta({ description: "By default newest first; for due_date, earliest first" }),
  content_length: ContentLength,
  ...Page,
  cursor: Cursor,
});
export type MemoryListQuery = z.infer<typeof MemoryListQuery>;

const Source = SourceType.exclude(["mcp"])
  .optional()
  .meta({ description: "The kind of program that writes; `api` by default" });

export const CreateHeaders = IdempotencyHeaders.extend({ "x-source-type": Source });

export const ReadHeaders = z.object({ "if-none-match": z.string().optional() });

export const ChangeHeaders = z.object({
  "if-match": z.string().optional().meta({ description: 'The ETag that you read, for example `"v3"`' }),
  "x-source-type": Source,
});

export const ActionHeaders = ChangeHeaders.extend(IdempotencyHeaders.shape);

export const ETagHeader = z.object({ ETag: z.string().meta({ example: '"v3"' }) });

export const SteppedHeaders = ETagHeader.extend({
  Location: z.string().optional().meta({
    description: "Of a record that repeats: the next one",
    example: "/api/memories/13",
  }),
});

export const CreatedHeaders = ETagHeader.extend({
  Location: z.string().meta({ example: "/api/memories/12" }),
});

const kept = each(MEMORY, "versioned");

type Planned = {
  due_date: string | null;
  due_time: string | null;
  repeat: string | null;
  repeat_start: string | null;
};

const fitsDueDate = ({ due_date, due_time, repeat, repeat_start }: Planned) =>
  due_date === null ? due_time === null && repeat === null : (repeat === null) === (repeat_start === null);

type Closing = { status: string; closed_at: string | null; resolved_at: string | null };

const fitsClosing = ({ status, closed_at }: Closing) => (status === "active") === (closed_at === null);
const fitsResolution = ({ status, resolved_at }: Closing) =>
  (status === "resolved") === (resolved_at !== null);

export const MemoryState = z
  .strictObject(kept)
  .refine(fitsClosing, "must fit the status")
  .refine(fitsResolution, "must fit the status")
  .refine(fitsDueDate, "must fit the due date");
export type MemoryState = z.infer<typeof MemoryState>;

export const MemoryLine = z
  .strictObject({
    type: z.literal("memory"),
    id: Id,
    ...kept,
    ...each(MEMORY, "exported"),
  })
  .refine(fitsClosing, "must fit the status")
  .refine(fitsResolution, "must fit the status")
  .refine(fitsDueDate, "must fit the due date");
