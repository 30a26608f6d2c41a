import { type AttachTarget, fileDownloadUrl, filesApi, type StoredFile } from "../../api/files.ts";
import { download, saveBytes } from "../../state/download.ts";
import type { PendingFile } from "../../state/pending-files.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import { beginToast, toast } from "../../state/toasts.ts";
import { formatBytes } from "../transfer/format-bytes.ts";
import { addFiles } from "./add.ts";
import { safeFileName } from "./file-facts.ts";
import { cacheFiles, refreshFiles } from "./file-queries.ts";
import { pickFiles } from "./pick.ts";

type FileRefs = readonly Pick<StoredFile, "id" | "name">[];

/** "“contract.pdf”", or "3 files" */
export const describeFiles = (files: FileRefs): string =>
  files.length === 1 && files[0] ? `“${safeFileName(files[0].name)}”` : `${files.length} files`;

const forEachFile = async (files: FileRefs, act: (id: string) => Promise<unknown>) => {
  for (const { id } of files) await act(id);
  await refreshFiles();
};

/** Moves files to the trash, with Undo. */
export async function trashFiles(files: FileRefs): Promise<void> {
  const step = beginToast();
  try {
    await forEachFile(files, (id) => filesApi.remove(id));
    const undo = () => void forEachFile(files, filesApi.restore).catch(showError);
    step.end({ text: `${describeFiles(files)} moved to the trash`, undo });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message });
    void refreshFiles();
  }
}

const showError = (problem: Error) => toast({ kind: "refused", text: problem.message });

export const restoreFiles = (files: FileRefs) =>
  runWithToast(async () => {
    await forEachFile(files, filesApi.restore);
    return `${describeFiles(files)} restored`;
  });

export const eraseFiles = (files: FileRefs) =>
  runWithToast(async () => {
    await forEachFile(files, (id) => filesApi.remove(id, true));
    return `${describeFiles(files)} permanently deleted`;
  });

/** Detaches a file from a document or record; it remains in Files. */
export async function detachFile(file: StoredFile, to: AttachTarget): Promise<void> {
  const step = beginToast();
  try {
    await filesApi.detach(file.id, to);
    const undo = () => void filesApi.attach(file.id, to).then(refreshFiles, showError);
    step.end({ text: `“${safeFileName(file.name)}” removed from here`, undo });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message });
  }
  void refreshFiles();
}

export const updateFile = (file: StoredFile, fields: Partial<Pick<StoredFile, "name" | "alt">>) =>
  runWithToast(async () => {
    cacheFiles([await filesApi.update(file.id, fields)]);
    await refreshFiles();
    return undefined;
  });

export async function replaceFile({ id }: StoredFile): Promise<void> {
  const chosen = await pickFiles({ isOne: true });
  await addFiles(chosen, { to: {}, replaces: id });
}

export const saveFile = ({ id }: Pick<StoredFile, "id">): Promise<void> =>
  download(Promise.resolve(fileDownloadUrl(id)));

/** Downloads several files as a ZIP. */
export async function saveFiles(files: readonly StoredFile[]): Promise<void> {
  const [only] = files;
  if (files.length === 1 && only) return saveFile(only);
  const { MAX_ZIP_BYTES, zipFiles } = await import("./zip-files.ts");
  const sum = files.reduce((total, file) => total + file.bytes, 0);
  if (sum > MAX_ZIP_BYTES)
    return toast({
      kind: "refused",
      text: `${formatBytes(sum)} is too much for one download. Download the files one by one.`,
    });
  const step = beginToast();
  try {
    saveBytes(await zipFiles(files), "files.zip");
    step.end({ text: `${files.length} files downloaded as files.zip` });
  } catch (problem) {
    step.end({ kind: "refused", text: `Download failed: ${(problem as Error).message}` });
  }
}

/** Lets the user choose files, or take a photo. */
export async function chooseFiles(to: PendingFile["to"], isCamera = false): Promise<void> {
  await addFiles(await pickFiles({ isCamera }), { to });
}
