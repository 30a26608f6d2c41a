import { withoutPageAddresses } from "../notion-names.ts";

// The text of a Notion page: properties below its heading, and callouts, which Notion writes as HTML.

const HEADING = /^# .*(?:\n|$)/;
const PROPERTY = /^([^\n:]{1,200}):(?: (.*))?$/;

const skipEmpty = (lines: readonly string[], at: number): number => {
  const found = lines.findIndex((line, place) => place >= at && line.trim() !== "");
  return found < 0 ? lines.length : found;
};

/**
 * Moves the properties of a page out of its text: the lines below its heading that begin with one of `names`, the columns of
 * its database. Other lines stay, because they may be prose.
 */
export function extractProperties(
  text: string,
  names: ReadonlySet<string>,
): { text: string; properties: Record<string, string> } {
  const heading = HEADING.exec(text)?.[0] ?? "";
  const lines = text.slice(heading.length).split("\n");
  const properties = new Map<string, string>();
  const first = skipEmpty(lines, 0);
  let at = first;
  for (; at < lines.length; at += 1) {
    const [, name = "", value = ""] = PROPERTY.exec(lines[at]?.trimEnd() ?? "") ?? [];
    if (!names.has(name) || properties.has(name)) break;
    properties.set(name, withoutPageAddresses(value).trim());
  }
  if (at === first) return { text, properties: {} };
  const rest = lines.slice(skipEmpty(lines, at)).join("\n");
  return { text: `${heading}${rest && "\n"}${rest}`, properties: Object.fromEntries(properties) };
}

export const isEmptyPage = (text: string): boolean => text.replace(HEADING, "").trim() === "";

const FENCE = /^\s*(?:```|~~~)/;
const OPENS = /^(\s*)<aside>/;
const CLOSES = /<\/aside>\s*$/;

/** Lines as a quote, without the indentation and surrounding empty lines. */
function asQuote(indent: string, lines: readonly string[]): string[] {
  const own = lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()));
  const from = own.findIndex((line) => line.trim() !== "");
  const until = own.findLastIndex((line) => line.trim() !== "");
  return own
    .slice(Math.max(0, from), until + 1)
    .map((line) => `${indent}${line.trim() === "" ? ">" : `> ${line}`}`);
}

/** Collects the lines of a callout, including nested ones. `add` returns it as a quote once it is closed. */
function collectCallout(indent: string, start: number) {
  let depth = 0;
  const lines: string[] = [];
  const add = (line: string, isCode: boolean): string[] | undefined => {
    const [mark, spaces = ""] = (!isCode && OPENS.exec(line)) || [];
    const inside = mark === undefined ? line : spaces + line.slice(mark.length);
    const isClosed = !isCode && CLOSES.test(line);
    lines.push(isClosed ? inside.replace(CLOSES, "") : inside);
    depth += Number(mark !== undefined) - Number(isClosed);
    return depth > 0 ? undefined : asQuote(indent, lines);
  };
  return { start, add };
}

function codeLines(lines: readonly string[]): boolean[] {
  let isCode = false;
  return lines.map((line) => {
    isCode = FENCE.test(line) !== isCode;
    return isCode;
  });
}

/** Replaces callouts with quotes. Unclosed callouts stay as they are. */
export function withCalloutsAsQuotes(text: string): string {
  if (!text.includes("<aside>")) return text;
  const lines = text.split("\n");
  const code = codeLines(lines);
  const written: string[][] = [];
  let callout: ReturnType<typeof collectCallout> | undefined;
  for (const [at, line] of lines.entries()) {
    const isCode = code[at] === true;
    const indent = isCode ? undefined : OPENS.exec(line)?.[1];
    if (indent !== undefined) callout ??= collectCallout(indent, at);
    const quote = callout ? callout.add(line, isCode) : [line];
    if (!quote) continue;
    written.push(quote);
    callout = undefined;
  }
  return [...written.flat(), ...(callout ? lines.slice(callout.start) : [])].join("\n");
}
