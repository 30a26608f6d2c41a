import { type RefObject, useEffect } from "react";
import { addressNow, leaveAt, leftAt } from "../../state/way-back.ts";
import { takeFocus } from "./focused-row.ts";

/** The list reaches its height only after its rows are laid out: try for this many frames. */
const MOST_FRAMES = 30;

/** After Back or Forward, restores the scroll position of a list and the focus on the item that was opened. */
export function useListPlace(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const address = addressNow();
    const focused = takeFocus();
    const left = leftAt(address) ?? (focused ? { top: 0, opened: focused } : undefined);
    let frame = 0;
    const goBack = (frames: number) => {
      if (!left) return;
      element.scrollTop = left.top;
      const opened = left.opened && element.querySelector<HTMLElement>(`[data-key="${left.opened}"]`);
      if (opened) opened.focus({ preventScroll: true });
      else if (frames < MOST_FRAMES) frame = requestAnimationFrame(() => goBack(frames + 1));
    };
    goBack(0);
    const keep = () => leaveAt(address, { top: element.scrollTop });
    element.addEventListener("scroll", keep, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("scroll", keep);
    };
  }, [list]);
}
