import { type Folder, foldersApi } from "../api.ts";
import { attempt } from "../parts/document-actions.ts";
import { toast } from "../parts/toasts.tsx";

export const createFolder = (name: string, parentId: string | null, then: (folder: Folder) => void) =>
  attempt(async () => {
    const folder = await foldersApi.create({ name, parent_id: parentId });
    then(folder);
    toast({ text: `Folder “${name}” created`, undo: () => attempt(() => foldersApi.remove(folder.id)) });
  });

export const renameFolder = (folder: Folder, name: string) =>
  attempt(async () => {
    await foldersApi.update(folder.id, { name });
    const undo = () => attempt(() => foldersApi.update(folder.id, { name: folder.name }));
    toast({ text: `Folder renamed to “${name}”`, undo });
  });

export const moveFolder = (folder: Folder, parent: { id: string | null; name: string }) =>
  folder.parent_id === parent.id
    ? Promise.resolve(true)
    : attempt(async () => {
        await foldersApi.update(folder.id, { parent_id: parent.id });
        const undo = () => attempt(() => foldersApi.update(folder.id, { parent_id: folder.parent_id }));
        toast({ text: `“${folder.name}” moved to ${parent.name}`, undo });
      });

/** Deletes an empty folder; one that is not empty needs to know what becomes of its content. */
export const deleteFolder = (
  { id, name, parent_id }: Folder,
  onContent: "move_up" | "trash" | undefined,
  then: () => void,
) =>
  attempt(async () => {
    await foldersApi.remove(id, onContent);
    then();
    if (onContent === "trash") toast({ text: `“${name}” deleted; its documents are in the trash` });
    else if (onContent) toast({ text: `“${name}” deleted; what was in it moved up` });
    else {
      const undo = () => attempt(() => foldersApi.create({ name, parent_id }));
      toast({ text: `“${name}” deleted`, undo });
    }
  });
