import { blocksByLine } from "../../../../src/shared/markdown/blocks.ts";
import type { Container } from "../../../../src/shared/markdown/containers.ts";
import type { Heading, Leaf } from "../../../../src/shared/markdown/leaf.ts";
import { type Line, linesFrom, nextLine } from "../../../../src/shared/markdown/line.ts";
import { PIECE, piecesOf } from "./pieces.ts";

// Divides a long text into chunks of whole blocks, which are rendered one at a time, in linear time. What depends on the whole
// text (headings, link definitions, footnotes) is found on the way.

/** A text of at most this length is one chunk. */
const MAX_WHOLE = 10_000;
/** A chunk ends with the block that reaches this length. In about 15 ms, a processor renders 3,000 characters. */
const CHUNK = 2500;
/** A block that is longer is divided between items or lines. */
const MAX_BLOCK = 8000;
/** Code is fast to render. */
const MAX_CODE = 30_000;
/** The Markdown parser overflows the stack in deeper lists and quotations. */
const MAX_DEPTH = 40;

/** How a chunk continues the block that the previous one began. */
type Continued = {
  /** What the parser has to read before the chunk. */
  opening: string;
  kind: "code" | "table" | "list" | "text";
  /** The number of an ordered list's first item. */
  number?: number;
};

/** Some blocks of a text. */
export type Chunk = {
  from: number;
  to: number;
  continued: Continued | undefined;
  /** Whether it is nested too deeply to be rendered. */
  isTooDeep: boolean;
};

/** A heading with its offset. `depth`: in the source. */
export type SourceHeading = Pick<Heading, "depth" | "text" | "start">;

export type DividedText = {
  chunks: Chunk[];
  headings: SourceHeading[];
  /** The paragraphs that begin like link definitions or footnotes, with their offsets. */
  bracketed: { start: number; end: number }[];
};

const FOUR_SPACES = /^(?: {4}|\t)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$/;
const ITEM_NUMBER = /^\s*(\d{1,9})[.)]/;

/** What is open between two lines. */
type Before = { leaf: Leaf; outer: Container | undefined; isBlank: boolean };

const isVerbatim = ({ kind }: Leaf) => kind === "fenced" || kind === "html" || kind === "indented";

/** Reads the lines of a text and decides where chunks end. */
class Divider {
  readonly chunks: Chunk[] = [];
  private from = 0;
  private continued: Continued | undefined;
  private isTooDeep = false;
  /** Where the current block, or the list with its items, begins. */
  private block = { start: 0, items: 0, first: 1 };
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  end(at: number, continued?: Continued): void {
    if (at <= this.from) return;
    this.chunks.push({ from: this.from, to: at, continued: this.continued, isTooDeep: this.isTooDeep });
    this.from = at;
    this.continued = continued;
    this.isTooDeep = false;
  }

  read(line: Line, before: Before, after: Before): void {
    if (startsBlock(line, before, after)) this.startBlock(line, after.leaf.kind === "heading");
    else if (isNextItem(before, after.outer)) this.startItem(line);
    else this.continueBlock(line, before);
  }

  private startBlock(line: Line, isHeading: boolean): void {
    const length = line.start - this.from;
    if (length >= CHUNK || (isHeading && length >= CHUNK / 2)) this.end(line.start);
    this.block = { start: line.start, items: 0, first: this.numberOf(line) };
  }

  private startItem(line: Line): void {
    this.block.items += 1;
    if (line.start - this.from < CHUNK || line.start - this.block.start < MAX_BLOCK) return;
    const { first, items } = this.block;
    this.end(line.start, { opening: "", kind: "list", number: first + items });
  }

  /** Divides an overlong block before this line. */
  private continueBlock(line: Line, { leaf, outer }: Before): void {
    const length = line.start - Math.max(this.from, this.block.start);
    const isCode = leaf.kind === "fenced";
    if (length < (isCode ? MAX_CODE : MAX_BLOCK)) return;
    // A list is divided between its items, if they are not too long.
    if (outer?.kind === "list" && length < MAX_CODE) return;
    const opening = outer ? "" : this.lineAt(this.block.start);
    this.end(line.start, isCode ? { opening, kind: "code" } : this.continuedText(leaf));
  }

