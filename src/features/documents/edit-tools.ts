import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import {
  accessToEdit,
  DocumentEditRequest,
  type DocumentRow,
  DocumentUpdateRequest,
  editFields,
  Tags,
} from "../../contract/document.ts";
import { DocumentId, EditableId } from "../../contract/ids.ts";
import { omitUndefined } from "../../contract/omit.ts";
import { applyTagChange, type TagChange } from "../../contract/tag-rule.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { parseEach, runForEach, sortByIndex } from "../../platform/tools/batch.ts";
import { defineTool, requireScopes } from "../../platform/tools/tool.ts";
import { readInput, readRecordInput } from "../../platform/tools/tool-input.ts";
import { contentBody } from "../../shared/markdown/content-text.ts";
import { attachToolFiles, FilesParameter, storeToolFiles } from "../files/tool-files.ts";
import { changeWithKnownTags, editContent } from "./change-store.ts";
import { type EditReport, reportEdit } from "./changed-lines.ts";
import type { FolderPlan } from "./folder-path-store.ts";
import { explainDocumentRejection } from "./rejection-store.ts";
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
  toolFolder,
} from "./tool-document.ts";
import {
  DocumentSummary,
  MAX_PER_CALL,
  newFolderInput,
  resultsWithoutTexts,
  toolWriter,
  writeInFolder,
} from "./write-tools.ts";

// Edits one document, several in the same way, or several with an edit each.

const OPERATIONS = [...editFields.operation.options, "set_fields"] as const;

const EditInput = z.strictObject({
  operation: z.enum(OPERATIONS),
  text: z.string().optional(),
  find_text: z.string().optional(),
  expected_replacements: z.int().min(1).optional(),
  section: z.string().optional(),
  title: z.string().optional(),
  add_tags: TagNames,
  remove_tags: TagNames,
  folder: z.string().optional(),
  new_folder: newFolderInput,
  expected_version: z.int().min(1).optional().meta({ description: "Refuse if changed" }),
  files: FilesParameter,
});
type EditInput = z.infer<typeof EditInput>;

const EditResult = DocumentSummary.partial({ id: true }).extend({
  version: z.int().optional(),
  replacements: z.int().optional(),
  changed: z.array(z.string()).optional(),
  removed: z.string().optional(),
});
type EditResult = z.infer<typeof EditResult>;

const TaggedFields = z.strictObject({ add_tags: Tags.optional(), remove_tags: Tags.optional() });

/** The edit of the text; undefined for `set_fields`. Throws 400 for a field that does not go with the operation. */
function textEdit(input: EditInput): DocumentEditRequest | undefined {
  const { operation, text, find_text, expected_replacements, section } = input;
  const edit = { text, find_text, expected_replacements, section };
  if (operation !== "set_fields") return parseFields(DocumentEditRequest, { operation, ...edit });
  const names = Object.keys(omitUndefined(edit));
  if (names.length === 0) return undefined;
  throw badRequest(`${names.join(", ")}: set_fields does not change the text; choose another operation`);
}

type ToolChange = {
  tagging: TagChange;
  title: string | undefined;
  make: (
    row: DocumentRow,
    tagging: TagChange,
    plan: FolderPlan,
  ) => { next: DocumentUpdateRequest; report?: EditReport };
};

/** The change that the input describes, for any document. Throws 400 for invalid fields. */
function changeFromInput(input: EditInput): ToolChange & { isTagged: boolean } {
  const edit = textEdit(input);
  const { title, add_tags, remove_tags, folder } = input;
  const fields = parseFields(DocumentUpdateRequest, omitUndefined({ title }));
  const tagging = parseFields(TaggedFields, omitUndefined({ add_tags, remove_tags }));
  const isTagged = Object.keys(tagging).length > 0;
  if (!edit && !isTagged && title === undefined && folder === undefined) {
    throw badRequest("set_fields: give title, add_tags, remove_tags or folder");
  }
  const make: ToolChange["make"] = (row, spelled, { place }) => {
    const content = edit && editContent(row, edit);
    const next = {
      ...fields,
      ...(content && { content }),
      ...(isTagged && parseFields(DocumentUpdateRequest, { tags: applyTagChange(row.tags, spelled) })),
      ...(folder !== undefined && { folder_id: place?.id ?? null }),
    };
    if (!edit) return { next };
    return { next, report: reportEdit(contentBody(row.content), contentBody(content), edit) };
  };
  return { tagging, make, isTagged, title };
}

const reportForTool = ({ removed, ...report }: EditReport, before: number) => ({
  ...report,
  ...(removed !== undefined && { removed: `${removed}; to undo, call restore with version ${before}` }),
});

