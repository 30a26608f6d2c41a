import { z } from "@hono/zod-openapi";
import { JsonObject, Name, Page, Repeated, Since, Text, Timestamp, Uuid } from "../core/fields.ts";

export const MAX_TAGS = 50;

export const Tag = Name(64)
  .refine((tag) => tag !== "." && tag !== "..", "must not be . or .., which the path of a URL cannot hold")
  .meta({ example: "travel" });

export const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)]);

const Title = Text(1, 500).meta({ example: "Packing list" });

const CONTENT_EXAMPLE = { format: "markdown", text: "# Packing list\n\n- passport" };

const Content = JsonObject.nullable().openapi({
  type: ["object", "null"],
  description:
    'Any JSON object. Every string in it is searchable; `{"format": "markdown", "text": "…"}` is the form for prose.',
  example: CONTENT_EXAMPLE,
});

/** Where a document came from. */
export const SourceType = z.enum(["api", "mcp", "web", "import", "cli"]);
export type SourceType = z.infer<typeof SourceType>;

export const DocumentCreateRequest = z
  .object({
    title: Title,
    content: Content.optional(),
    folder_id: Uuid.nullable().optional(),
    tags: Tags.optional(),
  })
  .meta({
    id: "DocumentCreateRequest",
    example: { title: "Packing list", content: CONTENT_EXAMPLE, tags: ["travel"] },
  });
export type DocumentCreateRequest = z.infer<typeof DocumentCreateRequest>;

export const DocumentUpdateRequest = DocumentCreateRequest.partial().meta({
  id: "DocumentUpdateRequest",
  example: { title: "What to pack" },
});
export type DocumentUpdateRequest = z.infer<typeof DocumentUpdateRequest>;

const summary = {
  id: Uuid,
  title: z.string(),
  tags: z.array(z.string()),
  source_type: SourceType,
  folder_id: Uuid.nullable(),
  version: z.int().meta({ description: "Counts the changes; the ETag is made of it" }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Document = z
  .strictObject({
    ...summary,
    content: z.record(z.string(), z.unknown()).optional().meta({ description: "Absent when there is none" }),
  })
  .meta({ id: "Document" });
export type Document = z.infer<typeof Document>;

/** A document in a list: everything but its content. */
export const DocumentListItem = z.strictObject(summary).meta({ id: "DocumentListItem" });
export type DocumentListItem = z.infer<typeof DocumentListItem>;

export const DocumentList = z
  .strictObject({ items: z.array(DocumentListItem), total: z.int() })
  .meta({ id: "DocumentList" });
export type DocumentList = z.infer<typeof DocumentList>;

export const DocumentParams = z.object({ document_id: Uuid });

export const DocumentListQuery = z.object({
  folder_id: Uuid.optional(),
  tag: Repeated(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat it to ask for several tags at once" }),
  source_type: SourceType.optional(),
  updated_after: Since.optional(),
  updated_before: Since.optional(),
  sort: z.enum(["updated_at", "created_at", "title"]).default("updated_at"),
  order: z
    .enum(["asc", "desc"])
    .optional()
    .meta({ description: "By default newest first, and titles from A" }),
  ...Page,
});
export type DocumentListQuery = z.infer<typeof DocumentListQuery>;

export const CreateHeaders = z.object({
  "idempotency-key": z.string().min(1).max(255).optional().meta({
    description: "The same key and body give the same answer for 24 hours; another body is refused",
  }),
  "x-source-type": SourceType.exclude(["mcp"])
    .optional()
    .meta({ description: "What kind of program writes; `api` by default" }),
});

export const ReadHeaders = z.object({ "if-none-match": z.string().optional() });

export const ChangeHeaders = z.object({
  "if-match": z.string().optional().meta({ description: 'The ETag that you read, for example `"v3"`' }),
});

export const ETagHeader = z.object({ ETag: z.string().meta({ example: '"v3"' }) });

export const CreatedHeaders = ETagHeader.extend({
  Location: z.string().meta({ example: "/api/documents/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }),
});
