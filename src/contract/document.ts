import { z } from "@hono/zod-openapi";
import {
  ChangedAt,
  CONTENT_EXAMPLE,
  DOCUMENT_FIELDS,
  SourceType,
  Tag,
  Tags,
  Title,
  TrashedAt,
} from "./document-fields.ts";
import { DocumentLinks } from "./document-links.ts";
import { ExportedClientName } from "./export-fields.ts";
import { pluckFields } from "./field-spec.ts";
import {
  BooleanParam,
  Cursor,
  Instant,
  InstantOrDay,
  ItemList,
  Name,
  NextCursor,
  PageParams,
  RepeatedParam,
  RequestQuery,
  Timestamp,
  UpdateBody,
  Uuid,
  VersionNumberParam,
} from "./fields.ts";
import { IdempotencyHeaders } from "./idempotency.ts";
import { MAX_TAGS } from "./tag-rule.ts";

/** Maximum length of an excerpt in characters, including the ellipsis. */
export const MAX_EXCERPT = 110;

export { accessForEdit as accessToEdit, DocumentEditRequest, editFields } from "./document-edit.ts";
export { ChangedAt, MAX_TAGS, SourceType, Tag, Tags, Title, TrashedAt };

const { title, content, folder_id, ...otherRequestFields } = pluckFields(DOCUMENT_FIELDS, "requested");

const requestFields = { title, content, folder_id, ...otherRequestFields };

export const documentDefaults = pluckFields(DOCUMENT_FIELDS, "default");

export const originalTimes = {
  created_at: Instant.optional().openapi({
    description: "When it was originally created, if not now. Must not be in the future",
  }),
  updated_at: Instant.optional().openapi({
    description:
      "When it was originally last changed. Must not be before created_at or in the future. Defaults to created_at if a new document has one, otherwise to now",
  }),
};

export const DocumentCreateRequest = z.strictObject({ ...requestFields, ...originalTimes }).meta({
  id: "DocumentCreateRequest",
  example: { title: "Packing list", content: CONTENT_EXAMPLE, tags: ["travel"] },
});
export type DocumentCreateRequest = z.infer<typeof DocumentCreateRequest>;

const { content: responseContent, ...summary } = pluckFields(DOCUMENT_FIELDS, "shown");

export const Document = z.strictObject({ ...summary, content: responseContent }).meta({ id: "Document" });
export type Document = z.infer<typeof Document>;

/** A document as a database row, in which the content may be null. */
export type DocumentRow = Omit<Document, "content"> & { content: Record<string, unknown> | null };

export const documentChanges = z.strictObject(requestFields).partial();

export const DocumentUpdateRequest = UpdateBody(documentChanges, Document).meta({
  id: "DocumentUpdateRequest",
  example: { title: "What to pack" },
});
export type DocumentUpdateRequest = z.infer<typeof DocumentUpdateRequest>;

export const DocumentListItem = z
  .strictObject({
    ...summary,
    tasks: z
      .strictObject({
        open: z.int().meta({ description: "Number of open tasks" }),
        done: z.int().meta({ description: "Number of completed tasks" }),
      })
      .optional()
      .meta({ description: "Counts of the tasks in its text (`- [ ] …`, `- [x] …`); absent if it has none" }),
    excerpt: z
      .string()
      .optional()
      .meta({
        description: `Its first words as plain text, at most ${MAX_EXCERPT} characters; empty if it has none. Absent for documents of an earlier release that have not been processed yet`,
        example: "Passport, tickets, the blue coat",
      }),
    content: z.record(z.string(), z.unknown()).optional().meta({
      description: "With `content_key`: only that key of the content, if it exists and is not too large",
    }),
  })
  .meta({ id: "DocumentListItem" });
export type DocumentListItem = z.infer<typeof DocumentListItem>;

export type DocumentWithPath = Omit<DocumentListItem, "content" | "tasks" | "excerpt"> & {
  folder_path: string | null;
};

export const DocumentList = ItemList("DocumentList", DocumentListItem, {
  next_cursor: NextCursor,
  notes: z
    .array(z.string())
    .optional()
    .meta({ description: "What may be missing from the list, and until when" }),
});
export type DocumentList = z.infer<typeof DocumentList>;

export const DocumentDeleteQuery = RequestQuery({
  permanent: BooleanParam("Delete it permanently, also if it is in the trash"),
});

export const ReadQuery = RequestQuery({
  trashed: BooleanParam("Also return it if it is in the trash, with `trashed_at`"),
});

export const DocumentReadQuery = ReadQuery.extend({
  include: z.enum(["links"]).optional().meta({
    description: "`links`: also return its links and the first page of its backlinks",
  }),
});

export const ReadDocument = Document.extend({
  trashed_at: TrashedAt.optional(),
  links: DocumentLinks.optional().meta({
    description: "With `include=links`. Further backlinks: `GET /api/documents/{document_id}/links`",
  }),
}).meta({ id: "ReadDocument" });
export type ReadDocument = z.infer<typeof ReadDocument>;

export const DocumentParams = z.object({ document_id: Uuid });

/** Which tasks a document has: `open` at least one open task, `done` tasks that are all done, `any` any task. */
export const TaskFilter = z.enum(["open", "done", "any"]);
export type TaskFilter = z.infer<typeof TaskFilter>;

