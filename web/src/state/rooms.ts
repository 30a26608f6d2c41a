// Remembers the height of parts of the app in this browser, to reserve it while they load.

const keyOf = (part: string) => `commonplace-room-${part}`;

/** In pixels; 0 if unknown. */
export const roomOf = (part: string): number => Number(localStorage.getItem(keyOf(part)));

function keep(part: string, height: number): void {
  try {
    localStorage.setItem(keyOf(part), String(height));
  } catch {
    // Storage is full: the layout may shift next time.
  }
}

/** A ref callback that remembers the height of a part's element. */
export const rememberRoom = (part: string) => (element: HTMLElement | null) => {
  if (!element) return;
  const observer = new ResizeObserver(() => {
    const { height } = element.getBoundingClientRect();
    // Skip when hidden, such as the sidebar while printing.
    if (element.offsetParent) keep(part, height);
  });
  observer.observe(element);
  return () => observer.disconnect();
};
