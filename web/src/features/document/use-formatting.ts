import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { isBackNavigation } from "../../state/list-positions.ts";
import { whenIdle } from "../../state/when-idle.ts";
import { FIELDS } from "./clicked-place.ts";
import { headingFromHash } from "./links.ts";
import type { LongText, TextChunk } from "./long-text.ts";
import { isReturned } from "./resume-point.ts";
import {
  addUnformatted,
  formatAll,
  formatEnd,
  formatTarget,
  type Unformatted,
  whileSettling,
} from "./unformatted.ts";

// The chunks of a long text are formatted one at a time: those near the screen at once, the others while the browser is idle.

/** Chunks that are formatted with the first frame. They fill most screens. */
const FIRST = 2;
/** How far outside the screen chunks are formatted at once. */
const NEAR = "100% 0px";

const LINE_PX = 28;
const GAP_PX = 16;
const LETTER_PX = 8.4;

/** The height of a text in pixels, before it is drawn. */
export function estimatedHeight(text: string): number {
  const letters = Math.min(70, Math.max(30, (innerWidth - 32) / LETTER_PX));
  let height = 0;
  for (const line of text.split("\n"))
    height += line.trim() === "" ? GAP_PX : Math.ceil(line.length / letters) * LINE_PX;
  return Math.round(height);
}

function chunkAt(chunks: readonly TextChunk[], offset: number): number {
  return Math.max(
    0,
    chunks.findLastIndex(({ from, to }) => from <= offset && from < to),
  );
}

/** The chunk with a heading, a block with an id, a footnote or a reference to one. */
function chunkOf({ chunks, headings }: LongText, id: string): number | undefined {
  const heading = headings.find((one) => one.id === id);
  if (heading) return chunkAt(chunks, heading.start);
  const block = /^\^[a-z\d-]+$/.test(id) && new RegExp(`(?:^|\\s)\\${id}[ \\t|]*$`, "im");
  const withBlock = block ? chunks.findIndex(({ source }) => block.test(source)) : -1;
  if (withBlock >= 0) return withBlock;
  const [, kind, label = ""] = /^user-content-(fn|fnref)-(.+)$/.exec(id) ?? [];
  if (kind === "fn") return chunks.length - 1;
  const reference = `[^${headingFromHash(`#${label}`)}]`.toLowerCase();
  const found = chunks.findIndex(
    ({ source, footnotes }) => footnotes && source.toLowerCase().includes(reference),
  );
  return kind && found >= 0 ? found : undefined;
}

/** Scrolls to the target of the URL, once its part of the text is formatted. */
function showTarget(): void {
  const id = headingFromHash(location.hash);
  if (id === "" || !formatTarget(id)) return;
  const show = () => document.getElementById(id)?.scrollIntoView({ block: "start", behavior: "instant" });
  show();
  whileSettling(show);
}

/** Overlays, to which keys belong. */
const OVERLAYS = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

/** Whether an element is in a box that scrolls by itself. */
function isInScrollBox(element: Element | null): boolean {
  if (!element || element === document.body) return false;
  const scrolls =
    element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY);
  return scrolls || isInScrollBox(element.parentElement);
}

const isTakenBy = (target: Element) =>
  target.closest(`${FIELDS}, ${OVERLAYS}`) !== null || isInScrollBox(target);

const isEndKey = ({ key, metaKey, altKey, shiftKey, defaultPrevented, target }: KeyboardEvent) =>
  (key === "End" || (metaKey && key === "ArrowDown")) &&
  ![altKey, shiftKey, defaultPrevented].includes(true) &&
  !(target instanceof Element && isTakenBy(target));

/** Scrolls to the end. The browser would scroll by the estimated heights. */
function showEnd(event: KeyboardEvent): void {
  if (!isEndKey(event)) return;
  event.preventDefault();
  formatEnd();
  const show = () => scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  show();
  whileSettling(show);
}

/** Shows the target of the URL of a long text, and prints all of it. Not again when the text changes, while one reads on. */
function useTarget(isLong: boolean): void {
  useEffect(() => {
    if (!isLong) return;
    const gone = new AbortController();
    addEventListener("beforeprint", formatAll, { signal: gone.signal });
    addEventListener("hashchange", showTarget, { signal: gone.signal });
    addEventListener("keydown", showEnd, { signal: gone.signal });
    if (!isBackNavigation() && !isReturned()) showTarget();
    return () => gone.abort();
  }, [isLong]);
}

/**
 * Which chunks of a text are formatted. `root`: the element whose children they are.
 *
 * @param placeAt tells the offset in the text of a place on the screen
 */
export function useFormatting(
  read: LongText,
  placeAt: Unformatted["placeAt"],
): {
  root: RefObject<HTMLDivElement | null>;
  isFormatted: (index: number) => boolean;
} {
  const root = useRef<HTMLDivElement>(null);
  const [formatted, setFormatted] = useState<ReadonlySet<number>>(new Set());
  const count = read.chunks.length;
  const known = useRef({ read, formatted, placeAt });
  known.current = { read, formatted, placeAt };
  const format = useCallback((chunks: readonly number[]) => {
    setFormatted((before) =>
      chunks.every((one) => before.has(one)) ? before : new Set([...before, ...chunks]),
    );
  }, []);
  const isFormatted = (index: number) => index < FIRST || formatted.has(index);
  useLayoutEffect(
    () =>
      addUnformatted({
        format,
        count,
        chunkAt: (offset) => chunkAt(known.current.read.chunks, offset),
        chunkOf: (id) => chunkOf(known.current.read, id),
        placeAt: (point) => known.current.placeAt(point),
      }),
    [format, count],
  );
  useEffect(() => {
    if (count <= FIRST) return;
    const stop = new AbortController();
    const { signal } = stop;
    const near = new Set<number>();
    const isDone = (index: number) => index < FIRST || known.current.formatted.has(index);
    let next: "now" | "idle" | undefined;
    /** Formats one chunk at a time, so that the page answers in between. */
    const work = (when: typeof next) => {
      if (signal.aborted || next !== when) return;
      const close = [...near].find((index) => !isDone(index));
      const index = close ?? read.chunks.findIndex((_, one) => !isDone(one));
      next = undefined;
      if (index < 0) return;
      flushSync(() => format([index]));
      schedule();
    };
    const schedule = () => {
      const isUrgent = [...near].some((index) => !isDone(index));
      if (next === "now" || (next === "idle" && !isUrgent)) return;
      next = isUrgent ? "now" : "idle";
      if (isUrgent) setTimeout(() => work("now"), 0);
      else whenIdle(() => work("idle"));
    };
    const children = [...(root.current?.children ?? [])];
    const indexes = new Map(children.map((child, index) => [child, index]));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const index = indexes.get(target) ?? 0;
          if (isIntersecting) near.add(index);
          else near.delete(index);
        }
        schedule();
      },
      { rootMargin: NEAR },
    );
    for (const child of children) observer.observe(child);
    return () => {
      stop.abort();
      observer.disconnect();
    };
  }, [count, format, read.chunks]);
  useTarget(count > FIRST);
  return { root, isFormatted };
}
