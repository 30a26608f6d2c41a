import { CHARACTER } from "../text-index/forms.ts";
import { type Word, words } from "../contract/text/words.ts";
import type { Term } from "../contract/query/query.ts";

// FTS5 expressions (https://sqlite.org/fts5.html, "Full-text Query Syntax") made of words that text-index produced. User
// input reaches MATCH in no other way.

/** Words contain only letters, digits, marks and emoji, so escaping quotation marks is only a safeguard. */
export const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Tokens next to each other, in this order. */
export const sequence = (tokens: readonly string[]) => quote(tokens.join(" "));

export const anyOf = (expressions: readonly string[]) => [...new Set(expressions)].join(" OR ");

export const inTitle = (expression: string) => `{title} : (${expression})`;

/** Either order, at most one word apart. */
export const near = (left: string, right: string) => `NEAR(${quote(left)} ${quote(right)}, 1)`;

/** The characters of words written without spaces, matched as a substring of the text. */
export function characters(prefix: string, found: readonly Word[]): string {
  const text = found.map((word) => word.text).join("");
  return sequence([...text].map((character) => prefix + CHARACTER + character));
}

/** A term literally: its words in this order, the last one as a prefix in `pre*`. */
export function literally(prefix: string, term: Term): string {
  const found = words(term.text);
  const star = term.kind === "prefix" ? " *" : "";
  // In scripts without spaces the end of a word is a guess, so match the run of characters that was typed.
  const literal = found.every((word) => word.unspaced)
    ? characters(prefix, found)
    : sequence(found.map((word) => prefix + word.text)) + star;
  return term.title ? inTitle(literal) : literal;
}
