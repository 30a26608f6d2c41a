// Remembers the height of parts of the app in this browser, to reserve it while they load.

const storageKey = (part: string) => `commonplace-room-${part}`;

/** In pixels; 0 if unknown. */
export const rememberedHeight = (part: string): number => Number(localStorage.getItem(storageKey(part)));

function storeHeight(part: string, height: number): void {
  try {
    localStorage.setItem(storageKey(part), String(height));
  } catch {
    // Storage is full: the layout may shift next time.
  }
}

/** A ref callback that remembers the height of a part's element. */
export const rememberHeight = (part: string) => (element: HTMLElement | null) => {
  if (!element) return;
  const observer = new ResizeObserver(() => {
    const { height } = element.getBoundingClientRect();
    // Skip when hidden, such as the sidebar while printing.
    if (element.offsetParent) storeHeight(part, height);
  });
  observer.observe(element);
  return () => observer.disconnect();
};