/** Maximum length of a content value in a list, in characters of JSON. */
export const MAX_LISTED_VALUE = 1000;

export const DocumentListQuery = RequestQuery({
  folder_id: z
    .union([z.uuid("must be a UUID or none"), z.literal("none")])
    .optional()
    .meta({
      description: "Only documents directly in this folder. `none`: only documents that are in no folder",
      example: "none",
    }),
  tag: RepeatedParam(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat the parameter to require several tags" }),
  source_type: SourceType.optional(),
  tasks: TaskFilter.optional().meta({
    description:
      "Only documents with an open task (`open`), with tasks that are all done (`done`), or with any tasks",
  }),
  created_after: InstantOrDay.optional(),
  created_before: InstantOrDay.optional(),
  updated_after: InstantOrDay.optional(),
  updated_before: InstantOrDay.optional(),
  changed_after: InstantOrDay.optional(),
  changed_before: InstantOrDay.optional(),
  content_key: z
    .string()
    .regex(/^\w{1,64}$/, "must be 1 to 64 letters, digits or _")
    .optional()
    .meta({
      description: `Include this key of each document's content, up to ${MAX_LISTED_VALUE} characters of JSON`,
      example: "format",
    }),
  sort: z.enum(["updated_at", "changed_at", "created_at", "title"]).default("updated_at").meta({
    description: "`changed_at` sorts by the last change of the text and ignores changes of tags and folder",
  }),
  order: z
    .enum(["asc", "desc"])
    .optional()
    .meta({ description: "Default: newest first; titles from A to Z" }),
  ...PageParams,
  cursor: Cursor,
});
export type DocumentListQuery = z.infer<typeof DocumentListQuery>;

export const WriterHeaders = z.object({
  "x-source-type": SourceType.exclude(["mcp"])
    .optional()
    .meta({ description: "The kind of program that writes. Default: `api`" }),
  "x-client-name": Name(100)
    .optional()
    .meta({ description: "Name of the program, recorded in versions", example: "Obsidian" }),
});

export const CreateHeaders = IdempotencyHeaders.extend(WriterHeaders.shape);

export const VersionParams = DocumentParams.extend({ version: VersionNumberParam });

export const VersionListQuery = RequestQuery(PageParams);

const { shape: versionedFields } = z
  .strictObject(summary)
  .omit({ id: true, updated_at: true, changed_at: true });

const versionSummary = {
  document_id: Uuid,
  ...versionedFields,
  version: z.int(),
  folder_id: Uuid.nullable().meta({
    description: "The folder it was in, which may have been deleted since",
  }),
  source_type: SourceType.meta({ description: "The kind of program that wrote this version" }),
  client_name: z.string().nullable().meta({ description: "Name of the program, if it gave one" }),
  created_at: Timestamp.meta({ description: "When this version was written" }),
  next_has_same_text: z.boolean().meta({
    description:
      "Whether the next version has the same title and content, and differs only in its tags or folder; false if that is " +
      "not known",
  }),
};

export const DocumentVersion = z
  .strictObject({
    ...versionSummary,
    content: responseContent.meta({ description: "Absent if there was none" }),
  })
  .meta({ id: "DocumentVersion" });
export type DocumentVersion = z.infer<typeof DocumentVersion>;

export const DocumentVersionListItem = z.strictObject(versionSummary).meta({ id: "DocumentVersionListItem" });

export const DocumentVersionList = ItemList("DocumentVersionList", DocumentVersionListItem);
export type DocumentVersionList = z.infer<typeof DocumentVersionList>;

export const ReadHeaders = z.object({ "if-none-match": z.string().optional() });

export const IfMatch = z.object({
  "if-match": z
    .string()
    .optional()
    .meta({ description: 'The ETag of the version you read, for example `"v3"`' }),
});

export const DeleteHeaders = IfMatch;

export const ChangeHeaders = IfMatch.extend(WriterHeaders.shape);

export const WriteHeaders = ChangeHeaders.extend({
  "x-sitting": z
    .string()
    .regex(/^[\w-]{8,64}$/, "must be 8 to 64 letters, digits, _ or -")
    .optional()
    .meta({
      description:
        "A random id of an edit session. Saves of one session within ten minutes, without another change in between, " +
        "count as one change and create one earlier version",
      example: "3f0c9a52b7d14e86",
    }),
});

export const ActionHeaders = ChangeHeaders.extend(IdempotencyHeaders.shape);

export const TaskHeaders = WriteHeaders.extend(IdempotencyHeaders.shape);

export const ETagHeader = z.object({ ETag: z.string().meta({ example: '"v3"' }) });

export const CreatedHeaders = ETagHeader.extend({
  Location: z.string().meta({ example: "/api/documents/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }),
});

const exportedFields = pluckFields(DOCUMENT_FIELDS, "versioned");

export const DocumentExportLine = z.strictObject({
  type: z.literal("document"),
  id: Uuid,
  ...exportedFields,
  ...pluckFields(DOCUMENT_FIELDS, "exported"),
});

export const DocumentVersionExportLine = z.strictObject({
  type: z.literal("document_version"),
  document_id: Uuid,
  ...exportedFields,
  client_name: ExportedClientName,
  next_has_same_text: z.boolean().default(false),
});
