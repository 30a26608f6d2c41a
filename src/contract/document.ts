import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import type { Access } from "./access.ts";
import {
  ChangeBody,
  Cursor,
  Flag,
  Instant,
  JsonObject,
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
import { IdempotencyHeaders } from "../idempotency/schema.ts";
import { isDots, MAX_TAG, MAX_TAGS } from "./tag-rule.ts";

export { MAX_TAGS };

export const Tag = Name(MAX_TAG)
  .refine((tag) => !isDots(tag), "must not be . or .., which cannot be part of a URL's path")
  .meta({ example: "travel" });

export const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)]);

export const Title = Text(1, 500).meta({ example: "Packing list" });

const CONTENT_EXAMPLE = { format: "markdown", text: "# Packing list\n\n- passport" };

const Content = JsonObject.nullable().openapi({
  type: ["object", "null"],
  description:
    'Any JSON object. Every string in it is searchable; use `{"format": "markdown", "text": "…"}` for prose.',
  example: CONTENT_EXAMPLE,
});

/** Where a document came from. */
export const SourceType = z.enum(["api", "mcp", "web", "import", "cli"]);
export type SourceType = z.infer<typeof SourceType>;

const said = {
  title: Title,
  content: Content.optional(),
  folder_id: Uuid.nullable().optional(),
  tags: Tags.optional(),
};

/** The default values of a new document. */
export const unsaid = { content: null, folder_id: null, tags: [] as string[] };

/** The original times of a text that was written earlier, elsewhere. */
export const times = {
  created_at: Instant.optional().openapi({
    description: "When it was originally written, if not now; not in the future",
  }),
  updated_at: Instant.optional().openapi({
    description:
      "When it was originally last changed; not before created_at, not in the future. The default is created_at for a new document that has one, otherwise now",
  }),
};

export const DocumentCreateRequest = z.strictObject({ ...said, ...times }).meta({
  id: "DocumentCreateRequest",
  example: { title: "Packing list", content: CONTENT_EXAMPLE, tags: ["travel"] },
});
export type DocumentCreateRequest = z.infer<typeof DocumentCreateRequest>;

const summary = {
  id: Uuid,
  title: z.string(),
  tags: z.array(z.string()),
  source_type: SourceType,
  folder_id: Uuid.nullable(),
  version: z.int().meta({ description: "Counts the changes; the ETag is derived from it" }),
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

/** A document as a row of the table, where its content may be null. */
export type DocumentRow = Omit<Document, "content"> & { content: Record<string, unknown> | null };

/** The fields of a document that can be changed. */
export const changes = z.strictObject(said).partial();

export const DocumentUpdateRequest = ChangeBody(changes, Document).meta({
  id: "DocumentUpdateRequest",
  example: { title: "What to pack" },
});
export type DocumentUpdateRequest = z.infer<typeof DocumentUpdateRequest>;

/** A document in a list, without its content except for a requested key. */
export const DocumentListItem = z
  .strictObject({
    ...summary,
    content: z.record(z.string(), z.unknown()).optional().meta({
      description: "With `content_key`: that key of the content, if it exists and is not too large",
    }),
  })
  .meta({ id: "DocumentListItem" });
export type DocumentListItem = z.infer<typeof DocumentListItem>;

/** A document in a list, with the path of its folder. */
export type PlacedDocument = Omit<DocumentListItem, "content"> & { folder_path: string | null };

export const DocumentList = z
  .strictObject({ items: z.array(DocumentListItem), total: z.int(), next_cursor: NextCursor })
  .meta({ id: "DocumentList" });
export type DocumentList = z.infer<typeof DocumentList>;

export const DocumentDeleteQuery = RequestQuery({
  permanent: Flag("Erases it at once, even from the trash"),
});

/** Reads what is in the trash, too. */
export const ReadQuery = RequestQuery({
  trashed: Flag("Also if it is in the trash: then with `trashed_at`"),
});

/** When something was put into the trash. */
export const TrashedAt = Timestamp.meta({ description: "In the trash since then; erased 30 days after it" });

/** A document as it is read, perhaps in the trash. */
export const ReadDocument = Document.extend({ trashed_at: TrashedAt.optional() }).meta({
  id: "ReadDocument",
});
export type ReadDocument = z.infer<typeof ReadDocument>;

export const DocumentParams = z.object({ document_id: Uuid });

/** The longest content value that a list includes, in characters of JSON. */
export const MAX_LISTED_VALUE = 1000;

export const DocumentListQuery = RequestQuery({
  folder_id: z
    .union([z.uuid("must be a UUID or none"), z.literal("none")])
    .optional()
    .meta({
      description: "Only the documents directly in this folder; `none`: those that are in no folder",
      example: "none",
    }),
  tag: Repeated(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat the parameter to require several tags" }),
  source_type: SourceType.optional(),
  updated_after: Since.optional(),
  updated_before: Since.optional(),
  content_key: z
    .string()
    .regex(/^\w{1,64}$/, "must be 1 to 64 letters, digits or _")
    .optional()
    .meta({
      description: `Adds this key of each document's content, up to ${MAX_LISTED_VALUE} characters of JSON`,
      example: "format",
    }),
  sort: z.enum(["updated_at", "created_at", "title"]).default("updated_at"),
  order: z
    .enum(["asc", "desc"])
    .optional()
    .meta({ description: "By default newest first, and titles from A to Z" }),
  ...Page,
  cursor: Cursor,
});
export type DocumentListQuery = z.infer<typeof DocumentListQuery>;

/** The headers in which a program identifies itself as the writer. */
export const WriterHeaders = z.object({
  "x-source-type": SourceType.exclude(["mcp"])
    .optional()
    .meta({ description: "What kind of program is writing; `api` by default" }),
  "x-client-name": Name(100)
    .optional()
    .meta({ description: "The program's name, recorded in versions", example: "Obsidian" }),
});

export const CreateHeaders = IdempotencyHeaders.extend(WriterHeaders.shape);

export const VersionParams = DocumentParams.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,11}$/, "must be a version number")
    .transform(Number)
    .openapi({ type: "integer", minimum: 1 }),
});

