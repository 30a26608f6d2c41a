import type { Element, Root } from "hast";

// Maps clicks in a rendered text to offsets in its source.

const BLOCKS = new Set(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "pre"]);

/** A rehype plugin that marks each block with its offset in the source. */
export const markOffsets =
  () =>
  (root: Root): void => {
    const mark = (node: Root | Element): void => {
      for (const child of node.children) {
        if (child.type !== "element") continue;
        const start = child.position?.start.offset;
        if (BLOCKS.has(child.tagName) && start !== undefined) child.properties.dataAt = start;
        mark(child);
      }
    };
    mark(root);
  };

/** Elements that react to clicks themselves. */
const ACTIVE = "a, button, input, textarea, select, summary, [contenteditable]";

const WORD = /[\p{L}\p{N}_]+/gu;

const countWord = (text: string, word: string): number =>
  [...text.matchAll(WORD)].filter(([other]) => other === word).length;

/** The offset of the nth occurrence (from 0) of a word after an offset; undefined if there are fewer. */
export function nthWordOffset(
  text: string,
  from: number,
  { word, nth }: { word: string; nth: number },
): number | undefined {
  let remaining = nth;
  for (const found of text.slice(from).matchAll(WORD)) {
    if (found[0] !== word) continue;
    if (remaining === 0) return from + found.index;
    remaining -= 1;
  }
  return undefined;
}

/** The offset of a double click in the source: the end of the word, or the start of its block. Undefined outside the text. */
export function clickedOffset(
  text: string,
  target: EventTarget,
  selection: Selection | null,
): number | undefined {
  if (!(target instanceof HTMLElement) || target.closest(ACTIVE)) return undefined;
  const block = target.closest<HTMLElement>("[data-at]");
  const from = Number(block?.dataset.at);
  if (!block || Number.isNaN(from)) return undefined;
  const word = selection?.toString().trim() ?? "";
  if (!selection || selection.rangeCount === 0 || !/^[\p{L}\p{N}_]+$/u.test(word)) return from;
  const before = document.createRange();
  before.selectNodeContents(block);
  const { startContainer, startOffset } = selection.getRangeAt(0);
  if (!block.contains(startContainer)) return from;
  before.setEnd(startContainer, startOffset);
  const place = nthWordOffset(text, from, { word, nth: countWord(before.toString(), word) });
  return place === undefined ? from : place + word.length;
}
