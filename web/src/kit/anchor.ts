import { useSyncExternalStore } from "react";

// The router does not tell of a change of the anchor alone; it tells of its own steps by these events.
const EVENTS = ["hashchange", "popstate", "pushState", "replaceState"] as const;

const subscribe = (listener: () => void) => {
  for (const event of EVENTS) addEventListener(event, listener);
  return () => {
    for (const event of EVENTS) removeEventListener(event, listener);
  };
};

/** The anchor of the address: `you` of `/settings#you`, "" without one. */
export const useAnchor = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));
