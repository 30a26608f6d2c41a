import { createStore, del, delMany, get, keys } from "idb-keyval";
import type { ImportProblem } from "../../../../src/shared/import/item.ts";
import type { DocumentOperation } from "../../../../src/shared/import/write.ts";
import { localAccount } from "../../api/current-account.ts";
import { setValue } from "../../state/account-storage.ts";

// The rest of an import, stored in IndexedDB to survive a reload. Each account has its own queue.

/** An operation whose folder may not exist yet. The folder's id is inserted when it is sent. */
export type QueuedOperation = DocumentOperation & { title: string; folders: string[] };

/** `files` were uploaded, and tasks became `records`, before the documents. Jobs of earlier versions have neither. */
export type ImportCounts = Record<"created" | "updated" | "trashed", number> & {
  files?: number;
  records?: number;
};

export type ImportJob = {
  id: string;
  state: "running" | "stopped" | "done";
  /** Why it failed; undefined if the user stopped it. */
  problem?: string | undefined;
  batches: number;
  /** The next batch, and when it was first sent. */
  next: number;
  sentAt?: Date | undefined;
  done: number;
  total: number;
  counts: ImportCounts;
  skipped: number;
  leftOut: string;
  refused: ImportProblem[];
  notes: ImportProblem[];
  /** Folder ids by path as JSON, so that a repeated request has the same body. */
  folderIds: Record<string, string | null>;
  /** The first written documents, for display. */
  documents: { id: string; title: string }[];
  /** The browser has no storage, so the page must stay open. */
  isFleeting?: boolean;
};

const JOB = "job";
const STOP = "stop";
const batchKey = (number: number) => `batch ${number}`;

const database = () => createStore("commonplace-import", "queue");
const storageKey = (name: string, owner = localAccount()) => `${owner ?? ""}:${name}`;
/** Replaces the database in browsers without one, such as some private windows. */
const memory = new Map<string, unknown>();
let isFleeting = false;

const read = <T>(name: string): Promise<T | undefined> =>
  isFleeting ? Promise.resolve(memory.get(name) as T | undefined) : get<T>(storageKey(name), database());

async function write(name: string, value: unknown): Promise<void> {
  if (isFleeting) memory.set(name, value);
  else await setValue(storageKey(name), value, database());
}

export const loadJob = () => read<ImportJob>(JOB).catch(() => undefined);
export const saveJob = (job: ImportJob) => write(JOB, job);
export const loadBatch = async (number: number) => (await read<QueuedOperation[]>(batchKey(number))) ?? [];

export async function dropBatch(number: number): Promise<void> {
  if (isFleeting) memory.delete(batchKey(number));
  else await del(storageKey(batchKey(number)), database());
}

/** Asks the importing tab, which may be another one, to stop. */
export const requestStop = (id: string) => write(STOP, id);
export const isStopRequested = async (id: string) => (await read<string>(STOP)) === id;
export const clearStopRequest = () => write(STOP, "");

/** Deletes the queue of an account; by default, the current one. */
export async function clearQueue(owner = localAccount()): Promise<void> {
  memory.clear();
  if (isFleeting) return;
  const own = (await keys<string>(database())).filter((key) => key.startsWith(storageKey("", owner)));
  await delMany(own, database());
}

/** Stores a new job and its batches. Returns whether they survive a reload. */
export async function keepJob(job: ImportJob, batches: QueuedOperation[][]): Promise<boolean> {
  try {
    isFleeting = false;
    await clearQueue();
    for (const [number, batch] of batches.entries()) await write(batchKey(number), batch);
    await saveJob(job);
  } catch {
    isFleeting = true;
    memory.clear();
    for (const [number, batch] of batches.entries()) await write(batchKey(number), batch);
    await saveJob({ ...job, isFleeting });
  }
  return !isFleeting;
}
