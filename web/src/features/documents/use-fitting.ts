import { type RefObject, useLayoutEffect, useState } from "react";

/** Lower than that, a list scrolls with its page. */
const LEAST_PX = 320;

/** How high a list may be so that its page does not scroll as well, in pixels; undefined until it is measured. */
export function useFitting(list: RefObject<HTMLElement | null>): number | undefined {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      const element = list.current;
      if (!element) return;
      const { top, bottom } = element.getBoundingClientRect();
      const above = top + scrollY;
      const below = Math.max(0, document.documentElement.scrollHeight - (bottom + scrollY));
      // Where the page is lower than the window, what is below it is not known.
      const isFull = document.documentElement.scrollHeight > innerHeight;
      if (isFull) setHeight(Math.max(LEAST_PX, Math.floor(innerHeight - above - below)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [list]);
  return height;
}
