import type { Element, ElementContent, Root, RootContent } from "hast";
import type { Link, Root as MarkdownRoot, Nodes } from "mdast";
import { COMMENT_FILLER } from "../../../../src/shared/markdown/comments.ts";
import { FIGURE, LONG_CELL } from "./figures.ts";
import { textOf } from "./prose-headings.ts";

// Maps clicks in a rendered text to offsets in its source.

const BLOCKS = new Set(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "pre"]);

const HOLDS_BLOCKS = new Set(["blockquote", "li"]);

/** HTML that is shown as text, and is a block of its own. */
function blockOfHtml<Child extends RootContent | ElementContent>(node: Child): Child | Element {
  if (node.type !== "raw") return node;
  const { position } = node;
  return { type: "element", tagName: "p", properties: {}, children: [node], ...(position && { position }) };
}

function markBlocks(node: Element): void {
  const start = node.position?.start.offset;
  if (BLOCKS.has(node.tagName) && start !== undefined) node.properties.dataAt = start;
  if (/^t[dh]$/.test(node.tagName)) {
    const words = textOf(node);
    if (FIGURE.test(words)) node.properties.dataFigure = true;
    if (words.length >= LONG_CELL) node.properties.dataLong = true;
  }
  if (HOLDS_BLOCKS.has(node.tagName)) node.children = node.children.map(blockOfHtml);
  markChildren(node);
}

/** Marks the blocks, and those below a blank line, which lists may lack. */
function markChildren({ children }: Element | Root): void {
  let end: number | undefined;
  for (const child of children) {
    if (child.type !== "element") continue;
    if (end !== undefined && child.position && child.position.start.line > end + 1)
      child.properties.dataSpaced = true;
    end = child.position?.end.line;
    markBlocks(child);
  }
}

/** A rehype plugin that marks each block with its offset in the source. */
export const markOffsets =
  () =>
  (root: Root): void => {
    root.children = root.children.map(blockOfHtml);
    markChildren(root);
  };

/** A piece of shown text, and where it is in the source. */
type Piece = { node: Extract<Nodes, { value: string }> | Link | undefined; value: string };

/** Whether a link is written as `[[…]]`. */
const isNoteLink = (node: Nodes): node is Link =>
  node.type === "link" && node.data?.hProperties?.dataTarget !== undefined;

function* piecesOf(node: Nodes): Generator<Piece> {
  if (isNoteLink(node))
    yield { node, value: node.children.map((child) => ("value" in child ? child.value : "")).join("") };
  else if ("value" in node) yield { node, value: node.value };
  else if (node.type === "break") yield { node: undefined, value: "\n" };
  else if ("children" in node) for (const child of node.children) yield* piecesOf(child);
}

const HOLD_NO_BLOCKS = new Set(["paragraph", "heading", "tableCell"]);
const TEXT_BLOCKS = new Set([...HOLD_NO_BLOCKS, "listItem", "code", "html"]);

const startOf = (node: Nodes): number => node.position?.start.offset ?? -1;

const contains = (node: Nodes, at: number) => startOf(node) <= at && (node.position?.end.offset ?? -1) > at;

/** The innermost block that starts at an offset. */
function blockAt(node: Nodes, at: number): Nodes | undefined {
  if (!("children" in node) || HOLD_NO_BLOCKS.has(node.type)) return undefined;
  for (const child of node.children.filter((one) => contains(one, at))) {
    const isIt = startOf(child) === at && TEXT_BLOCKS.has(child.type);
    const found = blockAt(child, at) ?? (isIt ? child : undefined);
    // The title of a callout has the place of the whole paragraph.
    if (found) return found;
  }
  return undefined;
}

