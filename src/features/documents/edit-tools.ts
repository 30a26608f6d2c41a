import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import { accessToEdit } from "../../contract/document.ts";
import { given } from "../../contract/given.ts";
import { DocumentId, EditableId } from "../../contract/ids.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { forEach, inOrder, readEach } from "../../platform/tools/several.ts";
import { defineTool, mustHave, toldOf } from "../../platform/tools/tool.ts";
import { readInput, readPart } from "../../platform/tools/tool-input.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { explainDocument } from "./refusal-store.ts";
import { accessToTitle, documentsNamed, eachOnce, idOf, type NamedDocument } from "./title-store.ts";
import { accessToName, FOLDER_NAMES, nameOfDocument, shownFolder, TEXT_NAMES } from "./tool-document.ts";
import { changeIn, changeOne, Edit, Edited, editExplained } from "./tool-edit.ts";
import { MAX_AT_ONCE, putIn } from "./write-tools.ts";

// Edits one document, several in the same way, or several with an edit each.

const SharedEdit = z.strictObject({ ids: z.array(EditableId).min(1).max(MAX_AT_ONCE), ...Edit.shape });
const SingleEdit = z.strictObject({ id: DocumentId, ...Edit.shape });
const Input = Edit.partial().extend({
  ids: SharedEdit.shape.ids.optional(),
  documents: z
    .array(z.looseObject({}).meta({ required: ["id"] }))
    .min(1)
    .max(MAX_AT_ONCE)
    .optional()
    .meta({ description: "Instead of ids: an edit each" }),
});
type Input = z.infer<typeof Input>;

const Result = Edited.extend({
  index: z.int().optional(),
  ok: z.boolean(),
  unchanged: z.literal(true).optional(),
  detail: z.string().optional(),
});
type Result = z.infer<typeof Result>;

const EditResponse = Edited.extend({ results: z.array(Result).optional() });
type EditResponse = z.infer<typeof EditResponse>;

const INDIVIDUAL_FIELDS = ["title", "expected_version", "files"] as const;

/** The same change to several documents, each in its own transaction. A rejected one does not stop the others. */
async function editMany(ctx: Ctx, named: readonly NamedDocument[], input: Edit): Promise<EditResponse> {
  const { operation, folder } = input;
  const names = INDIVIDUAL_FIELDS.filter((name) => input[name] !== undefined);
  if (operation !== "set_fields" || names.length > 0) {
    const what = operation === "set_fields" ? names.join(", ") : operation;
    throw badRequest(
      `${what}: goes with one id. Several ids share add_tags, remove_tags and folder; documents has an edit for each`,
    );
  }
  const change = changeIn(input);
  return putIn(ctx, input, async ({ place, statements }) => {
    const results: Result[] = [];
    for (const one of named) {
      const isFirst = !results.some(({ ok }) => ok);
      const plan = { place, statements: isFirst ? statements : [] };
      const edit = async (): Promise<Result> => {
        const id = idOf(one);
        const changing = changeOne(ctx, id, change, { plan }).catch(explainDocument(ctx, id));
        const { document, note, isChanged } = await changing;
        return {
          id: nameOfDocument(id),
          ok: true,
          title: document.title,
          ...(change.isTagged && { tags: document.tags }),
          ...(!isChanged && { unchanged: true }),
          ...(note && { note }),
        };
      };
      const refused = (problem: unknown): Result => {
        if (!(problem instanceof AppError)) throw problem;
        return { ...(one.id && { id: nameOfDocument(one.id) }), ok: false, detail: toldOf(problem) };
      };
      results.push(await edit().catch(refused));
      await yieldToOthers();
    }
    const isMoved = folder !== undefined && results.some(({ ok }) => ok);
    return { results, ...(isMoved && { folder: shownFolder(place) }) };
  });
}

const MAX_LINES = 3;

/** Shortens the changed lines of one of several results. */
const shortenLines = ({ changed, ...edited }: Edited): Edited => ({
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
  const { valid, refused } = readEach(sent, (one) => {
    const edit = readPart(SINGLE_EDIT_INPUT, { ...given(shared), ...(one as object) });
    mustHave(ctx, "edit_document", accessForEdit({ ...edit, ids: [edit.id] }));
    return edit;
  });
  const named = await documentsNamed(
    ctx,
    valid.map(({ value }) => value.id),
    "id",
  );
  const edited = await forEach([...valid.entries()], async ([place, { value }]) => {
    const { id: _, ...edit } = value;
    return shortenLines(await editExplained(ctx, idOf(named[place]), edit));
  });
  const placed = edited.map((result) => ({ ...result, index: valid[result.index]?.index ?? 0 }));
  return inOrder<Result>([...refused, ...placed]);
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
  ...TEXT_NAMES,
  ...FOLDER_NAMES,
};
const COMMON = {
  name: "edit_document",
  goesWith: { new_folder: { with: "folder" } },
  // An empty text deletes find_text or the body of a section.
  mayBeEmpty: ["text"],
};
const SINGLE_EDIT_INPUT = { ...COMMON, input: SingleEdit, aliases: { ...ALIASES, document_id: "id" } };

/** The edit shared by all `ids` (documents or a folder). Throws 400 without ids, 422. */
export function readShared({ documents: _, ...shared }: Input): z.infer<typeof SharedEdit> {
  if (shared.ids) return readInput({ ...COMMON, input: SharedEdit }, given(shared));
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
  receipt: ({ id, version, results }) => ({
    ...(id && { id }),
    ...(version !== undefined && { version }),
    ...(results && {
      results: results.map(({ index, id, ok, detail }) => ({ ok, ...given({ index, id, detail }) })),
    }),
  }),
  aliases: { ...ALIASES, id: "ids", document_id: "ids", document_ids: "ids" },
  mayBeEmpty: COMMON.mayBeEmpty,
  run: async (ctx, { documents, ...shared }): Promise<EditResponse> => {
    if (documents && shared.ids) throw badRequest("documents: give either ids or documents");
    if (documents) return { results: await editEach(ctx, documents, shared) };
    const { ids, ...edit } = readShared(shared);
    const named = eachOnce(await documentsNamed(ctx, ids, "ids"));
    const [only, ...others] = named;
    return others.length > 0 ? editMany(ctx, named, edit) : editExplained(ctx, idOf(only), edit);
  },
});
