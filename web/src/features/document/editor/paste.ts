import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { enclosingNode } from "./lists.ts";
import { insertPlain, isAddress, type Pasted } from "./pasted.ts";

// Pastes rich text, code, several lines and addresses over words as pasting.ts does, and anything else as it is.

/** What VS Code adds to the clipboard. */
const EDITOR_DATA = "vscode-editor-data";

const isInCode = ({ state }: EditorView): boolean =>
  enclosingNode(syntaxTree(state).resolveInner(state.selection.main.from, -1), /Code|FrontMatter/) !==
  undefined;

/** Whether an address is pasted over something, which may become a link. */
const isOverWords = ({ state: { selection } }: EditorView, plain: string): boolean =>
  selection.ranges.length === 1 && !selection.main.empty && isAddress(plain.trim());

type Pasting = typeof import("./pasting.ts");
let pasting: Pasting | undefined;

/** Not needed for the first keystroke: loaded once the text is shown, or when something is pasted. */
export async function loadPasting(): Promise<Pasting> {
  pasting = await import("./pasting.ts");
  return pasting;
}

function paste(view: EditorView, pasted: Pasted): void {
  if (pasting) pasting.paste(view, pasted);
  else
    loadPasting().then(
      (loaded) => loaded.paste(view, pasted),
      () => insertPlain(view, pasted.plain),
    );
}

/** Whether the text was pasted as something else than what it is. */
function pasteAs(view: EditorView, data: DataTransfer): boolean {
  const [html, plain] = [data.getData("text/html"), data.getData("text/plain")];
  const isFromEditor = data.types.includes(EDITOR_DATA);
  const isPlain =
    !isFromEditor && html === "" && !/[\n\xad\ufb00-\ufb06]/.test(plain) && !isOverWords(view, plain);
  if (isPlain || isInCode(view)) return false;
  paste(view, { html, plain, ...(isFromEditor && { editor: data.getData(EDITOR_DATA) }) });
  return true;
}

/** Handles pasting. With Shift, plain text is pasted. */
export function pasteHandling(): Extension {
  let isPlain = false;
  return EditorView.domEventHandlers({
    keydown: ({ key, shiftKey }) => {
      isPlain = shiftKey && key.toLowerCase() === "v";
    },
    paste: (event, view) => {
      const { clipboardData } = event;
      const wasPlain = isPlain;
      isPlain = false;
      if (!clipboardData || view.state.readOnly) return false;
      if (wasPlain) insertPlain(view, clipboardData.getData("text/plain"));
      else if (!pasteAs(view, clipboardData)) return false;
      event.preventDefault();
      return true;
    },
  });
}
