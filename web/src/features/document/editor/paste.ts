import { isolateHistory, undo } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { toast } from "../../../state/toasts.ts";
import { codeBlock, languageFromEditor } from "./clipboard/code.ts";
import { joinWrappedLines } from "./clipboard/plain.ts";
import { cellText, insertMarkdown } from "./insert-markdown.ts";
import { linkSelection } from "./link-paste.ts";
import { enclosingNode } from "./lists.ts";
import { tableAt } from "./table.ts";

// Pastes rich text as Markdown, code as a code block, an address over words as a link, and anything else as it is.

/** What VS Code adds to the clipboard. */
const EDITOR_DATA = "vscode-editor-data";

const isInCode = ({ state }: EditorView): boolean =>
  enclosingNode(syntaxTree(state).resolveInner(state.selection.main.from, -1), /Code|FrontMatter/) !==
  undefined;

const insert = (view: EditorView, text: string): void =>
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });

/** The last number of a footnote in a text. */
function lastFootnote(text: string): number {
  const numbers = [...text.matchAll(/^\[\^(\d{1,6})\]:/gm)].map(([, digits]) => Number(digits));
  return Math.max(0, ...numbers);
}

async function pasteRich(view: EditorView, html: string, plain: string): Promise<void> {
  const firstFootnote = /footnote|ftnt/.test(html) ? lastFootnote(view.state.doc.toString()) : 0;
  // The converter may not be loaded offline, and it may fail.
  const converted = await import("./from-html.ts")
    .then((module) => module.htmlToMarkdown(html, { plain, firstFootnote }))
    .catch(() => undefined);
  if (converted === "too long") toast({ text: "Too long to keep the formatting. Pasted as plain text." });
  if (typeof converted === "object") view.dispatch(insertMarkdown(view.state, converted));
  else pastePlain(view, plain);
}

/** Pastes text without the line breaks of a page; undone, it has them again. */
function pasteJoined(view: EditorView, text: string, joined: string): void {
  const { from } = view.state.selection.main;
  insert(view, text);
  const changes = { from, to: view.state.selection.main.head, insert: joined };
  const selection = { anchor: from + joined.length };
  const annotations = isolateHistory.of("full");
  view.dispatch({ changes, selection, annotations, scrollIntoView: true, userEvent: "input.paste" });
  const { doc } = view.state;
  toast({
    text: "Line breaks inside paragraphs removed",
    // Later changes would be undone first.
    undo: () => view.state.doc === doc && undo(view),
  });
}

function pastePlain(view: EditorView, text: string): void {
  const joined = joinWrappedLines(text);
  if (tableAt(view.state, view.state.selection.main.head) && text.includes("\n"))
    insert(view, cellText(text));
  else if (joined === undefined) insert(view, text);
  else pasteJoined(view, text, joined);
}

/** Pastes code of several lines as a code block; false if it is something else. */
function pasteCode(view: EditorView, data: DataTransfer, plain: string): boolean {
  const language = languageFromEditor(data.getData(EDITOR_DATA));
  const text = language === undefined ? undefined : codeBlock(plain, language);
  if (text === undefined) insert(view, plain);
  else view.dispatch(insertMarkdown(view.state, { text, isBlock: true }));
  return true;
}

/** Whether the text was pasted as something else than what it is. */
function pasteAs(view: EditorView, data: DataTransfer): boolean {
  const [html, plain] = [data.getData("text/html"), data.getData("text/plain")];
  const link = linkSelection(view.state, plain);
  if (isInCode(view)) return false;
  if (link) view.dispatch(link);
  else if (data.types.includes(EDITOR_DATA)) return pasteCode(view, data, plain);
  else if (html !== "") void pasteRich(view, html, plain);
  else if (plain.includes("\n")) pastePlain(view, plain);
  else return false;
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
      if (wasPlain) insert(view, clipboardData.getData("text/plain"));
      else if (!pasteAs(view, clipboardData)) return false;
      event.preventDefault();
      return true;
    },
  });
}
