import { type RefObject, useEffect } from "react";
import { currentUrl, savedListPosition, saveListPosition } from "../../state/list-positions.ts";
import { takeRememberedRow } from "./focused-row.ts";

/** The list reaches its height only after its rows are laid out: try for this many frames. */
const MAX_FRAMES = 30;

/**
 * After Back or Forward, restores the scroll position of a list, or of its page, and the focus on the item that was opened.
 */
export function useListPosition(list: RefObject<HTMLElement | null>, isPageScrolling: boolean): void {
  useEffect(() => {
    const element = list.current;
    const scroller = isPageScrolling ? document.documentElement : element;
    if (!element || !scroller) return undefined;
    const address = currentUrl();
    const focused = takeRememberedRow();
    const left = savedListPosition(address) ?? (focused ? { top: 0, opened: focused } : undefined);
    let frame = 0;
    const restore = (frames: number) => {
      if (!left) return;
      scroller.scrollTop = left.top;
      const opened = left.opened && element.querySelector<HTMLElement>(`[data-key="${left.opened}"]`);
      if (opened) opened.focus({ preventScroll: true });
      else if (frames < MAX_FRAMES) frame = requestAnimationFrame(() => restore(frames + 1));
    };
    restore(0);
    const keep = () => saveListPosition(address, { top: scroller.scrollTop });
    const scrolled = isPageScrolling ? document : element;
    scrolled.addEventListener("scroll", keep, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      scrolled.removeEventListener("scroll", keep);
    };
  }, [list, isPageScrolling]);
}
