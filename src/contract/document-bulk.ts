import { z } from "@hono/zod-openapi";
import { DocumentCreateRequest, documentChanges, MAX_TAGS, originalTimes, Tag } from "./document.ts";
import { Uuid } from "./fields.ts";
import { describeProblems } from "./problems.ts";

export const MAX_BULK_OPERATIONS = 100;

const existingDocument = {
  id: Uuid,
  expected_version: z
    .int()
    .min(1)
    .optional()
    .meta({ description: "Apply only if this is the current version of the document" }),
};
const NonEmptyTags = z.array(Tag).min(1).max(MAX_TAGS);

const DocumentBulkOperation = z.discriminatedUnion("operation", [
  DocumentCreateRequest.extend({ operation: z.literal("create") }).meta({ id: "DocumentBulkCreate" }),
  documentChanges
    .extend({ operation: z.literal("update"), ...existingDocument, ...originalTimes })
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
export type DocumentBulkOperation = z.infer<typeof DocumentBulkOperation>;

/** A malformed operation. Its result says why; the other operations are still carried out. */
export type InvalidBulkOperation = { operation: "invalid"; detail: string };

const Invalid = z
  .unknown()
  .transform((value): InvalidBulkOperation => {
    const { error } = DocumentBulkOperation.safeParse(value);
    return { operation: "invalid", detail: error ? describeProblems(error, "operation") : "" };
  })
  .openapi({ description: "Any other value is accepted too; its result says what is wrong with it" });

export const DocumentBulkRequest = z
  .strictObject({
    operations: z
      .array(z.union([DocumentBulkOperation, Invalid]))
      .min(1)
      .max(MAX_BULK_OPERATIONS),
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

const DocumentBulkResult = z
  .strictObject({
    index: z.int(),
    ok: z.boolean(),
    id: Uuid.optional().meta({ description: "Id of the document; absent for a `create` in a dry run" }),
    detail: z.string().optional().meta({ description: "Why the operation was rejected" }),
  })
  .meta({ id: "DocumentBulkResult" });
export type DocumentBulkResult = z.infer<typeof DocumentBulkResult>;

export const DocumentBulkAnswer = z
  .strictObject({
    results: z.array(DocumentBulkResult),
    succeeded: z.int(),
    failed: z.int(),
    dry_run: z.boolean(),
  })
  .meta({ id: "DocumentBulkAnswer" });
export type DocumentBulkAnswer = z.infer<typeof DocumentBulkAnswer>;
