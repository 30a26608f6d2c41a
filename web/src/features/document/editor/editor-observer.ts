import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Notifies other parts of the screen of changes of the text, the selection and the focus. */
export type EditorObserver = { extension: Extension; listen: (listener: () => void) => () => void };

/** An editor, and the observer of its changes. */
export type ObservedEditor = { view: EditorView; watched: EditorObserver };

export function createEditorObserver(): EditorObserver {
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
