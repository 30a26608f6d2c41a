// Keeps the position between reading and editing, across a reload, and for Back. Not in the URL, because it changes with each scrolling.

import { isBackNavigation } from "../../state/list-positions.ts";
import { blockOf, drawnLines, drawnTexts, type Point, pointAt, writtenTexts } from "./clicked-place.ts";
import { formatAt, placeAt, whileSettling } from "./unformatted.ts";

/** An offset in the text, and how far below the top of the window the middle of its line is, in pixels. */
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

// Back, Forward and a reload lead to the words that one read. The browser restores pixels, which is elsewhere in a text whose
// parts have other heights before they are drawn.

/** sessionStorage key, for a reload of the page. */
const READING_KEY = "commonplace-reading";
/** Pause in scrolling after which the position is remembered. */
const SCROLL_PAUSE_MS = 100;

const readPositions = new Map<string, ScrollPosition | undefined>();

function positionBeforeReload(): typeof left {
  const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (loaded?.type !== "reload" && loaded?.type !== "back_forward") return undefined;
  const stored = sessionStorage.getItem(READING_KEY) ?? "null";
  // Another reload may be of another screen.
  sessionStorage.removeItem(READING_KEY);
  return JSON.parse(stored) ?? undefined;
}

let reloaded = positionBeforeReload();

/** Remembers where a text is read until the returned function is called. */
export function followReading(id: string, articleOf: () => HTMLElement | null): () => void {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const remember = () => {
    if (articleOf()) readPositions.set(id, readScrollPosition(articleOf()));
  };
  const rememberSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(remember, SCROLL_PAUSE_MS);
  };
  const store = () => {
    if (!articleOf()) return;
    remember();
    sessionStorage.setItem(READING_KEY, JSON.stringify({ id, seen: readPositions.get(id) }));
  };
  addEventListener("scroll", rememberSoon, { signal: stop.signal, passive: true });
  addEventListener("pagehide", store, { signal: stop.signal });
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

type ReadPosition = { seen: ScrollPosition | undefined; wasEditing: boolean };
let isAtPosition = false;

/** Whether the text was opened at the position in which it was left, so that its address must not scroll it. */
export const isReturned = (): boolean => isAtPosition;

function readPositionOf(id: string): ReadPosition | undefined {
  if (left?.id === id) return { seen: left.seen, wasEditing: true };
  if (reloaded?.id === id) return { seen: reloaded.seen, wasEditing: false };
  if (!isBackNavigation() || !readPositions.has(id)) return undefined;
  return { seen: readPositions.get(id), wasEditing: false };
}

/** Where the document was left by its editor, a reload, or a step that Back takes back; undefined if it was not. Can be read once. */
export function takeReadPosition(id: string): ReadPosition | undefined {
  const position = readPositionOf(id);
  left = undefined;
  reloaded = undefined;
  readPositions.delete(id);
  isAtPosition = position !== undefined;
  return position;
}

/** The blocks of a rendered text with their offsets (`data-at`). */
const blocksOf = (part: ParentNode) => [...part.querySelectorAll<HTMLElement>("[data-at]")];
/** Measuring a block off the screen would make the browser draw it, so its chunk is found first. */
const chunksOf = (article: HTMLElement) => [...article.querySelectorAll<HTMLElement>("[data-chunk]")];

/** The height of the middle of a line: its letters may be larger in a text than in its editor. */
export const middleOf = ({ top, bottom }: Pick<DOMRect, "top" | "bottom">): number => (top + bottom) / 2;

/** The height of the editor's toolbar, which covers the top of the page. */
export const TOOLBAR_HEIGHT_PX = 40;

/** Whether a height in the window is on the screen, below the toolbar. */
export const isVisible = (top: number): boolean => top >= TOOLBAR_HEIGHT_PX && top <= innerHeight;

/** The block that contains an offset of the text. */
function blockAt(article: HTMLElement, at: number): HTMLElement | undefined {
  const chunk = chunksOf(article).findLast(({ dataset }) => Number(dataset.chunk) <= at);
  return blocksOf(chunk ?? article).findLast(({ dataset }) => Number(dataset.at) <= at);
}

/** The place before a letter of some texts. */
function pointBefore(nodes: readonly Text[], letter: number): Point | undefined {
  let offset = letter;
  for (const node of nodes) {
    if (offset < node.length) return { node, offset };
    offset -= node.length;
  }
  return undefined;
}

