import { type HtmlEnd, readHtmlStart } from "./html-block.ts";
import {
  currentCharacter,
  isAtSpace,
  isBlank,
  isThematicBreak,
  type Line,
  restOfLine,
  runLength,
  skipSpace,
} from "./line.ts";
import { skipDefinitions } from "./link-definitions.ts";

// CommonMark 0.31, section 4.

export type Heading = { kind: "heading"; depth: number; text: string; start: number; next: number };
/** `lines` contains the start and end of each line, without surrounding white space. */
export type Paragraph = { kind: "paragraph"; start: number; lines: number[] };
type Fenced = { kind: "fenced"; marker: string; size: number };
type Html = { kind: "html"; end: HtmlEnd };

export type Leaf = { kind: "none" } | { kind: "indented" } | Fenced | Html | Heading | Paragraph;

export const NO_LEAF: Leaf = { kind: "none" };
const INDENTED: Leaf = { kind: "indented" };

const CODE_INDENT = 4;
const MAX_DEPTH = 6;
const MIN_FENCE = 3;

const isSpaceAt = (text: string, at: number) => text[at] === " " || text[at] === "\t";

function closingStart(text: string, from: number, end: number): number {
  let start = end;
  while (start > from && text[start - 1] === "#") start--;
  return start === from || isSpaceAt(text, start - 1) ? start : end;
}

function readAtx(line: Line): Heading | undefined {
  const { text, start, at, end, next } = line;
  const depth = runLength(line);
  const from = at + depth;
  if (depth > MAX_DEPTH || (from < end && !isSpaceAt(text, from))) return undefined;
  return { kind: "heading", depth, text: text.slice(from, closingStart(text, from, end)), start, next };
}

/** The lines of a paragraph, given by their starts and ends. */
export function paragraphRows(text: string, lines: Paragraph["lines"]): string[] {
  const rows: string[] = [];
  for (let row = 0; row < lines.length; row += 2) rows.push(text.slice(lines[row], lines[row + 1]));
  return rows;
}

function paragraphText(text: string, { lines }: Paragraph): string {
  if (text[lines[0] as number] !== "[") return text.slice(lines[0], lines.at(-1));
  const whole = paragraphRows(text, lines).join("\n");
  return whole.slice(skipDefinitions(whole));
}

const readBreak = (line: Line): Leaf | undefined => (isThematicBreak(line) ? NO_LEAF : undefined);

/** Reads an underline, which turns the paragraph above into a heading unless it consists of link definitions. */
function readUnderline(line: Line, above: Paragraph): Leaf | undefined {
  if (line.at + runLength(line) < line.end) return undefined;
  const depth = currentCharacter(line) === "=" ? 1 : 2;
  const text = paragraphText(line.text, above);
  if (text === "") return readBreak(line) ?? paragraphAt(line);
  return { kind: "heading", depth, text, start: above.start, next: line.next };
}

function readFence(line: Line): Fenced | undefined {
  const marker = currentCharacter(line);
  const size = runLength(line);
  if (size < MIN_FENCE || (marker === "`" && restOfLine(line).lastIndexOf("`") >= size)) return undefined;
  return { kind: "fenced", marker, size };
}

function closesFence(line: Line, { marker, size }: Fenced): boolean {
  if (skipSpace(line, 3) === 3 && isAtSpace(line)) return false;
  const length = runLength(line);
  return currentCharacter(line) === marker && length >= size && line.at + length === line.end;
}

function readHtml(line: Line, anyTag: boolean): Leaf | undefined {
  const html = readHtmlStart(restOfLine(line), anyTag);
  if (html?.isClosed) return NO_LEAF;
  return html && { kind: "html", end: html.end };
}

const endsHtml = (line: Line, { end }: Html) => (end ? end.test(restOfLine(line)) : isBlank(line));

/** The block that starts here; undefined for text. A lazy line cannot underline the paragraph above it. */
function readBlock(line: Line, above: Paragraph | undefined, isLazy: boolean): Leaf | undefined {
  switch (currentCharacter(line)) {
    case "#":
      return readAtx(line);
    case "=":
    case "-":
      return (above && !isLazy ? readUnderline(line, above) : undefined) ?? readBreak(line);
    case "*":
    case "_":
      return readBreak(line);
    case "`":
    case "~":
      return readFence(line);
    case "<":
      return readHtml(line, !above);
    default:
      return undefined;
  }
}

const paragraphAt = ({ start, at, end }: Line): Paragraph => ({ kind: "paragraph", start, lines: [at, end] });

function startLeaf(line: Line): Leaf {
  if (isBlank(line)) return NO_LEAF;
  if (skipSpace(line) >= CODE_INDENT) return INDENTED;
  return readBlock(line, undefined, false) ?? paragraphAt(line);
}

function continueParagraph(line: Line, paragraph: Paragraph, isLazy: boolean): Leaf {
  if (isBlank(line)) return NO_LEAF;
  const block = skipSpace(line) < CODE_INDENT ? readBlock(line, paragraph, isLazy) : undefined;
  if (block) return block;
  paragraph.lines.push(line.at, line.end);
  return paragraph;
}

/** Continues a code or HTML block; undefined if the line does not belong to it. */
function continueBlock(line: Line, leaf: Leaf): Leaf | undefined {
  if (leaf.kind === "fenced") return closesFence(line, leaf) ? NO_LEAF : leaf;
  if (leaf.kind === "html") return endsHtml(line, leaf) ? NO_LEAF : leaf;
  if (leaf.kind === "indented" && (isBlank(line) || skipSpace(line, CODE_INDENT) === CODE_INDENT))
    return leaf;
  return undefined;
}

/** The leaf block after the rest of a line. A lazy line, without its containers' markers, only continues paragraphs. */
export function readLeaf(line: Line, leaf: Leaf, isLazy: boolean): Leaf {
  if (leaf.kind === "paragraph") return continueParagraph(line, leaf, isLazy);
  return (isLazy ? undefined : continueBlock(line, leaf)) ?? startLeaf(line);
}
