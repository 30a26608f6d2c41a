import { createStore, del, delMany, promisifyRequest, values } from "idb-keyval";
import { keptAccount } from "../api/holder.ts";
import { set } from "./keep.ts";
import { storeOf } from "./store.ts";

// Pending uploads. Each is stored in the browser with its bytes until the server has it, so that it survives a reload and waits
// for the network.

export type WaitingFile = {
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
const FORGOTTEN_MS = 7 * 86_400_000;

/** Whether it is uploaded, but its document does not exist yet. */
const isForDocument = ({ id, isInText, to, at }: WaitingFile): boolean =>
  id !== undefined &&
  isInText === true &&
  to.writer !== undefined &&
  to.document === undefined &&
  Date.now() - at < FORGOTTEN_MS;

const store = createStore("commonplace-files", "files");
const others = new BroadcastChannel("commonplace-files");

const all = storeOf<readonly WaitingFile[]>([]);
/** Files that could not be stored: they are lost when the page closes. */
const fleeting = new Map<string, WaitingFile>();

async function load(): Promise<void> {
  const kept = await values<WaitingFile>(store).catch(() => []);
  const mine = [...kept, ...fleeting.values()].filter(({ account }) => account === keptAccount());
  all.set(mine.sort((one, other) => one.at - other.at));
}

async function changed(): Promise<void> {
  others.postMessage("changed");
  await load();
}

async function put(file: WaitingFile): Promise<boolean> {
  const isKept = await set(file.key, file, store).then(
    () => true,
    () => false,
  );
  if (isKept) fleeting.delete(file.key);
  else fleeting.set(file.key, file);
  return isKept;
}

/** Stores files until the server has them. Returns false if any is only in memory and lost when the page closes. */
export async function keepFiles(files: readonly WaitingFile[]): Promise<boolean> {
  const kept: boolean[] = [];
  for (const file of files) kept.push(await put(file));
  await changed();
  return kept.every(Boolean);
}

/** One transaction, so that concurrent changes are not lost. */
const changeKept = (key: string, part: Partial<WaitingFile>): Promise<void> =>
  store("readwrite", (files) => {
    const asked: IDBRequest<WaitingFile | undefined> = files.get(key);
    asked.onsuccess = () => {
      if (asked.result) files.put({ ...asked.result, ...part }, key);
    };
    return promisifyRequest(files.transaction);
  });

/** Updates a pending file, unless it was deleted in the meantime. */
export async function changeFile(key: string, part: Partial<WaitingFile>): Promise<void> {
  const file = fleeting.get(key);
  if (file) fleeting.set(key, { ...file, ...part });
  else await changeKept(key, part).catch(() => undefined);
  await changed();
}

/** Ids of files uploaded by this tab, by their pending keys. */
export const arrivedAs = new Map<string, string>();

export async function dropFile(key: string): Promise<void> {
  fleeting.delete(key);
  await del(key, store).catch(() => undefined);
  await changed();
}

/** Deletes the pending files of an account, sent or not. */
export async function forgetFiles(account: string): Promise<void> {
  const its = (await values<WaitingFile>(store)).filter((one) => one.account === account);
  await delMany(
    its.map(({ key }) => key),
    store,
  );
  await changed();
}

/** Called when a writer's draft has become a document. */
export async function writerBecame(writer: string, document: string): Promise<void> {
  const its = all.get().filter(({ to }) => to.writer === writer && !to.document);
  for (const { key, to } of its) await changeFile(key, { to: { ...to, document } });
}

export const filesNow = all.get;
export const readFiles = load;
export const useFilesHere = all.use;

/** Files that are not uploaded yet. */
export const useWaitingFiles = (): readonly WaitingFile[] => all.use().filter(({ id }) => id === undefined);

export const isToDo = (file: WaitingFile): boolean => !file.refused && !isForDocument(file);

/** A reference to a file in a text, and its replacement; undefined removes the reference. */
type Renaming = { name: string; next: string | undefined };
/** Returns whether the text contained the reference. */
type Rename = (renaming: Renaming) => boolean;

/** The texts that are open in editors of this tab. */
export const openTexts = new Set<Rename>();

/** Replaces a file reference in the open texts of this tab. Returns whether any contained it. */
export const renameInTexts = (renaming: Renaming): boolean =>
  [...openTexts].map((rename) => rename(renaming)).some(Boolean);

export const renameInOtherTabs = (renaming: Renaming): void => others.postMessage(renaming);

others.addEventListener("message", ({ data }: MessageEvent<Renaming | "changed">) => {
  if (data === "changed") void load();
  else renameInTexts(data);
});
void load();
