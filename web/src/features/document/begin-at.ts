// Where in a document one goes on after its view has changed. It is no part of the address: once one has gone on, the place is
// another one.

/** A place of a text, and how far below the top of the window it stands, in pixels. */
export type Seen = { at: number; top: number };

type Begun = { place?: number | undefined; seen?: Seen | undefined };

/** What this tab wrote when the page was left, for the page that takes its place. */
const KEY = "commonplace-writing";

let next: ({ id: string } & Begun) | undefined =
  JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? undefined;

/** The page is being left while something is written: a document, or a new one, which its writer stands for. */
export const keepWriting = (id: string, begun: Begun): void =>
  sessionStorage.setItem(KEY, JSON.stringify({ id, ...begun }));

/** Nothing is written any more: whoever begins again begins anew. */
export function endWriting(): void {
  next = undefined;
  sessionStorage.removeItem(KEY);
}

/** Editing begins at the place that was clicked, and shows what was seen. Without both, it begins where it would anyway. */
export function beginAt(id: string, place: number | undefined, seen: Seen | undefined): void {
  next = { id, place, seen };
}

/** The place that was clicked or written in this document and what was seen of it, if it is this one. */
export const begunIn = (id: string | undefined): Begun => (next && next.id === id ? next : {});

let left: { id: string; seen: Seen | undefined } | undefined;

/** An editor is left for the text as it is read. */
export function leaveAt(id: string, seen: Seen | undefined): void {
  left = { id, seen };
}

/** What was seen in the editor of this document that was just left; undefined if none was. It is told once. */
export function takeLeft(id: string): { seen: Seen | undefined } | undefined {
  const found = left;
  left = undefined;
  return found?.id === id ? found : undefined;
}

/** The blocks of a text that is read say where they begin in it (`places`). */
const blocksOf = (article: HTMLElement) => [...article.querySelectorAll<HTMLElement>("[data-at]")];
const topOf = (block: HTMLElement) => block.getBoundingClientRect().top;

/** What is higher is behind the signs of the editor. */
export const BELOW_SIGNS_PX = 40;

/** The block that a place of the text is in. */
const blockAt = (blocks: readonly HTMLElement[], at: number) =>
  blocks.findLast(({ dataset }) => Number(dataset.at) <= at);

/**
 * What somebody sees who reads: the block with the place that was clicked, or the first one that begins in the window.
 * Undefined at the beginning of the page.
 */
export function seenIn(article: HTMLElement | null, place?: number): Seen | undefined {
  if (!article || scrollY === 0) return undefined;
  const blocks = blocksOf(article);
  const clicked = place === undefined ? undefined : blockAt(blocks, place);
  const block = clicked ?? blocks.find((one) => topOf(one) >= BELOW_SIGNS_PX) ?? blocks.at(-1);
  return block && { at: Number(block.dataset.at), top: topOf(block) };
}

/** Scrolls until the block at a place stands where that was seen. */
export function showSeen(article: HTMLElement | null, { at, top }: Seen): void {
  const block = article && blockAt(blocksOf(article), at);
  if (block) scrollBy({ top: topOf(block) - top, behavior: "instant" });
}
