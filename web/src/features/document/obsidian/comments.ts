import type { Node, Root } from "mdast";
import type { Processor } from "unified";
import type { VFile } from "vfile";
import { blankComments, COMMENT_FILLER } from "../../../../../src/shared/markdown/comments.ts";

const childrenOf = (node: Node) => (node as { children?: Node[] }).children;

/** Removes the filler from texts, and paragraphs and quotations with nothing else in them. */
function withoutFiller(root: Root): void {
  const nodes: Node[] = [root];
  for (let at = 0; at < nodes.length; at++)
    for (const child of childrenOf(nodes[at] as Node) ?? []) nodes.push(child);
  // From the innermost.
  for (const node of nodes.reverse()) {
    if (node.type === "text" || node.type === "html") {
      const text = node as Node & { value: string };
      text.value = text.value.replaceAll(COMMENT_FILLER, "");
    }
    const parent = node as { children?: Node[] };
    if (parent.children?.some(isEmptied))
      parent.children = parent.children.filter((child) => !isEmptied(child));
  }
}

function isEmptied(node: Node): boolean {
  if (node.type === "text") return (node as Node & { value: string }).value === "";
  return (node.type === "paragraph" || node.type === "blockquote") && childrenOf(node)?.length === 0;
}

/** A remark plugin that leaves out Obsidian's comments. Offsets in the tree stay those of the text. */
export function remarkComments(this: Processor) {
  const { parser } = this;
  if (parser) this.parser = (text, file) => parser(blankComments(String(text)), file);
  return (root: Root, { value }: VFile) => {
    // The comments of a long text are already blanked out.
    if (/%%|\ufdd0/.test(String(value))) withoutFiller(root);
  };
}
