import { type Folder, foldersApi } from "../../api/folders.ts";
import { trackJob } from "../../state/jobs.ts";
import { runWithToast } from "../../state/run-with-toast.ts";

export const createFolder = (name: string, parentId: string | null, then: (folder: Folder) => void) =>
  runWithToast(async (changes) => {
    then(await foldersApi.create({ name, parent_id: parentId }, { changes }));
    return `Folder “${name}” created`;
  });

export const renameFolder = (folder: Folder, name: string) =>
  runWithToast(async (changes) => {
    await foldersApi.update(folder.id, { name }, { changes });
    return `Folder renamed to “${name}”`;
  });

export const moveFolder = (folder: Folder, parent: { id: string | null; name: string }) =>
  folder.parent_id === parent.id
    ? Promise.resolve(true)
    : runWithToast(async (changes) => {
        await foldersApi.update(folder.id, { parent_id: parent.id }, { changes });
        return `“${folder.name}” moved to ${parent.name}`;
      });

const CONTENT_TEXTS = {
  trash: "; its documents were moved to the trash",
  move_up: "; its contents were moved up",
};

/** `onContent`: required unless the folder is empty. */
export const deleteFolder = (
  { id, name }: Folder,
  onContent: "move_up" | "trash" | undefined,
  then: () => void,
) =>
  runWithToast(async (changes) => {
    const job = await foldersApi.remove(id, onContent, { changes });
    then();
    if (job) return trackJob(job);
    return `“${name}” deleted${onContent ? CONTENT_TEXTS[onContent] : ""}`;
  });
