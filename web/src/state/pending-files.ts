import { createStore, del, delMany, promisifyRequest, values } from "idb-keyval";
import { localAccount } from "../api/current-account.ts";
import { setValue } from "./account-storage.ts";
import { createSharedState } from "./shared-state.ts";

// Pending uploads. Each is stored in the browser with its bytes until the server has it, so that it survives a reload and waits
// for the network.

export type PendingFile = {
  /** Used in texts to refer to the file until it has an id. */
  key: string;
  /** The account that it belongs to. */
  account: string;
  name: string;
  bytes: Blob;
  /** Description of an image, by the user. */
  alt?: string;
  at: number;
  /** What to attach it to. A document that does not exist yet is named by its writer. */
  to: { document?: string; writer?: string; record?: number };
  /** Whether a text refers to it. */
  isInText?: boolean;
  /** Id of the file that it replaces. */
  replaces?: string;
  /** Id of the multipart upload, once started. */
  upload?: string;
  /** Its id, once uploaded, while more remains to be done. */
  id?: string;
  /** Why the server rejected it; it waits for a decision of the user. */
  refused?: string | undefined;
};

/** Uploads for a text that is never saved are dropped after this. */
const MAX_AGE_MS = 7 * 86_400_000;

/** Whether it is uploaded, but its document does not exist yet. */
const isWaitingForDocument = ({ id, isInText, to, at }: PendingFile): boolean =>
  id !== undefined &&
  isInText === true &&
  to.writer !== undefined &&
  to.document === undefined &&
  Date.now() - at < MAX_AGE_MS;

const store = createStore("commonplace-files", "files");
const channel = new BroadcastChannel("commonplace-files");

const pendingFiles = createSharedState<readonly PendingFile[]>([]);
/** Files that could not be stored: they are lost when the page closes. */
const unstoredFiles = new Map<string, PendingFile>();

async function readPendingFiles(): Promise<void> {
  const kept = await values<PendingFile>(store).catch(() => []);
  const mine = [...kept, ...unstoredFiles.values()].filter(({ account }) => account === localAccount());
  pendingFiles.set(mine.sort((one, other) => one.at - other.at));
}

async function announceChange(): Promise<void> {
  channel.postMessage("changed");
  await readPendingFiles();
}

async function storeFile(file: PendingFile): Promise<boolean> {
  const isKept = await setValue(file.key, file, store).then(
    () => true,
    () => false,
  );
  if (isKept) unstoredFiles.delete(file.key);
  else unstoredFiles.set(file.key, file);
  return isKept;
}

/** Stores files until the server has them. Returns false if any is only in memory and lost when the page closes. */
export async function savePendingFiles(files: readonly PendingFile[]): Promise<boolean> {
  const kept: boolean[] = [];
  for (const file of files) kept.push(await storeFile(file));
  await announceChange();
  return kept.every(Boolean);
}

/** One transaction, so that concurrent changes are not lost. */
const updateStoredFile = (key: string, part: Partial<PendingFile>): Promise<void> =>
  store("readwrite", (files) => {
    const asked: IDBRequest<PendingFile | undefined> = files.get(key);
    asked.onsuccess = () => {
      if (asked.result) files.put({ ...asked.result, ...part }, key);
    };
    return promisifyRequest(files.transaction);
  });

/** Updates a pending file, unless it was deleted in the meantime. */
export async function updatePendingFile(key: string, part: Partial<PendingFile>): Promise<void> {
  const file = unstoredFiles.get(key);
  if (file) unstoredFiles.set(key, { ...file, ...part });
  else await updateStoredFile(key, part).catch(() => undefined);
  await announceChange();
}

/** Ids of files uploaded by this tab, by their pending keys. */
export const uploadedIds = new Map<string, string>();

export async function deletePendingFile(key: string): Promise<void> {
  unstoredFiles.delete(key);
  await del(key, store).catch(() => undefined);
  await announceChange();
}

/** Deletes the pending files of an account, sent or not. */
export async function forgetPendingFiles(account: string): Promise<void> {
  const its = (await values<PendingFile>(store)).filter((one) => one.account === account);
  await delMany(
    its.map(({ key }) => key),
    store,
  );
  await announceChange();
}

/** Called when a writer's draft has become a document. */
export async function linkFilesToDocument(writer: string, document: string): Promise<void> {
  const its = pendingFiles.get().filter(({ to }) => to.writer === writer && !to.document);
  for (const { key, to } of its) await updatePendingFile(key, { to: { ...to, document } });
}

export const getPendingFiles = pendingFiles.get;
export const reloadPendingFiles = readPendingFiles;
export const usePendingFiles = pendingFiles.use;

/** Files that are not uploaded yet. */
export const useWaitingFiles = (): readonly PendingFile[] =>
  pendingFiles.use().filter(({ id }) => id === undefined);

export const isReadyToSend = (file: PendingFile): boolean => !file.refused && !isWaitingForDocument(file);

/** A reference to a file in a text, and its replacement; undefined removes the reference. */
type ReferenceChange = { name: string; next: string | undefined };
/** Returns whether the text contained the reference. */
type ReferenceChanger = (renaming: ReferenceChange) => boolean;

/** The texts that are open in editors of this tab. */
export const referenceChangers = new Set<ReferenceChanger>();

/** Replaces a file reference in the open texts of this tab. Returns whether any contained it. */
export const changeReferences = (renaming: ReferenceChange): boolean =>
  [...referenceChangers].map((rename) => rename(renaming)).some(Boolean);

export const changeReferencesInOtherTabs = (renaming: ReferenceChange): void => channel.postMessage(renaming);

channel.addEventListener("message", ({ data }: MessageEvent<ReferenceChange | "changed">) => {
  if (data === "changed") void readPendingFiles();
  else changeReferences(data);
});
void readPendingFiles();
