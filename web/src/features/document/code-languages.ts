// The languages in which code is coloured while it is read: those of the editor (`editor/language.ts`).

export type CodeLanguage = "JavaScript" | "TypeScript" | "Python" | "JSON" | "HTML" | "CSS" | "SQL";

/** Their other names. */
export const ALIASES: Record<CodeLanguage, readonly string[]> = {
  JavaScript: ["js", "jsx", "mjs", "cjs", "node"],
  TypeScript: ["ts", "tsx"],
  Python: ["py", "python3"],
  JSON: ["json5", "jsonc", "jsonl"],
  HTML: ["htm", "xhtml", "svg"],
  CSS: [],
  SQL: ["sqlite", "postgresql", "mysql"],
};

/** The language that a word names; undefined if code in it stays as it is. */
export function languageNamed(word: string): CodeLanguage | undefined {
  const wanted = word.toLowerCase();
  const names = Object.keys(ALIASES) as CodeLanguage[];
  return names.find((name) => name.toLowerCase() === wanted || ALIASES[name].includes(wanted));
}
