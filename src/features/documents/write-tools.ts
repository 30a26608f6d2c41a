import { z } from "zod";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, notFound } from "../../platform/core/errors.ts";
import { DocumentId } from "../../contract/ids.ts";
import { defineTool } from "../../core/tool.ts";
import { type FolderPlan, inFolder } from "./folder-path-store.ts";
import { DocumentCreateRequest } from "../../contract/document.ts";
import * as store from "../../documents/store.ts";
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

export const writerOf = (ctx: Ctx): store.Writer => ({
  source_type: "mcp",
  client_name: ctx.client_name,
});

/** Adds what to do to the errors for an unknown id and for a changed version. */
export const explained = (id: string) => (problem: unknown) => {
  if (!(problem instanceof AppError)) throw problem;
  if (problem.message === notFound().message) {
    throw new AppError(
      404,
      `${id} was not found: list_documents or search shows the ids, list_trash what was deleted`,
    );
  }
  if (problem.status === 412) {
    throw new AppError(412, `${id} has changed since you read it: fetch it again and repeat the edit`);
  }
  throw problem;
};

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

const prose = (text: string) => ({ format: "markdown", text });

/** A document in the answer to a write. A caller who may not read it gets only its id. */
export const WrittenDocument = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  tags: z.array(z.string()).optional(),
  folder: ShownFolder.optional(),
});

export const createDocumentTool = defineTool({
  name: "create_document",
  title: "Create a document",
  description:
    "Stores a text (Markdown); a missing folder is created. For one short fact, promise or decision, call remember " +
    "instead.",
  access: "docs:write",
  needs: ({ folder }) => accessToName(folder),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    title: z.string(),
    text: z.string(),
    tags: TagNames,
    folder: z.string().optional().meta({ description: "Name, path as Work/Notes, or id" }),
    new_folder,
  }),
  output: WrittenDocument,
  receipt: ({ id }) => ({ id }),
  aliases: { tag: "tags", ...TEXT_NAMES, ...FOLDER_NAMES },
  run: async (ctx, { text, folder, new_folder, ...fields }) => {
    const input = under(DocumentCreateRequest, { ...fields, content: prose(text) });
    const create = async ({ place, statements }: FolderPlan) => {
      const placed = { ...input, folder_id: place?.id ?? null };
      const { id, title, tags } = await store.createDocument(ctx, placed, writerOf(ctx), statements);
      return {
        ...{ id: nameOfDocument(id), title },
        ...(tags.length > 0 && { tags }),
        ...(place && { folder: shownFolder(place) }),
      };
    };
    return putIn(ctx, { folder, new_folder }, create).catch(explained("The document"));
  },
});

export const deleteDocumentTool = defineTool({
  name: "delete_document",
  title: "Delete a document",
  description: "Moves a document to the trash for 30 days; restore brings it back.",
  access: "docs:write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ id: DocumentId }),
  output: z.strictObject({ id: z.string(), title: z.string().optional(), trashed: z.literal(true) }),
  receipt: ({ id, trashed }) => ({ id, trashed }),
  aliases: { document_id: "id" },
  run: async (ctx, { id }) => {
    const name = nameOfDocument(id);
    const title = await deleteDocument(ctx, id).catch(explained(name));
    return { id: name, title, trashed: true as const };
  },
});
