import { parse } from "smol-toml";
import type { Fields } from "./content.ts";

// TOML as values of JSON, of which none is another than was written.

/** Its texts and comments, which end with the line or the source if nothing else ends them, and what is between them. */
const TOKEN =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*|\d{4}-\d\d-\d\d \d\d:[\w:.+-]+|[^\s"'#,=[\]{}]+|[,=[\]{}]/g;

const NUMBER = /^[+-]?(?:\d|inf$|nan$)/;
const isExact = (token: string) => String(Number(token)) === token && Number.isFinite(Number(token));

/** The source with texts in place of numbers and dates that JSON would write in another way. */
function withTexts(source: string): string {
  let depth = 0;
  let before = "";
  return source.replace(TOKEN, (token, at: number) => {
    const after = before;
    const isHeader = token === "[" && depth === 0 && after !== "=";
    before = isHeader ? "" : token;
    if (/^[[{]$/.test(token)) depth += 1;
    if (/^[\]}]$/.test(token)) depth -= 1;
    const isValue =
      /^[=,[]$/.test(after) && !/^[ \t]*=/.test(source.slice(at + token.length, at + token.length + 80));
    return isValue && NUMBER.test(token) && !isExact(token) ? JSON.stringify(token) : token;
  });
}

/** What TOML says, as JSON has it: dates are texts, and so are numbers that JSON would write in another way. Throws Error. */
export const readToml = (source: string): Fields => parse(withTexts(source), { maxDepth: 50 });
