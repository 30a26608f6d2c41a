import { z } from "zod";
import { resolveInstant } from "../../contract/days.ts";
import { DocumentCreateRequest, editFields } from "../../contract/document.ts";
import { DocumentId } from "../../contract/ids.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { runForEach } from "../../platform/tools/batch.ts";
import { eraseRequestText } from "../../platform/tools/erase-request.ts";
import { defineTool, requireScopes } from "../../platform/tools/tool.ts";
import { readInput, readRecordInput } from "../../platform/tools/tool-input.ts";
import { attachToolFiles, FilesParameter, storeToolFiles } from "../files/tool-files.ts";
import { type FolderPlan, writeToFolder } from "./folder-path-store.ts";
import { explainDocumentRejection } from "./rejection-store.ts";
import type { DocumentWriter } from "./statement-store.ts";
import { createWithSimilar } from "./store.ts";
import {
  accessToTitle,
  type ResolvedDocument,
  resolveDocuments,
  resolvedId,
  withoutDuplicates,
} from "./title-store.ts";
import {
  accessToName,
  documentReference,
  FOLDER_ALIASES,
  parseFields,
  TagNames,
  TEXT_ALIASES,
  ToolFolder,
  toolFolder,
} from "./tool-document.ts";
import { deleteDocument } from "./trash-store.ts";

// The tools that create and delete documents, and what all tools that write documents share.

export const toolWriter = (ctx: Ctx): DocumentWriter => ({
  source_type: "mcp",
  client_name: ctx.client_name,
});

/** Allows creating a folder whose name is similar to an existing one. Errors mention it. */
export const newFolderInput = z.boolean().optional().meta({ description: "Even if a similar one exists" });

/** Writes to the given folder, creating it if missing, or without one. */
export const writeInFolder = <Answer extends object>(
  ctx: Ctx,
  { folder, new_folder: isNew = false }: Pick<Partial<NewDocument>, "folder" | "new_folder">,
  write: (plan: FolderPlan) => Promise<Answer>,
) =>
  folder === undefined
    ? write({ place: null, statements: [] })
    : writeToFolder(ctx, { folder, isNew }, write);

/** Only the text, so that errors use the tool's name for it. */
const WrittenText = z.strictObject({ text: editFields.text });

/** A document in the response to a write. A caller without permission to read gets only its id. */
export const DocumentSummary = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  tags: z.array(z.string()).optional(),
  folder: ToolFolder.optional(),
  note: z.string().optional(),
  files: z.array(z.string()).optional(),
});

const CreatedDocument = DocumentSummary.extend({
  similar: z.array(z.strictObject({ id: z.string(), title: z.string(), why: z.string() })).optional(),
});
type CreatedDocument = z.infer<typeof CreatedDocument>;

const Result = CreatedDocument.partial({ id: true }).extend({
  index: z.int().optional(),
  ok: z.boolean(),
  detail: z.string().optional(),
});

type ItemResult = Pick<z.infer<typeof Result>, "index" | "ok" | "id" | "detail">;

/** The results of several documents for a caller without permission to read. */
export const resultsWithoutTexts = (results: readonly ItemResult[] | undefined) =>
  results && {
    results: results.map(({ index, ok, id, detail }) => omitUndefined({ index, ok, id, detail })),
  };

export const MAX_PER_CALL = 50;

const NewDocument = z.strictObject({
  title: z.string(),
  text: z.string(),
  tags: TagNames,
  folder: z.string().optional().meta({ description: "Name, path as Work/Notes, or id" }),
  new_folder: newFolderInput,
  created_at: z.string().optional().meta({ description: "A day or time, if not now" }),
  files: FilesParameter,
});
type NewDocument = z.infer<typeof NewDocument>;

const ALIASES = {
  tag: "tags",
  attachments: "files",
  date: "created_at",
  happened_on: "created_at",
  ...TEXT_ALIASES,
  ...FOLDER_ALIASES,
};
const DOCUMENT_INPUT = {
  name: "create_document",
  input: NewDocument,
  aliases: ALIASES,
  goesWith: { new_folder: { with: "folder" } },
};

