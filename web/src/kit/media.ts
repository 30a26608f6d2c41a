import { useSyncExternalStore } from "react";

const lists = new Map<string, MediaQueryList>();

function mediaQueryList(query: string): MediaQueryList {
  const list = lists.get(query) ?? matchMedia(query);
  lists.set(query, list);
  return list;
}

export const useMedia = (query: string) =>
  useSyncExternalStore(
    (listener) => {
      const list = mediaQueryList(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => mediaQueryList(query).matches,
  );
