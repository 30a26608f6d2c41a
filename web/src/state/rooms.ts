// How much room parts of the app took in this browser the last time: it is kept free for them until they are there.

const keyOf = (part: string) => `commonplace-room-${part}`;

/** In pixels; 0 if it is not known. */
export const roomOf = (part: string): number => Number(localStorage.getItem(keyOf(part)));

function keep(part: string, height: number): void {
  try {
    localStorage.setItem(keyOf(part), String(height));
  } catch {
    // There is no space: the next time it may be moved.
  }
}

/** A ref for the element of a part, whose room is remembered. */
export const rememberRoom = (part: string) => (element: HTMLElement | null) => {
  if (!element) return;
  const observer = new ResizeObserver(() => {
    const { height } = element.getBoundingClientRect();
    // On paper there is no sidebar.
    if (element.offsetParent) keep(part, height);
  });
  observer.observe(element);
  return () => observer.disconnect();
};
