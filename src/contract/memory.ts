import { z } from "@hono/zod-openapi";
import {
  ChangeBody,
  Cursor,
  DaysParam,
  Instant,
  Name,
  NextCursor,
  Page,
  Repeated,
  RequestQuery,
  Since,
  Text,
  Timestamp,
  Uuid,
} from "./fields.ts";
import { LineClient, LineInstant, LineVersion } from "./line-fields.ts";
import { MAX_TAGS, SourceType, Tag, Tags, TrashedAt } from "./document.ts";
import { IdempotencyHeaders } from "../idempotency/schema.ts";
import { STATUSES } from "./life-cycle.ts";

export const MemoryType = z.enum(["commitment", "decision", "blocker", "pattern", "preference", "context"]);
export type MemoryType = z.infer<typeof MemoryType>;

export const Scope = z.enum(["personal", "work"]);
export type Scope = z.infer<typeof Scope>;

export const MemoryStatus = z.enum(STATUSES);

export const Day = z.iso.date().meta({ example: "2026-12-24" });

const Topic = Name(500).meta({ example: "Send Grace the slides" });
const Content = Text(1, 20_000).meta({
  example: "Promised in the Monday call; she needs them for the board",
});
export const Note = Text(1, 2_000);

/** An integer id in a path or a query string. */
export const MemoryId = z
  .string()
  .regex(/^\d{1,16}$/, "must be an integer")
  .transform(Number)
  .pipe(z.number().min(1).max(Number.MAX_SAFE_INTEGER))
  .openapi({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 1 });

/** An integer id in a body. */
export const Id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The optional fields of a record. One that is added here is in requests, answers and tools; exports have `MemoryLine`. */
export const details = {
  scope: Scope,
  project: Name(200).meta({ example: "Apollo" }),
  due_date: Day,
  document_id: Uuid.meta({ description: "The document that it belongs to" }),
};
type Details = typeof details;

const eachDetail = (make: (field: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(details).map(([name, field]) => [name, make(field)]));

const nullableDetails = eachDetail((field) => field.nullable()) as {
  [Name in keyof Details]: z.ZodNullable<Details[Name]>;
};

/** The contents of a record: everything that PATCH may change. */
const said = {
  memory_type: MemoryType,
  topic: Topic,
  content: Content,
  tags: Tags.optional(),
  ...(eachDetail((field) => field.nullable().optional()) as {
    [Name in keyof Details]: z.ZodOptional<z.ZodNullable<Details[Name]>>;
  }),
};
export const SAID = Object.keys(said) as (keyof typeof said)[];

export const MemoryCreateRequest = z
  .strictObject({
    ...said,
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
    description: "When it was done, if not now; not before its creation, not in the future",
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
export const ArchiveRequest = z.strictObject(noted).meta({
  id: "ArchiveRequest",
  example: { note: "The board meeting was cancelled" },
});

export const SupersedeRequest = z
  .strictObject(said)
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

/** The fields of an item of the commitment history. */
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

/** Statistics of closed records. */
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

/** Statistics, with the counts of which `completion_rate_30d` is a share. */
export type CountedStats = Stats & { closed_30d: { resolved: number; deferred: number; archived: number } };

export const Memory = z
  .strictObject({
    ...historyItem,
    ...nullableDetails,
    tags: z.array(z.string()),
    deferred_until: Day.nullable(),
    note: z
      .string()
      .nullable()
      .meta({ description: "What was said when it was last deferred, archived or reopened" }),
    supersedes_id: z.int().nullable().meta({ description: "The record that this one replaced" }),
    superseded_by_id: z.int().nullable().meta({ description: "The record that replaced this one" }),
    last_confirmed_at: Timestamp.nullable(),
    source_type: SourceType,
    client_name: z
      .string()
      .nullable()
      .meta({ description: "The program that wrote it, if it gave its name" }),
    version: z.int().meta({ description: "Rises with every change; the ETag contains it" }),
  })
  .meta({ id: "Memory" });
export type Memory = z.infer<typeof Memory>;

/** A record as it is read, perhaps in the trash. */
export const ReadMemory = Memory.extend({ trashed_at: TrashedAt.optional() }).meta({ id: "ReadMemory" });
export type ReadMemory = z.infer<typeof ReadMemory>;

export const changes = z.strictObject(said).partial();

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

/** A project's name as a filter. Empty means no filter. */
export const ProjectFilter = z
  .string()
  .trim()
  .transform((name) => name || undefined)
  .optional()
  .openapi({ type: "string", description: "Only this project, by its exact name", example: "Apollo" });

export const MemoryListQuery = RequestQuery({
  status: MemoryStatus.optional(),
  memory_type: Repeated(MemoryType, MemoryType.options.length)
    .optional()
    .openapi({ description: "Repeat it to get records of any of several types", example: ["decision"] }),
  scope: Scope.optional(),
  project: ProjectFilter,
  tag: Repeated(Tag, MAX_TAGS).optional().openapi({ description: "Repeat it to require several tags" }),
  document_id: Uuid.optional().meta({ description: "Only the records that belong to this document" }),
  q: Text(1, 500).optional().meta({ description: "Words that the topic or the content must contain" }),
  due_before: Day.optional().meta({ description: "Due before this day" }),
  due_after: Day.optional().meta({ description: "Due on this day or after it" }),
  created_after: Since.optional().openapi({ description: "Only records that were created since then" }),
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

/** The headers of a POST that changes a record. */
export const ActionHeaders = ChangeHeaders.extend(IdempotencyHeaders.shape);

export const ETagHeader = z.object({ ETag: z.string().meta({ example: '"v3"' }) });

export const CreatedHeaders = ETagHeader.extend({
  Location: z.string().meta({ example: "/api/memories/12" }),
});

/** What a version of a record says, in an export. */
const asKept = {
  memory_type: MemoryType,
  topic: Topic,
  content: Content,
  status: MemoryStatus,
  scope: Scope.nullable(),
  project: Name(200).nullable(),
  tags: Tags,
  due_date: Day.nullable(),
  deferred_until: Day.nullable(),
  document_id: Uuid.nullable(),
  resolved_at: LineInstant.nullable(),
  resolution_note: Note.nullable(),
  note: Note.nullable().default(null),
  last_confirmed_at: LineInstant.nullable(),
  version: LineVersion,
  updated_at: LineInstant,
  closed_at: LineInstant.nullable(),
  touched_at: LineInstant,
  renewed_at: LineInstant.nullable().default(null),
};

type Closing = { status: string; closed_at: string | null; resolved_at: string | null };

const fitsClosing = ({ status, closed_at }: Closing) => (status === "active") === (closed_at === null);
const fitsResolution = ({ status, resolved_at }: Closing) =>
  (status === "resolved") === (resolved_at !== null);

/** A version of a record, as it is kept with its events. */
export const MemoryState = z
  .strictObject(asKept)
  .refine(fitsClosing, "must fit the status")
  .refine(fitsResolution, "must fit the status");
export type MemoryState = z.infer<typeof MemoryState>;

/** A record in an export. */
export const MemoryLine = z
  .strictObject({
    type: z.literal("memory"),
    id: Id,
    ...asKept,
    supersedes_id: Id.nullable(),
    superseded_by_id: Id.nullable(),
    source_type: SourceType,
    client_name: LineClient,
    created_at: LineInstant,
    trashed_at: LineInstant.nullable().default(null),
  })
  .refine(fitsClosing, "must fit the status")
  .refine(fitsResolution, "must fit the status");
