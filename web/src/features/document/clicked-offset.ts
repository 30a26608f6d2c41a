import type { Element, Root } from "hast";
import type { Link, Root as MarkdownRoot, Nodes } from "mdast";
import { COMMENT_FILLER } from "../../../../src/shared/markdown/comments.ts";

// Maps clicks in a rendered text to offsets in its source.

const BLOCKS = new Set(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "pre"]);

/** A rehype plugin that marks each block with its offset in the source. */
export const markOffsets =
  () =>
  (root: Root): void => {
    const mark = (node: Root | Element): void => {
      for (const child of node.children) {
        if (child.type !== "element") continue;
        const start = child.position?.start.offset;
        if (BLOCKS.has(child.tagName) && start !== undefined) child.properties.dataAt = start;
        mark(child);
      }
    };
    mark(root);
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

const TEXT_BLOCKS = new Set(["paragraph", "heading", "listItem", "tableCell", "code"]);

const startOf = (node: Nodes): number => node.position?.start.offset ?? -1;

/** The innermost block that starts at an offset. */
function blockAt(node: Nodes, at: number): Nodes | undefined {
  if (!("children" in node)) return undefined;
  for (const child of node.children) {
    const end = child.position?.end.offset ?? -1;
    if (startOf(child) > at || end <= at) continue;
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

/** The length of one shown character in the source, which may be escaped. */
const sourceLength = (text: string, at: number): number =>
  lengthAt(ESCAPE, text, at) || lengthAt(REFERENCE, text, at) || 1;

/** The start of the line after `lines` line feeds. */
function lineAfter(text: string, from: number, lines: number): number {
  let at = from;
  for (let line = 0; line < lines; line++) at = text.indexOf("\n", at) + 1;
  return at;
}

/** The offset of a position in code, whose lines may be indented in the source. */
function codeOffset(text: string, start: number, { value, index }: { value: string; index: number }): number {
  const line = value.slice(0, index).split("\n").length - 1;
  const shown = value.split("\n")[line]?.length ?? 0;
  const lineStart = lineAfter(text, start, line + (CODE_FENCE.test(text.slice(start)) ? 1 : 0));
  const end = text.indexOf("\n", lineStart);
  return (end < 0 ? text.length : end) - shown + (index - value.lastIndexOf("\n", index - 1) - 1);
}

/** The offset of a position in a text, whose later lines begin behind the marks of quotations and lists. */
function textOffset(text: string, start: number, { value, index }: { value: string; index: number }): number {
  const lines = value.slice(0, index).split("\n");
  let at = start;
  if (lines.length > 1) {
    at = lineAfter(text, start, lines.length - 1);
    at += lengthAt(/[ \t>]*/y, text, at);
  }
  for (const shown of lines.at(-1) ?? "") {
    at += lengthAt(COMMENT, text, at);
    at += shown.length > 1 ? shown.length : sourceLength(text, at);
  }
  return at;
}

function offsetIn(text: string, { node, value }: Piece, index: number): number | undefined {
  if (!node?.position) return undefined;
  const start = startOf(node);
  // Clicked, a link is followed, so that a place is before or behind it.
  if (node.type === "link") return index === 0 ? start : node.position.end.offset;
  if (node.type === "code") return codeOffset(text, start, { value, index });
  if (node.type !== "inlineCode") return textOffset(text, start, { value, index });
  const inside = text.indexOf(value, start);
  return (inside < 0 ? start : inside) + index;
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
