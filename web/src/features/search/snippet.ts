import { withoutBlockIds } from "../../../../src/shared/markdown/note-links.ts";
import { lineText } from "../../kit/title-text.ts";

export type SnippetPart = { text: string; isMatch: boolean };

/** The characters that the API escapes. */
export const CHARACTERS: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const plain = (escaped: string) =>
  escaped.replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => CHARACTERS[name] ?? name);

/**
 * The parts of a snippet that the API sent as escaped HTML with `<mark>` around the matches. They are rendered as text,
 * so that nothing in them can be markup.
 */
export const parseMarks = (snippet: string): SnippetPart[] =>
  snippet
    .split(/<mark>(.*?)<\/mark>/su)
    .map((part, index) => ({ text: plain(part), isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");

// Turns an excerpt of Markdown into a line of plain text with its matches.

/** Mark the matches while the Markdown syntax is removed. */
const [FROM, TO] = ["\ue000", "\ue001"];
const MATCH = new RegExp(`${FROM}([^${FROM}${TO}]*)${TO}`);
const STRAY_MARKS = new RegExp(`[${FROM}${TO}]`, "g");

/** Horizontal rules, and the line below the header of a table. */
const RULE_LINE = /^[\s|:=*_-]*$/;
const BLOCK = /^\s*(?:(?:#{1,6}\s+|[-*+]\s+(?:\[[ x]\]\s+)?|>\s?)+|(?=\|))/i;

/** The end of a link that starts before the excerpt. */
const CUT_LINK = /^(…?\s*)[^[\]\s]*\]\([^()\s]*\)/;

/** The width of a picture, behind its words. */
const PICTURE_WIDTH = /(!\[[^[\]]*?)\\?\|\d{1,4}(?:x\d{1,4})?(?=\]\()/g;
/** Front matter at the beginning, with no match in it. */
const FRONT_MATTER = new RegExp(`^---\n(?:[^${FROM}]*?\n)?---(?:\n|$)`);

/** A row of a table as words. */
const cells = (line: string) => (line.startsWith("|") ? line.replaceAll("|", " ") : line);

/** Joins lines into one, with a dot between blocks. */
function joined(text: string): string {
  let line = "";
  let isApart = false;
  for (const one of text.split("\n")) {
    if (RULE_LINE.test(one)) {
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
export function snippetParts(snippet: string): SnippetPart[] {
  const text = parseMarks(snippet)
    .map(({ text: part, isMatch }) => (isMatch ? FROM + part + TO : part.replace(STRAY_MARKS, "")))
    .join("");
  const words = withoutBlockIds(text.replace(FRONT_MATTER, "").replace(PICTURE_WIDTH, "$1"));
  return lineText(joined(words).replace(CUT_LINK, "$1"))
    .split(MATCH)
    .map((part, index) => ({ text: part.replace(STRAY_MARKS, ""), isMatch: index % 2 === 1 }))
    .filter(({ text: part }) => part !== "");
}
