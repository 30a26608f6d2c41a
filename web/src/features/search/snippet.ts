import { lineText } from "../../kit/title-text.ts";
import { markedParts, type Part } from "./marked.ts";

// An excerpt of a text in Markdown as a line of plain text, with its matches.

/** Around a match while the signs of Markdown are taken away. */
const [FROM, TO] = ["\ue000", "\ue001"];
const MATCH = new RegExp(`${FROM}([^${FROM}${TO}]*)${TO}`);
const LEFT_OVER = new RegExp(`[${FROM}${TO}]`, "g");

/** Rules, and the line below the head of a table. */
const NOTHING = /^[\s|:=*_-]*$/;
const BLOCK = /^\s*(?:(?:#{1,6}\s+|[-*+]\s+(?:\[[ x]\]\s+)?|>\s?)+|(?=\|))/i;

/** The end of a link whose beginning is not in the excerpt. */
const CUT_LINK = /^(…?\s*)[^[\]\s]*\]\([^()\s]*\)/;

/** A row of a table as words. */
const cells = (line: string) => (line.startsWith("|") ? line.replaceAll("|", " ") : line);

/** Lines as one; a dot divides what are blocks of their own. */
function joined(text: string): string {
  let line = "";
  let isApart = false;
  for (const one of text.split("\n")) {
    if (NOTHING.test(one)) {
      isApart = true;
      continue;
    }
    isApart ||= BLOCK.test(one);
    const words = one.replace(BLOCK, "");
    line += `${line && (isApart ? " · " : " ")}${cells(words).trim()}`;
    isApart = false;
  }
  return line;
}

/** The parts of a snippet of the API, as a line. */
export function snippetParts(snippet: string): Part[] {
  const text = markedParts(snippet)
    .map(({ text: part, isMatch }) => (isMatch ? FROM + part + TO : part.replace(LEFT_OVER, "")))
    .join("");
  return lineText(joined(text).replace(CUT_LINK, "$1"))
    .split(MATCH)
    .map((part, index) => ({ text: part.replace(LEFT_OVER, ""), isMatch: index % 2 === 1 }))
    .filter(({ text: part }) => part !== "");
}
