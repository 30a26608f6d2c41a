import { Outbox, type OutboxEntry } from "./outbox.ts";

// Pending uploads with their bytes.

/** `key` refers to the file in texts, until it has an id. */
export type PendingFile = OutboxEntry & {
  name: string;
  bytes: Blob;
  /** Description of an image, by the user. */
  alt?: string;
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

export const pendingFiles = new Outbox<PendingFile>("commonplace-files", "files");

/** Stores files until the server has them. Returns false if any is only in memory and lost when the page closes. */
export async function savePendingFiles(files: readonly PendingFile[]): Promise<boolean> {
  const kept: boolean[] = [];
  for (const file of files) kept.push(await pendingFiles.write([file]));
  return kept.every(Boolean);
}

/** Ids of files uploaded by this tab, by their pending keys. */
export const uploadedIds = new Map<string, string>();

/** Called when a writer's draft has become a document. */
export async function linkFilesToDocument(writer: string, document: string): Promise<void> {
  const its = pendingFiles.get().filter(({ to }) => to.writer === writer && !to.document);
  for (const { key, to } of its) await pendingFiles.update(key, { to: { ...to, document } });
}

export const getPendingFiles = pendingFiles.get;
export const usePendingFiles = pendingFiles.entries.use;

/** Files that are not uploaded yet. */
export const useWaitingFiles = (): readonly PendingFile[] =>
  pendingFiles.entries.use().filter(({ id }) => id === undefined);

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

/** Earlier releases expect these messages on the channel of the outbox. */
const channel = new BroadcastChannel("commonplace-files");
export const changeReferencesInOtherTabs = (renaming: ReferenceChange): void => channel.postMessage(renaming);

channel.addEventListener("message", ({ data }: MessageEvent<ReferenceChange | "changed">) => {
  if (data !== "changed") changeReferences(data);
});
