import {
  commonmarkLanguage,
  deleteMarkupBackward,
  insertNewlineContinueMarkupCommand,
} from "@codemirror/lang-markdown";
import {
  forceParsing,
  Language,
  LanguageDescription,
  LanguageSupport,
  ParseContext,
} from "@codemirror/language";
import { Prec, type StateCommand } from "@codemirror/state";
import { type EditorView, type KeyBinding, keymap } from "@codemirror/view";
import { GFM, type MarkdownConfig, type MarkdownParser, parseCode } from "@lezer/markdown";
import { type CodeLanguage, LANGUAGE_ALIASES } from "../code-languages.ts";
import { enterChange } from "../enter-key.ts";
import { piecesOf } from "../pieces.ts";
import { frontMatterSyntax } from "./front-matter.ts";
import { insertItemAbove } from "./list-commands.ts";
import { endBlock, homeKeys, PARSE_TIMEOUT_MS } from "./lists.ts";
import { obsidianSyntax } from "./obsidian-syntax.ts";

// Markdown (GFM) and the languages of code blocks. `markdown()` of @codemirror/lang-markdown would also load HTML, CSS and
// JavaScript for inline HTML, which the app shows as text.

const language = (name: CodeLanguage, load: () => Promise<LanguageSupport>) =>
  LanguageDescription.of({ name, alias: LANGUAGE_ALIASES[name], load });

/** The languages of code blocks, loaded when a block names one. */
const LANGUAGES = [
  language("JavaScript", async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true })),
  language("TypeScript", async () =>
    (await import("@codemirror/lang-javascript")).javascript({ jsx: true, typescript: true }),
  ),
  language("Python", async () => (await import("@codemirror/lang-python")).python()),
  language("JSON", async () => (await import("@codemirror/lang-json")).json()),
  language("HTML", async () => (await import("@codemirror/lang-html")).html()),
  language("CSS", async () => (await import("@codemirror/lang-css")).css()),
  language("SQL", async () => (await import("@codemirror/lang-sql")).sql()),
];

/** Languages that could not be loaded, for example offline, so that they are not requested at every keystroke. */
const unavailable = new Set<LanguageDescription>();

/** The parser for a code block, by the info string after its fence; null if it is not highlighted. */
function codeParser(info: string) {
  const name = /^\S*/.exec(info)?.[0] ?? "";
  const description = LanguageDescription.matchLanguageName(LANGUAGES, name, false);
  if (!description || unavailable.has(description)) return null;
  if (description.support) return description.support.language.parser;
  return ParseContext.getSkippingParser(description.load().catch(() => unavailable.add(description)));
}

/** Deeper lists and quotations are text, as in ../chunks.ts. A list and its item count as two. */
const MAX_DEPTH = 80;

const shallow: MarkdownConfig = {
  parseBlock: [
    {
      name: "Deep",
      before: "LinkReference",
      parse: (context) => {
        if (context.depth < MAX_DEPTH) return false;
        context.nextLine();
        return true;
      },
    },
  ],
};

const parser: MarkdownParser = (commonmarkLanguage.parser as MarkdownParser).configure([
  GFM,
  obsidianSyntax,
  shallow,
  frontMatterSyntax((input) => parser.startParse(input)),
  parseCode({ codeParser }),
]);

const parseInline = parser.parseInline.bind(parser);
parser.parseInline = (text, offset) =>
  piecesOf(text).flatMap(([at, piece]) => parseInline(piece, offset + at));

/** An empty item ends its list, without adding blank lines between the others. */
const continueMarkup = insertNewlineContinueMarkupCommand({ nonTightLists: false });

/** Used where the text is not parsed yet, as on a slow device when keys come fast. */
const continueByLines: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const { cursor, ...changes } = enterChange(state.doc.toString(), main.head);
  if (!main.empty || changes.insert === "\n") return false;
  dispatch(
    state.update({ changes, selection: { anchor: cursor }, scrollIntoView: true, userEvent: "input" }),
  );
  return true;
};

/** Continues a list, task or quotation, or ends it on an empty line. */
export const enterKey: StateCommand = (target) =>
  endBlock(target) || insertItemAbove(target) || continueMarkup(target);

/** Recognizing lists needs a parsed text, which fast typing can be ahead of. */
function handleEnter(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  return forceParsing(view, head, PARSE_TIMEOUT_MS)
    ? enterKey(view)
    : endBlock(view) || continueByLines(view);
}

const KEYS: KeyBinding[] = [
  { key: "Enter", run: handleEnter },
  { key: "Backspace", run: deleteMarkupBackward },
  ...homeKeys,
];

/** Markdown, with keys that continue lists, tasks and quotations (Enter) or remove their markers (Backspace). */
export const markdownSupport = (): LanguageSupport =>
  new LanguageSupport(
    new Language(commonmarkLanguage.data, parser, [], "markdown"),
    Prec.high(keymap.of(KEYS)),
  );
