import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { markdownSupport } from "./editor/language.ts";
import type { Kind } from "./writing.ts";

// CodeMirror in the app's colours and type.

const theme = EditorView.theme({
  "&": { color: "var(--text)", fontSize: "1.0625rem", overflowWrap: "anywhere" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--serif)", lineHeight: "1.6314" },
  "&.json .cm-scroller": { fontFamily: "var(--mono)", fontSize: "var(--size-m)" },
  ".cm-content": { padding: "0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--mark)",
  },
  ".cm-placeholder": { color: "var(--quiet)" },
});

const MONO = { fontFamily: "var(--mono)", fontSize: "0.85em", lineHeight: "1" };

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.monospace, ...MONO },
  { tag: tags.url, color: "var(--accent)" },
  { tag: tags.quote, color: "var(--quiet)" },
  { tag: [tags.processingInstruction, tags.labelName, tags.meta], color: "var(--quiet)" },
  { tag: [tags.keyword, tags.tagName, tags.operatorKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.regexp, tags.attributeValue], color: "var(--warn)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--danger)" },
  {
    tag: [tags.typeName, tags.className, tags.definition(tags.function(tags.variableName))],
    fontWeight: "600",
  },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);

/** The editor's theme and highlighting for this kind of text, with long lines wrapped. */
export const codeTheme = (kind: Kind): Extension => [
  theme,
  syntaxHighlighting(colours),
  EditorView.lineWrapping,
  ...(kind === "markdown" ? [markdownSupport()] : []),
  ...(kind === "json" ? [EditorView.editorAttributes.of({ class: "json" })] : []),
];
