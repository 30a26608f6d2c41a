import { z } from "@hono/zod-openapi";
import { DOCUMENT } from "./document-fields.ts";
import { each } from "./field.ts";
import { CURSOR_EXAMPLE, IntegerParam, Name, RequestQuery, Since, Text, Timestamp } from "./fields.ts";
import { FOLDER } from "./folder.ts";
import { goTogether } from "./goes-with.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import { ChangeNumber, SentChangeId, SentChangeIds } from "./ledger.ts";
import { ACTORS, KINDS, VERBS } from "./ledger-words.ts";
import { MEMORY } from "./memory-fields.ts";

export const Kind = z.enum(KINDS);
const Verb = z.enum(VERBS);
const ActorKind = z.enum(ACTORS);

const RecordId = Text(1, 36).meta({
  description: "The id of a document or folder, or the number of a memory record",
  example: "12",
});

const Actor = z
  .strictObject({
    kind: ActorKind,
    id: z.string().nullable().meta({ description: "The id of its API key or of its connection" }),
    client_name: z.string().nullable().meta({ description: "The program's name, if it has one" }),
  })
  .meta({ id: "Actor" });

const versions = {
  version_before: z
    .int()
    .nullable()
    .meta({ description: "Null for what was created, and for folders, which have no versions" }),
  version_after: z.int().nullable().meta({ description: "The same as before it where the content stays" }),
};

export const Activity = z
  .strictObject({
    id: ChangeNumber.meta({
      description: "Counts the changes of the account; what names changes has it as text: `57`",
      example: 57,
    }),
    at: Timestamp,
    actor: Actor,
    verb: Verb,
    kind: Kind,
    record_id: z.string(),
    title: z.string().nullable().meta({ description: "After the change; null once the record is erased" }),
    reason: z.string().nullable().meta({ description: "Why an assistant made it, if it said so" }),
    ...versions,
    again: z.literal(true).optional().meta({
      description: "It was deferred already, and was given another day or note",
    }),
    restored_version: z.int().nullable().meta({ description: "The version that the change brought back" }),
    undoes: ChangeNumber.nullable().meta({ description: "The change that this one undid" }),
    undone_by: ChangeNumber.nullable().meta({ description: "The change that undid this one" }),
  })
  .meta({ id: "Activity" });
export type Activity = z.infer<typeof Activity>;

export const ActivityList = z
  .strictObject({
    items: z.array(Activity),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Where the next page begins; null after the last one" }),
  })
  .meta({ id: "ActivityList" });
export type ActivityList = z.infer<typeof ActivityList>;

const Client = Name(200).meta({
  description: "The id of a connection or an API key, or the exact name of a program",
  example: "Claude",
});

export const ActivityListQuery = RequestQuery({
  client: Client.optional(),
  actor: ActorKind.optional().meta({ description: "Only changes by this kind of actor" }),
  kind: Kind.optional(),
  verb: Verb.optional().meta({ description: "Only changes of this kind" }),
  record_id: RecordId.optional().meta({ description: "The changes of one record; `kind` says of which" }),
  since: Since.optional().openapi({
    description: "At this time or later; a day means its beginning in your time zone",
  }),
  until: Since.optional().openapi({ description: "Before this time, or before this day begins" }),
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "The `next_cursor` of the page before", example: CURSOR_EXAMPLE }),
  limit: IntegerParam({ min: 1, max: 100, default: 50 }),
}).refine(({ record_id, kind }) => record_id === undefined || kind !== undefined, {
  path: ["kind"],
  message: "is required with record_id",
});
export type ActivityListQuery = z.infer<typeof ActivityListQuery>;

export const UNDONE_AT_ONCE = 100;

const MAX_ASSUMED = 1000;

type Named = { ids?: number[] | undefined; before?: number | undefined } & {
  [name in "change_id" | "client" | "since"]?: string | undefined;
};

function isOneWay({ ids, change_id, client, since, before }: Named): boolean {
  if (ids) return !change_id && !client && !since && !before;
  return change_id ? !client && !since : Boolean(client && since);
}

export const UndoRequest = z
  .strictObject({
    ids: SentChangeIds(1, UNDONE_AT_ONCE)
      .optional()
      .meta({
        description:
          "The changes to undo, at most a hundred; instead of `change_id`, or `client` and `since`. Numbers are taken as well",
        example: ["57"],
      }),
    change_id: SentChangeId.optional().meta({
      description:
        "What a write changed: the `Change-Id` of its answer. A hundred of its changes are undone at a time, the newest first",
      example: "57-59",
    }),
    client: Client.optional(),
    since: Since.optional().openapi({
      description: "The time, or the day in your time zone, since which the client's changes are undone",
    }),
    before: ChangeNumber.optional().meta({
      description:
        "With `since` or `change_id`: only changes before this one; the `next_before` of the answer before",
    }),
    dry_run: z.boolean().optional().default(false),
    assume_undone: SentChangeIds(0, MAX_ASSUMED)
      .optional()
      .meta({
        description:
          "With `dry_run`: changes to take for undone, such as those of the requests before, when there are more than fit " +
          "into one. Numbers are taken as well",
        example: ["58"],
      }),
  })
  .superRefine(goTogether({ assume_undone: { with: "dry_run", values: [true] } }))
  .refine(isOneWay, { path: ["ids"], message: "is required, or change_id, or client and since" })
  .meta({ id: "UndoRequest", example: { ids: ["57"], dry_run: true } });
export type UndoRequest = z.infer<typeof UndoRequest>;

const compared = z
  .strictObject({
    ...each(DOCUMENT, "compared"),
    ...each(FOLDER, "compared"),
    ...each(MEMORY, "compared"),
  })
  .partial();

const RecordState = z
  .strictObject({
    version: z.int().nullable(),
    presence: z.enum(["present", "trashed", "gone"]).meta({ description: "Where it is" }),
    title: z.string().nullable(),
    ...compared.shape,
  })
  .meta({ id: "RecordState" });
export type RecordState = z.infer<typeof RecordState>;

const OUTCOMES = ["undone", "already_undone", "changed_since", "not_possible", "not_found"] as const;

export const UndoResult = z
  .strictObject({
    id: ChangeNumber,
    outcome: z.enum(OUTCOMES).meta({ description: "What became of it" }),
    verb: Verb.optional().meta({ description: "What the change had done" }),
    kind: Kind.optional(),
    record_id: z.string().optional().meta({ description: "The record that it had changed" }),
    title: z.string().nullable().optional(),
    undone_by: ChangeNumber.optional().meta({ description: "The change that undid it" }),
    detail: z.string().optional().meta({ description: "Why it was not undone" }),
    current: RecordState.optional().meta({ description: "With changed_since: the record as it is" }),
    previous: RecordState.optional().meta({
      description: "With changed_since: the record as it was before the change",
    }),
  })
  .meta({ id: "UndoResult" });
export type UndoResult = z.infer<typeof UndoResult>;

export const UndoAnswer = z
  .strictObject({
    results: z.array(UndoResult),
    undone: z.int().meta({ description: "How many were undone" }),
    not_undone: z.int().meta({ description: "How many were not" }),
    dry_run: z.boolean(),
    has_more: z
      .boolean()
      .meta({ description: "There may be older changes since then: go on with next_before" }),
    next_before: ChangeNumber.optional().meta({
      description: "With has_more: what to give as `before` to go on, whatever was refused",
    }),
  })
  .meta({ id: "UndoAnswer" });
export type UndoAnswer = z.infer<typeof UndoAnswer>;

export const UndoHeaders = IdempotencyHeaders;
