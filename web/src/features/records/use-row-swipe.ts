import { type PointerEvent, useRef } from "react";
import type { SwipeOptions } from "./swipe.ts";
import { loadSteps } from "./take-step.ts";

/** Event handlers of a list whose rows are swiped (swipe.ts). Touches before it has loaded are replayed. */
export function useRowSwipe({ rows, onStep }: SwipeOptions) {
  const handler = useRef<(event: PointerEvent) => void>(undefined);
  const early = useRef<PointerEvent[]>([]);
  const load = () =>
    loadSteps().then(
      ({ rowSwipe }) => {
        handler.current = rowSwipe({ rows, onStep });
        early.current.splice(0).forEach(handler.current);
      },
      () => {
        early.current = [];
      },
    );
  const handle = (event: PointerEvent) => {
    // Who sees nothing happen swipes again, and means one step.
    if (event.type === "pointerdown") early.current = [];
    if (handler.current) handler.current(event);
    else if (event.pointerType === "touch" && early.current.push(event) === 1) void load();
  };
  return { onPointerDown: handle, onPointerMove: handle, onPointerUp: handle, onPointerCancel: handle };
}
