import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { documentsApi } from "../../api/documents.ts";
import type { DocumentQuery } from "../../state/copied-lists.ts";
import { listName, orCopy } from "../../state/copies.ts";
import { useChanges } from "../../state/waiting-changes.ts";
import { listWith } from "./waiting-list.ts";

// Documents that stand on top are those with this tag. So they are the same in every browser, after an import and for the
// assistants, and pinning is undone, exported and searched as any tag is.

export const PINNED = "pinned";

/** The tag by which a document is pinned, as it is spelled there; undefined if it is not. */
export const pinOf = ({ tags }: { tags: readonly string[] }): string | undefined =>
  tags.find((tag) => tag.toLowerCase() === PINNED);

/** So many stand on top; all of them are found by the tag. */
const MOST = 20;
const QUERY: DocumentQuery = { tag: [PINNED], sort: "title", limit: MOST, offset: 0 };

/** The pinned documents, from A to Z, with the changes that wait. */
export function usePinned() {
  const changes = useChanges();
  const { data, ...query } = useListed();
  const shown = useMemo(
    () => data && { ...data, items: listWith(data.items, QUERY, changes).slice(0, MOST) },
    [data, changes],
  );
  return { ...query, data: shown };
}

const useListed = () =>
  useQuery({
    queryKey: ["documents", "pinned"],
    queryFn: (asking) =>
      orCopy(
        listName("/api/documents", QUERY),
        () => documentsApi.list(QUERY, asking.signal),
        asking,
        async () => (await import("../../state/copied-lists.ts")).documentsLike(QUERY),
      ),
  });
