import { type RefObject, useEffect, useRef } from "react";

// The place in a rendered text that a click or tap means.

/** Elements that react to clicks themselves. */
const ACTIVE =
  "a, button, input, textarea, select, summary, label, img, audio, video, [role=button], [contenteditable]";

/** Fields of text, to which keys belong. */
export const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** Modifier keys extend a selection or open menus. */
export const isPlain = ({ button, shiftKey, ctrlKey, metaKey, altKey, defaultPrevented }: MouseEvent) =>
  button === 0 && !shiftKey && !ctrlKey && !metaKey && !altKey && !defaultPrevented;

const isText = ({ target }: MouseEvent) => target instanceof Element && !target.closest(ACTIVE);

/** Whether a click means its place in a text, and neither a control nor the end of a selection. */
const isPlaceClicked = (event: MouseEvent): boolean =>
  isPlain(event) && isText(event) && (getSelection()?.isCollapsed ?? true);

/** A place between two letters. */
export type Point = { node: Node; offset: number };

/** The place under the pointer. */
export function pointAt({ clientX, clientY }: Pick<MouseEvent, "clientX" | "clientY">): Point | undefined {
  if ("caretPositionFromPoint" in document) {
    const found = document.caretPositionFromPoint(clientX, clientY);
    return found ? { node: found.offsetNode, offset: found.offset } : undefined;
  }
  // Older versions of Safari
  const range = (document as Document).caretRangeFromPoint(clientX, clientY);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** The ends and the first letter of the word that a double click has selected; undefined if something else was clicked. */
export function selectedWord(event: MouseEvent): { start: Point; end: Point; letter: string } | undefined {
  const selection = getSelection();
  if (!isPlain(event) || !isText(event) || !selection || selection.isCollapsed) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  return {
    start: { node: startContainer, offset: startOffset },
    end: { node: endContainer, offset: endOffset },
    letter: selection.toString().charAt(0),
  };
}

/** What is shown but not written: states, kinds, and what stands for pictures and footnotes. */
const NOT_WRITTEN = "[data-apart], .visually-hidden, [data-picture], [data-footnote-ref]";

/** What is shown of an element before a place, as it is written; undefined if the place is elsewhere. */
export function textBefore(element: Element, { node, offset }: Point): string | undefined {
  if (!element.contains(node)) return undefined;
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setEnd(node, offset);
  const before = range.cloneContents();
  for (const apart of before.querySelectorAll(NOT_WRITTEN)) apart.remove();
  for (const link of before.querySelectorAll<HTMLElement>("[data-written]"))
    link.textContent = link.dataset.written ?? "";
  return before.textContent ?? "";
}

/** The block (`data-at`) that contains a place. */
export function blockOf({ node }: Pick<Point, "node">): HTMLElement | undefined {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>("[data-at]") ?? undefined;
}

/** How far from a number a range is. */
const distance = (at: number, from: number, to: number) => Math.max(from - at, at - to, 0);

/** Boxes of one line differ by this much in height. */
const SAME_LINE_PX = 4;

/** The children of a text that are next to a height. What is far from the screen need not be measured. */
function childrenNear(root: HTMLElement, y: number): Element[] {
  const measured = [...root.children].map((child) => {
    const { top, bottom } = child.getBoundingClientRect();
    return { child, far: distance(y, top, bottom) };
  });
  const near = measured.toSorted((one, other) => one.far - other.far).slice(0, 2);
  return near.length === 0 ? [root] : near.map(({ child }) => child);
}

/** The texts of an element that are written in its source. */
export function* writtenTexts(element: Element): Generator<Text> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.textContent?.trim() !== "" && !node.parentElement?.closest(NOT_WRITTEN)) yield node as Text;
}

/** What a closed callout hides has boxes, too. */
const FOLDED = "details:not([open]) > :not(summary)";

/** Where the letters of a text from an offset on are drawn, line by line. */
export function drawnLines({ node, offset }: Point): DOMRect[] {
  if (node.parentElement?.closest(FOLDED)) return [];
  const range = document.createRange();
  range.setStart(node, offset);
  range.setEndAfter(node);
  return [...range.getClientRects()].filter(({ height }) => height > 0);
}

/** Where the letters of an element are drawn, line by line. */
export function* drawnTexts(element: Element): Generator<{ node: Text; box: DOMRect }> {
  for (const node of writtenTexts(element))
    for (const box of drawnLines({ node, offset: 0 })) if (box.width > 0) yield { node, box };
}

/** The place nearest to a click beside all letters: in the nearest line, and there at the nearest letter. */
function nearestPoint(root: HTMLElement, { clientX, clientY }: MouseEvent): Point | undefined {
  const texts = childrenNear(root, clientY).flatMap((child) => [...drawnTexts(child)]);
  const far = ({ left, right, top, bottom }: DOMRect) =>
    1000 * Math.max(0, distance(clientY, top, bottom) - SAME_LINE_PX) + distance(clientX, left, right);
  const [first, ...others] = texts;
  if (!first) return undefined;
  const { node, box } = others.reduce((one, other) => (far(other.box) < far(one.box) ? other : one), first);
  const x = Math.min(Math.max(clientX, box.left + 1), box.right - 1);
  const point = pointAt({ clientX: x, clientY: (box.top + box.bottom) / 2 });
  return point && root.contains(point.node) ? point : { node, offset: 0 };
}

/**
 * The place in a text that a click means, also beside the text, in the empty space of the page: the nearest one, and below
 * the text its end. Undefined if the click means something else.
 */
function clickedPoint(root: HTMLElement, event: MouseEvent): Point | "end" | undefined {
  const { target, clientY } = event;
  if (!isPlaceClicked(event) || !(target instanceof Element)) return undefined;
  // A plain text is one block.
  const isBlock = (node: Node) => root.childElementCount === 0 || blockOf({ node }) !== undefined;
  const point = root.contains(target) && isBlock(target) ? pointAt(event) : undefined;
  if (point && root.contains(point.node) && isBlock(point.node)) return point;
  const { top, bottom } = root.getBoundingClientRect();
  if (!root.contains(target) && (!target.contains(root) || clientY < top)) return undefined;
  return clientY > bottom ? "end" : nearestPoint(root, event);
}

/** Whether a click is level with what stands beside the text, or below it. */
function isBeside(page: Element | null, { clientX, clientY }: MouseEvent): boolean {
  const box = page?.querySelector("[data-beside]")?.getBoundingClientRect();
  return box !== undefined && clientY >= box.top && distance(clientX, box.left, box.right) === 0;
}

/** Calls `onPoint` for clicks in a text and in the empty space around it. */
export function useClickedPoints(
  root: RefObject<HTMLElement | null>,
  onPoint: (point: Point | "end") => void,
): void {
  const latest = useRef(onPoint);
  latest.current = onPoint;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let hasOtherUse = false;
    const press = () => {
      const isInField = document.activeElement?.matches(FIELDS) ?? false;
      hasOtherUse = isInField || getSelection()?.isCollapsed === false;
    };
    const handle = (event: MouseEvent) => {
      // A click beside the text may only be there to leave a field, or to end a selection.
      const isAside = !root.current?.contains(event.target as Node);
      if (isAside && isBeside(page, event)) return;
      const point = root.current && !(isAside && hasOtherUse) && clickedPoint(root.current, event);
      if (point) latest.current(point);
    };
    const page = root.current?.closest("main") ?? root.current;
    page?.addEventListener("pointerdown", press, { signal, capture: true });
    page?.addEventListener("click", handle, { signal });
    return () => stop.abort();
  }, [root]);
}
