import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { readNoteAddress, wikiLinksIn } from "../../../../../src/shared/markdown/note-links.ts";
import { enclosingNode } from "./lists.ts";

// Ctrl or ⌘ and a click, or Alt+Enter, follow a link.

/** A link in the text: to a document or heading, or to an address. */
export type EditorLink = { target: string; heading?: string } | { address: string };

const LINK = /^(?:NoteLink|Link|Autolink|URL)$/;

function linkAt(state: EditorState, at: number, side: -1 | 1): EditorLink | undefined {
  const node = enclosingNode(syntaxTree(state).resolveInner(at, side), LINK);
  if (!node) return undefined;
  const text = state.sliceDoc(node.from, node.to);
  if (node.name === "NoteLink") return wikiLinksIn(text).next().value ?? undefined;
  const url = node.name === "URL" ? node : node.getChild("URL");
  if (!url) return undefined;
  const address = state.sliceDoc(url.from, url.to).replace(/^<|>$/g, "");
  return readNoteAddress(address) ?? { address };
}

/** Lets links be followed while the text is edited. */
export const followLinks = (follow: (link: EditorLink) => void): Extension => {
  const tryFollow = (link: EditorLink | undefined): boolean => {
    if (link) follow(link);
    return link !== undefined;
  };
  return [
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        if (event.button !== 0 || !(event.ctrlKey || event.metaKey)) return false;
        const at = view.posAtCoords(event);
        const isFollowed = at !== null && tryFollow(linkAt(view.state, at, 1) ?? linkAt(view.state, at, -1));
        if (isFollowed) event.preventDefault();
        return isFollowed;
      },
    }),
    keymap.of([
      {
        key: "Alt-Enter",
        run: ({ state }) => {
          const { head } = state.selection.main;
          return tryFollow(linkAt(state, head, 1) ?? linkAt(state, head, -1));
        },
      },
    ]),
  ];
};
