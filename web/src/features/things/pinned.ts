import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { documentsApi } from "../../api/documents.ts";
import { type Asking, listName, orCopy } from "../../state/copies.ts";
import { useChanges } from "../../state/waiting-changes.ts";
import { MOST, PINNED, PINNED_QUERY } from "./pinned-query.ts";
import { listWith } from "./waiting-list.ts";

// Documents that stand on top are those with this tag. So they are the same in every browser, after an import and for the
// assistants, and pinning is undone, exported and searched as any tag is.

/** The tag by which a document is pinned, as it is spelled there; undefined if it is not. */
export const pinOf = ({ tags }: { tags: readonly string[] }): string | undefined =>
  tags.find((tag) => tag.toLowerCase() === PINNED);

/** The pinned documents, from A to Z, with the changes that wait. */
export function usePinned() {
  const changes = useChanges();
  const { data, ...query } = useQuery(PINNED_LIST);
  const shown = useMemo(
    () => data && { ...data, items: listWith(data.items, PINNED_QUERY, changes).slice(0, MOST) },
    [data, changes],
  );
  return { ...query, data: shown };
}

/** As the service has answered it. */
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
