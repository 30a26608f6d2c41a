import { filesApi } from "../../api/files.ts";
import { storeOf } from "../../state/store.ts";
import { changeFile, dropFile, type WaitingFile } from "../../state/waiting-files.ts";
import { waitingName } from "../files/reference.ts";

// The progress of this tab's uploads, and actions on pending files.

/** A running upload. `as`: the account it belongs to and the signal that cancels it. */
export type Run = { as: { account: string; signal: AbortSignal } };

/** The progress of each upload by its key, from 0 to 1. Stays 0 for files sent in one request. */
const progress = storeOf<ReadonlyMap<string, number>>(new Map());
/** Number of files uploaded since uploading began. */
const uploaded = storeOf(0);
const controllers = new Map<string, AbortController>();

export const useShares = progress.use;
export const useArrived = uploaded.use;

export const running = (key: string): boolean => controllers.has(key);

export function advance(key: string, share: number): void {
  progress.set(new Map(progress.get()).set(key, share));
}

export function begin({ key, account }: WaitingFile): Run {
  const controller = new AbortController();
  controllers.set(key, controller);
  advance(key, 0);
  return { as: { account, signal: controller.signal } };
}

export function end(key: string): void {
  controllers.delete(key);
  const remaining = new Map(progress.get());
  remaining.delete(key);
  progress.set(remaining);
}

export function countArrived(key: string): void {
  advance(key, 1);
  uploaded.set(uploaded.get() + 1);
}

export const beginAll = (): void => uploaded.set(0);

/** Cancels an upload and removes the file from the text that refers to it. */
export async function cancelFile(file: WaitingFile): Promise<void> {
  const { key, account, to, upload, isInText } = file;
  controllers.get(key)?.abort();
  await dropFile(key);
  if (upload) void filesApi.giveUp(upload).catch(() => undefined);
  if (!isInText) return;
  const texts = await import("./texts.ts");
  await texts
    .renameFile({ account, document: to.document }, waitingName(key), undefined)
    .catch(() => undefined);
}

/** Sends a rejected file again. */
export const sendFileAgain = ({ key }: WaitingFile): Promise<void> => changeFile(key, { refused: undefined });
