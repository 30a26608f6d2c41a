import { createStore, del, delMany, get, keys } from "idb-keyval";
import type { Refusal } from "../../../../src/contract/import/item.ts";
import type { Operation } from "../../../../src/contract/import/write.ts";
import { keptAccount } from "../../api/holder.ts";
import { set } from "../../state/keep.ts";

// What is still to be imported, in IndexedDB, so that a reload loses nothing. Each account has a queue of its own.

/** An operation whose folder may not exist yet: its body gets the folder's id when it is sent. */
export type Queued = Operation & { title: string; folders: string[] };

export type Counts = { created: number; updated: number; trashed: number };

/** An import of texts and how far it is. */
export type Job = {
  id: string;
  state: "running" | "stopped" | "done";
  /** Why it stopped by itself. */
  problem?: string | undefined;
  batches: number;
  /** The next batch to be sent, and when it was sent for the first time. */
  next: number;
  sentAt?: Date | undefined;
  done: number;
  total: number;
  counts: Counts;
  skipped: number;
  leftOut: string;
  refused: Refusal[];
  notes: Refusal[];
  /** Ids of folders by their path in JSON: what was sent once is repeated with the same ones. */
  folderIds: Record<string, string | null>;
  /** The first documents that were written. */
  documents: { id: string; title: string }[];
  /** The browser keeps nothing, so the page has to stay open. */
  isFleeting?: boolean;
};

const JOB = "job";
const STOP = "stop";
const batchKey = (number: number) => `batch ${number}`;

const database = () => createStore("commonplace-import", "queue");
const keyOf = (name: string, owner = keptAccount()) => `${owner ?? ""}:${name}`;
/** Stands in for the database in browsers that give none, such as some private windows. */
const memory = new Map<string, unknown>();
let isFleeting = false;

const read = <T>(name: string): Promise<T | undefined> =>
  isFleeting ? Promise.resolve(memory.get(name) as T | undefined) : get<T>(keyOf(name), database());

async function write(name: string, value: unknown): Promise<void> {
  if (isFleeting) memory.set(name, value);
  else await set(keyOf(name), value, database());
}

export const loadJob = () => read<Job>(JOB).catch(() => undefined);
export const saveJob = (job: Job) => write(JOB, job);
export const loadBatch = async (number: number) => (await read<Queued[]>(batchKey(number))) ?? [];

export async function dropBatch(number: number): Promise<void> {
  if (isFleeting) memory.delete(batchKey(number));
  else await del(keyOf(batchKey(number)), database());
}

/** Asks the tab that imports to stop, which may be another one. */
export const askToStop = (id: string) => write(STOP, id);
export const isAskedToStop = async (id: string) => (await read<string>(STOP)) === id;
export const forgetStop = () => write(STOP, "");

/** Forgets what an account has not imported yet; by default the account that this page shows. */
export async function clearQueue(owner = keptAccount()): Promise<void> {
  memory.clear();
  if (isFleeting) return;
  const all = await keys<string>(database());
  await delMany(
    all.filter((key) => key.startsWith(keyOf("", owner))),
    database(),
  );
}

/** Keeps a new job and its batches. Returns whether a reload will find them. */
export async function keepJob(job: Job, batches: Queued[][]): Promise<boolean> {
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
