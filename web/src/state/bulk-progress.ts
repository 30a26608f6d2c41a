import { storeOf } from "./store.ts";

// How far a change of more things is than one request takes.

export type Progress = { done: number; total: number };

const progress = storeOf<Progress | undefined>(undefined);

/** The browser asks before the page is left: what has not been sent would stay as it is. */
const stay = (event: BeforeUnloadEvent) => event.preventDefault();

export const useBulkProgress = progress.use;

/** Takes steps one after the other, and shows how far they are unless there is only one. Stops at the first that fails. */
export async function inSteps<Item>(
  items: readonly Item[],
  size: number,
  take: (some: Item[]) => Promise<unknown>,
): Promise<void> {
  const isLong = items.length > size;
  if (isLong) addEventListener("beforeunload", stay);
  try {
    for (let done = 0; done < items.length; done += size) {
      if (isLong) progress.set({ done, total: items.length });
      await take(items.slice(done, done + size));
    }
  } finally {
    removeEventListener("beforeunload", stay);
    progress.set(undefined);
  }
}
