import { type Container, continueList, continuesQuotation, noteBlank, readContainer } from "./containers.ts";
import { type HtmlEnd, openHtml } from "./html-block.ts";
import { Line } from "./line.ts";
import { skipDefinitions } from "./link-definitions.ts";

// Finds headings by the block structure of CommonMark 0.31, line by line and in linear time: full Markdown parsers take
// minutes for a hostile text of a megabyte.

/** A heading: its text as written, where it starts, and where the line after it starts. */
export type Heading = { depth: number; text: string; start: number; next: number };

/** The leaf block that is open at the end of a line. */
type Leaf =
  | { kind: "none" }
  | { kind: "indented" }
  | { kind: "fenced"; marker: string; size: number }
  | { kind: "html"; end: HtmlEnd }
  /** The start and end of each line of a paragraph, which may begin with link definitions. */
  | { kind: "paragraph"; lines: [start: number, end: number][] };
type Paragraph = Extract<Leaf, { kind: "paragraph" }>;

/** What a line starts with, if not a paragraph. */
const MARKS = "#=-*_`~<";

const NONE: Leaf = { kind: "none" };

/** The text of a heading's line. */
function readAtx(line: Line): { depth: number; text: string } | undefined {
  const [signs] = /^#{1,6}(?=[ \t]|$)/.exec(line.rest) ?? [];
  if (!signs) return undefined;
  const text = line.rest.slice(signs.length).trim();
  const closing = text.length - lengthOfEnd(text, "#");
  const isClosed = closing === 0 || /[ \t]/.test(text.charAt(closing - 1));
  return { depth: signs.length, text: isClosed ? text.slice(0, closing).trim() : text };
}

/** How often a character is repeated at the end of a text. */
function lengthOfEnd(text: string, character: string): number {
  let length = 0;
  while (length < text.length && text[text.length - 1 - length] === character) length++;
  return length;
}

/** The depth of the heading that an underline turns a paragraph into. */
function readUnderline({ rest }: Line): number | undefined {
  if (/^=+[ \t]*$/.test(rest)) return 1;
  return /^-+[ \t]*$/.test(rest) ? 2 : undefined;
}

function readFence({ rest }: Line): Leaf | undefined {
  const [fence] = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(rest) ?? [];
  return fence ? { kind: "fenced", marker: fence.charAt(0), size: fence.length } : undefined;
}

function closesFence(line: Line, { marker, size }: Extract<Leaf, { kind: "fenced" }>): boolean {
  if (line.takeSpace(3) === 3 && line.isAtSpace) return false;
  const rest = line.rest.trimEnd();
  return rest.length >= size && lengthOfEnd(rest, marker) === rest.length;
}

const isBreak = (line: Line) => /^[*_-]$/.test(line.character) && line.isThematicBreak(line.character);

/** Whether a line ends the paragraph before it. A lazy continuation line cannot underline it. */
function interruptsParagraph(line: Line, isLazy: boolean): boolean {
  if (line.isBlank) return true;
  if (line.isIndented) return false;
  line.takeSpace();
  if (!MARKS.includes(line.character)) return false;
  const isUnderline = !isLazy && readUnderline(line) !== undefined;
  return (
    isUnderline || isBreak(line) || Boolean(readAtx(line) ?? readFence(line) ?? openHtml(line.rest, isLazy))
  );
}

/** Reads a text line by line. */
class Reader {
  readonly headings: Heading[] = [];
  private readonly text: string;
  private readonly open: Container[] = [];
  /** The positions of the block quotes among the open containers. */
  private readonly quotations: number[] = [];
  private leaf: Leaf = NONE;

  constructor(text: string) {
    this.text = text;
  }

  read(line: Line): void {
    const depth = this.continueContainers(line);
    const all = depth === this.open.length;
    const isConcrete = all && (this.leaf.kind === "fenced" || this.leaf.kind === "html");
    const began = !isConcrete && !line.isBlank && this.beginContainers(line, depth);
    const isLazy = !began && !all;
    const heading = this.readLeaf(line, isLazy);
    if (isLazy && heading !== "continued") this.close(depth);
    if (typeof heading === "object" && this.open.length === 0) this.headings.push(heading);
  }

  /** Consumes the markers of the open containers; returns how many of them the line continues. */
  private continueContainers(line: Line): number {
    let quotations = 0;
    for (let depth = 0; depth < this.open.length; depth++) {
      const container = this.open[depth] as Container;
      const isList = container.kind === "list";
      if (isList && line.isBlank) return this.continueBlank(this.quotations[quotations]);
      const goesOn = isList ? continueList(line, container) : continuesQuotation(line);
      if (typeof goesOn === "object") return this.nextItem(depth, goesOn);
      if (!goesOn) return depth;
      if (!isList) quotations++;
    }
    return this.open.length;
  }

