import { z } from "@hono/zod-openapi";
import { changes, DocumentCreateRequest, MAX_TAGS, Tag, times } from "./document.ts";
import { Uuid } from "./fields.ts";
import { problemsOf } from "./problems.ts";

export const MAX_OPERATIONS = 100;

const existingDocument = {
  id: Uuid,
  expected_version: z
    .int()
    .min(1)
    .optional()
    .meta({ description: "Apply only if this is the current version of the document" }),
};
const NonEmptyTags = z.array(Tag).min(1).max(MAX_TAGS);

const BulkOperation = z.discriminatedUnion("operation", [
  DocumentCreateRequest.extend({ operation: z.literal("create") }).meta({ id: "DocumentBulkCreate" }),
  changes
    .extend({ operation: z.literal("update"), ...existingDocument, ...times })
    .meta({ id: "DocumentBulkUpdate" }),
  z.strictObject({ operation: z.literal("delete"), ...existingDocument }).meta({ id: "DocumentBulkDelete" }),
  z
    .strictObject({ operation: z.literal("move"), ...existingDocument, folder_id: Uuid.nullable() })
    .meta({ id: "DocumentBulkMove" }),
  z
    .strictObject({ operation: z.literal("add_tags"), ...existingDocument, tags: NonEmptyTags })
    .meta({ id: "DocumentBulkAddTags" }),
  z
    .strictObject({ operation: z.literal("remove_tags"), ...existingDocument, tags: NonEmptyTags })
    .meta({ id: "DocumentBulkRemoveTags" }),
]);
export type BulkOperation = z.infer<typeof BulkOperation>;

/** A malformed operation. Its result says why; the other operations are still carried out. */
export type InvalidOperation = { operation: "invalid"; detail: string };

const Invalid = z
  .unknown()
  .transform((value): InvalidOperation => {
    const { error } = BulkOperation.safeParse(value);
    return { operation: "invalid", detail: error ? problemsOf(error, "operation") : "" };
  })
  .openapi({ description: "Any other value is accepted too; its result says what is wrong with it" });

export const DocumentBulkRequest = z
  .strictObject({
    operations: z
      .array(z.union([BulkOperation, Invalid]))
      .min(1)
      .max(MAX_OPERATIONS),
    dry_run: z
      .boolean()
      .optional()
      .default(false)
      .meta({ description: "Report what would happen without writing anything" }),
  })
  .meta({
    id: "DocumentBulkRequest",
    example: {
      operations: [
        { operation: "create", title: "Packing list" },
        { operation: "add_tags", id: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42", tags: ["travel"] },
      ],
      dry_run: true,
    },
  });
export type DocumentBulkRequest = z.infer<typeof DocumentBulkRequest>;

const BulkResult = z
  .strictObject({
    index: z.int(),
    ok: z.boolean(),
    id: Uuid.optional().meta({ description: "Id of the document; absent for a `create` in a dry run" }),
    detail: z.string().optional().meta({ description: "Why the operation was rejected" }),
  })
  .meta({ id: "DocumentBulkResult" });
export type BulkResult = z.infer<typeof BulkResult>;

export const DocumentBulkAnswer = z
  .strictObject({ results: z.array(BulkResult), succeeded: z.int(), failed: z.int(), dry_run: z.boolean() })
  .meta({ id: "DocumentBulkAnswer" });
export type DocumentBulkAnswer = z.infer<typeof DocumentBulkAnswer>;