/** Changes one document. `isChanged` is false if the change had no effect. */
async function changeDocumentWithReport(
  ctx: Ctx,
  id: string,
  { tagging, make, title }: ToolChange,
  { plan, ifMatch }: { plan: FolderPlan; ifMatch?: string | undefined },
) {
  let report: EditReport | undefined;
  let before = 0;
  const change = (row: DocumentRow, spelled: TagChange) => {
    before = row.version;
    const made = make(row, spelled, plan);
    report = made.report;
    return made.next;
  };
  const writer = { ...toolWriter(ctx), ifMatch };
  const tagged = { tagging, make: change, title, ahead: plan.statements };
  const { document, note } = await changeWithKnownTags(ctx, id, tagged, writer);
  return {
    document,
    note,
    report: report && reportForTool(report, before),
    isChanged: document.version !== before,
  };
}

async function editOne(ctx: Ctx, id: string, input: EditInput): Promise<EditResult> {
  const { expected_version, folder } = input;
  const change = changeFromInput(input);
  const ifMatch = expected_version === undefined ? undefined : etagOf(expected_version);
  return writeInFolder(ctx, input, async (plan) => {
    const changed = await changeDocumentWithReport(ctx, id, change, { plan, ifMatch });
    const { title, tags, version } = changed.document;
    if (!changed.isChanged)
      throw badRequest("Nothing to change: give title, add_tags, remove_tags or folder a new value");
    return {
      id: documentReference(id),
      title,
      version,
      ...changed.report,
      ...(change.isTagged && { tags }),
      ...(folder !== undefined && { folder: toolFolder(plan.place) }),
      ...(changed.note && { note: changed.note }),
    };
  });
}

/** Edits a document and attaches files to it, or only attaches files if nothing else is given. */
async function editWithFiles(ctx: Ctx, id: string, { files, ...input }: EditInput): Promise<EditResult> {
  const { title, add_tags, remove_tags, folder, expected_version } = input;
  const isAlone =
    input.operation === "set_fields" &&
    Object.keys(omitUndefined({ title, add_tags, remove_tags, folder })).length === 0;
  if (files && isAlone && expected_version !== undefined)
    throw badRequest(
      "expected_version: files alone change no version: leave it out, or change something else as well",
    );
  const stored = await storeToolFiles(ctx, files);
  const edited = stored.length > 0 && isAlone ? { id: documentReference(id) } : await editOne(ctx, id, input);
  return { ...edited, ...(await attachToolFiles(ctx, stored, { document_id: id })) };
}

/** Changes one document. Errors say what to do. */
const editForTool = (ctx: Ctx, id: string, input: EditInput): Promise<EditResult> =>
  editWithFiles(ctx, id, input).catch(explainDocumentRejection(ctx, id, input.expected_version));

const SharedEdit = z.strictObject({ ids: z.array(EditableId).min(1).max(MAX_PER_CALL), ...EditInput.shape });
const SingleEdit = z.strictObject({ id: DocumentId, ...EditInput.shape });
const Input = EditInput.partial().extend({
  ids: SharedEdit.shape.ids.optional(),
  documents: z
    .array(z.looseObject({}).meta({ required: ["id"] }))
    .min(1)
    .max(MAX_PER_CALL)
    .optional()
    .meta({ description: "Instead of ids: an edit each" }),
});
type Input = z.infer<typeof Input>;

const Result = EditResult.extend({
  index: z.int().optional(),
  ok: z.boolean(),
  unchanged: z.literal(true).optional(),
  detail: z.string().optional(),
});
type Result = z.infer<typeof Result>;

const EditResponse = EditResult.extend({ results: z.array(Result).optional() });
type EditResponse = z.infer<typeof EditResponse>;

const INDIVIDUAL_FIELDS = ["title", "expected_version", "files"] as const;

/** The same change to several documents, each in its own transaction. A rejected one does not stop the others. */
async function editMany(
  ctx: Ctx,
  named: readonly ResolvedDocument[],
  input: EditInput,
): Promise<EditResponse> {
  const { operation, folder } = input;
  const names = INDIVIDUAL_FIELDS.filter((name) => input[name] !== undefined);
  if (operation !== "set_fields" || names.length > 0) {
    const what = operation === "set_fields" ? names.join(", ") : operation;
    throw badRequest(
      `${what}: goes with one id. Several ids share add_tags, remove_tags and folder; documents has an edit for each`,
    );
  }
  const change = changeFromInput(input);
  return writeInFolder(ctx, input, async ({ place, statements }) => {
    // The first document that is changed creates the folder.
    let ahead = statements;
    const edited = await runForEach(named, async (one) => {
      const id = resolvedId(one);
      const plan = { place, statements: ahead };
      const changing = changeDocumentWithReport(ctx, id, change, { plan }).catch(
        explainDocumentRejection(ctx, id),
      );
      const { document, note, isChanged } = await changing;
      ahead = [];
      return {
        title: document.title,
        ...(change.isTagged && { tags: document.tags }),
        ...(!isChanged && { unchanged: true as const }),
        ...(note && { note }),
      };
    });
    const results = edited.map(({ index, ...result }): Result => {
      const id = named[index]?.id;
      return { ...(id && { id: documentReference(id) }), ...result };
    });
    const isMoved = folder !== undefined && results.some(({ ok }) => ok);
    return { results, ...(isMoved && { folder: toolFolder(place) }) };
  });
}

