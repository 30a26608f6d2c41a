import { pasteURLAsLink } from "@codemirror/lang-markdown";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { toast } from "../../../state/toasts.ts";
import type { ConvertedHtml } from "./from-html.ts";
import { enclosingNode } from "./lists.ts";

// Pastes rich text as Markdown, a URL over a selection as a link, and anything else as it is.

/** Converting more HTML than this would block the page for a second or longer. */
const MAX_HTML = 200_000;

const isInCode = ({ state }: EditorView): boolean =>
  enclosingNode(syntaxTree(state).resolveInner(state.selection.main.from, -1), /Code/) !== undefined;

const insert = (view: EditorView, text: string): void =>
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });

/** Inserts converted rich text, on lines of its own if it needs them. */
function insertConverted(view: EditorView, { text, isBlock }: ConvertedHtml): void {
  const { doc, selection } = view.state;
  const { from, to } = selection.main;
  const before = doc.sliceString(doc.lineAt(from).from, from).trim();
  const after = doc.sliceString(to, doc.lineAt(to).to).trim();
  insert(view, isBlock ? `${before && "\n\n"}${text}${after && "\n\n"}` : text);
}

async function pasteRich(view: EditorView, html: string, plain: string): Promise<void> {
  // The converter may not be loaded offline, and it may fail.
  const converted = await import("./from-html.ts")
    .then((module) => module.htmlToMarkdown(html))
    .catch(() => undefined);
  if (converted) insertConverted(view, converted);
  else insert(view, plain);
}

/** Whether to paste the HTML instead of the plain text. */
function isRich(data: DataTransfer, view: EditorView): boolean {
  const isFromCodeEditor = data.types.some((type) => type.startsWith("vscode-"));
  return data.types.includes("text/html") && !isFromCodeEditor && !isInCode(view);
}

/** Handles pasting. With Shift, plain text is pasted. */
export function pasteHandling(): Extension {
  let isPlain = false;
  const plainPaste = EditorView.domEventHandlers({
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
  const richPaste = EditorView.domEventHandlers({
    paste: (event, view) => {
      const { clipboardData } = event;
      if (!clipboardData || !isRich(clipboardData, view)) return false;
      const [html, plain] = [clipboardData.getData("text/html"), clipboardData.getData("text/plain")];
      if (html.length > MAX_HTML) {
        toast({ text: "Too long to keep the formatting. Pasted as plain text." });
        return false;
      }
      event.preventDefault();
      void pasteRich(view, html, plain);
      return true;
    },
  });
  return [plainPaste, pasteURLAsLink, richPaste];
}