async function createOne(ctx: Ctx, { text, folder, new_folder, created_at, files, ...fields }: NewDocument) {
  parseFields(WrittenText, { text });
  const { timezone } = created_at === undefined ? { timezone: "UTC" } : await ctx.user();
  const written = created_at === undefined ? {} : { created_at: resolveInstant(created_at, timezone) };
  const content = { format: "markdown", text };
  const input = parseFields(DocumentCreateRequest, { ...fields, ...written, content });
  const stored = await storeToolFiles(ctx, files);
  const create = async ({ place, statements }: FolderPlan): Promise<CreatedDocument> => {
    const placed = { ...input, folder_id: place?.id ?? null };
    const { document, similar, note } = await createWithSimilar(ctx, placed, toolWriter(ctx), statements);
    const { id, title, tags } = document;
    return {
      id: documentReference(id),
      title,
      ...(await attachToolFiles(ctx, stored, { document_id: id })),
      ...(tags.length > 0 && { tags }),
      ...(place && { folder: toolFolder(place) }),
      ...(note && { note }),
      ...(similar.length > 0 && {
        similar: similar.map((one) => ({ ...one, id: documentReference(one.id) })),
      }),
    };
  };
  return writeInFolder(ctx, { folder, new_folder }, create);
}

const createMany = (ctx: Ctx, sent: readonly Record<string, unknown>[], shared: Partial<NewDocument>) =>
  runForEach(sent, async (one) => {
    const document = readRecordInput(DOCUMENT_INPUT, { ...omitUndefined(shared), ...one });
    requireScopes(ctx, DOCUMENT_INPUT.name, accessToName(document.folder));
    return createOne(ctx, document);
  });

export const createDocumentTool = defineTool({
  name: "create_document",
  alone: true,
  title: "Create a document",
  description:
    "Stores a text (Markdown); a missing folder is created. Names documents with the same text or title. For one short " +
    "fact, promise or decision, call remember.",
  access: "docs:write",
  needs: ({ folder }) => accessToName(folder),
  adds: ["documents", "bytes"],
  changes: ["document", "folder"],
  hints: { destructive: false, idempotent: false, openWorld: false },
  input: NewDocument.partial().extend({
    documents: z
      .array(z.looseObject({ title: z.string(), text: z.string() }))
      .min(1)
      .max(MAX_PER_CALL)
      .optional()
      .meta({ description: "Several, each with these fields" }),
  }),
  output: CreatedDocument.partial({ id: true }).extend({ results: z.array(Result).optional() }),
  withoutContent: ({ id, results }) => ({
    ...(id && { id }),
    ...resultsWithoutTexts(results),
  }),
  aliases: ALIASES,
  mayBeEmpty: ["text"],
  elsewhere: { due_date: "remember stores what is due", project: "documents have folder and tags" },
  run: async (ctx, { documents, ...shared }) => {
    if (documents) return { results: await createMany(ctx, documents, shared) };
    return createOne(ctx, readInput(DOCUMENT_INPUT, shared));
  },
});

const DeletedDocument = z.strictObject({
  id: z.string(),
  title: z.string(),
  trashed: z.literal(true),
  to_erase: z.string(),
});

export const deleteDocumentTool = defineTool({
  name: "delete_document",
  title: "Delete a document",
  description:
    "To the trash for 30 days; restore brings back. erase: for good, once the user confirms at the link " +
    "in the answer.",
  access: "docs:write",
  needs: ({ ids }) => accessToTitle(ids),
  adds: [],
  changes: ["document"],
  hints: { destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ ids: z.array(DocumentId).min(1).max(MAX_PER_CALL), erase: z.boolean().optional() }),
  output: DeletedDocument.partial().extend({ results: z.array(Result).optional() }),
  withoutContent: ({ title: _, results, ...answer }) => ({
    ...answer,
    ...resultsWithoutTexts(results),
  }),
  aliases: { id: "ids", document_id: "ids", document_ids: "ids", permanent: "erase" },
  elsewhere: { folder: "list_documents shows the ids of what is in a folder" },
  run: async (ctx, { ids, erase }) => {
    const named = withoutDuplicates(await resolveDocuments(ctx, ids, "ids"));
    const remove = async (one: ResolvedDocument | undefined) => {
      const id = resolvedId(one);
      const title = await deleteDocument(ctx, id).catch(explainDocumentRejection(ctx, id));
      return { id: documentReference(id), title };
    };
    const trashed = named.flatMap(({ id }) => (id === undefined ? [] : [{ kind: "document" as const, id }]));
    const asking = erase ? { to_erase: eraseRequestText(ctx, trashed) } : {};
    const [only, ...others] = named;
    if (others.length === 0) return { ...(await remove(only)), trashed: true as const, ...asking };
    return { results: await runForEach(named, remove), ...asking };
  },
});
