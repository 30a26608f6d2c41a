import { pasteURLAsLink } from "@codemirror/lang-markdown";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { toast } from "../../../state/toasts.ts";
import type { Converted } from "./from-html.ts";

// What is pasted: rich text as Markdown, an address over a selection as a link, all else as it is.

/** More HTML than this would keep the page from answering for a second or longer. */
const MAX_HTML = 200_000;

const isInCode = ({ state }: EditorView) => {
  for (let node = syntaxTree(state).resolveInner(state.selection.main.from, -1); ; ) {
    if (/Code/.test(node.name)) return true;
    if (!node.parent) return false;
    node = node.parent;
  }
};

const insert = (view: EditorView, text: string): void =>
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });

/** Inserts what became of rich text, on lines of its own where it needs them. */
function insertConverted(view: EditorView, { text, isBlock }: Converted): void {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  const before = doc.sliceString(doc.lineAt(from).from, from).trim();
  const after = doc.sliceString(to, doc.lineAt(to).to).trim();
  insert(view, isBlock ? `${before && "\n\n"}${text}${after && "\n\n"}` : text);
}

async function pasteRich(view: EditorView, html: string, plain: string): Promise<void> {
  // Without a network the converter may not be there, and what is nested too deeply is too much for it.
  const converted = await import("./from-html.ts")
    .then(({ markdownOf }) => markdownOf(html))
    .catch(() => undefined);
  if (converted) insertConverted(view, converted);
  else insert(view, plain);
}

/** Whether the rich form of what is pasted is worth more than the plain one. */
function isRich(data: DataTransfer, view: EditorView): boolean {
  const isOfEditor = data.types.some((type) => type.startsWith("vscode-"));
  return data.types.includes("text/html") && !isOfEditor && !isInCode(view);
}

/** How this kind of text takes what is pasted. With Shift it is plain. */
export function pasting(): Extension {
  let isPlain = false;
  const plainly = EditorView.domEventHandlers({
    keydown: ({ key, shiftKey }) => {
      isPlain = shiftKey && key.toLowerCase() === "v";
    },
    paste: (event, view) => {
      const text = event.clipboardData?.getData("text/plain");
      if (!isPlain || text === undefined) return false;
      isPlain = false;
      event.preventDefault();
      insert(view, text);
      return true;
    },
  });
  const richly = EditorView.domEventHandlers({
    paste: (event, view) => {
      const { clipboardData } = event;
      if (!clipboardData || !isRich(clipboardData, view)) return false;
      const [html, plain] = [clipboardData.getData("text/html"), clipboardData.getData("text/plain")];
      if (html.length > MAX_HTML) {
        toast({ text: "Too much to keep its formatting: pasted as plain text." });
        return false;
      }
      event.preventDefault();
      void pasteRich(view, html, plain);
      return true;
    },
  });
  return [plainly, pasteURLAsLink, richly];
}
