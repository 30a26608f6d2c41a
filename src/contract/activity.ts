import { z } from "@hono/zod-openapi";
import { ACTIVITY_VERBS, ACTOR_KINDS, RECORD_KINDS } from "./activity-words.ts";
import { MAX_NAMED_CHANGES } from "./change-id.ts";
import { ChangeIdInput, ChangeIdListInput, ChangeNumber } from "./change-id-fields.ts";
import { DOCUMENT_FIELDS } from "./document-fields.ts";
import { checkDependencies } from "./field-dependencies.ts";
import { pluckFields } from "./field-spec.ts";
import { CURSOR_EXAMPLE, InstantOrDay, IntegerParam, Name, RequestQuery, Text, Timestamp } from "./fields.ts";
import { FOLDER_FIELDS } from "./folder.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import { MEMORY_FIELDS } from "./memory-fields.ts";

export const ActivityKind = z.enum(RECORD_KINDS);
const Verb = z.enum(ACTIVITY_VERBS);
const ActorKind = z.enum(ACTOR_KINDS);

const RecordId = Text(1, 36).meta({
  description: "Id of a document or folder, or the number of a memory record",
  example: "12",
});

const Actor = z
  .strictObject({
    kind: ActorKind,
    id: z.string().nullable().meta({ description: "Id of the API key or connection" }),
    client_name: z.string().nullable().meta({ description: "Name of the program, if known" }),
  })
  .meta({ id: "Actor" });

const versionFields = {
  version_before: z
    .int()
    .nullable()
    .meta({ description: "Null if the change created the record, and for folders, which have no versions" }),
  version_after: z
    .int()
    .nullable()
    .meta({ description: "Equal to `version_before` if the content did not change" }),
};

const FieldDifference = z
  .strictObject({
    field: z.string().meta({
      description:
        "`title`, `tags`, `folder` or `content` of a document, the `name` of a folder, or a field of a record",
    }),
    from: z.string().nullable().optional().meta({
      description:
        "The value before. `folder`: the path, `/` for none, or null if the folder no longer exists",
    }),
    to: z.string().nullable().optional().meta({
      description:
        "The value after. `folder`: the path, `/` for none, or null if the folder no longer exists",
    }),
    added: z.array(z.string()).optional().meta({ description: "New items of a list" }),
    removed: z.array(z.string()).optional().meta({ description: "Items that a list no longer has" }),
  })
  .meta({ id: "FieldDifference" });
export type FieldDifference = z.infer<typeof FieldDifference>;

export const Activity = z
  .strictObject({
    id: ChangeNumber.meta({
      description: "Sequential number of the change in the account. Change ids contain it as text: `57`",
      example: 57,
    }),
    at: Timestamp,
    actor: Actor,
    verb: Verb,
    kind: ActivityKind,
    record_id: z.string(),
    title: z
      .string()
      .nullable()
      .meta({ description: "Title after the change; null once the record is erased" }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why an assistant made the change, if it gave a reason" }),
    ...versionFields,
    again: z.literal(true).optional().meta({
      description: "The record was already deferred, and got another day or note",
    }),
    restored_version: z.int().nullable().meta({ description: "The version that was restored" }),
    undoes: ChangeNumber.nullable().meta({ description: "The change that this one undoes" }),
    undone_by: ChangeNumber.nullable().meta({ description: "The change that undid this one" }),
    differences: z
      .array(FieldDifference)
      .optional()
      .meta({
        description:
          "With `include=differences`: the fields that changed. Absent for a change without a new version, or if the versions " +
          "before and after it are no longer kept",
      }),
  })
  .meta({ id: "Activity" });
export type Activity = z.infer<typeof Activity>;

export const ActivityList = z
  .strictObject({
    items: z.array(Activity),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Cursor of the next page; null on the last page" }),
  })
  .meta({ id: "ActivityList" });
export type ActivityList = z.infer<typeof ActivityList>;

const Client = Name(200).meta({
  description: "Id of a connection or API key, or the exact name of a program",
  example: "Claude",
});

export const ActivityListQuery = RequestQuery({
  client: Client.optional(),
  actor: ActorKind.optional().meta({ description: "Only changes by this kind of actor" }),
  kind: ActivityKind.optional(),
  verb: Verb.optional().meta({ description: "Only changes of this kind" }),
  record_id: RecordId.optional().meta({ description: "Only changes of this record. Requires `kind`" }),
  since: InstantOrDay.optional().openapi({
    description: "Only changes at this time or later. A day means its start in your time zone",
  }),
  until: InstantOrDay.optional().openapi({
    description: "Only changes before this time, or before the start of this day",
  }),
  include: z.enum(["differences"]).optional().meta({
    description: "`differences` also lists the fields that each change affected",
  }),
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "The `next_cursor` of the previous page", example: CURSOR_EXAMPLE }),
  limit: IntegerParam({ min: 1, max: 100, default: 50 }),
}).refine(({ record_id, kind }) => record_id === undefined || kind !== undefined, {
  path: ["kind"],
  message: "is required with record_id",
});
export type ActivityListQuery = z.infer<typeof ActivityListQuery>;

