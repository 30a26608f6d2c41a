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
import { GFM, type MarkdownParser, parseCode } from "@lezer/markdown";
import { enterAt } from "../enter-key.ts";
import { frontMatter } from "./front-matter.ts";
import { endBlock, homeKeys, PARSED_MS, putItemAbove } from "./lists.ts";

// Markdown as the app reads it (GFM), and the languages of code in it. `markdown()` of @codemirror/lang-markdown would
// bring the languages of the web along for HTML, which the app shows as text.

const language = (name: string, alias: string[], load: () => Promise<LanguageSupport>) =>
  LanguageDescription.of({ name, alias, load });

/** The languages that code is coloured in, loaded when a block names one. */
const LANGUAGES = [
  language("JavaScript", ["js", "jsx", "mjs", "cjs", "node"], async () =>
    (await import("@codemirror/lang-javascript")).javascript({ jsx: true }),
  ),
  language("TypeScript", ["ts", "tsx"], async () =>
    (await import("@codemirror/lang-javascript")).javascript({ jsx: true, typescript: true }),
  ),
  language("Python", ["py", "python3"], async () => (await import("@codemirror/lang-python")).python()),
  language("JSON", ["json5", "jsonc", "jsonl"], async () => (await import("@codemirror/lang-json")).json()),
  language("HTML", ["htm", "xhtml", "svg"], async () => (await import("@codemirror/lang-html")).html()),
  language("CSS", [], async () => (await import("@codemirror/lang-css")).css()),
  language("SQL", ["sqlite", "postgresql", "mysql"], async () =>
    (await import("@codemirror/lang-sql")).sql(),
  ),
];

/** Those that could not be loaded, without a network, are not asked for at every key. */
const unavailable = new Set<LanguageDescription>();

/** What parses the code of a block, by the words behind its fence; null where it stays as it is. */
function parserOf(info: string) {
  const name = /^\S*/.exec(info)?.[0] ?? "";
  const found = LanguageDescription.matchLanguageName(LANGUAGES, name, false);
  if (!found || unavailable.has(found)) return null;
  if (found.support) return found.support.language.parser;
  return ParseContext.getSkippingParser(found.load().catch(() => unavailable.add(found)));
}

const parser: MarkdownParser = (commonmarkLanguage.parser as MarkdownParser).configure([
  GFM,
  frontMatter((input) => parser.startParse(input)),
  parseCode({ codeParser: parserOf }),
]);

/** An empty item ends its list, and makes no room between the others. */
const goOn = insertNewlineContinueMarkupCommand({ nonTightLists: false });

/** Where the text has not been read yet, as on a slow device where keys come fast. */
const goOnByLines: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const { cursor, ...changes } = enterAt(state.doc.toString(), main.head);
  if (!main.empty || changes.insert === "\n") return false;
  dispatch(
    state.update({ changes, selection: { anchor: cursor }, scrollIntoView: true, userEvent: "input" }),
  );
  return true;
};

/** Goes on with a list, a task or a quotation; ends it where the line is empty. */
export const enterKey: StateCommand = (target) => endBlock(target) || putItemAbove(target) || goOn(target);

/** Lists are known by what has been read, which keys that come fast are ahead of. */
function pressEnter(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  return forceParsing(view, head, PARSED_MS) ? enterKey(view) : endBlock(view) || goOnByLines(view);
}

const KEYS: KeyBinding[] = [
  { key: "Enter", run: pressEnter },
  { key: "Backspace", run: deleteMarkupBackward },
  ...homeKeys,
];

/** Markdown, and keys that go on with lists, tasks and quotations (Enter) or take their marks back (Backspace). */
export const markdown = (): LanguageSupport =>
  new LanguageSupport(
    new Language(commonmarkLanguage.data, parser, [], "markdown"),
    Prec.high(keymap.of(KEYS)),
  );
