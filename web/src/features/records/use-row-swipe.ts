import { type PointerEvent, useEffect, useRef } from "react";
import { firstScreenLoaded } from "../../state/first-screen.ts";
import type { SwipeOptions } from "./swipe.ts";

/** Event handlers of a list whose rows are swiped (swipe.ts). What is touched before that is loaded is handled afterwards. */
export function useRowSwipe({ rows, onStep }: SwipeOptions) {
  const handler = useRef<(event: PointerEvent) => void>(undefined);
  const early = useRef<PointerEvent[]>([]);
  const load = () =>
    import("./swipe.ts")
      .then(({ rowSwipe }) => {
        handler.current ??= rowSwipe({ rows, onStep });
        early.current.splice(0).forEach(handler.current);
      })
      .catch(() => {
        early.current = [];
      });
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once; the options never change
  useEffect(() => {
    if (matchMedia("(any-pointer: coarse)").matches) void firstScreenLoaded.then(load);
  }, []);
  const handle = (event: PointerEvent) => {
    if (handler.current) handler.current(event);
    else if (event.pointerType === "touch" && early.current.push(event) === 1) void load();
  };
  return { onPointerDown: handle, onPointerMove: handle, onPointerUp: handle, onPointerCancel: handle };
}
