import { useSyncExternalStore } from "react";

// The router does not report changes of the hash alone. The last two events are dispatched by the router.
const EVENTS = ["hashchange", "popstate", "pushState", "replaceState"] as const;

const subscribe = (listener: () => void) => {
  for (const event of EVENTS) addEventListener(event, listener);
  return () => {
    for (const event of EVENTS) removeEventListener(event, listener);
  };
};

/** The hash of the URL: `you` of `/settings#you`, "" without one. */
export const useAnchor = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));
