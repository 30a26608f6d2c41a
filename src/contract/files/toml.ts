import { parse } from "smol-toml";
import type { Fields } from "./content.ts";

// TOML as values of JSON, of which none is another than was written.

/** Its texts and comments, which end with the line or the source if nothing else ends them, and what is between them. */
const TOKEN =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*|\d{4}-\d\d-\d\d \d\d:[\w:.+-]+|[^\s"'#,=[\]{}]+|[,=[\]{}]/g;

const NUMBER = /^[+-]?(?:\d|inf$|nan$)/;
const isExact = (token: string) => String(Number(token)) === token && Number.isFinite(Number(token));

const DEEPER: Record<string, number> = { "[": 1, "{": 1, "]": -1, "}": -1 };

/** Whether a token is a value, by the one in front of it and what follows: before `=` it is a name. */
const isValue = (before: string, rest: string) => /^[=,[]$/.test(before) && !/^[ \t]*=/.test(rest);

/** The source with texts in place of numbers and dates that JSON would write in another way. */
function withTexts(source: string): string {
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
    depth += DEEPER[token] ?? 0;
    return written;
  });
}

/** What TOML says, as JSON has it: dates are texts, and so are numbers that JSON would write in another way. Throws Error. */
export const readToml = (source: string): Fields => parse(withTexts(source), { maxDepth: 50 });
