import { PART_NOT_LOADED, type Toast, toast } from "./toasts.ts";

/** Change ids of an action, in order: those in the responses to its requests. */
export type ChangeIds = string[];

/** Undoes what an action changed, and shows what could not be undone. Returns false if nothing was tried. */
export const undoChanges = (changes: ChangeIds): Promise<boolean> =>
  import("./undo-changes.ts").then(
    (loaded) => loaded.undoChanges(changes),
    () => {
      toast({ kind: "refused", text: PART_NOT_LOADED });
      return false;
    },
  );

/** The `undo` of a toast about these changes; nothing if there are none. */
export const undoOffer = (
  changes: ChangeIds,
  undo: () => void = () => void undoChanges(changes),
): Pick<Toast, "undo"> => (changes.length > 0 ? { undo } : {});
