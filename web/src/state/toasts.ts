import { createSharedState } from "./shared-state.ts";

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
  group?: ToastGroup;
};

/** Consecutive toasts of one group are merged into one, which undoes all of their actions. */
export type ToastGroup = {
  name: string;
  count: number;
  text: (count: number) => string;
  /** Path of the list that has all of them, for the Show button. */
  open?: string;
};

/** A toast, or the placeholder of one for an action that is still running. */
type ToastEntry = { id: number; told?: Toast; isUndoWanted?: boolean };
export type VisibleToast = ToastEntry & { told: Toast };

const VISIBLE_MS = 8000;
const TICK_MS = 250;
/** How long the latest action can be undone with a key after its toast is gone. */
const UNDO_MS = 60_000;
const MAX_VISIBLE = 3;

/** In the order in which their actions were started. */
const entries = createSharedState<readonly ToastEntry[]>([]);
let lastId = 0;

export const hasToast = (entry: ToastEntry): entry is VisibleToast => entry.told !== undefined;

/** The latest action whose toast has expired. */
let expired: VisibleToast | undefined;

const removeEntry = (id: number) => entries.set(entries.get().filter((entry) => entry.id !== id));

/** Remembers an action for a minute, for the key that undoes it. */
function keepExpired(entry: VisibleToast): void {
  if (expired && expired.id > entry.id) return;
  expired = entry;
  setTimeout(() => {
    if (expired === entry) expired = undefined;
  }, UNDO_MS);
}

/** Removes a toast. Its action can still be undone with a key for a minute. */
export function dismissToast(id: number): void {
  const entry = entries.get().find((one) => one.id === id);
  if (entry && hasToast(entry)) keepExpired(entry);
  removeEntry(id);
}

/** Toasts do not expire while the pointer or the focus is on one, or while nobody sees the page (WCAG 2.2.1). */
const isTimeHeld = () =>
  document.hidden ||
  document.activeElement?.closest("[data-toasts]") != null ||
  document.querySelector("[data-toasts]:hover") !== null;

function expireLater(id: number): void {
  let left = VISIBLE_MS;
  const timer = setInterval(() => {
    if (entries.get().every((entry) => entry.id !== id)) return clearInterval(timer);
    if (!isTimeHeld()) left -= TICK_MS;
    if (left > 0) return;
    clearInterval(timer);
    dismissToast(id);
  }, TICK_MS);
}

function withoutOldest(all: readonly ToastEntry[]): readonly ToastEntry[] {
  const old = all.filter(hasToast).slice(0, -MAX_VISIBLE);
  return all.filter((entry) => !old.includes(entry as VisibleToast));
}

/** Merges two toasts of the same group; undefined if they cannot be merged. */
function mergeToasts(older: Toast | undefined, newer: Toast): Toast | undefined {
  if (!older?.group || older.group.name !== newer.group?.name || !older.undo || !newer.undo) return undefined;
  const count = older.group.count + newer.group.count;
  const undos = [newer.undo, older.undo];
  return {
    text: newer.group.text(count),
    ...(newer.group.open !== undefined && { open: newer.group.open }),
    group: { ...newer.group, count },
    undo: () => {
      for (const undo of undos) undo();
    },
  };
}

/** Fills in the toast of an entry, merged with its neighbor if they share a group. */
function placeToast(all: readonly ToastEntry[], id: number, told: Toast): readonly ToastEntry[] {
  const at = all.findIndex((entry) => entry.id === id);
  for (const place of [at - 1, at + 1]) {
    const [older, newer] = place < at ? [all[place]?.told, told] : [told, all[place]?.told];
    const one = newer && mergeToasts(older, newer);
    if (one)
      return all.flatMap((entry, index) =>
        index === place ? [] : [index === at ? { id, told: one } : entry],
      );
  }
  return all.map((entry) => (entry.id === id ? { id, told } : entry));
}

export function undoToast({ id, told }: ToastEntry): void {
  removeEntry(id);
  told?.undo?.();
}

/**
 * Starts an action whose toast is shown when it ends. Until then it counts as the latest one: an undo requested meanwhile
 * runs as soon as the action ends.
 */
export function beginToast(): { end: (told?: Toast) => void } {
  lastId += 1;
  const id = lastId;
  entries.set([...entries.get(), { id }]);
  return {
    end: (told) => {
      const isWanted = entries.get().some((entry) => entry.id === id && entry.isUndoWanted);
      if (!told) return removeEntry(id);
      if (isWanted && told.undo) return undoToast({ id, told });
      entries.set(withoutOldest(placeToast(entries.get(), id, told)));
      expireLater(id);
    },
  };
}

/** Shows a toast for eight seconds, or longer while it has the pointer or the focus. */
export const toast = (told: Toast): void => beginToast().end(told);

/** Undoes the action of the toast that expired last, and says which. */
function undoExpired(): boolean {
  const entry = expired;
  expired = undefined;
  if (!entry?.told.undo) return false;
  entry.told.undo();
  toast({ text: `Undo: ${entry.told.text}` });
  return true;
}

/** Undoes the latest action. Returns whether there was one. */
export function undoLatest(): boolean {
  const latest = entries.get().at(-1);
  if (!latest) return undoExpired();
  if (latest.told) {
    if (latest.told.undo) undoToast(latest);
    return latest.told.undo !== undefined;
  }
  entries.set(entries.get().map((entry) => (entry === latest ? { ...entry, isUndoWanted: true } : entry)));
  return true;
}

export const PART_NOT_LOADED = "Part of the app could not be loaded. Reload the page.";

/** Toasts, and the placeholders of running actions. */
export const useToastEntries = entries.use;
