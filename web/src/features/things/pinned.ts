import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { documentsApi } from "../../api/documents.ts";
import { fetchOrCopy, listCopyName, type QueryContext } from "../../state/copies.ts";
import { usePendingChanges } from "../../state/pending-changes.ts";
import { listWithPendingChanges } from "./pending-lists.ts";
import { MAX_PINNED, PINNED_QUERY, PINNED_TAG } from "./pinned-query.ts";

// A document is pinned by a tag, so that pins are the same everywhere, and are undone, exported and searched like any tag.

/** The tag that pins a document, as the document spells it; undefined if it is not pinned. */
export const pinTag = ({ tags }: { tags: readonly string[] }): string | undefined =>
  tags.find((tag) => tag.toLowerCase() === PINNED_TAG);

/** The pinned documents by title, with pending changes applied. */
export function usePinned() {
  const changes = usePendingChanges();
  const { data, ...query } = useQuery(PINNED_LIST);
  const shown = useMemo(
    () =>
      data && {
        ...data,
        items: listWithPendingChanges(data.items, PINNED_QUERY, changes).slice(0, MAX_PINNED),
      },
    [data, changes],
  );
  return { ...query, data: shown };
}

/** The pinned documents without pending changes. */
export const PINNED_LIST = {
  queryKey: ["documents", "pinned"],
  // The sidebar waits for this list before it mounts what shows it: after an error, that would ask again for ever.
  retryOnMount: false,
  queryFn: (asking: QueryContext & { signal: AbortSignal }) =>
    fetchOrCopy(
      listCopyName("/api/documents", PINNED_QUERY),
      () => documentsApi.list(PINNED_QUERY, asking.signal),
      asking,
      async () => (await import("../../state/cached-lists.ts")).listCachedDocuments(PINNED_QUERY),
    ),
};
