import { skipFrontMatter } from "./blocks.ts";
import { contentText, isMarkdown } from "./content-text.ts";
import { lineText, titleText } from "./line-text.ts";

/** The most characters of an excerpt, with its ellipsis. */
export const MAX_EXCERPT = 110;
/** Its most bytes: beside the longest content that is possible, a row of D1 has room for no more. */
const MAX_BYTES = 115;
/** How much of a text is read for it: more than enough, unless most of it is addresses. */
const READ_CHARACTERS = 4000;

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const IMAGE = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])/g;
const FENCE = /^ {0,3}(```|~~~)/;
/** Signs of quotations, lists and tasks, and those in front of a heading. */
const MARKS = /^\s*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))\s*)*(?:\[[ xX]\](?=\s)\s*)?(?:#{1,6}(?=\s|$)\s*)?/;
const ITEM = /^\s*(?:>|[-*+]\s|\d{1,9}[.)]\s)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const CLOSING = /\s#+\s*$/;
/** A blank line, a thematic break, an underline of a heading or the second line of a table. */
const RULE = /^[\s|:=*_-]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/;
const DEFINITION = /^ {0,3}\[[^[\]]+\]:\s/;

type Block = { lines: string[]; kind: "text" | "code" | "heading" };

const isBreak = (line: string) => RULE.test(line) || DEFINITION.test(line);

const begin = (blocks: Block[], kind: Block["kind"], ...lines: string[]) => blocks.push({ lines, kind });

/** Reads a line outside of code. */
function readLine(blocks: Block[], line: string): void {
  const block = blocks.at(-1) as Block;
  if (HEADING.test(line)) {
    begin(blocks, "heading", line.replace(MARKS, "").replace(CLOSING, ""));
    begin(blocks, "text");
  } else if (isBreak(line)) {
    if (UNDERLINE.test(line) && block.lines.length > 0) block.kind = "heading";
    begin(blocks, "text");
  } else {
    if (ITEM.test(line)) begin(blocks, "text");
    blocks.at(-1)?.lines.push(withoutCells(line.replace(MARKS, "")));
  }
}

/** The lines of a text in blocks, without the signs in front of them. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  begin(blocks, "text");
  for (const line of text.split(/\r\n?|\n/)) {
    const isCode = blocks.at(-1)?.kind === "code";
    if (FENCE.test(line)) begin(blocks, isCode ? "text" : "code");
    else if (isCode) blocks.at(-1)?.lines.push(line);
    else readLine(blocks, line);
  }
  return blocks;
}

const withoutCells = (line: string) => (line.startsWith("|") ? line.replaceAll("|", " ") : line);

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

const textOf = ({ lines, kind }: Block): string =>
  kind === "code" ? oneLine(lines.join("\n")) : lineText(lines.join("\n").replace(IMAGE, " "));

/** A dot divides what no punctuation divides: items of a list, a heading from its text. */
const joined = (before: string, words: string) =>
  before === "" ? words : `${before}${/[\p{L}\p{N})\]]$/u.test(before) ? " · " : " "}${words}`;

const folded = (text: string) => text.normalize().toLowerCase();

/** The text of Markdown in one line, without front matter and without a first heading that repeats the title. */
function wordsOfMarkdown(text: string, title: string): string {
  const start = skipFrontMatter(text);
  const read = text.slice(start, start + READ_CHARACTERS).replace(COMMENT, " ");
  const blocks = blocksOf(read)
    .map((block) => ({ kind: block.kind, words: textOf(block) }))
    .filter(({ words }) => words !== "");
  const [first] = blocks;
  const repeats = first?.kind === "heading" && folded(first.words) === folded(titleText(title));
  return (repeats ? blocks.slice(1) : blocks).map(({ words }) => words).reduce(joined, "");
}

const encoder = new TextEncoder();

/** How many characters of a text fit, none of them in part. */
const fitting = (text: string, bytes: number): number =>
  encoder.encodeInto(text.slice(0, MAX_EXCERPT), new Uint8Array(bytes)).read;

/** Cut between words, if one ends in its second half, and never in the middle of a character. */
function cut(words: string): string {
  if (fitting(words, MAX_BYTES) === words.length) return words;
  const room = words
    .slice(0, Math.min(fitting(words, MAX_BYTES - 3), MAX_EXCERPT - 1))
    .replace(/[\ud800-\udbff]$/, "");
  const space = words[room.length] === " " ? room.length : room.lastIndexOf(" ");
  return `${(space > room.length / 2 ? room.slice(0, space) : room).trimEnd()}…`;
}

type Written = { title: string; content: Record<string, unknown> | null };

/** The first words of a document as plain text, at most `MAX_EXCERPT` characters; "" without any. */
export function excerptOf({ title, content }: Written): string {
  const isProse = typeof content?.text === "string";
  const text = isProse ? String(content.text) : contentText(content);
  return cut(
    isProse && isMarkdown(content) ? wordsOfMarkdown(text, title) : oneLine(text.slice(0, READ_CHARACTERS)),
  );
}
