import { useInfiniteQuery } from "@tanstack/react-query";
import { createContext, useMemo } from "react";
import { linkKey } from "../../../../../src/shared/markdown/note-links.ts";
import { type DocumentLinks, documentsApi, type LinkedDocument } from "../../../api/documents.ts";
import { copyNames, fetchOrCopy, type QueryContext } from "../../../state/copies.ts";
import { queries } from "../../../state/queries.ts";

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

async function readLinks(
  id: string,
  cursor: string | undefined,
  asking: QueryContext,
): Promise<DocumentLinks> {
  if (cursor !== undefined) return documentsApi.links(id, { cursor });
  const derive = async () => (await import("./on-device.ts")).linksOnDevice(id);
  return fetchOrCopy(copyNames.links(id), () => documentsApi.links(id), asking, derive);
}

export const useDocumentLinks = (id = "") =>
  useInfiniteQuery({
    queryKey: linksKey(id),
    enabled: id !== "",
    queryFn: (asking) => readLinks(id, asking.pageParam, asking),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

type Pages = { pages: DocumentLinks[] };

function resolverOf(links: DocumentLinks["links"]): ResolveLink {
  const byKey = new Map(links.map(({ target, document }) => [linkKey(target), document]));
  return (target) => byKey.get(linkKey(target));
}

const firstLinks = (data: Pages | undefined) => data?.pages[0]?.links;

/** Resolves the links of a document; of a new one, none. */
export function useResolveLink(id: string | undefined): ResolveLink {
  const links = firstLinks(useDocumentLinks(id).data);
  return useMemo(() => resolverOf(links ?? []), [links]);
}

export function useLinks({ id, folder_id }: NonNullable<Links["from"]>): Links {
  const resolve = useResolveLink(id);
  return useMemo(() => ({ resolve, from: { id, folder_id } }), [resolve, id, folder_id]);
}

/** The document to which a target leads, as far as this tab knows. */
export const knownLink = (id: string, target: string): LinkedDocument | null | undefined =>
  resolverOf(firstLinks(queries.getQueryData<Pages>(linksKey(id))) ?? [])(target);
