import { z } from "zod";
import type { Ctx } from "../core/ctx.ts";
import { AppError, badRequest, notFound } from "../core/errors.ts";
import { etagOf } from "../core/etag.ts";
import { given } from "../core/given.ts";
import { problemsOf } from "../core/problems.ts";
import { defineTool, withoutNulls } from "../core/tool.ts";
import { listDocuments } from "./list-store.ts";
import {
  accessToEdit,
  type Document,
  DocumentCreateRequest,
  DocumentEditRequest,
  DocumentListQuery,
  type DocumentRow,
  DocumentUpdateRequest,
  editFields,
  MAX_TAGS,
} from "./schema.ts";
import * as store from "./store.ts";
import { deleteDocument } from "./trash-store.ts";

const Id = z.uuid();

/** A document in an answer: what a model needs to refer to it and work with it. */
const ToolDocument = z.strictObject({
  id: Id,
  title: z.string(),
  tags: z.array(z.string()),
  folder_id: Id.optional(),
  version: z.int(),
  updated_at: z.string(),
});

/** A document in the answer to a write: complete if the caller may read it. */
const WrittenDocument = ToolDocument.partial({ title: true, tags: true });

const receipt = ({ id, version, updated_at }: z.infer<typeof WrittenDocument>) => ({
  id,
  version,
  updated_at,
});

function toolDocument({ id, title, tags, folder_id, version, updated_at }: Omit<Document, "content">) {
  return withoutNulls({ id, title, tags, folder_id, version, updated_at });
}

const writerOf = (ctx: Ctx): store.Writer => ({
  source_type: "mcp",
  client_name: ctx.client_name,
});

/** Adds what to do to the errors for an unknown id and for a changed version. */
const explained = (id: string) => (problem: unknown) => {
  if (!(problem instanceof AppError)) throw problem;
  if (problem.message === notFound("folder_id").message) {
    throw new AppError(404, `${problem.message}: list_documents shows the folder_id of each document`);
  }
  if (problem.status === 404) {
    throw new AppError(404, `${id} was not found: use list_documents to find the ids`);
  }
  if (problem.status === 412) {
    throw new AppError(412, `${id} has changed since you read it: fetch it again and repeat the edit`);
  }
  throw problem;
};

/** Parses fields with the API's own schema. Throws a 400 that names the invalid ones. */
function under<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw badRequest(problemsOf(read.error, "input"));
}

const prose = (text: string) => ({ format: "markdown", text });
const NAMES = { document_id: "id", tag: "tags", content: "text", folder: "folder_id" };

export const listDocumentsTool = defineTool({
  name: "list_documents",
  title: "List documents",
  description:
    "Documents without their text, last changed first. To find by words, call search; to read one, call fetch.",
  access: "docs:read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    folder_id: Id.optional(),
    tag: z.array(z.string()).max(MAX_TAGS).optional().meta({ description: "All of them must match" }),
    updated_after: z.string().optional().meta({ description: "A date or date-time" }),
    sort: z.enum(["updated_at", "created_at", "title"]).optional(),
    limit: z.int().min(1).max(50).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: z.strictObject({ documents: z.array(ToolDocument), total: z.int(), has_more: z.boolean() }),
  aliases: { tags: "tag", folder: "folder_id" },
  run: async (ctx, { limit, offset, ...filters }) => {
    const query = under(DocumentListQuery, { ...filters, limit: String(limit), offset: String(offset) });
    const { items, total } = await listDocuments(ctx, query);
    return { documents: items.map(toolDocument), total, has_more: offset + items.length < total };
  },
});

export const createDocumentTool = defineTool({
  name: "create_document",
  title: "Create a document",
  description: "Stores a text (Markdown). For one short fact, promise or decision, call remember instead.",
  access: "docs:write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    title: z.string(),
    text: z.string(),
    tags: z.array(z.string()).max(MAX_TAGS).optional(),
    folder_id: Id.optional(),
  }),
  output: WrittenDocument,
  receipt,
  aliases: { tag: "tags", content: "text", folder: "folder_id" },
  run: async (ctx, { text, ...fields }) => {
    const input = under(DocumentCreateRequest, { ...fields, content: prose(text) });
    return toolDocument(
      await store.createDocument(ctx, input, writerOf(ctx)).catch(explained("The document")),
    );
  },
});

const EDITS = [...editFields.operation.options, "set_fields"] as const;

export const editDocumentTool = defineTool({
  name: "edit_document",
  title: "Edit a document",
  description:
    "Changes part of a document. append, prepend, replace_all: text. find_replace: replaces every find_text with text; " +
    "expected_replacements checks the count. replace_section: replaces what is below the heading in section, up to the " +
    "next heading of its level. set_fields: title, tags, folder_id. The previous state is kept as a version.",
  access: "docs:write",
  needs: accessToEdit,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: z.strictObject({
    id: Id,
    operation: z.enum(EDITS),
    text: z.string().optional(),
    find_text: z.string().optional(),
    expected_replacements: z.int().min(1).optional(),
    section: z.string().optional(),
    title: z.string().optional(),
    tags: z.array(z.string()).max(MAX_TAGS).optional(),
    folder_id: Id.nullable().optional(),
    expected_version: z.int().min(1).optional().meta({ description: "Refuse if the document has changed" }),
  }),
  output: WrittenDocument,
  receipt,
  aliases: { ...NAMES, old_text: "find_text", new_text: "text", heading: "section" },
  run: async (ctx, { id, operation, expected_version, title, tags, folder_id, ...edit }) => {
    const ifMatch = expected_version === undefined ? undefined : etagOf(expected_version);
    const writer = { ...writerOf(ctx), ifMatch };
    const changed =
      operation === "set_fields"
        ? setFields(ctx, id, { title, tags, folder_id }, writer)
        : store.editDocument(ctx, id, under(DocumentEditRequest, { operation, ...edit }), writer);
    return toolDocument(await changed.catch(explained(id)));
  },
});

/** Changes the given fields. Throws 400 when that changes nothing. */
function setFields(
  ctx: Ctx,
  id: string,
  fields: Record<string, unknown>,
  writer: store.Writer,
): Promise<Document> {
  const change = under(DocumentUpdateRequest, given(fields));
  const refuseNothing = (row: DocumentRow) => {
    if (JSON.stringify({ ...row, ...change }) !== JSON.stringify(row)) return change;
    throw badRequest("set_fields changes nothing: give title, tags or folder_id a new value");
  };
  return store.changeDocument(ctx, id, { make: refuseNothing }, writer);
}

export const deleteDocumentTool = defineTool({
  name: "delete_document",
  title: "Delete a document",
  description: "Moves a document to the trash; the user can restore it for 30 days.",
  access: "docs:write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ id: Id }),
  output: z.strictObject({ id: Id, trashed: z.literal(true) }),
  aliases: { document_id: "id" },
  run: async (ctx, { id }) => {
    await deleteDocument(ctx, id).catch(explained(id));
    return { id, trashed: true as const };
  },
});
