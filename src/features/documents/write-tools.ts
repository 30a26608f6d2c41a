import { z } from "zod";
import { DocumentCreateRequest, editFields } from "../../contract/document.ts";
import { DocumentId } from "../../contract/ids.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { defineTool } from "../../platform/tools/tool.ts";
import { type FolderPlan, inFolder } from "./folder-path-store.ts";
import { explainDocument } from "./refusal-store.ts";
import { createNoticing } from "./similar-store.ts";
import type { Writer } from "./statement-store.ts";
import {
  accessToName,
  FOLDER_NAMES,
  nameOfDocument,
  ShownFolder,
  shownFolder,
  TagNames,
  TEXT_NAMES,
  under,
} from "./tool-document.ts";
import { deleteDocument } from "./trash-store.ts";

// Creating and deleting documents, and what tools that write them share.

export const writerOf = (ctx: Ctx): Writer => ({
  source_type: "mcp",
  client_name: ctx.client_name,
});

/** Creates a folder whose name may be a slip for that of another. Refusals say so. */
export const new_folder = z.boolean().optional().meta({ description: "Even if a similar one exists" });

const NO_PLAN: FolderPlan = { place: null, statements: [] };

export type Place = { folder?: string | undefined; new_folder?: boolean | undefined };

/** Writes to a folder, which is created where it is missing, or to none in particular. */
export const putIn = <Answer extends object>(
  ctx: Ctx,
  { folder, new_folder: isNew = false }: Place,
  write: (plan: FolderPlan) => Promise<Answer>,
) => (folder === undefined ? write(NO_PLAN) : inFolder(ctx, { folder, isNew }, write));

/** The text itself, so that a refusal names it as the tool does. */
const WrittenText = z.strictObject({ text: editFields.text });

const prose = (text: string) => ({ format: "markdown", text });

/** A document in the answer to a write. A caller who may not read it gets only its id. */
export const WrittenDocument = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  tags: z.array(z.string()).optional(),
  folder: ShownFolder.optional(),
  note: z.string().optional(),
});

export const createDocumentTool = defineTool({
  name: "create_document",
  title: "Create a document",
  description:
    "Stores a text (Markdown); a missing folder is created. Names documents with the same text or title. For one short " +
    "fact, promise or decision, call remember.",
  access: "docs:write",
  needs: ({ folder }) => accessToName(folder),
  adds: ["documents", "bytes"],
  changes: ["document", "folder"],
  hints: { destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    title: z.string(),
    text: z.string(),
    tags: TagNames,
    folder: z.string().optional().meta({ description: "Name, path as Work/Notes, or id" }),
    new_folder,
  }),
  output: WrittenDocument.extend({
    similar: z.array(z.strictObject({ id: z.string(), title: z.string(), why: z.string() })).optional(),
  }),
  receipt: ({ id }) => ({ id }),
  aliases: { tag: "tags", ...TEXT_NAMES, ...FOLDER_NAMES },
  elsewhere: { due_date: "remember stores what is due", project: "documents have folder and tags" },
  run: async (ctx, { text, folder, new_folder, ...fields }) => {
    under(WrittenText, { text });
    const input = under(DocumentCreateRequest, { ...fields, content: prose(text) });
    const create = async ({ place, statements }: FolderPlan) => {
      const placed = { ...input, folder_id: place?.id ?? null };
      const { document, similar, note } = await createNoticing(ctx, placed, writerOf(ctx), statements);
      const { id, title, tags } = document;
      return {
        ...{ id: nameOfDocument(id), title },
        ...(tags.length > 0 && { tags }),
        ...(place && { folder: shownFolder(place) }),
        ...(note && { note }),
        ...(similar.length > 0 && {
          similar: similar.map((one) => ({ ...one, id: nameOfDocument(one.id) })),
        }),
      };
    };
    return putIn(ctx, { folder, new_folder }, create);
  },
});

export const deleteDocumentTool = defineTool({
  name: "delete_document",
  title: "Delete a document",
  description: "Moves a document to the trash for 30 days; restore brings it back.",
  access: "docs:write",
  adds: [],
  changes: ["document"],
  hints: { destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ id: DocumentId }),
  output: z.strictObject({ id: z.string(), title: z.string().optional(), trashed: z.literal(true) }),
  receipt: ({ id, trashed }) => ({ id, trashed }),
  aliases: { document_id: "id" },
  elsewhere: {
    ids: "delete one document after the other",
    folder: "list_documents shows the ids of what is in a folder",
  },
  run: async (ctx, { id }) => {
    const title = await deleteDocument(ctx, id).catch(explainDocument(ctx, id));
    return { id: nameOfDocument(id), title, trashed: true as const };
  },
});
