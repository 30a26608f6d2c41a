import { z } from "zod";
import {
  DocumentEditRequest,
  type DocumentRow,
  DocumentUpdateRequest,
  editFields,
  Tags,
} from "../../contract/document.ts";
import { omitUndefined } from "../../contract/omit.ts";
import { applyTagChange, type TagChange } from "../../contract/tag-rule.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { contentBody } from "../../shared/markdown/content-text.ts";
import { attachToolFiles, FilesParameter, storeToolFiles } from "../files/tool-files.ts";
import { editContent } from "./change-store.ts";
import { type EditReport, reportEdit } from "./changed-lines.ts";
import type { FolderPlan } from "./folder-path-store.ts";
import { changeWithKnownTags } from "./known-tags-store.ts";
import { rethrowExplained } from "./rejection-store.ts";
import { documentReference, parseFields, TagNames, toolFolder } from "./tool-document.ts";
import { DocumentSummary, newFolderInput, toolWriter, writeInFolder } from "./write-tools.ts";

// A change of one document: the tool's input and response.

const OPERATIONS = [...editFields.operation.options, "set_fields"] as const;

export const EditInput = z.strictObject({
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
export type EditInput = z.infer<typeof EditInput>;

export const EditResult = DocumentSummary.partial({ id: true }).extend({
  version: z.int().optional(),
  replacements: z.int().optional(),
  changed: z.array(z.string()).optional(),
  removed: z.string().optional(),
});
export type EditResult = z.infer<typeof EditResult>;

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
  make: (
    row: DocumentRow,
    tagging: TagChange,
    plan: FolderPlan,
  ) => { next: DocumentUpdateRequest; report?: EditReport };
};

/** The change that the input describes, for any document. Throws 400 for invalid fields. */
export function changeFromInput(input: EditInput): ToolChange & { isTagged: boolean } {
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
  return { tagging, make, isTagged };
}

type EditTarget = { plan: FolderPlan; ifMatch?: string | undefined };

const reportForTool = ({ removed, ...report }: EditReport, before: number) => ({
  ...report,
  ...(removed !== undefined && {
    removed: `${removed}; to undo, call restore with version ${before}`,
  }),
});

/** Changes one document. `isChanged` is false if the change had no effect. */
export async function changeDocumentWithReport(
  ctx: Ctx,
  id: string,
  { tagging, make }: ToolChange,
  { plan, ifMatch }: EditTarget,
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
  const tagged = { tagging, make: change, ahead: plan.statements };
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
    const { document, note, report, isChanged } = await changeDocumentWithReport(ctx, id, change, {
      plan,
      ifMatch,
    });
    const { title, tags, version } = document;
    if (!isChanged)
      throw badRequest("Nothing to change: give title, add_tags, remove_tags or folder a new value");
    return {
      id: documentReference(id),
      title,
      version,
      ...report,
      ...(change.isTagged && { tags }),
      ...(folder !== undefined && { folder: toolFolder(plan.place) }),
      ...(note && { note }),
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
export const editForTool = (ctx: Ctx, id: string, input: EditInput): Promise<EditResult> =>
  editWithFiles(ctx, id, input).catch(rethrowExplained(ctx, id, input.expected_version));
