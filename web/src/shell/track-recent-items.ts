import { useEffect } from "react";
import type { Document } from "../api/documents.ts";
import type { Memory } from "../api/memories.ts";
import { documentKey, queries } from "../state/queries.ts";
import { addRecentItem, type RecentItem } from "../state/recent-items.ts";

const ITEM_PATH = /^\/(documents|records)\/([\w-]+)$/;

/** The item that the screen of a path shows, once it is loaded. The title of a document is Markdown. */
function itemAt(path: string): RecentItem | undefined {
  const [, place, id = ""] = ITEM_PATH.exec(path) ?? [];
  if (place === "documents") {
    const known = queries.getQueryData<Document>(documentKey(id));
    return known && { href: path, title: known.title, kind: "document" };
  }
  const known = place && queries.getQueryData<Memory>(["memories", "record", Number(id)]);
  return known ? { href: path, title: known.topic, kind: known.memory_type } : undefined;
}

/** Adds opened items to the recent ones of the palette. */
export function useTrackRecentItems(path: string): void {
  useEffect(() => {
    let noted = "";
    const note = () => {
      const opened = itemAt(path);
      if (!opened || opened.title === noted) return;
      noted = opened.title;
      if (opened.kind !== "document") return addRecentItem(opened);
      // Loaded with the screens about documents.
      import("../kit/title-text.ts").then(
        ({ titleText }) => addRecentItem({ ...opened, title: titleText(opened.title) }),
        () => undefined,
      );
    };
    note();
    return ITEM_PATH.test(path) ? queries.getQueryCache().subscribe(note) : undefined;
  }, [path]);
}
