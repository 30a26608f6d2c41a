// The languages that are highlighted, in rendered code and in the editor.

export type CodeLanguage = "JavaScript" | "TypeScript" | "Python" | "JSON" | "HTML" | "CSS" | "SQL";

export const LANGUAGE_ALIASES: Record<CodeLanguage, readonly string[]> = {
  JavaScript: ["js", "jsx", "mjs", "cjs", "node"],
  TypeScript: ["ts", "tsx"],
  Python: ["py", "python3"],
  JSON: ["json5", "jsonc", "jsonl"],
  HTML: ["htm", "xhtml", "svg"],
  CSS: [],
  SQL: ["sqlite", "postgresql", "mysql"],
};

/** The language with this name or alias; undefined if it is not highlighted. */
export function findCodeLanguage(word: string): CodeLanguage | undefined {
  const wanted = word.toLowerCase();
  const names = Object.keys(LANGUAGE_ALIASES) as CodeLanguage[];
  return names.find((name) => name.toLowerCase() === wanted || LANGUAGE_ALIASES[name].includes(wanted));
}
