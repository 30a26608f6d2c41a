// Whether the current screen was reached by Back or Forward. A list that scrolls by itself then restores its position; the
// browser restores that of the window.

let isBack = false;
// `main.tsx` imports this first: it must handle the event before the router, which renders the screen immediately.
addEventListener("popstate", () => {
  isBack = true;
});
// Dispatched by the router for its own navigation.
addEventListener("pushState", () => {
  isBack = false;
});

export const isBackNavigation = (): boolean => isBack;

/** A screen begins at its top, however far the one before was scrolled. */
export const scrollToTop = (): void => {
  if (!isBack) scrollTo(0, 0);
};

/** Scroll position of a list, and the item that was opened from it. */
export type ListPosition = { top: number; opened?: string };

const positions = new Map<string, ListPosition>();

/** The key under which a list's position is saved. */
export const currentUrl = (): string => location.pathname + location.search;

export function saveListPosition(address: string, left: Partial<ListPosition>): void {
  positions.set(address, { top: 0, ...positions.get(address), ...left });
}

/** The saved position of a list; undefined unless it was reached by Back or Forward. */
export const savedListPosition = (address: string): ListPosition | undefined =>
  isBack ? positions.get(address) : undefined;
