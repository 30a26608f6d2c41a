import { useInfiniteQuery } from "@tanstack/react-query";
import { createContext, useMemo } from "react";
import { linkKey } from "../../../../../src/shared/markdown/note-links.ts";
import { type DocumentLinks, documentsApi, type LinkedDocument } from "../../../api/documents.ts";
import { copyNames, fetchOrCopy, type QueryContext, storeAnswer } from "../../../state/copies.ts";
import { documentKey, queries } from "../../../state/queries.ts";

// The documents that a document links to, and those that link to it.

/** The document to which a target leads; null if there is none, undefined if that is not known yet. */
export type ResolveLink = (target: string) => LinkedDocument | null | undefined;

type Links = {
  resolve: ResolveLink;
  /** The document with the links. */
  from?: { id: string; folder_id: string | null };
};

export const LinksContext = createContext<Links>({ resolve: () => undefined });

const linksKey = (id: string) => ["documents", "links", id];
const firstLinks = (id: string) => queries.getQueryData<Pages>(linksKey(id))?.pages[0];

type Pages = { pages: DocumentLinks[]; pageParams: (string | undefined)[] };

/** Keeps the links that came with a document. If further pages are on the screen, their query reads all of them itself. */
export function keepLinks(id: string, links: DocumentLinks): void {
  storeAnswer(copyNames.links(id), links);
  queries.setQueryData<Pages>(linksKey(id), (shown) =>
    (shown?.pages.length ?? 0) > 1 ? undefined : { pages: [links], pageParams: [undefined] },
  );
}

/** The links that come with the document, if that is being read. */
async function linksOfReadDocument(id: string): Promise<DocumentLinks | undefined> {
  const reading = queries.getQueryCache().find({ queryKey: documentKey(id), exact: true });
  const known = queries.getQueryState(linksKey(id))?.dataUpdateCount;
  // A further change makes it be read once more.
  while (reading?.state.fetchStatus === "fetching" && reading.promise)
    await reading.promise.catch(() => undefined);
  const isKept = queries.getQueryState(linksKey(id))?.dataUpdateCount !== known;
  return isKept ? firstLinks(id) : undefined;
}

async function readLinks(
  id: string,
  cursor: string | undefined,
  asking: QueryContext,
): Promise<DocumentLinks> {
  if (cursor !== undefined) return documentsApi.links(id, { cursor });
  const derive = async () => (await import("./on-device.ts")).linksOnDevice(id);
  const fetchLinks = async () => (await linksOfReadDocument(id)) ?? documentsApi.links(id);
  return fetchOrCopy(copyNames.links(id), fetchLinks, asking, derive);
}

export const useDocumentLinks = (id = "") =>
  useInfiniteQuery({
    queryKey: linksKey(id),
    enabled: id !== "",
    queryFn: (asking) => readLinks(id, asking.pageParam, asking),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

function resolverOf(links: DocumentLinks["links"]): ResolveLink {
  const byKey = new Map(links.map(({ target, document }) => [linkKey(target), document]));
  return (target) => byKey.get(linkKey(target));
}

/** Resolves the links of a document; of a new one, none. */
export function useResolveLink(id: string | undefined): ResolveLink {
  const links = useDocumentLinks(id).data?.pages[0]?.links;
  return useMemo(() => resolverOf(links ?? []), [links]);
}

export function useLinks({ id, folder_id }: NonNullable<Links["from"]>): Links {
  const resolve = useResolveLink(id);
  return useMemo(() => ({ resolve, from: { id, folder_id } }), [resolve, id, folder_id]);
}

/** Resolves the links of a document as far as this tab knows. */
export const knownLinks = (id: string): ResolveLink => resolverOf(firstLinks(id)?.links ?? []);
