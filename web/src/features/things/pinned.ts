import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { documentsApi } from "../../api/documents.ts";
import { type Asking, listName, orCopy } from "../../state/copies.ts";
import { useChanges } from "../../state/waiting-changes.ts";
import { MOST, PINNED, PINNED_QUERY } from "./pinned-query.ts";
import { listWith } from "./waiting-list.ts";

// A document is pinned by a tag, so that pins are the same in every browser, after an import and for assistants, and are undone,
// exported and searched like any tag.

/** The tag that pins a document, as the document spells it; undefined if it is not pinned. */
export const pinOf = ({ tags }: { tags: readonly string[] }): string | undefined =>
  tags.find((tag) => tag.toLowerCase() === PINNED);

/** The pinned documents by title, with pending changes applied. */
export function usePinned() {
  const changes = useChanges();
  const { data, ...query } = useQuery(PINNED_LIST);
  const shown = useMemo(
    () => data && { ...data, items: listWith(data.items, PINNED_QUERY, changes).slice(0, MOST) },
    [data, changes],
  );
  return { ...query, data: shown };
}

/** The pinned documents without pending changes. */
export const PINNED_LIST = {
  queryKey: ["documents", "pinned"],
  queryFn: (asking: Asking & { signal: AbortSignal }) =>
    orCopy(
      listName("/api/documents", PINNED_QUERY),
      () => documentsApi.list(PINNED_QUERY, asking.signal),
      asking,
      async () => (await import("../../state/copied-lists.ts")).documentsLike(PINNED_QUERY),
    ),
};
