import { z } from "zod";
import {
  accessToEdit,
  DocumentEditRequest,
  type DocumentRow,
  DocumentUpdateRequest,
  editFields,
  Tags,
} from "../../contract/document.ts";
import { given } from "../../contract/given.ts";
import { EditableId } from "../../contract/ids.ts";
import { textOf } from "../../contract/markdown/content-text.ts";
import { changedTags, type TagChange } from "../../contract/tag-rule.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { etagOf } from "../../platform/http/etag.ts";
import { defineTool } from "../../platform/tools/tool.ts";
import { yieldToOthers } from "../../platform/turns/yield.ts";
import { attachGiven, GivenFiles, storeGiven } from "../files/given.ts";
import { editContent } from "./change-store.ts";
import { type EditReport, reportEdit } from "./changed-lines.ts";
import type { FolderPlan } from "./folder-path-store.ts";
import { changeAsKnown } from "./known-tags-store.ts";
import { explainDocument } from "./refusal-store.ts";

import {
  accessToName,
  FOLDER_NAMES,
  nameOfDocument,
  shownFolder,
  TagNames,
  TEXT_NAMES,
  under,
} from "./tool-document.ts";
import { new_folder, putIn, WrittenDocument, writerOf } from "./write-tools.ts";

// Changing documents: the text of one, or what several share.

const MAX_IDS = 50;
const EDITS = [...editFields.operation.options, "set_fields"] as const;

const Input = z.strictObject({
  ids: z.array(EditableId).min(1).max(MAX_IDS),
  operation: z.enum(EDITS),
  text: z.string().optional(),
  find_text: z.string().optional(),
  expected_replacements: z.int().min(1).optional(),
  section: z.string().optional(),
  title: z.string().optional(),
  add_tags: TagNames,
  remove_tags: TagNames,
  folder: z.string().optional(),
  new_folder,
  expected_version: z.int().min(1).optional().meta({ description: "Refuse if it has changed" }),
  files: GivenFiles,
});
export type EditInput = z.infer<typeof Input>;
type Input = EditInput;

const Result = WrittenDocument.omit({ folder: true }).extend({
  ok: z.boolean(),
  unchanged: z.literal(true).optional(),
  detail: z.string().optional(),
});
type Result = z.infer<typeof Result>;

const Edited = WrittenDocument.partial({ id: true }).extend({
  version: z.int().optional(),
  replacements: z.int().optional(),
  changed: z.array(z.string()).optional(),
  removed: z.string().optional(),
  results: z.array(Result).optional(),
});
type Edited = z.infer<typeof Edited>;

const TaggedFields = z.strictObject({ add_tags: Tags.optional(), remove_tags: Tags.optional() });

/** The edit of the text, or undefined for `set_fields`. Throws 400 for a field that does not go with the operation. */
function editIn(input: Input): DocumentEditRequest | undefined {
  const { operation, text, find_text, expected_replacements, section } = input;
  const edit = { text, find_text, expected_replacements, section };
  if (operation !== "set_fields") return under(DocumentEditRequest, { operation, ...edit });
  const names = Object.keys(given(edit));
  if (names.length === 0) return undefined;
  throw badRequest(`${names.join(", ")}: set_fields leaves the text alone; which other operation is meant?`);
}

type Change = {
  tagging: TagChange;
  make: (
    row: DocumentRow,
    tagging: TagChange,
    plan: FolderPlan,
  ) => { next: DocumentUpdateRequest; report?: EditReport };
};

/** The change that the input means, of any document. Throws 400 for invalid fields. */
function changeIn(input: Input): Change & { isTagged: boolean } {
  const edit = editIn(input);
  const { title, add_tags, remove_tags, folder } = input;
  const fields = under(DocumentUpdateRequest, given({ title }));
  const tagging = under(TaggedFields, given({ add_tags, remove_tags }));
  const isTagged = Object.keys(tagging).length > 0;
  if (!edit && !isTagged && title === undefined && folder === undefined) {
    throw badRequest("set_fields: give title, add_tags, remove_tags or folder");
  }
  const make: Change["make"] = (row, spelled, { place }) => {
    const content = edit && editContent(row, edit);
    const next = {
      ...fields,
      ...(content && { content }),
      ...(isTagged && under(DocumentUpdateRequest, { tags: changedTags(row.tags, spelled) })),
      ...(folder !== undefined && { folder_id: place?.id ?? null }),
    };
    if (!edit) return { next };
    return { next, report: reportEdit(textOf(row.content), textOf(content), edit) };
  };
  return { tagging, make, isTagged };
}

type Write = { plan: FolderPlan; ifMatch?: string | undefined };

const shownReport = ({ removed, ...report }: EditReport, before: number) => ({
  ...report,
  ...(removed !== undefined && {
    removed: `${removed}; restore with version ${before} brings back what was`,
  }),
});

/** Changes one document; `isChanged` is false if it was like that before. */
async function changeOne(ctx: Ctx, id: string, { tagging, make }: Change, { plan, ifMatch }: Write) {
  let report: EditReport | undefined;
  let before = 0;
  const change = (row: DocumentRow, spelled: TagChange) => {
    before = row.version;
    const made = make(row, spelled, plan);
    report = made.report;
    return made.next;
  };
  const writer = { ...writerOf(ctx), ifMatch };
  const tagged = { tagging, make: change, ahead: plan.statements };
  const { document, note } = await changeAsKnown(ctx, id, tagged, writer);
  return {
    document,
    note,
    report: report && shownReport(report, before),
    isChanged: document.version !== before,
  };
}