export const MAX_UNDONE_CHANGES = 100;

type UndoSelection = { ids?: number[] | undefined } & {
  [name in "change_id" | "client" | "since"]?: string | undefined;
};

function hasOneSelector({ ids, change_id, client, since }: UndoSelection): boolean {
  if (ids) return !change_id && !client && !since;
  return change_id ? !client && !since : Boolean(client && since);
}

export const UndoRequest = z
  .strictObject({
    ids: ChangeIdListInput(1, MAX_NAMED_CHANGES)
      .optional()
      .meta({
        description:
          "The changes to undo, at most 1,000, of which up to 100 are undone per request, newest first. Use either this, " +
          "`change_id`, or `client` with `since`. Numbers are accepted too",
        example: ["57"],
      }),
    change_id: ChangeIdInput.optional().meta({
      description:
        "The `Change-Id` header of the response to a write. Up to 100 of its changes are undone per request, newest first",
      example: "57-59",
    }),
    client: Client.optional(),
    since: InstantOrDay.optional().openapi({
      description:
        "Undo the client's changes since this time, or since the start of this day in your time zone",
    }),
    before: ChangeNumber.optional().meta({
      description:
        "Only changes before this one: the `next_before` of the previous response, with the same request otherwise",
    }),
    dry_run: z.boolean().optional().default(false),
    assume_undone: ChangeIdListInput(0, MAX_NAMED_CHANGES)
      .optional()
      .meta({
        description:
          "With `dry_run`: changes to treat as already undone, such as those of previous requests when there are more than " +
          "fit into one. Numbers are accepted too",
        example: ["58"],
      }),
  })
  .superRefine(checkDependencies({ assume_undone: { with: "dry_run", values: [true] } }))
  .refine(hasOneSelector, { path: ["ids"], message: "is required, or change_id, or client and since" })
  .meta({ id: "UndoRequest", example: { ids: ["57"], dry_run: true } });

const comparedFields = z
  .strictObject({
    ...pluckFields(DOCUMENT_FIELDS, "compared"),
    ...pluckFields(FOLDER_FIELDS, "compared"),
    ...pluckFields(MEMORY_FIELDS, "compared"),
  })
  .partial();

const RecordState = z
  .strictObject({
    version: z.int().nullable(),
    presence: z
      .enum(["present", "trashed", "gone"])
      .meta({ description: "Whether it exists, is in the trash, or is erased" }),
    title: z.string().nullable(),
    ...comparedFields.shape,
  })
  .meta({ id: "RecordState" });
export type RecordState = z.infer<typeof RecordState>;

const OUTCOMES = ["undone", "already_undone", "changed_since", "not_possible", "not_found"] as const;

export const UndoResult = z
  .strictObject({
    id: ChangeNumber,
    outcome: z.enum(OUTCOMES).meta({ description: "Result for this change" }),
    verb: Verb.optional().meta({ description: "What the change did" }),
    kind: ActivityKind.optional(),
    record_id: z.string().optional().meta({ description: "The record that was changed" }),
    title: z.string().nullable().optional(),
    undone_by: ChangeNumber.optional().meta({ description: "The change that undoes it" }),
    detail: z.string().optional().meta({ description: "Why it was not undone" }),
    current: RecordState.optional().meta({ description: "With `changed_since`: the record as it is now" }),
    previous: RecordState.optional().meta({
      description: "With `changed_since`: the record before the change",
    }),
  })
  .meta({ id: "UndoResult" });
export type UndoResult = z.infer<typeof UndoResult>;

export const UndoAnswer = z
  .strictObject({
    results: z.array(UndoResult),
    undone: z.int().meta({ description: "Number of changes undone" }),
    not_undone: z.int().meta({ description: "Number of changes not undone" }),
    dry_run: z.boolean(),
    has_more: z
      .boolean()
      .meta({ description: "Whether there may be older changes to undo: continue with `next_before`" }),
    next_before: ChangeNumber.optional().meta({
      description: "With `has_more`: the `before` of the next request, even if some changes were not undone",
    }),
  })
  .meta({ id: "UndoAnswer" });
export type UndoAnswer = z.infer<typeof UndoAnswer>;

export const UndoHeaders = IdempotencyHeaders;
