import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import { accessToEdit } from "../../contract/document.ts";
import { DocumentId, EditableId } from "../../contract/ids.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { parseEach, runForEach, sortByIndex } from "../../platform/tools/batch.ts";
import { defineTool, messageForAssistant, requireScopes } from "../../platform/tools/tool.ts";
import { readInput, readRecordInput } from "../../platform/tools/tool-input.ts";
import { rethrowExplained } from "./rejection-store.ts";
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
  TEXT_ALIASES,
  toolFolder,
} from "./tool-document.ts";
import {
  changeDocumentWithReport,
  changeFromInput,
  EditInput,
  EditResult,
  editForTool,
} from "./tool-edit.ts";
import { MAX_PER_CALL, writeInFolder } from "./write-tools.ts";

// Edits one document, several in the same way, or several with an edit each.

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
    const results: Result[] = [];
    for (const one of named) {
      const isFirst = !results.some(({ ok }) => ok);
      const plan = { place, statements: isFirst ? statements : [] };
      const edit = async (): Promise<Result> => {
        const id = resolvedId(one);
        const changing = changeDocumentWithReport(ctx, id, change, { plan }).catch(rethrowExplained(ctx, id));
        const { document, note, isChanged } = await changing;
        return {
          id: documentReference(id),
          ok: true,
          title: document.title,
          ...(change.isTagged && { tags: document.tags }),
          ...(!isChanged && { unchanged: true }),
          ...(note && { note }),
        };
      };
      const refused = (problem: unknown): Result => {
        if (!(problem instanceof AppError)) throw problem;
        return {
          ...(one.id && { id: documentReference(one.id) }),
          ok: false,
          detail: messageForAssistant(problem),
        };
      };
      results.push(await edit().catch(refused));
      await yieldToOthers();
    }
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
  const named = await resolveDocuments(
    ctx,
    valid.map(({ value }) => value.id),
    "id",
  );
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
    ...(results && {
      results: results.map(({ index, id, ok, detail }) => ({ ok, ...omitUndefined({ index, id, detail }) })),
    }),
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
