import { useEffect, useState } from "react";
import { firstScreenLoaded } from "../../state/first-screen.ts";
import type { rowSwipe, SwipeOptions } from "./swipe.ts";

/** Event handlers of a list whose rows are swiped (swipe.ts), on devices with a touch screen. */
export function useRowSwipe({ rows, onStep }: SwipeOptions): Partial<ReturnType<typeof rowSwipe>> {
  const [handlers, setHandlers] = useState<ReturnType<typeof rowSwipe>>();
  useEffect(() => {
    if (!matchMedia("(any-pointer: coarse)").matches) return;
    void firstScreenLoaded
      .then(() => import("./swipe.ts"))
      .then((swipe) => setHandlers(swipe.rowSwipe({ rows, onStep })))
      .catch(() => undefined);
  }, [rows, onStep]);
  return handlers ?? {};
}
