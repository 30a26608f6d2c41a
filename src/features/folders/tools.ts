import type { z } from "zod";
import { FolderUpdateRequest } from "../../contract/folder.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { defineTool } from "../../platform/tools/tool.ts";
import { editDocumentTool, readSharedEdit } from "../documents/edit-tools.ts";
import { isFolderId, parseFolderId } from "../documents/folder-path.ts";
import { findFolder, findFolderById } from "../documents/folder-path-store.ts";
import { parseFields, toolFolder } from "../documents/tool-document.ts";
import { toolWriter } from "../documents/write-tools.ts";
import { hasDuplicate, updateFolder } from "./store.ts";

// edit_document also renames and moves folders, which is implemented here.

type FolderEdit = ReturnType<typeof readSharedEdit>;

/** Whether this is a folder's id as tools receive it. A title may start the same way. */
const isFolder = (id: string) => id.startsWith("folder:") && isFolderId(id);

async function resolveParent(ctx: Ctx, folder: string): Promise<string | null> {
  return folder.trim() === "/" ? null : (await findFolder(ctx, folder)).folder.id;
}

/** The new name and parent in the input. Throws 400 for fields that folders do not have. */
async function folderChange(ctx: Ctx, { ids: _, operation, title, folder, ...others }: FolderEdit) {
  const names = Object.keys(omitUndefined(others));
  if (operation !== "set_fields" || names.length > 0) {
    const what = operation === "set_fields" ? names.join(", ") : operation;
    throw badRequest(
      `${what}: a folder only has title (its name) and folder (where to move it), with set_fields`,
    );
  }
  if (title?.includes("/"))
    throw badRequest("title: is only the folder's name; use folder to say where to move it");
  const parent = folder === undefined ? {} : { parent_id: await resolveParent(ctx, folder) };
  const change = parseFields(FolderUpdateRequest, { ...omitUndefined({ name: title }), ...parent });
  if (Object.keys(change).length > 0) return change;
  throw badRequest("set_fields: give title (the new name) or folder (where to move it)");
}

/** Renames or moves a folder. Throws 404 for an unknown one, 400 if another folder there has the name. */
async function editFolder(ctx: Ctx, name: string, input: FolderEdit) {
  const id = parseFolderId(name) ?? "";
  if (new Set(input.ids).size > 1) throw badRequest("ids: one folder at a time");
  if (!(await findFolderById(ctx, id)))
    throw new AppError(404, `${name} was not found: whoami shows the ids of folders`);
  const change = await folderChange(ctx, input);
  if (await hasDuplicate(ctx, id, change)) {
    throw badRequest("title: another folder there already has this name: move the documents into that one");
  }
  const { source_type, client_name } = toolWriter(ctx);
  const { name: title } = await updateFolder(ctx, id, change, { source_type, client_name });
  return { title, folder: toolFolder((await findFolderById(ctx, id)) ?? null) };
}

export const editTool = defineTool({
  ...editDocumentTool,
  run: (ctx, input): Promise<z.infer<typeof editDocumentTool.output>> => {
    const folder = input.ids?.find(isFolder);
    if (folder === undefined || input.documents) return editDocumentTool.run(ctx, input);
    return editFolder(ctx, folder, readSharedEdit(input));
  },
});
