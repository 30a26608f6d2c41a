import type { Root } from "mdast";
import Markdown from "react-markdown";
import { SYNTAX_PLUGINS } from "./markdown-plugins.ts";

/** The syntax tree of a text, with positions. Lines that end in a line feed stay one node. */
export function parseMarkdown(text: string): Root {
  let root: Root = { type: "root", children: [] };
  const take = () => (tree: Root) => {
    root = tree;
    return { type: "root" as const, children: [] };
  };
  Markdown({ children: text, remarkPlugins: [...SYNTAX_PLUGINS, take] });
  return root;
}
