import { parse } from "smol-toml";
import type { FieldValues } from "./content.ts";

// Reads TOML as JSON values without changing how they were written.

/** Strings and comments, which end with the line or source if unterminated, and the tokens between them. */
const TOKEN =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*|\d{4}-\d\d-\d\d \d\d:[\w:.+-]+|[^\s"'#,=[\]{}]+|[,=[\]{}]/g;

const NUMBER = /^[+-]?(?:\d|inf$|nan$)/;
const isExact = (token: string) => String(Number(token)) === token && Number.isFinite(Number(token));

const NESTING: Record<string, number> = { "[": 1, "{": 1, "]": -1, "}": -1 };

/** Whether a token is a value, judged by the token before it and the text after it: before `=` it is a name. */
const isValue = (before: string, rest: string) => /^[=,[]$/.test(before) && !/^[ \t]*=/.test(rest);

/** Quotes numbers and dates that JSON would write differently. */
function quoteInexactValues(source: string): string {
  let depth = 0;
  let before = "";
  return source.replace(TOKEN, (token, at: number) => {
    if (token.startsWith("#")) return token;
    const isText = NUMBER.test(token) && !isExact(token);
    const after = at + token.length;
    const written =
      isText && isValue(before, source.slice(after, after + 80)) ? JSON.stringify(token) : token;
    const isHeader = token === "[" && depth === 0 && before !== "=";
    before = isHeader ? "" : token;
    depth += NESTING[token] ?? 0;
    return written;
  });
}

/** Parses TOML. Dates, and numbers that JSON would write differently, become strings. Throws Error if it is invalid. */
export const readToml = (source: string): FieldValues => parse(quoteInexactValues(source), { maxDepth: 50 });
