import { syntaxTree } from "@codemirror/language";
import type { EditorState, TransactionSpec } from "@codemirror/state";
import { enclosingNode } from "./lists.ts";
import { isAddress } from "./pasted.ts";

/** Nodes whose text cannot become a link. */
const NOT_WORDS = /Code|URL|Link|Image|Comment|FrontMatter/;

/** A link's destination: brackets would end it. */
const destination = (address: string): string => {
  const url = /^www\./i.test(address) ? `https://${address}` : address;
  return /[()<>]/.test(url) ? `<${url.replace(/[<>]/g, encodeURIComponent)}>` : url;
};

/** Makes the selected words a link to an address that is pasted over them; undefined if the words or the text are something else. */
export function linkSelection(state: EditorState, pasted: string): TransactionSpec | undefined {
  const { main, ranges } = state.selection;
  const address = pasted.trim();
  const selected = state.sliceDoc(main.from, main.to);
  const words = selected.trim();
  if (ranges.length > 1 || !isAddress(address) || words === "" || /[\n[\]]/.test(words) || isAddress(words))
    return undefined;
  const from = main.from + selected.indexOf(words);
  const to = from + words.length;
  const tree = syntaxTree(state);
  const isInOther = [tree.resolveInner(from, 1), tree.resolveInner(to, -1)].some((node) =>
    enclosingNode(node, NOT_WORDS),
  );
  if (isInOther) return undefined;
  const insert = `[${words}](${destination(address)})`;
  return {
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: "input.paste",
  };
}
