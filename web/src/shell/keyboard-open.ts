import { useEffect, useState } from "react";

/** An on-screen keyboard takes at least this part of the height; the browser's own bars take less. */
const KEYBOARD_SHARE = 0.25;

const isInTextField = () =>
  document.activeElement?.closest("textarea, input, [contenteditable], [data-writing]") != null;

/**
 * Whether an on-screen keyboard is open. Browsers do not say so: either the visual viewport or the whole window becomes lower
 * than it was at this width, while a field has the focus.
 */
export function useKeyboardOpen(isWatched: boolean): boolean {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const { visualViewport: viewport } = window;
    if (!isWatched || !viewport) return undefined;
    let full = { width: 0, height: 0 };
    const measure = () => {
      const height = Math.min(viewport.height * viewport.scale, innerHeight);
      if (innerWidth !== full.width || height > full.height) full = { width: innerWidth, height };
      setOpen(height < full.height * (1 - KEYBOARD_SHARE) && isInTextField());
    };
    measure();
    const gone = new AbortController();
    const options = { signal: gone.signal };
    viewport.addEventListener("resize", measure, options);
    for (const type of ["resize", "focusin", "focusout"]) addEventListener(type, measure, options);
    return () => gone.abort();
  }, [isWatched]);
  return isOpen;
}
