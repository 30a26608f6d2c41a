import { type RefObject, useEffect } from "react";
import { currentUrl, savedListPosition, saveListPosition } from "../../state/list-positions.ts";
import { takeRememberedRow } from "./focused-row.ts";

/** The list reaches its height only after its rows are laid out: try for this many frames. */
const MAX_FRAMES = 30;

/** After Back or Forward, restores the scroll position of a list and the focus on the item that was opened. */
export function useListPosition(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const address = currentUrl();
    const focused = takeRememberedRow();
    const left = savedListPosition(address) ?? (focused ? { top: 0, opened: focused } : undefined);
    let frame = 0;
    const restore = (frames: number) => {
      if (!left) return;
      element.scrollTop = left.top;
      const opened = left.opened && element.querySelector<HTMLElement>(`[data-key="${left.opened}"]`);
      if (opened) opened.focus({ preventScroll: true });
      else if (frames < MAX_FRAMES) frame = requestAnimationFrame(() => restore(frames + 1));
    };
    restore(0);
    const keep = () => saveListPosition(address, { top: element.scrollTop });
    element.addEventListener("scroll", keep, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("scroll", keep);
    };
  }, [list]);
}
