import { z } from "@hono/zod-openapi";
import { Flag, Page, RequestQuery, Text, Timestamp } from "./fields.ts";
import { LineInstant } from "./line-fields.ts";
import { MemoryStatus, MemoryType } from "./memory-fields.ts";
import { keyOf, TIDY_ACTIONS, TIDY_KINDS } from "./tidy/kinds.ts";

const TidyKind = z.enum(TIDY_KINDS).meta({ description: "What was found" });

/** How many things a finding has at most: the one that stays, and ten more. */
const MOST_ITEMS = 11;

const ItemType = z.enum(["memory", "document"]).meta({ description: "Whether it is a record or a document" });
const ItemId = z
  .string()
  .regex(
    /^(?:[1-9]\d{0,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
    "must be the number of a record or the UUID of a document",
  )
  .meta({ description: "The number of the record, or the id of the document", example: "12" });

const named = { type: ItemType, id: ItemId };

export const TidyItem = z
  .strictObject({
    ...named,
    title: z.string().meta({ description: "The title, or the topic of a record; of a secret without it" }),
    excerpt: z
      .string()
      .nullable()
      .meta({ description: "Its first words; null for a secret, and where there are none" }),
    memory_type: MemoryType.nullable().meta({ description: "Null for a document" }),
    project: z.string().nullable(),
    status: MemoryStatus.nullable().meta({ description: "Null for a document" }),
    due_date: z.string().nullable(),
    tags: z.array(z.string()),
    version: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
    changed_at: Timestamp.meta({
      description: "When what it says was last changed; updated_at moves with how it is filed as well",
    }),
  })
  .meta({ id: "TidyItem" });
export type TidyItem = z.infer<typeof TidyItem>;

export const Finding = z
  .strictObject({
    kind: TidyKind,
    reason: z.string().meta({ description: "Why, in words" }),
    actions: z.array(z.enum(TIDY_ACTIONS)).meta({
      description:
        "What settles it, the first one best; besides, all can be kept. `merge` keeps the first item, `supersede` " +
        "replaces the last one by the first one, the others are about the last one. `delete` moves it to the trash; `erase` " +
        "(DELETE with `permanent=true`) and `erase_versions` (DELETE of each of `versions`) cannot be undone",
    }),
    items: z
      .array(TidyItem)
      .meta({ description: "What it is about: first the one that stays, or the later one" }),
    versions: z
      .array(z.int())
      .optional()
      .meta({ description: "Of `old_secret`: the earlier versions that contain it, latest first" }),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

const looked = {
  looked_at: Timestamp.nullable().meta({
    description: "When the account was last looked through; null for never",
  }),
  records: z.int().meta({ description: "How many open records were looked through" }),
  documents: z.int().meta({ description: "How many documents were looked through" }),
  searched: z.int().default(0).meta({
    description:
      "How many earlier versions, closed records and things in the trash were searched for secrets besides",
  }),
  left_out: z.int().meta({
    description: "How many were too many for it: the oldest of more than 20,000 records or documents",
  }),
};

export const TidyLook = z
  .strictObject({ ...looked, looked_at: Timestamp.meta({ description: "When the look ended" }) })
  .meta({ id: "TidyLook" });
export type TidyLook = z.infer<typeof TidyLook>;

const Count = z.strictObject({ kind: TidyKind, total: z.int() }).meta({ id: "FindingCount" });

export const FindingList = z
  .strictObject({
    items: z.array(Finding),
    total: z.int(),
    counts: z
      .array(Count)
      .meta({ description: "How many there are of each kind; of more than 200, that number" }),
    ...looked,
  })
  .meta({ id: "FindingList" });
export type FindingList = z.infer<typeof FindingList>;

export const FindingListQuery = RequestQuery({
  kind: z.enum(TIDY_KINDS).optional().meta({ description: "Only findings of this kind" }),
  kept: Flag("Instead, what was kept as it is, the latest first"),
  ...Page,
});
export type FindingListQuery = z.infer<typeof FindingListQuery>;

const Named = z.strictObject(named);

export const KeepRequest = z
  .strictObject({
    kind: TidyKind,
    items: z
      .array(Named)
      .min(1)
      .max(MOST_ITEMS)
      .meta({ description: "What the finding is about, in any order" }),
    keep: z.boolean().optional().default(true).meta({ description: "False: ask again" }),
  })
  .meta({
    id: "KeepRequest",
    example: { kind: "one_word_topic", items: [{ type: "memory", id: "12" }], keep: false },
  });
export type KeepRequest = z.infer<typeof KeepRequest>;

/** In an export: what is not to be asked about again. */
export const KeptLine = z.strictObject({
  type: z.literal("tidy_kept"),
  kind: z.enum(TIDY_KINDS),
  items: z
    .array(Named)
    .min(1)
    .max(MOST_ITEMS)
    .refine(
      (items) => new Set(items.map((item) => keyOf([item]))).size === items.length,
      "must be different things",
    ),
  detail: Text(0, 1000),
  kept_at: LineInstant,
});
