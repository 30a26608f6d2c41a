import type { PhrasingContent, RootContent, Text } from "mdast";

// Marks that Markdown can express: spaces, line breaks and punctuation at their edges are moved out of them.

type Parent = { children: RootContent[] };
type Mark = Extract<PhrasingContent, { type: "strong" | "emphasis" | "delete" | "mark" }>;

const isMark = (node: RootContent | undefined): node is Mark =>
  node?.type === "strong" || node?.type === "emphasis" || node?.type === "delete" || node?.type === "mark";

const text = (value: string): RootContent[] => (value === "" ? [] : [{ type: "text", value }]);

/** Takes what matches out of a text at an edge. */
function cut(node: Text, isAtStart: boolean, pattern: RegExp): string {
  const found = pattern.exec(node.value)?.[0] ?? "";
  const { length } = node.value;
  node.value = isAtStart ? node.value.slice(found.length) : node.value.slice(0, length - found.length);
  return found;
}

const isEmpty = (node: RootContent) => node.type === "break" || (node.type === "text" && node.value === "");

/** Takes texts that match, and line breaks, out of nodes at their beginning or end. */
function takeEdge(nodes: RootContent[], isAtStart: boolean, pattern: RegExp): RootContent[] {
  const taken: RootContent[] = [];
  const edge = isAtStart ? 0 : -1;
  for (let node = nodes.at(edge); node; node = nodes.at(edge)) {
    if (node.type === "text") taken.push(...text(cut(node, isAtStart, pattern)));
    if (node.type === "break") taken.push(node);
    if (!isEmpty(node)) break;
    nodes.splice(edge, 1);
  }
  return isAtStart ? taken : taken.reverse();
}

/** A mark without spaces and line breaks at its edges, which follow it and precede it. */
function withoutEdges(mark: Mark): RootContent[] {
  const children = mark.children as RootContent[];
  const before = takeEdge(children, true, /^\s+/);
  const after = takeEdge(children, false, /\s+$/);
  return children.length === 0 ? [...before, ...after] : [...before, mark, ...after];
}

const isSpace = (node: RootContent | undefined) => node?.type === "text" && node.value.trim() === "";

/** Adds a mark to an equal one, which only spaces may stand between. Returns whether there was one. */
function joinMark(mark: Mark, done: RootContent[]): boolean {
  const last = done.at(-1);
  const before = isSpace(last) ? done.at(-2) : last;
  if (!isMark(before) || before.type !== mark.type) return false;
  const space = before === last ? [] : [done.pop() as RootContent];
  before.children = joined([...before.children, ...space, ...mark.children]) as PhrasingContent[];
  return true;
}

/** Joins texts and equal marks that follow each other. */
function joined(nodes: RootContent[]): RootContent[] {
  const done: RootContent[] = [];
  for (const node of nodes) {
    const last = done.at(-1);
    if (node.type === "text" && last?.type === "text") last.value += node.value;
    else if (!isMark(node) || !joinMark(node, done)) done.push(node);
  }
  return done;
}

const startsWithWord = (node: RootContent | undefined) =>
  node?.type === "text" && /^[\p{L}\p{N}]/u.test(node.value);
/** After another mark, this is not a part of one. */
const PUNCTUATION = /^[,;:.!?]+\s*/;
const endsWithWord = (node: RootContent | undefined) =>
  node?.type === "text" && /[\p{L}\p{N}]$/u.test(node.value);

/** Between punctuation and a letter, a mark would not count (CommonMark 0.31, 6.2). */
function withPunctuationOutside(nodes: RootContent[]): RootContent[] {
  return nodes.flatMap((node, index) => {
    if (!isMark(node)) return [node];
    const children = node.children as RootContent[];
    const after = startsWithWord(nodes[index + 1]) ? takeEdge(children, false, /[^\p{L}\p{N}]+$/u) : [];
    const edge = isMark(nodes[index - 1])
      ? PUNCTUATION
      : endsWithWord(nodes[index - 1]) && /^[^\p{L}\p{N}]+/u;
    const before = edge ? takeEdge(children, true, edge) : [];
    return children.length === 0 ? [...before, ...after] : [...before, node, ...after];
  });
}

/** Marks that are directly in one of their own kind. */
function unwrapEqual(mark: Mark): void {
  mark.children = (mark.children as RootContent[]).flatMap((child) =>
    isMark(child) && child.type === mark.type ? (child.children as RootContent[]) : [child],
  ) as PhrasingContent[];
}

/** A paragraph without line breaks at its edges. */
function withoutBreaks(node: RootContent): RootContent[] {
  if (node.type !== "paragraph") return [node];
  for (const isAtStart of [true, false]) takeEdge(node.children, isAtStart, /^\s+$/);
  return node.children.length > 0 ? [node] : [];
}

/** An address in angle brackets, which the link has by itself. */
function takeBrackets(nodes: RootContent[]): void {
  for (const [index, node] of nodes.entries()) {
    const [before, after] = [nodes[index - 1], nodes[index + 1]];
    if (node.type !== "link" || before?.type !== "text" || after?.type !== "text") continue;
    if (!node.url.startsWith("mailto:") || !before.value.endsWith("<") || !after.value.startsWith(">"))
      continue;
    before.value = before.value.slice(0, -1);
    after.value = after.value.slice(1);
  }
}

export function tidyMarks(parent: Parent): void {
  for (const node of parent.children) {
    if ("children" in node) tidyMarks(node as Parent);
    if (isMark(node)) unwrapEqual(node);
  }
  parent.children = parent.children.flatMap(withoutBreaks);
  takeBrackets(parent.children);
  const nodes = joined(parent.children.flatMap((node) => (isMark(node) ? withoutEdges(node) : [node])));
  parent.children = joined(withPunctuationOutside(nodes));
}
