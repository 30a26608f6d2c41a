import { z } from "@hono/zod-openapi";
import { ExportedInstant } from "./export-fields.ts";
import { BooleanParam, ItemList, PageParams, RequestQuery, Text, Timestamp } from "./fields.ts";
import { MemoryStatus, MemoryType } from "./memory-fields.ts";
import { findingKey, TIDY_ACTIONS, TIDY_KINDS } from "./tidy-kinds.ts";

const TidyKind = z.enum(TIDY_KINDS).meta({ description: "The kind of finding" });

/** Maximum number of items in a finding: the one to keep, and ten more. */
const MAX_ITEMS = 11;

const ItemType = z.enum(["memory", "document"]).meta({ description: "Record or document" });
const ItemId = z
  .string()
  .regex(
    /^(?:[1-9]\d{0,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
    "must be the number of a record or the UUID of a document",
  )
  .meta({ description: "Number of the record, or id of the document", example: "12" });

const itemReference = { type: ItemType, id: ItemId };

export const TidyItem = z
  .strictObject({
    ...itemReference,
    title: z
      .string()
      .meta({ description: "Title, or topic of a record, without the secret if it contains one" }),
    excerpt: z
      .string()
      .nullable()
      .meta({ description: "Its first words; null for a secret, or if there are none" }),
    memory_type: MemoryType.nullable().meta({ description: "Null for a document" }),
    project: z.string().nullable(),
    status: MemoryStatus.nullable().meta({ description: "Null for a document" }),
    due_date: z.string().nullable(),
    tags: z.array(z.string()),
    version: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
    changed_at: Timestamp.meta({
      description: "When its text last changed. Changes of tags, folder or project only affect `updated_at`",
    }),
  })
  .meta({ id: "TidyItem" });
export type TidyItem = z.infer<typeof TidyItem>;

export const Finding = z
  .strictObject({
    kind: TidyKind,
    reason: z.string().meta({ description: "Why this was found, as text" }),
    actions: z.array(z.enum(TIDY_ACTIONS)).meta({
      description:
        "Actions that resolve it, the recommended one first; it can also be kept as it is. `merge` keeps the first item, " +
        "`supersede` replaces the last item by the first, and the other actions apply to the last item. `delete` moves it to " +
        "the trash. `erase` (DELETE with `permanent=true`) and `erase_versions` (DELETE of each of `versions`) cannot be undone",
    }),
    items: z
      .array(TidyItem)
      .meta({ description: "The affected items. The first is the one to keep, or the later one" }),
    versions: z
      .array(z.int())
      .optional()
      .meta({ description: "With `old_secret`: the earlier versions that contain it, latest first" }),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

const scanFields = {
  looked_at: Timestamp.nullable().meta({
    description: "When the account was last scanned; null if never",
  }),
  records: z.int().meta({ description: "Number of open records scanned" }),
  documents: z.int().meta({ description: "Number of documents scanned" }),
  searched: z.int().default(0).meta({
    description:
      "Number of earlier versions, closed records and items in the trash that were also searched for secrets",
  }),
  left_out: z.int().meta({
    description:
      "Number of items not scanned: the oldest, if there are more than 20,000 records or documents",
  }),
};

export const TidyLook = z
  .strictObject({ ...scanFields, looked_at: Timestamp.meta({ description: "When the scan ended" }) })
  .meta({ id: "TidyLook" });
export type TidyLook = z.infer<typeof TidyLook>;

const Count = z.strictObject({ kind: TidyKind, total: z.int() }).meta({ id: "FindingCount" });

export const FindingList = ItemList("FindingList", Finding, {
  counts: z.array(Count).meta({ description: "Number of findings of each kind, counted up to 200" }),
  ...scanFields,
});
export type FindingList = z.infer<typeof FindingList>;

export const FindingListQuery = RequestQuery({
  kind: z.enum(TIDY_KINDS).optional().meta({ description: "Only findings of this kind" }),
  kept: BooleanParam("List the findings that were kept as they are instead, latest first"),
  ...PageParams,
});
export type FindingListQuery = z.infer<typeof FindingListQuery>;

const ItemReference = z.strictObject(itemReference);

export const KeepRequest = z
  .strictObject({
    kind: TidyKind,
    items: z
      .array(ItemReference)
      .min(1)
      .max(MAX_ITEMS)
      .meta({ description: "The items of the finding, in any order" }),
    keep: z
      .boolean()
      .optional()
      .default(true)
      .meta({ description: "True keeps the items as they are and hides the finding; false shows it again" }),
  })
  .meta({
    id: "KeepRequest",
    example: { kind: "one_word_topic", items: [{ type: "memory", id: "12" }], keep: false },
  });
export type KeepRequest = z.infer<typeof KeepRequest>;

/** Export line of a finding that was kept as it is and is hidden. */
export const KeptFindingExportLine = z.strictObject({
  type: z.literal("tidy_kept"),
  kind: z.enum(TIDY_KINDS),
  items: z
    .array(ItemReference)
    .min(1)
    .max(MAX_ITEMS)
    .refine(
      (items) => new Set(items.map((item) => findingKey([item]))).size === items.length,
      "must not contain an item twice",
    ),
  detail: Text(0, 1000),
  kept_at: ExportedInstant,
});
