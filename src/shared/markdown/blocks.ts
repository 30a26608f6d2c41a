import {
  type Container,
  continueList,
  continuesQuotation,
  type List,
  noteBlankLine,
  readContainer,
} from "./containers.ts";
import { type Leaf, NO_LEAF, type Paragraph, readLeaf } from "./leaf.ts";
import { isBlank, type Line, linesFrom, nextLine, restOfLine } from "./line.ts";

// The block structure of CommonMark 0.31, in linear time. Full parsers take minutes for a hostile megabyte.

/** The blocks that are open after a line. */
export type Blocks = {
  /** From the outermost to the innermost. */
  containers: Container[];
  /** Indexes of the block quotes among the containers. */
  quotations: number[];
  leaf: Leaf;
  /** The list item and its paragraph, if both began on this line. */
  startedItem: StartedItem | undefined;
};

type StartedItem = { item: List; paragraph: Paragraph };

function readLine(blocks: Blocks, line: Line): void {
  const { containers } = blocks;
  const depth = continueContainers(blocks, line);
  // `continueContainers` may have replaced the leaf: the next item ends the content of the previous one.
  const { leaf } = blocks;
  const isAllContinued = depth === containers.length;
  const isVerbatim = isAllContinued && (leaf.kind === "fenced" || leaf.kind === "html");
  const hasStarted = !isVerbatim && !isBlank(line) && beginContainers(blocks, line, depth);
  const isLazy = !hasStarted && !isAllContinued;
  blocks.leaf = readLeaf(line, blocks.leaf, isLazy);
  const isContinued = leaf.kind === "paragraph" && blocks.leaf === leaf;
  if (isLazy && !isContinued) close(blocks, depth);
  blocks.startedItem = startedItem(blocks, line);
}

function startedItem({ containers, leaf }: Blocks, { start }: Line): StartedItem | undefined {
  const item = containers.at(-1);
  const isNew = item?.kind === "list" && item.start >= start;
  return isNew && leaf.kind === "paragraph" ? { item, paragraph: leaf } : undefined;
}

function continueContainers(blocks: Blocks, line: Line): number {
  const { containers } = blocks;
  let quotations = 0;
  for (let depth = 0; depth < containers.length; depth++) {
    const container = containers[depth] as Container;
    const isList = container.kind === "list";
    if (isList && isBlank(line)) return continueBlank(blocks, quotations);
    const continued = isList ? continueList(line, container) : continuesQuotation(line);
    if (typeof continued === "object") return nextItem(blocks, depth, continued);
    if (!continued) return depth;
    if (!isList) quotations++;
  }
  return containers.length;
}

function continueBlank({ containers, quotations }: Blocks, passed: number): number {
  const quotation = quotations[passed];
  if (quotation === undefined) noteBlankLine(containers.at(-1));
  return quotation ?? containers.length;
}

function nextItem(blocks: Blocks, depth: number, item: Container): number {
  blocks.leaf = NO_LEAF;
  close(blocks, depth);
  return blocks.containers.push(item);
}

function close({ containers, quotations }: Blocks, depth: number): void {
  containers.length = depth;
  while ((quotations.at(-1) ?? -1) >= depth) quotations.pop();
}

function beginContainers(blocks: Blocks, line: Line, depth: number): boolean {
  const { containers, quotations } = blocks;
  const interrupts = depth === containers.length && blocks.leaf.kind !== "none";
  let container = readContainer(line, interrupts);
  if (!container) return false;
  blocks.leaf = NO_LEAF;
  close(blocks, depth);
  while (container) {
    if (container.kind === "quotation") quotations.push(containers.length);
    containers.push(container);
    container = readContainer(line, interrupts);
  }
  return true;
}

/** The position after the front matter; 0 if there is none. The fences are lines of exactly three characters. */
export function skipFrontMatter(text: string): number {
  const line = linesFrom(text, 0);
  const fence = nextLine(line) ? restOfLine(line) : "";
  if (fence !== "---" && fence !== "+++") return 0;
  while (nextLine(line)) {
    if (restOfLine(line) === fence) return line.next;
  }
  return 0;
}

/** Reads a text line by line after its front matter. Yields the same object, updated, after each line. */
export function* blocksByLine(text: string): Generator<Blocks, void> {
  const blocks: Blocks = { containers: [], quotations: [], leaf: NO_LEAF, startedItem: undefined };
  const line = linesFrom(text, skipFrontMatter(text));
  while (nextLine(line)) {
    readLine(blocks, line);
    yield blocks;
    if (blocks.leaf.kind === "heading") blocks.leaf = NO_LEAF;
  }
}
