import { storeOf } from "./store.ts";

export type Toast = {
  text: string;
  kind?: "done" | "refused";
  /** Path of the affected item, for a Show button. */
  open?: string;
  /** An optional next step, as a button. */
  step?: { name: string; run: () => void };
  /** Undoes the action. */
  undo?: () => void;
  /** Toasts with the same group are merged. */
  group?: Group;
};

/** Consecutive toasts of one group are merged into one, which undoes all of their actions. */
export type Group = { name: string; count: number; text: (count: number) => string };

/** A toast, or the placeholder of one for an action that is still running. */
type Entry = { id: number; told?: Toast; isUndoWanted?: boolean };
export type Shown = Entry & { told: Toast };

const SHOWN_MS = 8000;
const MAX_SHOWN = 3;

/** In the order in which their actions were started. */
const entries = storeOf<readonly Entry[]>([]);
let lastId = 0;

export const isShown = (entry: Entry): entry is Shown => entry.told !== undefined;

export const dismiss = (id: number) => entries.set(entries.get().filter((entry) => entry.id !== id));

/** Removes the oldest toasts beyond the maximum. */
function withoutOldest(all: readonly Entry[]): readonly Entry[] {
  const old = all.filter(isShown).slice(0, -MAX_SHOWN);
  return all.filter((entry) => !old.includes(entry as Shown));
}

/** Merges two toasts of the same group; undefined if they cannot be merged. */
function joined(older: Toast | undefined, newer: Toast): Toast | undefined {
  if (!older?.group || older.group.name !== newer.group?.name || !older.undo || !newer.undo) return undefined;
  const count = older.group.count + newer.group.count;
  const undos = [newer.undo, older.undo];
  return {
    text: newer.group.text(count),
    group: { ...newer.group, count },
    undo: () => {
      for (const undo of undos) undo();
    },
  };
}

/** Fills in the toast of an entry, merged with its neighbor if they share a group. */
function withMessage(all: readonly Entry[], id: number, told: Toast): readonly Entry[] {
  const at = all.findIndex((entry) => entry.id === id);
  for (const place of [at - 1, at + 1]) {
    const [older, newer] = place < at ? [all[place]?.told, told] : [told, all[place]?.told];
    const one = newer && joined(older, newer);
    if (one)
      return all.flatMap((entry, index) =>
        index === place ? [] : [index === at ? { id, told: one } : entry],
      );
  }
  return all.map((entry) => (entry.id === id ? { id, told } : entry));
}

export function undo({ id, told }: Entry): void {
  dismiss(id);
  told?.undo?.();
}

/**
 * Starts an action whose toast is shown when it ends. Until then it counts as the latest one: an undo requested meanwhile
 * runs as soon as the action ends.
 */
export function begin(): { end: (told?: Toast) => void } {
  lastId += 1;
  const id = lastId;
  entries.set([...entries.get(), { id }]);
  return {
    end: (told) => {
      const isWanted = entries.get().some((entry) => entry.id === id && entry.isUndoWanted);
      if (!told) return dismiss(id);
      if (isWanted && told.undo) return undo({ id, told });
      entries.set(withoutOldest(withMessage(entries.get(), id, told)));
      setTimeout(() => dismiss(id), SHOWN_MS);
    },
  };
}

/** Shows a toast for eight seconds. */
export const toast = (told: Toast): void => begin().end(told);

/** Undoes the latest action. Returns whether there was one. */
export function undoLatest(): boolean {
  const latest = entries.get().at(-1);
  if (!latest) return false;
  if (latest.told) {
    if (latest.told.undo) undo(latest);
    return latest.told.undo !== undefined;
  }
  entries.set(entries.get().map((entry) => (entry === latest ? { ...entry, isUndoWanted: true } : entry)));
  return true;
}

/** Toasts, and the placeholders of running actions. */
export const useEntries = entries.use;
