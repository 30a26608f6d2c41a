import { flushSync } from "react-dom";
import type { Point } from "./clicked-place.ts";

// The parts of a long text that are not rendered yet. They are rendered early where something needs them.

/** A rendered text, with the numbers of its chunks. */
export type Unformatted = {
  format: (chunks: readonly number[]) => void;
  count: number;
  /** The chunk that contains an offset of the text. */
  chunkAt: (offset: number) => number;
  /** The chunk that contains the target of a link within the text. */
  chunkOf: (id: string) => number | undefined;
  /** The offset in the text of a place on the screen. */
  placeAt: (point: Point) => number | undefined;
};

const texts = new Set<Unformatted>();

/** Called for each text on the screen. Returns a function that removes it. */
export function addUnformatted(text: Unformatted): () => void {
  texts.add(text);
  return () => texts.delete(text);
}

/** The offset in the shown text of a place on the screen; undefined if it is not in the text. */
export const placeAt = (point: Point): number | undefined => [...texts].at(-1)?.placeAt(point);

/** Renders all chunks, for example for printing. */
export const formatAll = (): void =>
  flushSync(() => {
    for (const { format, count } of texts) format(Array.from({ length: count }, (_, index) => index));
  });

/** Renders the end. */
export const formatEnd = (): void =>
  flushSync(() => {
    for (const { format, count } of texts) format([count - 2, count - 1]);
  });

const around = (chunk: number) => [chunk - 1, chunk, chunk + 1];

/** Renders what surrounds an offset of the text. */
export const formatAt = (offset: number): void =>
  flushSync(() => {
    for (const { format, chunkAt } of texts) format(around(chunkAt(offset)));
  });

/** Renders what surrounds the target of a link. Returns whether it is in a text. */
export function formatTarget(id: string): boolean {
  let isFound = false;
  flushSync(() => {
    for (const { format, chunkOf } of texts) {
      const chunk = chunkOf(id);
      if (chunk === undefined) continue;
      format(around(chunk));
      isFound = true;
    }
  });
  return isFound;
}

/** Heights above are taken as final once the page has kept its height for so many frames. */
const STABLE_FRAMES = 30;
const MAX_FRAMES = 180;
const USER_INPUT = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
const WITHOUT_SCROLLING = /^(?:Shift|Control|Alt|AltGraph|Meta|CapsLock|Escape)$/;

/** Whether an input may scroll. Typing a letter, the first key of a shortcut, or Escape, which leaves, does not. */
const mayScroll = (event: Event): boolean =>
  !(event instanceof KeyboardEvent) ||
  (!WITHOUT_SCROLLING.test(event.key) && (event.ctrlKey || event.metaKey || event.key.length > 1));

/** Calls `correct` in the next frames, until heights are stable or the user scrolls or moves the cursor, or `stop` is aborted. */
export function whileSettling(correct: () => void, stop = new AbortController()): void {
  const began = performance.now();
  // Not by the key that has led here.
  const end = (event: Event) => event.timeStamp >= began && mayScroll(event) && stop.abort();
  for (const event of USER_INPUT) addEventListener(event, end, { signal: stop.signal });
  let [frames, stable, height] = [0, 0, 0];
  const next = () => {
    if (stop.signal.aborted || stable === STABLE_FRAMES || frames === MAX_FRAMES) return stop.abort();
    frames += 1;
    correct();
    const { scrollHeight } = document.documentElement;
    stable = scrollHeight === height ? stable + 1 : 0;
    height = scrollHeight;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}
