import { isolateHistory, undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import { toast } from "../../../state/toasts.ts";
import { codeBlock, languageFromEditor } from "./clipboard/code.ts";
import { joinWrappedLines, withPlainLetters } from "./clipboard/plain.ts";
import { cellText, insertMarkdown } from "./insert-markdown.ts";
import { linkSelection } from "./link-paste.ts";
import { insertPlain, type Pasted } from "./pasted.ts";
import { tableAt } from "./table.ts";

// Pastes an address over words as a link, rich text as Markdown, code as a code block, and text of several lines without the
// line breaks of a page.

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
  insertPlain(view, text);
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
    insertPlain(view, cellText(text));
  else if (joined === undefined) insertPlain(view, withPlainLetters(text));
  else pasteJoined(view, text, joined);
}

/** Pastes code of several lines as a code block. */
function pasteCode(view: EditorView, editor: string, plain: string): void {
  const language = languageFromEditor(editor);
  const text = language === undefined ? undefined : codeBlock(plain, language);
  if (text === undefined) insertPlain(view, plain);
  else view.dispatch(insertMarkdown(view.state, { text, isBlock: true }));
}

export function paste(view: EditorView, { html, plain, editor }: Pasted): void {
  const link = linkSelection(view.state, plain);
  if (link) view.dispatch(link);
  else if (editor !== undefined) pasteCode(view, editor, plain);
  else if (html !== "") void pasteRich(view, html, plain);
  else pastePlain(view, plain);
}
