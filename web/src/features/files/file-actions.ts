import { downloadAt, filesApi, type StoredFile, type To } from "../../api/files.ts";
import { attempt } from "../../state/attempt.ts";
import { download, saveBytes } from "../../state/download.ts";
import { begin, toast } from "../../state/toasts.ts";
import { bytes } from "../transfer/bytes.ts";
import { addFiles } from "./add.ts";
import { noteFiles, refreshFiles } from "./known.ts";
import { pickFiles } from "./pick.ts";
import { shownName } from "./words.ts";

// Actions on stored files.

type Some = readonly Pick<StoredFile, "id" | "name">[];

/** "“contract.pdf”", or "3 files" */
export const countOf = (files: Some): string =>
  files.length === 1 && files[0] ? `“${shownName(files[0].name)}”` : `${files.length} files`;

const each = async (files: Some, act: (id: string) => Promise<unknown>) => {
  for (const { id } of files) await act(id);
  await refreshFiles();
};

/** Moves files to the trash, with Undo. */
export async function trashFiles(files: Some): Promise<void> {
  const step = begin();
  try {
    await each(files, (id) => filesApi.remove(id));
    const undo = () => void each(files, filesApi.restore).catch(refuse);
    step.end({ text: `${countOf(files)} moved to the trash`, undo });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message });
    void refreshFiles();
  }
}

const refuse = (problem: Error) => toast({ kind: "refused", text: problem.message });

export const restoreFiles = (files: Some) =>
  attempt(async () => {
    await each(files, filesApi.restore);
    return `${countOf(files)} restored`;
  });

export const eraseFiles = (files: Some) =>
  attempt(async () => {
    await each(files, (id) => filesApi.remove(id, true));
    return `${countOf(files)} permanently deleted`;
  });

/** Detaches a file from a document or record; it remains in Files. */
export async function detachFile(file: StoredFile, to: To): Promise<void> {
  const step = begin();
  try {
    await filesApi.detach(file.id, to);
    const undo = () => void filesApi.attach(file.id, to).then(refreshFiles, refuse);
    step.end({ text: `“${shownName(file.name)}” removed from here`, undo });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message });
  }
  void refreshFiles();
}

/** Changes the name or the description of a file. */
export const updateFile = (file: StoredFile, fields: Partial<Pick<StoredFile, "name" | "alt">>) =>
  attempt(async () => {
    noteFiles([await filesApi.update(file.id, fields)]);
    await refreshFiles();
    return undefined;
  });

/** Lets the user choose a replacement for a file. */
export async function replaceFile({ id }: StoredFile): Promise<void> {
  const chosen = await pickFiles({ isOne: true });
  await addFiles(chosen, { to: {}, replaces: id });
}

export const saveFile = ({ id }: Pick<StoredFile, "id">): Promise<void> =>
  download(Promise.resolve(downloadAt(id)));

/** Downloads several files as a ZIP. */
export async function saveFiles(files: readonly StoredFile[]): Promise<void> {
  const [only] = files;
  if (files.length === 1 && only) return saveFile(only);
  const { MOST_BYTES, zipped } = await import("./zip-files.ts");
  const sum = files.reduce((total, file) => total + file.bytes, 0);
  if (sum > MOST_BYTES)
    return toast({
      kind: "refused",
      text: `${bytes(sum)} is too much for one download. Download the files one by one.`,
    });
  const step = begin();
  try {
    saveBytes(await zipped(files), "files.zip");
    step.end({ text: `${files.length} files downloaded as files.zip` });
  } catch (problem) {
    step.end({ kind: "refused", text: `Download failed: ${(problem as Error).message}` });
  }
}

/** Lets the user choose files, or take a photo, for a document, a record, or neither. */
export async function chooseFiles(
  to: { document?: string; record?: number },
  isCamera = false,
): Promise<void> {
  await addFiles(await pickFiles({ isCamera }), { to });
}
