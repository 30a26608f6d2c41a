import type { Blockquote, Node, Paragraph, PhrasingContent, Root, Text } from "mdast";
import type { VFile } from "vfile";
import { COMMENT_FILLER } from "../../../../../src/shared/markdown/comments.ts";
import { CALLOUT_START, calloutKind } from "./callout-kinds.ts";

// Quotations that begin with `[!note]` are callouts, as in Obsidian and GitHub.

const SPACE = new RegExp(`[ \\t${COMMENT_FILLER}]*`, "y");
const QUOTE_MARKS = /[ \t>]*/y;

/** A text with its beginning at another offset of the source. */
function movedTo({ position, ...node }: Text, offset: number): Text {
  return position ? { ...node, position: { ...position, start: { ...position.start, offset } } } : node;
}

/** A text without the mark of a callout, and the spaces and comments after it. */
function withoutMark(node: Text, mark: string, source: string): Text {
  SPACE.lastIndex = startOf(node) + mark.trimEnd().length;
  SPACE.test(source);
  return movedTo({ ...node, value: node.value.slice(mark.length) }, SPACE.lastIndex);
}

/** A text without its first line, which `end` ends. In the source, a line begins with the marks of quotations. */
function withoutLine(node: Text, end: number, source: string): Text {
  QUOTE_MARKS.lastIndex = source.indexOf("\n", startOf(node)) + 1;
  QUOTE_MARKS.test(source);
  return movedTo({ ...node, value: node.value.slice(end + 1) }, QUOTE_MARKS.lastIndex);
}

const startOf = ({ position }: Node): number => position?.start.offset ?? 0;

/** The content up to the first line break, and after it. */
function splitAtLine(
  nodes: readonly PhrasingContent[],
  source: string,
): [PhrasingContent[], PhrasingContent[]] {
  const at = nodes.findIndex(
    (node) => node.type === "break" || (node.type === "text" && node.value.includes("\n")),
  );
  const node = nodes[at];
  if (!node) return [[...nodes], []];
  if (node.type !== "text") return [nodes.slice(0, at), nodes.slice(at + 1)];
  const end = node.value.indexOf("\n");
  const after = withoutLine(node, end, source);
  return [
    [...nodes.slice(0, at), { ...node, value: node.value.slice(0, end) }],
    [...(after.value === "" ? [] : [after]), ...nodes.slice(at + 1)],
  ];
}

const textNode = (value: string): PhrasingContent => ({ type: "text", value });

/** Makes a quotation a callout if it begins like one. Its first paragraph is the title. */
function readCallout(quote: Blockquote, source: string): void {
  const [first, ...rest] = quote.children;
  if (first?.type !== "paragraph") return;
  const [words, ...others] = first.children;
  const start = words?.type === "text" ? CALLOUT_START.exec(words.value) : undefined;
  // The brackets may be escaped.
  if (words?.type !== "text" || !start || !source.startsWith("[!", startOf(words))) return;
  const [mark, written = "", fold = ""] = start;
  const kind = calloutKind(written);
  const [title, body] = splitAtLine([withoutMark(words, mark, source), ...others], source);
  const hasTitle = title.some((node) => node.type !== "text" || node.value.trim() !== "");
  const head: Paragraph = { ...first, children: hasTitle ? title : [textNode(kind.name)] };
  const [next] = body;
  const paragraph: Paragraph = { ...first, children: body };
  if (next?.position && first.position)
    paragraph.position = { ...first.position, start: next.position.start };
  quote.children = [head, ...(next ? [paragraph] : []), ...rest];
  quote.data = {
    ...quote.data,
    hProperties: { dataCallout: written.toLowerCase(), dataFold: fold, dataTitled: hasTitle },
  };
}

const childrenOf = (node: Node): Node[] => ("children" in node ? (node.children as Node[]) : []);

/** A remark plugin that recognizes callouts. */
export const remarkCallouts =
  () =>
  (root: Root, { value }: VFile): void => {
    const left: Node[] = [root];
    for (let node = left.pop(); node; node = left.pop()) {
      if (node.type === "blockquote") readCallout(node as Blockquote, String(value));
      for (const child of childrenOf(node)) left.push(child);
    }
  };
