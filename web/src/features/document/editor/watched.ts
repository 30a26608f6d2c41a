import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Tells parts of the screen beside the text when that, or what is selected of it, has changed. */
export type Watched = { extension: Extension; listen: (listener: () => void) => () => void };

export function watch(): Watched {
  const listeners = new Set<() => void>();
  return {
    extension: EditorView.updateListener.of(({ docChanged, selectionSet, focusChanged }) => {
      if (docChanged || selectionSet || focusChanged) for (const listener of listeners) listener();
    }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