  /** A blank line continues any number of lists, up to the next block quote. */
  private continueBlank(quotation: number | undefined): number {
    if (quotation === undefined) noteBlank(this.open.at(-1));
    return quotation ?? this.open.length;
  }

  private nextItem(depth: number, item: Container): number {
    this.leaf = NONE;
    this.close(depth);
    this.open.push(item);
    return this.open.length;
  }

  private close(depth: number): void {
    this.open.length = depth;
    while ((this.quotations.at(-1) ?? -1) >= depth) this.quotations.pop();
  }

  /** Consumes the starts of new containers at a depth; returns whether there were any. */
  private beginContainers(line: Line, depth: number): boolean {
    const interrupts = depth === this.open.length && this.leaf.kind !== "none";
    let container = readContainer(line, interrupts);
    if (!container) return false;
    this.leaf = NONE;
    this.close(depth);
    while (container) {
      if (container.kind === "quotation") this.quotations.push(this.open.length);
      this.open.push(container);
      container = readContainer(line, interrupts);
    }
    return true;
  }

  /** Reads the rest of a line; returns whether it only continues a paragraph, and which heading it completes. */
  private readLeaf(line: Line, isLazy: boolean): Heading | "continued" | undefined {
    const { leaf } = this;
    if (leaf.kind === "paragraph") return this.continueParagraph(line, leaf, isLazy);
    if (!isLazy && this.goesOn(line, leaf)) return undefined;
    this.leaf = NONE;
    return this.begin(line);
  }

  private continueParagraph(line: Line, paragraph: Paragraph, isLazy: boolean) {
    const before = line.save();
    const interrupts = interruptsParagraph(line, isLazy);
    line.restore(before);
    if (!interrupts) {
      paragraph.lines.push([line.at, line.end]);
      return "continued";
    }
    this.leaf = NONE;
    return this.begin(line, isLazy ? undefined : paragraph);
  }

  /** Whether a line belongs to the code or HTML block before it. */
  private goesOn(line: Line, leaf: Exclude<Leaf, Paragraph>): boolean {
    if (leaf.kind === "fenced" && closesFence(line, leaf)) this.leaf = NONE;
    if (leaf.kind === "html" && (leaf.end ? leaf.end.test(line.rest) : line.isBlank)) this.leaf = NONE;
    if (leaf.kind === "indented") return line.isBlank || line.isIndented;
    return leaf.kind !== "none";
  }

  /** Starts a block; `above` is the paragraph that the line ends. */
  private begin(line: Line, above?: Paragraph): Heading | undefined {
    if (line.isBlank) return undefined;
    if (line.isIndented) {
      this.leaf = { kind: "indented" };
      return undefined;
    }
    line.takeSpace();
    if (!MARKS.includes(line.character)) {
      this.leaf = { kind: "paragraph", lines: [[line.at, line.end]] };
      return undefined;
    }
    const underlined = above && this.underlined(line, above);
    if (underlined) return underlined;
    const atx = readAtx(line);
    if (atx) return { ...atx, start: line.at, next: line.next };
    this.leaf = isBreak(line) ? NONE : this.beginLeaf(line);
    return undefined;
  }

  private beginLeaf(line: Line): Leaf {
    const html = openHtml(line.rest, true);
    if (html) return html.isClosed ? NONE : { kind: "html", end: html.end };
    return readFence(line) ?? { kind: "paragraph", lines: [[line.at, line.end]] };
  }

  /** The heading that an underline makes of the paragraph above it, unless that contains only link definitions. */
  private underlined(line: Line, { lines: [first, ...others] }: Paragraph): Heading | undefined {
    const depth = readUnderline(line);
    if (depth === undefined || !first) return undefined;
    const whole = [first, ...others].map(([start, end]) => this.text.slice(start, end)).join("\n");
    const text = whole.slice(skipDefinitions(whole));
    return text === "" ? undefined : { depth, text, start: first[0], next: line.next };
  }
}

/** Where the text starts after its front matter: 0 without one. Its fences are lines of three characters. */
function skipFrontMatter(text: string): number {
  const opening = new Line(text, 0);
  const [, fence] = /^(---|\+\+\+)[ \t]*$/.exec(opening.rest) ?? [];
  if (!fence) return 0;
  for (let { next } = opening; next < text.length; ) {
    const line = new Line(text, next);
    if (line.rest.startsWith(fence) && line.rest.trimEnd() === fence) return line.next;
    next = line.next;
  }
  return 0;
}

/**
 * The headings of a text in order, except those within block quotes, lists or code. Front matter is not a heading.
 */
export function headingsOf(text: string): Heading[] {
  const reader = new Reader(text);
  for (let next = skipFrontMatter(text); next < text.length; ) {
    const line = new Line(text, next);
    reader.read(line);
    next = line.next;
  }
  return reader.headings;
}
