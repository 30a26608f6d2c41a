import type { PointerEvent } from "react";
import type { RecordItem } from "./row.ts";
import { canApplyStep, RECORD_STEPS, type RecordActionName } from "./step-actions.ts";

// Swiping a row with a finger: to the right resolves it, to the left gives it another day. `touch-action: pan-y` (of the
// rows) leaves vertical movement to the browser, which cancels the pointer when it begins to scroll.

/** At the edges of the screen, the browser or the system goes back. */
const EDGE_PX = 28;
/** From here on it is a swipe rather than a tap. */
const START_PX = 12;
/** From here on letting go runs the action. */
const ENOUGH_PX = 96;

type Swipe = { element: HTMLElement; record: RecordItem; pointer: number; x: number; y: number; by: number };

const actionOf = (by: number): RecordActionName => (by > 0 ? "resolve" : "reschedule");

const isAtEdge = (x: number) => x < EDGE_PX || x > innerWidth - EDGE_PX;

function show({ element, by }: Swipe): void {
  const { name } = RECORD_STEPS[actionOf(by)];
  element.dataset.swipe = by > 0 ? "right" : "left";
  element.dataset.swipeName = name;
  element.toggleAttribute("data-swipe-enough", Math.abs(by) >= ENOUGH_PX);
  element.style.setProperty("--swipe", `${by}px`);
}

function hide({ element }: Swipe): void {
  for (const name of ["data-swipe", "data-swipe-name", "data-swipe-enough"]) element.removeAttribute(name);
  element.style.removeProperty("--swipe");
}

/** Not if the browser scrolls, or nothing can be done in this direction. */
const canBegin = ({ record }: Swipe, by: number, down: number) =>
  Math.abs(down) <= Math.abs(by) && canApplyStep(record, actionOf(by));

/** A swipe that goes back stays at its beginning. */
const inOneDirection = (before: number, by: number) => (before < 0 ? Math.min(by, -1) : Math.max(by, 1));

export type SwipeOptions = {
  rows: () => readonly RecordItem[];
  onStep: (row: RecordItem, action: RecordActionName) => void;
};

/** Returns the handler of all pointer events of a list whose rows are swiped. */
export function rowSwipe({ rows, onStep }: SwipeOptions): (event: PointerEvent) => void {
  let current: Swipe | undefined;
  const start = ({ pointerType, isPrimary, pointerId, clientX, clientY, target }: PointerEvent) => {
    if (pointerType !== "touch" || !isPrimary || isAtEdge(clientX)) return;
    const element = (target as Element).closest<HTMLElement>("[data-record]");
    const record = rows().find(({ id }) => id === Number(element?.dataset.record));
    if (element && record) current = { element, record, pointer: pointerId, x: clientX, y: clientY, by: 0 };
  };
  const move = (swipe: Swipe, { clientX, clientY }: PointerEvent) => {
    const [by, down] = [clientX - swipe.x, clientY - swipe.y];
    if (swipe.by === 0 && Math.abs(by) < START_PX) return;
    if (swipe.by === 0 && !canBegin(swipe, by, down)) {
      current = undefined;
      return;
    }
    swipe.by = inOneDirection(swipe.by || by, by);
    show(swipe);
  };
  const end = (swipe: Swipe, isTaken: boolean) => {
    current = undefined;
    hide(swipe);
    if (isTaken && Math.abs(swipe.by) >= ENOUGH_PX) onStep(swipe.record, actionOf(swipe.by));
  };
  return (event) => {
    const { type, pointerId } = event;
    if (type === "pointerdown") {
      if (current) end(current, false);
      start(event);
    } else if (current?.pointer === pointerId) {
      if (type === "pointermove") move(current, event);
      else end(current, type === "pointerup");
    }
  };
}
