import { MAX_EXCERPT } from "../../contract/document.ts";
import { skipFrontMatter } from "./blocks.ts";
import { blankComments, COMMENT_FILLER } from "./comments.ts";
import { isMarkdown, searchableText } from "./content-text.ts";
import { LINE_MARKS, lineText, titleText } from "./line-text.ts";
import { shownWords, withoutBlockIds } from "./note-links.ts";
import { oneLine } from "./plain-text.ts";

/** Maximum length in bytes: the space that the longest possible content leaves in a row of D1. */
const MAX_BYTES = 115;
/** Length of the text read for an excerpt. Enough unless the text consists mostly of URLs. */
const READ_CHARACTERS = 4000;

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const IMAGE = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])/g;
const FENCE = /^ {0,3}(```|~~~)/;
/** Obsidian's ==marked== words, and the beginning of its callouts. */
const MARKED = /==(?=[^\s=])([^=]{1,300})==/g;
const CALLOUT = /^\[![a-z][\w-]{0,40}\][+-]?(?=\s|$)/i;
const ITEM = /^\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const CLOSING = /\s#+\s*$/;
/** A blank line, a thematic break, the underline of a heading or the delimiter row of a table. */
const RULE = /^[\s|:=*_-]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/;
const DEFINITION = /^ {0,3}\[[^[\]]+\]:\s/;

type Block = { lines: string[]; kind: "text" | "code" | "heading" };

const isBreak = (line: string) => RULE.test(line) || DEFINITION.test(line);

const startBlock = (blocks: Block[], kind: Block["kind"], ...lines: string[]) => blocks.push({ lines, kind });

function readLine(blocks: Block[], line: string): void {
  const block = blocks.at(-1) as Block;
  if (HEADING.test(line)) {
    startBlock(blocks, "heading", line.replace(LINE_MARKS, "").replace(CLOSING, ""));
    startBlock(blocks, "text");
  } else if (isBreak(line)) {
    if (UNDERLINE.test(line) && block.lines.length > 0) block.kind = "heading";
    startBlock(blocks, "text");
  } else {
    if (ITEM.test(line)) startBlock(blocks, "text");
    blocks.at(-1)?.lines.push(withoutCells(line.replace(LINE_MARKS, "").replace(CALLOUT, "")));
  }
}

/** Splits a text into blocks, without the markers at the start of lines. */
function splitBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  startBlock(blocks, "text");
  for (const line of text.split(/\r\n?|\n/)) {
    const isCode = blocks.at(-1)?.kind === "code";
    if (FENCE.test(line)) startBlock(blocks, isCode ? "text" : "code");
    else if (isCode) blocks.at(-1)?.lines.push(line);
    else readLine(blocks, line);
  }
  return blocks;
}

const withoutCells = (line: string) => (line.startsWith("|") ? line.replaceAll("|", " ") : line);

const blockText = ({ lines, kind }: Block): string =>
  kind === "code"
    ? oneLine(lines.join("\n"))
    : lineText(shownWords(withoutBlockIds(lines.join("\n")).replace(IMAGE, " ")).replace(MARKED, "$1"));

/** Joins two blocks, with a dot if the first does not end with punctuation. */
const joinBlocks = (before: string, words: string) =>
  before === "" ? words : `${before}${/[\p{L}\p{N})\]]$/u.test(before) ? " · " : " "}${words}`;

const normalizeCase = (text: string) => text.normalize().toLowerCase();

/** The text of Markdown in one line, without front matter and without an initial heading that repeats the title. */
function markdownInOneLine(text: string, title: string): string {
  const start = skipFrontMatter(text);
  const read = blankComments(text.slice(start, start + READ_CHARACTERS))
    .replaceAll(COMMENT_FILLER, "")
    .replace(COMMENT, " ");
  const blocks = splitBlocks(read)
    .map((block) => ({ kind: block.kind, words: blockText(block) }))
    .filter(({ words }) => words !== "");
  const [first] = blocks;
  const repeats = first?.kind === "heading" && normalizeCase(first.words) === normalizeCase(titleText(title));
  return (repeats ? blocks.slice(1) : blocks).map(({ words }) => words).reduce(joinBlocks, "");
}

const encoder = new TextEncoder();

/** The number of UTF-16 units that fit into this many bytes, in whole characters. */
const fittingLength = (text: string, bytes: number): number =>
  encoder.encodeInto(text.slice(0, MAX_EXCERPT), new Uint8Array(bytes)).read;

/** Truncates between words if one ends in the second half, and never within a character. */
function truncate(words: string): string {
  if (fittingLength(words, MAX_BYTES) === words.length) return words;
  const room = words
    .slice(0, Math.min(fittingLength(words, MAX_BYTES - 3), MAX_EXCERPT - 1))
    .replace(/[\ud800-\udbff]$/, "");
  const space = words[room.length] === " " ? room.length : room.lastIndexOf(" ");
  return `${(space > room.length / 2 ? room.slice(0, space) : room).trimEnd()}…`;
}

type TitledContent = { title: string; content: Record<string, unknown> | null };

/** The first words of a document as plain text, at most `MAX_EXCERPT` characters; empty if there are none. */
export function documentExcerpt({ title, content }: TitledContent): string {
  const isProse = typeof content?.text === "string";
  const text = isProse ? String(content.text) : searchableText(content);
  return truncate(
    isProse && isMarkdown(content) ? markdownInOneLine(text, title) : oneLine(text.slice(0, READ_CHARACTERS)),
  );
}