const MAX_EDIT = 1024 * 1024;

/** The fields of an edit; `neededFields` checks which of them an operation needs. */
export const editFields = {
  operation: z
    .enum(["append", "prepend", "find_replace", "replace_section", "replace_all"])
    .meta({ description: "What to do with `content.text`" }),
  text: Text(0, MAX_EDIT).meta({
    description: "The new text; its line endings are converted to the document's",
  }),
  find_text: Text(1, MAX_EDIT)
    .optional()
    .meta({ description: "find_replace: the exact text to look for; every occurrence is replaced" }),
  expected_replacements: z.int().min(1).max(1_000_000).optional().meta({
    description: "find_replace: how often find_text must occur; with any other count nothing is changed",
  }),
  section: Text(1, 1000).optional().meta({
    description:
      "replace_section: the heading, with or without its `#` signs; everything below it up to the next heading of the same or a higher level is replaced, the heading stays",
  }),
};

/** Refuses an edit that lacks a field required by its operation. */
export function neededFields(
  edit: { operation: string; find_text?: string | undefined; section?: string | undefined },
  issue: z.core.$RefinementCtx,
): void {
  const needs: Record<string, "find_text" | "section"> = {
    find_replace: "find_text",
    replace_section: "section",
  };
  const needed = needs[edit.operation];
  if (needed && edit[needed] === undefined) {
    issue.addIssue({ code: "custom", path: [needed], message: `is required by ${edit.operation}` });
  }
}

export const DocumentEditRequest = z
  .strictObject(editFields)
  .superRefine(neededFields)
  .meta({
    id: "DocumentEditRequest",
    example: { operation: "replace_section", section: "## Packing", text: "- passport" },
  });
export type DocumentEditRequest = z.infer<typeof DocumentEditRequest>;

/**
 * The scopes that an edit needs in addition to the scope to write. An edit that searches reveals whether a text occurs,
 * and repeated searches could reveal the whole document letter by letter.
 */
export const accessToEdit = ({ operation }: { operation: string }): Access[] =>
  operation === "find_replace" || operation === "replace_section" ? ["docs:read"] : [];

export const VersionListQuery = RequestQuery(Page);

const versionSummary = {
  document_id: Uuid,
  version: z.int(),
  title: z.string(),
  tags: z.array(z.string()),
  folder_id: Uuid.nullable().meta({
    description: "The folder that it was in, which may have been deleted since",
  }),
  source_type: SourceType.meta({ description: "What kind of program wrote this version" }),
  client_name: z.string().nullable().meta({ description: "The program's name, if it gave one" }),
  created_at: Timestamp.meta({ description: "When this version was written" }),
};

export const DocumentVersion = z
  .strictObject({
    ...versionSummary,
    content: z.record(z.string(), z.unknown()).optional().meta({ description: "Absent when there was none" }),
  })
  .meta({ id: "DocumentVersion" });
export type DocumentVersion = z.infer<typeof DocumentVersion>;

/** A version in a list, without its content. */
export const DocumentVersionListItem = z.strictObject(versionSummary).meta({ id: "DocumentVersionListItem" });

export const DocumentVersionList = z
  .strictObject({ items: z.array(DocumentVersionListItem), total: z.int() })
  .meta({ id: "DocumentVersionList" });
export type DocumentVersionList = z.infer<typeof DocumentVersionList>;

export const ReadHeaders = z.object({ "if-none-match": z.string().optional() });

const IfMatch = z.object({
  "if-match": z.string().optional().meta({ description: 'The ETag that you read, for example `"v3"`' }),
});

export const DeleteHeaders = IfMatch;

export const ChangeHeaders = IfMatch.extend(WriterHeaders.shape);

/** The headers of a POST that changes a document. */
export const ActionHeaders = ChangeHeaders.extend(IdempotencyHeaders.shape);

export const ETagHeader = z.object({ ETag: z.string().meta({ example: '"v3"' }) });

export const CreatedHeaders = ETagHeader.extend({
  Location: z.string().meta({ example: "/api/documents/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }),
});

/** A D1 row is limited to 2 MB, and numbers such as 1e20 are longer when stored. */
const MAX_CONTENT_BYTES = 1_900_000;

/** The fields that documents and versions share in an export. */
const line = {
  version: LineVersion,
  title: Title,
  tags: Tags,
  folder_id: Uuid.nullable(),
  content: JsonObject.refine(
    (content) => Buffer.byteLength(JSON.stringify(content)) <= MAX_CONTENT_BYTES,
    `must be at most ${MAX_CONTENT_BYTES} bytes`,
  ).nullable(),
  source_type: SourceType,
  created_at: LineInstant,
};

/** A document in an export. */
export const DocumentLine = z.strictObject({
  type: z.literal("document"),
  id: Uuid,
  ...line,
  updated_at: LineInstant,
  writer_source_type: SourceType.nullable(),
  writer_client_name: LineClient,
  trashed_at: LineInstant.nullable(),
});

/** One of its versions. */
export const DocumentVersionLine = z.strictObject({
  type: z.literal("document_version"),
  document_id: Uuid,
  ...line,
  client_name: LineClient,
});
