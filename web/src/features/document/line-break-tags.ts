import type { Nodes, Root } from "mdast";

const TAG = /^<br\s*\/?>$/i;

function replaceTags(node: Nodes): void {
  if (!("children" in node)) return;
  for (const [index, child] of node.children.entries()) {
    if (child.type === "html" && TAG.test(child.value)) node.children[index] = { type: "break" } as never;
    else replaceTags(child);
  }
}

/** Makes `<br>` a line break, which is the only way to have several lines in a cell of a table. Other HTML stays text. */
export const lineBreakTags = () => (tree: Root) => replaceTags(tree);
