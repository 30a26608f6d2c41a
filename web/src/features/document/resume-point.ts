// Keeps the position between reading and editing, and across a reload. Not in the URL, because it changes with each scrolling.

/** An offset in the text, and its distance from the top of the window in pixels. */
export type ScrollPosition = { at: number; top: number };

/** `place`: the cursor's offset in the text. */
type ResumePoint = { place?: number | undefined; seen?: ScrollPosition | undefined };

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
const blocksOf = (article: HTMLElement) => [...article.querySelectorAll<HTMLElement>("[data-at]")];
const topOf = (block: HTMLElement) => block.getBoundingClientRect().top;

/** The height of the editor's toolbar, which covers the top of the page. */
export const TOOLBAR_HEIGHT_PX = 40;

/** The block that contains an offset of the text. */
const blockAt = (blocks: readonly HTMLElement[], at: number) =>
  blocks.findLast(({ dataset }) => Number(dataset.at) <= at);

/** The scroll position of a text: its block at the clicked offset, or the first visible one. Undefined at the top of the page. */
export function readScrollPosition(article: HTMLElement | null, place?: number): ScrollPosition | undefined {
  if (!article || scrollY === 0) return undefined;
  const blocks = blocksOf(article);
  const clicked = place === undefined ? undefined : blockAt(blocks, place);
  const block = clicked ?? blocks.find((one) => topOf(one) >= TOOLBAR_HEIGHT_PX) ?? blocks.at(-1);
  return block && { at: Number(block.dataset.at), top: topOf(block) };
}

export function restoreScrollPosition(article: HTMLElement | null, { at, top }: ScrollPosition): void {
  const block = article && blockAt(blocksOf(article), at);
  if (block) scrollBy({ top: topOf(block) - top, behavior: "instant" });
}
