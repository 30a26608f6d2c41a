// Keeps the position between reading and editing, and across a reload. Not in the URL, because it changes with each scrolling.

import { formatAt, whileSettling } from "./unformatted.ts";

/** An offset in the text, and its distance from the top of the window in pixels. */
export type ScrollPosition = { at: number; top: number };

/** `place`: the cursor's offset in the text. `start`: that of a selected word before it. */
type ResumePoint = {
  place?: number | undefined;
  start?: number | undefined;
  seen?: ScrollPosition | undefined;
};

/** sessionStorage key, for a reload of the page. */
const KEY = "commonplace-writing";

let next: ({ id: string } & ResumePoint) | undefined =
  JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? undefined;

/** Called when the page is hidden during editing. `id`: of the document, or the draft id of a new one. */
export const saveResumePoint = (id: string, point: ResumePoint): void =>
  sessionStorage.setItem(KEY, JSON.stringify({ id, ...point }));

/** Called when the editor is closed. */
export function clearResumePoint(): void {
  next = undefined;
  sessionStorage.removeItem(KEY);
}

/** Makes the editor open at a clicked offset and scroll position. Without these it opens at its default position. */
export function setResumePoint(id: string, point: ResumePoint): void {
  next = { id, ...point };
}

/** Where to open the editor of this document; empty by default. */
export const resumePointOf = (id: string | undefined): ResumePoint => (next && next.id === id ? next : {});

let left: { id: string; seen: ScrollPosition | undefined } | undefined;

/** Called when the editor is closed and the text is shown. */
export function setReadPosition(id: string, seen: ScrollPosition | undefined): void {
  left = { id, seen };
}

/** The scroll position of the document's editor that was just closed; undefined if there was none. Can be read once. */
export function takeReadPosition(id: string): { seen: ScrollPosition | undefined } | undefined {
  const position = left;
  left = undefined;
  return position?.id === id ? position : undefined;
}

/** The blocks of a rendered text with their offsets (`data-at`). */
const blocksOf = (part: ParentNode) => [...part.querySelectorAll<HTMLElement>("[data-at]")];
/** Measuring a block off the screen would make the browser draw it, so its chunk is found first. */
const chunksOf = (article: HTMLElement) => [...article.querySelectorAll<HTMLElement>("[data-chunk]")];

/** Where the first letter of a block is drawn. Its box may be higher, in a text and in its editor differently. */
export function topOf(block: HTMLElement): number {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.textContent?.trim() === "") continue;
    range.selectNodeContents(node);
    const [box] = range.getClientRects();
    // Marks that the editor hides have no height.
    if (box && box.height > 0) return box.top;
  }
  return block.getBoundingClientRect().top;
}

/** The height of the editor's toolbar, which covers the top of the page. */
export const TOOLBAR_HEIGHT_PX = 40;

/** The block that contains an offset of the text. */
function blockAt(article: HTMLElement, at: number): HTMLElement | undefined {
  const chunk = chunksOf(article).findLast(({ dataset }) => Number(dataset.chunk) <= at);
  return blocksOf(chunk ?? article).findLast(({ dataset }) => Number(dataset.at) <= at);
}

function firstVisibleBlock(article: HTMLElement): HTMLElement | undefined {
  const isVisible = (one: HTMLElement) => one.getBoundingClientRect().bottom >= TOOLBAR_HEIGHT_PX;
  const from = chunksOf(article).findIndex(isVisible);
  const chunks = from < 0 ? [article] : chunksOf(article).slice(from, from + 2);
  const blocks = chunks.flatMap(blocksOf);
  return blocks.find((one) => topOf(one) >= TOOLBAR_HEIGHT_PX) ?? blocks.at(-1);
}

/** The scroll position of a text: its block at the clicked offset, or the first visible one. Undefined at the top of the page. */
export function readScrollPosition(article: HTMLElement | null, place?: number): ScrollPosition | undefined {
  if (!article || (scrollY === 0 && place === undefined)) return undefined;
  const block = (place === undefined ? undefined : blockAt(article, place)) ?? firstVisibleBlock(article);
  return block && { at: Number(block.dataset.at), top: topOf(block) };
}

/** Scrolls to a position, and corrects it while what is above is drawn for the first time. */
export function restoreScrollPosition(article: HTMLElement | null, { at, top }: ScrollPosition): void {
  if (!article) return;
  formatAt(at);
  const correct = () => {
    const block = article.isConnected ? blockAt(article, at) : undefined;
    if (block && Math.abs(topOf(block) - top) >= 1)
      scrollBy({ top: topOf(block) - top, behavior: "instant" });
  };
  correct();
  whileSettling(correct);
}
