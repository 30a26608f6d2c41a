import { type PointerEvent, useRef } from "react";
import type { SwipeOptions } from "./swipe.ts";
import { loadSteps } from "./take-step.ts";

/** Event handlers of a list whose rows are swiped (swipe.ts). What is touched before that is loaded is handled afterwards. */
export function useRowSwipe({ rows, onStep }: SwipeOptions) {
  const handler = useRef<(event: PointerEvent) => void>(undefined);
  const early = useRef<PointerEvent[]>([]);
  const load = async () => {
    const steps = await loadSteps().catch(() => undefined);
    handler.current = steps?.rowSwipe({ rows, onStep });
    for (const event of early.current.splice(0)) handler.current?.(event);
  };
  const handle = (event: PointerEvent) => {
    if (handler.current) handler.current(event);
    else if (event.pointerType === "touch" && early.current.push(event) === 1) void load();
  };
  return { onPointerDown: handle, onPointerMove: handle, onPointerUp: handle, onPointerCancel: handle };
}
