import { createStore, del, delMany, promisifyRequest, values } from "idb-keyval";
import { keptAccount } from "../api/holder.ts";
import { set } from "./keep.ts";
import { storeOf } from "./store.ts";

// Files on their way to the service. Each is kept in the browser with its bytes until the service has it: without a network
// it waits, and a reload loses none.

export type WaitingFile = {
  /** A text names it by this until it has an id. */
  key: string;
  /** The account that it belongs to. */
  account: string;
  name: string;
  bytes: Blob;
  /** What it shows, in the words of whoever has added it. */
  alt?: string;
  at: number;
  /** Where it belongs: a document that may not exist yet has a writer instead of an id. */
  to: { document?: string; writer?: string; record?: number };
  /** Whether a text names it. */
  isInText?: boolean;
  /** The file whose place it takes. */
  replaces?: string;
  /** The upload in parts that has begun. */
  upload?: string;
  /** The id that it has got, while there is still something to do with it. */
  id?: string;
  /** Why the service did not take it: it waits for somebody. */
  refused?: string | undefined;
};

/** What is named in a text that nobody has saved is forgotten after this. */
const FORGOTTEN_MS = 7 * 86_400_000;

/** Whether it is there, and its document is not. */
const isForDocument = ({ id, isInText, to, at }: WaitingFile): boolean =>
  id !== undefined &&
  isInText === true &&
  to.writer !== undefined &&
  to.document === undefined &&
  Date.now() - at < FORGOTTEN_MS;

const store = createStore("commonplace-files", "files");
const others = new BroadcastChannel("commonplace-files");

const all = storeOf<readonly WaitingFile[]>([]);
/** What this browser has no room for, or keeps nothing of: it goes with the page. */
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

/** Keeps files until the service has them. Returns whether the browser keeps them all: else they go with the page. */
export async function keepFiles(files: readonly WaitingFile[]): Promise<boolean> {
  const kept: boolean[] = [];
  for (const file of files) kept.push(await put(file));
  await changed();
  return kept.every(Boolean);
}

/** Read and written in one transaction: two changes at a time are both kept. */
const changeKept = (key: string, part: Partial<WaitingFile>): Promise<void> =>
  store("readwrite", (files) => {
    const asked: IDBRequest<WaitingFile | undefined> = files.get(key);
    asked.onsuccess = () => {
      if (asked.result) files.put({ ...asked.result, ...part }, key);
    };
    return promisifyRequest(files.transaction);
  });

/** Notes what has become of a file, unless it has been dropped meanwhile. */
export async function changeFile(key: string, part: Partial<WaitingFile>): Promise<void> {
  const file = fleeting.get(key);
  if (file) fleeting.set(key, { ...file, ...part });
  else await changeKept(key, part).catch(() => undefined);
  await changed();
}

/** The ids of files that have arrived from this tab, by what they were called while they waited. */
export const arrivedAs = new Map<string, string>();

export async function dropFile(key: string): Promise<void> {
  fleeting.delete(key);
  await del(key, store).catch(() => undefined);
  await changed();
}

/** Forgets the files of an account, sent or not. */
export async function forgetFiles(account: string): Promise<void> {
  const its = (await values<WaitingFile>(store)).filter((one) => one.account === account);
  await delMany(
    its.map(({ key }) => key),
    store,
  );
  await changed();
}

/** What a writer has written has become a document. */
export async function writerBecame(writer: string, document: string): Promise<void> {
  const its = all.get().filter(({ to }) => to.writer === writer && !to.document);
  for (const { key, to } of its) await changeFile(key, { to: { ...to, document } });
}

export const filesNow = all.get;
export const readFiles = load;
export const useFilesHere = all.use;

/** Those that have not arrived. */
export const useWaitingFiles = (): readonly WaitingFile[] => all.use().filter(({ id }) => id === undefined);

/** Whether there is something to do for a file now. */
export const isToDo = (file: WaitingFile): boolean => !file.refused && !isForDocument(file);

/** What a text calls a file, and what it is to call it; without that, it is to be taken out. */
type Renaming = { name: string; next: string | undefined };
/** Returns whether the text has had the first name. */
type Rename = (renaming: Renaming) => boolean;

/** The texts that are being written in this tab. */
export const openTexts = new Set<Rename>();

/** Renames a file in what is being written here. Returns whether it was named there. */
export const renameInTexts = (renaming: Renaming): boolean =>
  [...openTexts].map((rename) => rename(renaming)).some(Boolean);

export const renameInOtherTabs = (renaming: Renaming): void => others.postMessage(renaming);

others.addEventListener("message", ({ data }: MessageEvent<Renaming | "changed">) => {
  if (data === "changed") void load();
  else renameInTexts(data);
});
void load();
