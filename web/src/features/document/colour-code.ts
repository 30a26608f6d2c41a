import type { Parser } from "@lezer/common";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import styles from "./code.module.css";
import type { CodeLanguage } from "./code-languages.ts";

/** Classes for the parts of rendered code. They match the colours of the editor (`code-theme.ts`). */
const CODE_TAGS = [
  { tag: [tags.keyword, tags.tagName, tags.operatorKeyword], class: styles.keyword ?? "" },
  { tag: [tags.string, tags.regexp, tags.attributeValue], class: styles.string ?? "" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: styles.number ?? "" },
  {
    tag: [tags.typeName, tags.className, tags.definition(tags.function(tags.variableName))],
    class: styles.name ?? "",
  },
  { tag: tags.comment, class: styles.comment ?? "" },
];

// Highlights rendered code with the parsers of the editor's languages, without the editor.

const javascript = () => import("@lezer/javascript");
const css = () => import("@lezer/css");

async function html(): Promise<Parser> {
  const [{ parser, configureNesting }, scripts, sheets] = await Promise.all([
    import("@lezer/html"),
    javascript(),
    css(),
  ]);
  const inside = [
    { tag: "script", parser: scripts.parser },
    { tag: "style", parser: sheets.parser },
  ];
  return parser.configure({ wrap: configureNesting(inside) });
}

const PARSERS: Record<CodeLanguage, () => Promise<Parser>> = {
  JavaScript: async () => (await javascript()).parser.configure({ dialect: "jsx" }),
  TypeScript: async () => (await javascript()).parser.configure({ dialect: "jsx ts" }),
  Python: async () => (await import("@lezer/python")).parser,
  JSON: async () => (await import("@lezer/json")).parser,
  HTML: html,
  CSS: async () => (await css()).parser,
  // Lezer has no SQL parser of its own; this one also loads the core of the editor.
  SQL: async () => (await import("@codemirror/lang-sql")).StandardSQL.language.parser,
};

const highlighter = tagHighlighter(CODE_TAGS);

export type HighlightedPiece = { text: string; classes: string };

/** Splits code into pieces with the same classes. Takes some milliseconds for 10 kB. */
export async function highlightedPieces(code: string, language: CodeLanguage): Promise<HighlightedPiece[]> {
  const parser = await PARSERS[language]();
  const pieces: HighlightedPiece[] = [];
  const put = (text: string, classes: string) => {
    const last = pieces.at(-1);
    if (last?.classes === classes) last.text += text;
    else pieces.push({ text, classes });
  };
  highlightCode(code, parser.parse(code), highlighter, put, () => put("\n", ""));
  return pieces;
}