const CODE_FENCE = /^\s*(?:`{3}|~{3})/;
const ESCAPE = /\\[!-/:-@[-`{-~]/y;
const COMMENT = new RegExp(`${COMMENT_FILLER}+`, "y");
const REFERENCE = /&(?:#x?[\da-f]{1,7}|[a-z][a-z\d]{0,31});/iy;

const lengthAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
};

/** The length in the source of what begins a shown text: a character that may be escaped or written as a reference. */
function sourceLength(text: string, at: number, shown: string): number {
  const reference = lengthAt(REFERENCE, text, at);
  const isReference = reference > 0 && !shown.startsWith(text.slice(at, at + reference));
  return (
    lengthAt(ESCAPE, text, at) || (isReference ? reference : (shown.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)
  );
}

/** The start of the line after `lines` line feeds. */
function lineAfter(text: string, from: number, lines: number): number {
  let at = from;
  for (let line = 0; line < lines; line++) at = text.indexOf("\n", at) + 1;
  return at;
}

/** A position in a shown text. */
type Position = { value: string; index: number };

/** The offset of a position in code, whose lines may be indented in the source. */
function codeOffset(text: string, start: number, { value, index }: Position): number {
  const line = value.slice(0, index).split("\n").length - 1;
  const shown = value.split("\n")[line]?.length ?? 0;
  const lineStart = lineAfter(text, start, line + (CODE_FENCE.test(text.slice(start)) ? 1 : 0));
  const end = text.indexOf("\n", lineStart);
  return (end < 0 ? text.length : end) - shown + (index - value.lastIndexOf("\n", index - 1) - 1);
}

/** The length in the source of what begins a shown text. */
type LengthAt = (text: string, at: number, shown: string) => number;

const LINE_START = /[ \t>]*/y;
const asWritten: LengthAt = () => 1;

/** The offset of a position in a text, whose later lines begin behind the marks of quotations and lists. */
function textOffset(text: string, start: number, { value, index }: Position, length: LengthAt): number {
  const lineStart = value.lastIndexOf("\n", index - 1) + 1;
  let at = start;
  if (lineStart > 0) {
    at = lineAfter(text, start, value.slice(0, lineStart).split("\n").length - 1);
    at += lengthAt(LINE_START, text, at);
    // Some of these characters may be shown as text.
    if (lengthAt(COMMENT, text, at) === 0) at -= lengthAt(LINE_START, value, lineStart);
  }
  for (let shown = lineStart; shown < index; shown++) {
    at += lengthAt(COMMENT, text, at);
    const size = length(text, at, value.slice(shown));
    at += size;
    // The second half of the character, whose reference is a whole one.
    if (size > 1 && (value.codePointAt(shown) ?? 0) > 0xffff) shown += 1;
  }
  return at;
}

/** In code within a line, a line break is shown as a space, and a table's `\|` as `|`. */
function inlineCodeOffset(text: string, start: number, { value, index }: Position): number {
  let at = start + lengthAt(/`+/y, text, start);
  const next = (isPadding: boolean, shown?: string) => {
    if (text[at] === "\n") at += 1 + lengthAt(LINE_START, text, at + 1);
    else if (shown === "|" && text.startsWith("\\|", at)) at += 2;
    else if (!isPadding || text[at] === " ") at += 1;
  };
  if (/^\S/.test(value)) next(true);
  for (const shown of value.slice(0, index).split("")) next(false, shown);
  return at;
}

function offsetIn(text: string, { node, value }: Piece, index: number): number | undefined {
  if (!node?.position) return undefined;
  const start = startOf(node);
  // Clicked, a link is followed, so that a place is before or behind it.
  if (node.type === "link") return index === 0 ? start : node.position.end.offset;
  if (node.type === "code") return codeOffset(text, start, { value, index });
  if (node.type === "inlineCode") return inlineCodeOffset(text, start, { value, index });
  return textOffset(text, start, { value, index }, node.type === "html" ? asWritten : sourceLength);
}

const countBlack = (text: string): number => text.replace(/\s/g, "").length;

/** The index behind so many characters that are not white space. */
function indexBehind(text: string, black: number): number {
  let [at, left] = [0, black];
  for (; left > 0 && at < text.length; at++) if (!/\s/.test(text.charAt(at))) left -= 1;
  return at;
}

/**
 * The offset in the source of a place in a rendered block.
 *
 * @param from the offset of the block
 * @param before what is shown of the block before the place
 */
export function sourceOffset(
  { text, root }: { text: string; root: MarkdownRoot },
  from: number,
  before: string,
): number {
  const block = blockAt(root, from);
  if (!block) return from;
  // White space between blocks is not that of the source.
  let left = countBlack(before);
  const trailing = before.length - before.trimEnd().length;
  let last = from;
  for (const piece of piecesOf(block)) {
    const index = indexBehind(piece.value, left);
    left -= countBlack(piece.value.slice(0, index));
    const spaces = /^\s*/.exec(piece.value.slice(index))?.[0].length ?? 0;
    const place = offsetIn(text, piece, index + Math.min(spaces, trailing));
    const goesOn = left > 0 || (index === piece.value.length && trailing > 0);
    if (!goesOn && place !== undefined) return place;
    last = place ?? last;
  }
  return last;
}