/** The place of an offset of the text: before the first letter from there on, or else before the last of its block. */
function pointOf(block: HTMLElement, at: number): Point | undefined {
  const nodes = [...writtenTexts(block)];
  const own = nodes.filter((node) => blockOf({ node }) === block);
  const texts = own.length > 0 ? own : nodes;
  let [low, high] = [0, texts.reduce((sum, { length }) => sum + length, 0) - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const point = pointBefore(texts, middle);
    if (point && (placeAt(point) ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return pointBefore(texts, low);
}

/** Where the line of a letter is drawn; undefined if it is not, such as in something that is folded. */
const lineOf = (point: Point): DOMRect | undefined => drawnLines(point)[0];

/** Tells where the line at an offset of the text is drawn, again and again; undefined if it is not in the text. */
function lineFinder(article: HTMLElement, at: number): () => number | undefined {
  let block: HTMLElement | undefined;
  let from: string | undefined;
  let point: Point | undefined;
  return () => {
    // Once its chunk is formatted, or its code is coloured, it is drawn by other nodes. What was written moves the others.
    if (!point?.node.isConnected || block?.dataset.at !== from) {
      block = blockAt(article, at);
      from = block?.dataset.at;
      point = block && pointOf(block, at);
    }
    const box = (point && lineOf(point)) ?? (block?.closest("details") ?? block)?.getBoundingClientRect();
    return box && middleOf(box);
  };
}

/** The first line on the screen, or else the last one above. What is below need not be measured. */
function firstLine(parts: readonly HTMLElement[]): { node: Text; box: DOMRect } | undefined {
  let last: ReturnType<typeof firstLine>;
  for (const part of parts) for (last of drawnTexts(part)) if (last.box.top >= TOOLBAR_HEIGHT_PX) return last;
  return last;
}

function firstVisibleLine(article: HTMLElement): ScrollPosition | undefined {
  const chunks = chunksOf(article);
  const from = chunks.findIndex((one) => one.getBoundingClientRect().bottom >= TOOLBAR_HEIGHT_PX);
  const { node, box } = firstLine(chunks.slice(from).slice(0, 2)) ?? {};
  if (!node || !box) return undefined;
  const found = pointAt({ clientX: (box.left + box.right) / 2, clientY: middleOf(box) });
  // Just after a jump, the text there is not painted yet, and the browser finds only its chunk.
  const point = found?.node === node ? found : { node, offset: 0 };
  const at = placeAt(point);
  return at === undefined ? undefined : { at, top: middleOf(lineOf(point) ?? box) };
}

/** Lines of which a text that is read shows nothing: blank ones, fences, rules. */
const UNREAD = /^[\s>]*(?:`{3}|~{3})|^[^\p{L}\p{N}]*$/u;

/** An offset of a text, or if nothing of its line is read, the end of the last line above of which something is. */
export function readPlace(text: string, at: number): number {
  const lines = text.slice(0, at).split("\n");
  const [rest = ""] = /^.*/.exec(text.slice(at)) ?? [];
  if (!UNREAD.test(`${lines.at(-1)}${rest}`)) return at;
  const above = lines.slice(0, -1).findLastIndex((line) => !UNREAD.test(line));
  return above < 0 ? at : lines.slice(0, above + 1).join("\n").length;
}

type Find = () => number | undefined;
let kept: { line: ScrollPosition; find: Find; settling: AbortController } | undefined;

/**
 * Scrolls so that a line is `top` pixels below the top of the window, until heights are stable. At once, because the text may be
 * left again before the next frame. `find`: where the line is now.
 */
export function keepLine(line: ScrollPosition, find: Find): void {
  const correct = () => {
    const now = find();
    if (now !== undefined && Math.abs(now - line.top) >= 1)
      scrollBy({ top: now - line.top, behavior: "instant" });
  };
  correct();
  kept?.settling.abort();
  kept = { line, find, settling: new AbortController() };
  whileSettling(correct, kept.settling);
}

/**
 * The scroll position: undefined at the top of the page, or else the line that `keepLine` keeps, or has kept and which was not
 * moved since, so that going back and forth moves nothing. `first`: tells another one.
 */
export function scrollPosition(first: () => ScrollPosition | undefined): ScrollPosition | undefined {
  if (scrollY === 0) return undefined;
  const now = kept?.find();
  if (!kept || now === undefined) return first();
  const isThere = !kept.settling.signal.aborted || Math.abs(now - kept.line.top) < 1;
  return isThere ? { ...kept.line } : first();
}

/** The scroll position of a text: its line at the clicked offset, or the first visible one. */
export function readScrollPosition(article: HTMLElement | null, place?: number): ScrollPosition | undefined {
  if (!article) return undefined;
  if (place === undefined) return scrollPosition(() => firstVisibleLine(article));
  const top = lineFinder(article, place)();
  return top === undefined ? undefined : { at: place, top };
}

/** Scrolls to a position, and corrects it while what is above is drawn for the first time. */
export function restoreScrollPosition(article: HTMLElement | null, { at, top }: ScrollPosition): void {
  if (!article) return;
  formatAt(at);
  const find = lineFinder(article, at);
  keepLine({ at, top }, () => (article.isConnected ? find() : undefined));
}
