import type { Element, Root } from "hast";

// Where in a text somebody clicks who reads it rendered.

const BLOCKS = new Set(["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "pre"]);

/** A rehype plugin: each block says where it begins in the text. */
export const places =
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

/** What somebody clicks on does something else. */
const ACTIVE = "a, button, input, textarea, select, summary, [contenteditable]";

const WORD = /[\p{L}\p{N}_]+/gu;

/** How often a word stands in a text. */
const timesIn = (text: string, word: string): number =>
  [...text.matchAll(WORD)].filter(([other]) => other === word).length;

/** The place of the word that stands in a text for the nth time, from 0, from a place on; undefined if it does not. */
export function placeOfWord(
  text: string,
  from: number,
  { word, nth }: { word: string; nth: number },
): number | undefined {
  WORD.lastIndex = 0;
  let left = nth;
  for (const found of text.slice(from).matchAll(WORD)) {
    if (found[0] !== word) continue;
    if (left === 0) return from + found.index;
    left -= 1;
  }
  return undefined;
}

/**
 * Where a double click is in the text of which an article is made: the end of the word under it, or the beginning of its block.
 * Undefined where something else was clicked.
 */
export function clickedPlace(
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
  const place = placeOfWord(text, from, { word, nth: timesIn(before.toString(), word) });
  return place === undefined ? from : place + word.length;
}
