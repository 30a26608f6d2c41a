import { storeOf } from "./store.ts";

// The messages about what happened.

export type Toast = {
  text: string;
  kind?: "done" | "refused";
  /** The path of what it is about. */
  open?: string;
  /** What may be done next. */
  step?: { name: string; run: () => void };
  /** Takes back what was done. */
  undo?: () => void;
  /** With which others it becomes one message. */
  group?: Group;
};

/** Messages of one name that follow each other become one about all of them, which takes all of them back. */
export type Group = { name: string; count: number; text: (count: number) => string };

/** A message, or the place of one for a step that is still under way. */
type Entry = { id: number; told?: Toast; isUndoWanted?: boolean };
export type Shown = Entry & { told: Toast };

const SHOWN_MS = 8000;
const MAX_SHOWN = 3;

/** In the order in which their steps were begun. */
const entries = storeOf<readonly Entry[]>([]);
let lastId = 0;

/** Whether there is something to show for a step. */
export const isShown = (entry: Entry): entry is Shown => entry.told !== undefined;

export const dismiss = (id: number) => entries.set(entries.get().filter((entry) => entry.id !== id));

/** Removes the oldest messages of more than fit. */
function withoutOldest(all: readonly Entry[]): readonly Entry[] {
  const old = all.filter(isShown).slice(0, -MAX_SHOWN);
  return all.filter((entry) => !old.includes(entry as Shown));
}

/** One message instead of two of the same kind; undefined for others. */
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

/** The messages with that of a step in its place, or in one with that of the step before it or after it. */
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

/** Takes back what a message names. */
export function undo({ id, told }: Entry): void {
  dismiss(id);
  told?.undo?.();
}

/**
 * Begins a step, whose message comes when it is done. Until then it is the latest one: whoever wants to undo means it, and
 * gets that as soon as it is done.
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

/** Tells what happened, for eight seconds. */
export const toast = (told: Toast): void => begin().end(told);

/** Takes back what the latest message names, or nothing. Returns whether there was something. */
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

/** The messages, and the places of those that are still to come. */
export const useEntries = entries.use;
