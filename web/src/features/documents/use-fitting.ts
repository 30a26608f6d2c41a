import { type RefObject, useLayoutEffect, useState } from "react";

/** A smaller list scrolls with its page instead. */
const MIN_PX = 320;

/** The largest height in pixels at which only the list scrolls, not its page; undefined until measured. */
export function useFittingHeight(list: RefObject<HTMLElement | null>): number | undefined {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      const element = list.current;
      if (!element) return;
      const { top, bottom } = element.getBoundingClientRect();
      const above = top + scrollY;
      const below = Math.max(0, document.documentElement.scrollHeight - (bottom + scrollY));
      // If the page is shorter than the window, the height below the list is unknown.
      const isFull = document.documentElement.scrollHeight > innerHeight;
      if (isFull) setHeight(Math.max(MIN_PX, Math.floor(innerHeight - above - below)));
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
