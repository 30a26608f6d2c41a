import { type Folder, foldersApi } from "../../api/folders.ts";
import { attempt } from "../../state/attempt.ts";
import { goesOn } from "../../state/jobs.ts";

export const createFolder = (name: string, parentId: string | null, then: (folder: Folder) => void) =>
  attempt(async (changes) => {
    then(await foldersApi.create({ name, parent_id: parentId }, { changes }));
    return `Folder “${name}” created`;
  });

export const renameFolder = (folder: Folder, name: string) =>
  attempt(async (changes) => {
    await foldersApi.update(folder.id, { name }, { changes });
    return `Folder renamed to “${name}”`;
  });

export const moveFolder = (folder: Folder, parent: { id: string | null; name: string }) =>
  folder.parent_id === parent.id
    ? Promise.resolve(true)
    : attempt(async (changes) => {
        await foldersApi.update(folder.id, { parent_id: parent.id }, { changes });
        return `“${folder.name}” moved to ${parent.name}`;
      });

const LEFT = { trash: "; its documents were moved to the trash", move_up: "; its contents were moved up" };

/** `onContent`: required unless the folder is empty. */
export const deleteFolder = (
  { id, name }: Folder,
  onContent: "move_up" | "trash" | undefined,
  then: () => void,
) =>
  attempt(async (changes) => {
    const job = await foldersApi.remove(id, onContent, { changes });
    then();
    if (job) return goesOn(job);
    return `“${name}” deleted${onContent ? LEFT[onContent] : ""}`;
  });