const MAX_LINES = 3;

/** Shortens the changed lines of one of several results. */
const shortenLines = ({ changed, ...edited }: EditResult): EditResult => ({
  ...edited,
  ...(changed && { changed: changed.length > MAX_LINES ? [...changed.slice(0, MAX_LINES), "…"] : changed }),
});

/** Edits documents one after the other, each with its own edit plus the shared fields. */
async function editEach(
  ctx: Ctx,
  sent: readonly object[],
  shared: Omit<Input, "ids" | "documents">,
): Promise<Result[]> {
  const names = sent.length > 1 ? INDIVIDUAL_FIELDS.filter((name) => shared[name] !== undefined) : [];
  if (names.length > 0) throw badRequest(`${names.join(", ")}: goes in each of documents`);
  const { valid, refused } = parseEach(sent, (one) => {
    const edit = readRecordInput(SINGLE_EDIT_INPUT, { ...omitUndefined(shared), ...(one as object) });
    requireScopes(ctx, "edit_document", accessForEdit({ ...edit, ids: [edit.id] }));
    return edit;
  });
  const ids = valid.map(({ value }) => value.id);
  const named = await resolveDocuments(ctx, ids, "id");
  const edited = await runForEach([...valid.entries()], async ([place, { value }]) => {
    const { id: _, ...edit } = value;
    return shortenLines(await editForTool(ctx, resolvedId(named[place]), edit));
  });
  const placed = edited.map((result) => ({ ...result, index: valid[result.index]?.index ?? 0 }));
  return sortByIndex<Result>([...refused, ...placed]);
}

const ALIASES = {
  attachments: "files",
  heading: "section",
  new_title: "title",
  old_text: "find_text",
  find: "find_text",
  new_text: "text",
  replace: "text",
  replacement: "text",
  ...TEXT_ALIASES,
  ...FOLDER_ALIASES,
};
const COMMON = {
  name: "edit_document",
  goesWith: { new_folder: { with: "folder" } },
  // An empty text deletes find_text or the body of a section.
  mayBeEmpty: ["text"],
};
const SINGLE_EDIT_INPUT = { ...COMMON, input: SingleEdit, aliases: { ...ALIASES, document_id: "id" } };

/** The edit shared by all `ids` (documents or a folder). Throws 400 without ids, 422. */
export function readSharedEdit({ documents: _, ...shared }: Input): z.infer<typeof SharedEdit> {
  if (shared.ids) return readInput({ ...COMMON, input: SharedEdit }, omitUndefined(shared));
  throw badRequest(
    "ids: which documents? Give ids, or documents, each with its own edit; search and list_documents show the ids",
  );
}

type EditScope = Pick<Input, "ids" | "operation" | "section" | "folder">;

const accessForEdit = ({ ids, operation = "set_fields", section, folder }: EditScope): Access[] => [
  ...new Set([...accessToEdit({ operation, section }), ...accessToName(folder), ...accessToTitle(ids)]),
];

export const editDocumentTool = defineTool({
  name: COMMON.name,
  alone: true,
  title: "Edit documents",
  description:
    "Changes documents: append, prepend (to section, if given), replace_all; find_replace (every find_text; " +
    "expected_replacements checks the count); replace_section (what is below its heading, up to the next of its level). " +
    "title, add_tags, remove_tags and folder (moves it; / is the top level) go with any; set_fields sets them alone, the " +
    "last three for several ids, and renames and moves a folder. Answers with the changed lines; " +
    "list_versions has what was.",
  access: "docs:write",
  needs: accessForEdit,
  adds: ["bytes"],
  changes: ["document", "folder"],
  hints: { destructive: true, idempotent: false, openWorld: false },
  input: Input,
  output: EditResponse,
  withoutContent: ({ id, version, results }) => ({
    ...(id && { id }),
    ...(version !== undefined && { version }),
    ...resultsWithoutTexts(results),
  }),
  aliases: { ...ALIASES, id: "ids", document_id: "ids", document_ids: "ids" },
  mayBeEmpty: COMMON.mayBeEmpty,
  run: async (ctx, { documents, ...shared }): Promise<EditResponse> => {
    if (documents && shared.ids) throw badRequest("documents: give either ids or documents");
    if (documents) return { results: await editEach(ctx, documents, shared) };
    const { ids, ...edit } = readSharedEdit(shared);
    const named = withoutDuplicates(await resolveDocuments(ctx, ids, "ids"));
    const [only, ...others] = named;
    return others.length > 0 ? editMany(ctx, named, edit) : editForTool(ctx, resolvedId(only), edit);
  },
});
