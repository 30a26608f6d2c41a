// Whether the screen that is shown was come back to, by the browser's Back or Forward. A screen that scrolls by itself
// then begins where it was left; the window's own place is kept by the browser.

let isBack = false;
// `main.tsx` imports this first: it must hear of it before the router, which shows the screen at once.
addEventListener("popstate", () => {
  isBack = true;
});
// The router tells of its own steps by this event.
addEventListener("pushState", () => {
  isBack = false;
});

export const isWayBack = (): boolean => isBack;

/** Where a list was left: how far it was scrolled, and what was opened from it. */
export type Left = { top: number; opened?: string };

const places = new Map<string, Left>();

/** The address under which a list keeps its place. */
export const addressNow = (): string => location.pathname + location.search;

/** Keeps the place in the list of an address. */
export function leaveAt(address: string, left: Partial<Left>): void {
  places.set(address, { top: 0, ...places.get(address), ...left });
}

/** The place where the list of an address was left, on the way back to it. */
export const leftAt = (address: string): Left | undefined => (isBack ? places.get(address) : undefined);
