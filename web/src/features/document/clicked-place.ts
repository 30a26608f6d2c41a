// The place in a rendered text that a click or tap means.

/** Elements that react to clicks themselves. */
const ACTIVE =
  "a, button, input, textarea, select, summary, label, img, audio, video, [role=button], [contenteditable]";

/** Modifier keys extend a selection or open menus. */
const isPlain = ({ button, shiftKey, ctrlKey, metaKey, altKey, defaultPrevented }: MouseEvent) =>
  button === 0 && !shiftKey && !ctrlKey && !metaKey && !altKey && !defaultPrevented;

const isText = ({ target }: MouseEvent) => target instanceof Element && !target.closest(ACTIVE);

/** Whether a click means its place in a text, and neither a control nor the end of a selection. */
export const isPlaceClicked = (event: MouseEvent): boolean =>
  isPlain(event) && isText(event) && (getSelection()?.isCollapsed ?? true);

/** A place between two letters. */
type Point = { node: Node; offset: number };

/** The place under the pointer. */
export function pointAt({ clientX, clientY }: MouseEvent): Point | undefined {
  if ("caretPositionFromPoint" in document) {
    const found = document.caretPositionFromPoint(clientX, clientY);
    return found ? { node: found.offsetNode, offset: found.offset } : undefined;
  }
  // Older versions of Safari
  const range = (document as Document).caretRangeFromPoint(clientX, clientY);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** The ends of the word that a double click has selected; undefined if something else was clicked. */
export function selectedWord(event: MouseEvent): { start: Point; end: Point } | undefined {
  const selection = getSelection();
  if (!isPlain(event) || !isText(event) || !selection || selection.isCollapsed) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  return {
    start: { node: startContainer, offset: startOffset },
    end: { node: endContainer, offset: endOffset },
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
export function blockOf({ node }: Point): HTMLElement | undefined {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>("[data-at]") ?? undefined;
}
