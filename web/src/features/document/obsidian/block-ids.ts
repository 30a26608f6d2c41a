import type { Node, Nodes, Parents, Root } from "mdast";
import type { VFile } from "vfile";
import { BLOCK_ID } from "../../../../../src/shared/markdown/note-links.ts";

// The ids of blocks are not shown. The block has its id with the sign, as the address of a link to it ends.

/** Takes an id off the end of a text. */
function takeId(node: Node | undefined, source: string): string | undefined {
  const text = node as Nodes | undefined;
  if (text?.type !== "text") return undefined;
  const [mark, id] = BLOCK_ID.exec(text.value) ?? [];
  const isEscaped = source[source.lastIndexOf("^", text.position?.end.offset) - 1] === "\\";
  if (mark === undefined || id === undefined || isEscaped) return undefined;
  text.value = text.value.slice(0, text.value.length - mark.length).trimEnd();
  return `^${id.toLowerCase()}`;
}

const giveId = (node: Nodes, id: string): void => {
  node.data = { ...node.data, hProperties: { ...node.data?.hProperties, id } };
};

/** What a block that may end with an id consists of. A row with only an id is not one of the table. */
function wordsIn(node: Nodes): readonly Node[] | undefined {
  if (node.type === "paragraph") return node.children;
  return node.type === "tableRow" && node.children.length === 1 ? node.children[0]?.children : undefined;
}

/** What an id belongs to: what it ends, or what it stands below, alone. */
function ownerOf(node: Nodes, words: readonly Node[], parent: Parents, above: Nodes | undefined): Nodes {
  const [only, ...others] = words as (Nodes & { value?: string })[];
  if (above && only?.value === "" && others.length === 0) return parent.type === "table" ? parent : above;
  return parent.type === "listItem" && !above ? parent : node;
}

/** Gives the blocks inside a node their ids. */
function readIds(parent: Parents, source: string): void {
  const kept: Nodes[] = [];
  for (const node of parent.children) {
    const words = wordsIn(node);
    const id = words && takeId(words.at(-1), source);
    const above = kept.at(-1);
    const owner = id && ownerOf(node, words, parent, above);
    if (owner) giveId(owner, id);
    if (!words && "children" in node) readIds(node, source);
    if (!owner || owner === node || !above) kept.push(node);
  }
  parent.children = kept as typeof parent.children;
}

/** A remark plugin. */
export const remarkBlockIds =
  () =>
  (root: Root, { value }: VFile): void => {
    if (String(value).includes("^")) readIds(root, String(value));
  };