  /** Divides an overlong line of words. The row of a table stays whole. */
  divideLine({ text, start, end }: Line, { leaf, outer }: Before): void {
    if (end - start <= PIECE || outer || leaf.kind !== "paragraph" || text[start] === "|") return;
    for (const [at] of piecesOf(text.slice(start, end)))
      if (at > 0) this.end(start + at, { opening: "", kind: "text" });
  }

  noteDepth(depth: number): void {
    this.isTooDeep ||= depth > MAX_DEPTH;
  }

  private numberOf({ text, start, end }: Line): number {
    return Number(ITEM_NUMBER.exec(text.slice(start, Math.min(end, start + 12)))?.[1] ?? 1);
  }

  private lineAt(at: number): string {
    const end = this.text.indexOf("\n", at);
    return this.text.slice(at, end < 0 ? undefined : end + 1);
  }

  private continuedText(leaf: Leaf): Continued {
    if (leaf.kind !== "paragraph") return { opening: "", kind: "text" };
    const head = this.lineAt(leaf.start);
    const rule = this.lineAt(leaf.start + head.length);
    const isTable = head.includes("|") && TABLE_RULE.test(rule.trimEnd());
    return isTable ? { opening: head + rule, kind: "table" } : { opening: "", kind: "text" };
  }
}

/** Whether a line starts another block of the text's top level. */
function startsBlock(line: Line, before: Before, { leaf, outer }: Before): boolean {
  if (leaf.kind === "heading") return !outer && leaf.start === line.start;
  if (leaf.kind === "fenced") return !outer && leaf !== before.leaf;
  if (FOUR_SPACES.test(line.text.slice(line.start, line.start + 4))) return false;
  if (!before.isBlank || (!before.outer && isVerbatim(before.leaf))) return false;
  return outer === undefined || before.outer === undefined || outer.kind !== before.outer.kind;
}

const isNextItem = (before: Before, outer: Container | undefined) =>
  outer?.kind === "list" && before.outer?.kind === "list" && outer !== before.outer;

/** Pieces of a chunk that could not be divided between its lines. */
function withShortLines(text: string, chunk: Chunk): Chunk[] {
  if (chunk.to - chunk.from <= MAX_CODE + 2 * MAX_BLOCK) return [chunk];
  return piecesOf(text.slice(chunk.from, chunk.to)).map(([at, piece]) => ({
    ...chunk,
    from: chunk.from + at,
    to: chunk.from + at + piece.length,
    continued: at > 0 ? { opening: "", kind: "text" } : chunk.continued,
  }));
}

/** Collects what other chunks may need. */
class Finder {
  readonly headings: SourceHeading[] = [];
  readonly bracketed: DividedText["bracketed"] = [];
  private last: Leaf | undefined;

  note(text: string, leaf: Leaf): void {
    if (leaf.kind === "heading")
      this.headings.push({ depth: leaf.depth, text: leaf.text, start: leaf.start });
    const start = leaf.kind === "paragraph" ? leaf.lines[0] : undefined;
    if (leaf.kind === "paragraph" && start !== undefined && text[start] === "[") {
      if (leaf === this.last) this.bracketed.pop();
      this.bracketed.push({ start, end: leaf.lines.at(-1) ?? start });
    }
    this.last = leaf;
  }
}

/** Divides a text into chunks. Its front matter has to be blank. */
export function divideText(text: string): DividedText {
  const [divider, finder] = [new Divider(text), new Finder()];
  const isShort = text.length <= MAX_WHOLE;
  const line = linesFrom(text, 0);
  let before: Before = { leaf: { kind: "none" }, outer: undefined, isBlank: true };
  for (const { leaf, containers } of blocksByLine(text)) {
    nextLine(line);
    finder.note(text, leaf);
    divider.noteDepth(containers.length);
    const after = { leaf, outer: containers[0], isBlank: line.start === line.end };
    if (!after.isBlank && !isShort) divider.read(line, before, after);
    divider.divideLine(line, after);
    before = leaf.kind === "heading" ? { ...after, leaf: { kind: "none" } } : after;
  }
  divider.end(text.length);
  const chunks = divider.chunks.flatMap((chunk) => withShortLines(text, chunk));
  return { chunks, headings: finder.headings, bracketed: finder.bracketed };
}
