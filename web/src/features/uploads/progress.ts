import { filesApi } from "../../api/files.ts";
import { storeOf } from "../../state/store.ts";
import { changeFile, dropFile, type WaitingFile } from "../../state/waiting-files.ts";
import { waitingName } from "../files/reference.ts";

// The files that this tab is sending, and what can be done with one that waits.

/** A file on its way, for the account that it belongs to. */
export type Run = { as: { account: string; signal: AbortSignal } };

/** How much of each the service has, from 0 to 1; 0 also for what is sent in one piece. */
const shares = storeOf<ReadonlyMap<string, number>>(new Map());
/** How many have arrived since there was nothing to send. */
const arrived = storeOf(0);
const stops = new Map<string, AbortController>();

export const useShares = shares.use;
export const useArrived = arrived.use;

export const running = (key: string): boolean => stops.has(key);

export function advance(key: string, share: number): void {
  shares.set(new Map(shares.get()).set(key, share));
}

export function begin({ key, account }: WaitingFile): Run {
  const stop = new AbortController();
  stops.set(key, stop);
  advance(key, 0);
  return { as: { account, signal: stop.signal } };
}

export function end(key: string): void {
  stops.delete(key);
  const left = new Map(shares.get());
  left.delete(key);
  shares.set(left);
}

/** The service has one. */
export function countArrived(key: string): void {
  advance(key, 1);
  arrived.set(arrived.get() + 1);
}

/** From here on those that arrive are counted. */
export const beginAll = (): void => arrived.set(0);

/** Leaves a file out: it goes no further, and out of the text that names it. */
export async function cancelFile(file: WaitingFile): Promise<void> {
  const { key, account, to, upload, isInText } = file;
  stops.get(key)?.abort();
  await dropFile(key);
  if (upload) void filesApi.giveUp(upload).catch(() => undefined);
  if (!isInText) return;
  const { renameFile } = await import("./texts.ts");
  await renameFile({ account, document: to.document }, waitingName(key), undefined).catch(() => undefined);
}

/** Lets a file be sent again that was refused. */
export const sendFileAgain = ({ key }: WaitingFile): Promise<void> => changeFile(key, { refused: undefined });