async function editOne(ctx: Ctx, id: string, input: Input): Promise<Edited> {
  const { expected_version, folder } = input;
  const change = changeIn(input);
  const ifMatch = expected_version === undefined ? undefined : etagOf(expected_version);
  return putIn(ctx, input, async (plan) => {
    const { document, note, report, isChanged } = await changeOne(ctx, id, change, { plan, ifMatch });
    const { title, tags, version } = document;
    if (!isChanged)
      throw badRequest("Nothing to change: give title, add_tags, remove_tags or folder a new value");
    return {
      ...{ id: nameOfDocument(id), title, version, ...report },
      ...(change.isTagged && { tags }),
      ...(folder !== undefined && { folder: shownFolder(plan.place) }),
      ...(note && { note }),
    };
  });
}

/** Edits a document and attaches files to it, or, with nothing else to set, does the latter alone. */
async function editWithFiles(ctx: Ctx, id: string, { files, ...input }: Input): Promise<Edited> {
  const { title, add_tags, remove_tags, folder } = input;
  const stored = await storeGiven(ctx, files);
  const isAlone =
    input.operation === "set_fields" &&
    Object.keys(given({ title, add_tags, remove_tags, folder })).length === 0;
  const edited = stored.length > 0 && isAlone ? { id: nameOfDocument(id) } : await editOne(ctx, id, input);
  return { ...edited, ...(await attachGiven(ctx, stored, { document_id: id })) };
}

const SINGLE = ["title", "expected_version", "files"] as const;

/** Each document in its own transaction; a refused one does not stop the others. The first creates a missing folder. */
async function editMany(ctx: Ctx, ids: string[], input: Input): Promise<Edited> {
  const { operation, folder } = input;
  const names = SINGLE.filter((name) => input[name] !== undefined);
  if (operation !== "set_fields" || names.length > 0) {
    const what = operation === "set_fields" ? names.join(", ") : operation;
    throw badRequest(`${what}: goes with one id. Several ids share add_tags, remove_tags and folder`);
  }
  const change = changeIn(input);
  return putIn(ctx, input, async ({ place, statements }) => {
    const results: Result[] = [];
    for (const id of ids) {
      const isFirst = !results.some(({ ok }) => ok);
      const plan = { place, statements: isFirst ? statements : [] };
      const name = nameOfDocument(id);
      const editing = changeOne(ctx, id, change, { plan }).catch(explainDocument(ctx, id));
      const result = editing.then(
        ({ document: { title, tags }, note, isChanged }): Result => ({
          ...{ id: name, ok: true, title },
          ...(change.isTagged && { tags }),
          ...(!isChanged && { unchanged: true }),
          ...(note && { note }),
        }),
        (problem: unknown): Result => {
          if (problem instanceof AppError) return { id: name, ok: false, detail: problem.message };
          throw problem;
        },
      );
      results.push(await result);
      await yieldToOthers();
    }
    const isMoved = folder !== undefined && results.some(({ ok }) => ok);
    return { results, ...(isMoved && { folder: shownFolder(place) }) };
  });
}

export const editDocumentTool = defineTool({
  name: "edit_document",
  title: "Edit documents",
  description:
    "Changes documents. append, prepend (to section, if given), replace_all: text. find_replace: replaces every find_text with text; " +
    "expected_replacements checks the count. replace_section: replaces what is below the heading in section, up to the " +
    "next heading of its level. title, add_tags, remove_tags and folder (moves it; / is the top level) go with any of " +
    "them; set_fields sets them alone, the last three for several ids; it renames and moves a folder, too. Answers with " +
    "the changed lines and what went; list_versions has what was.",
  access: "docs:write",
  needs: ({ operation, section, folder }) => [
    ...accessToEdit({ operation, section }),
    ...accessToName(folder),
  ],
  adds: ["bytes"],
  changes: ["document", "folder"],
  hints: { destructive: true, idempotent: false, openWorld: false },
  input: Input,
  output: Edited,
  receipt: ({ id, version, results }) => ({
    ...(id && { id }),
    ...(version !== undefined && { version }),
    ...(results && { results: results.map(({ id, ok, detail }) => ({ id, ok, ...(detail && { detail }) })) }),
  }),
  aliases: {
    attachments: "files",
    ...{ id: "ids", document_id: "ids", document_ids: "ids", heading: "section", new_title: "title" },
    ...{ old_text: "find_text", find: "find_text", new_text: "text", replace: "text", replacement: "text" },
    ...TEXT_NAMES,
    ...FOLDER_NAMES,
  },
  goesWith: { new_folder: { with: "folder" } },
  // Instead of find_text, or of a section: it deletes them.
  mayBeEmpty: ["text"],
  run: async (ctx, input) => {
    const [id = "", ...others] = new Set(input.ids);
    if (others.length > 0) return editMany(ctx, [id, ...others], input);
    return editWithFiles(ctx, id, input).catch(explainDocument(ctx, id, input.expected_version));
  },
});
