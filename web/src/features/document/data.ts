import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { omit } from "../../../../src/contract/omit.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { copyNames, readDocument, storeAnswer } from "../../state/copies.ts";
import { usePendingChanges, withPendingChanges } from "../../state/pending-changes.ts";
import { documentKey, markDocumentsStale, queries, refreshDocuments } from "../../state/queries.ts";
import type { ChangeIds } from "../../state/undo.ts";
import { keepLinks } from "./linked/linked-documents.ts";
import { isSameWriting } from "./writing.ts";

const updateCount = (id: string) => queries.getQueryState(documentKey(id))?.dataUpdateCount;

async function fetchWithLinks(id: string): Promise<Document> {
  const before = updateCount(id);
  const document = await documentsApi.getWithLinks(id);
  // A later change has replaced this answer, links included.
  if (document.links && updateCount(id) === before) keepLinks(id, document.links);
  return omit(document, "links");
}

/** A document with pending changes applied. `trashedAt` is set if one of them moves it to the trash. */
export function useDocument(id: string) {
  const changes = usePendingChanges();
  const { data, ...query } = useQuery({
    queryKey: documentKey(id),
    queryFn: (asking) => readDocument(id, asking, () => fetchWithLinks(id)),
    enabled: id !== "new",
  });
  const shown = useMemo(() => data && withPendingChanges(data, changes), [data, changes]);
  const trashedAt = shown?.isTrashed ? new Date(shown.at).toISOString() : undefined;
  return { ...query, data: shown?.item, trashedAt };
}

type DocumentUpdate = { id: string; version: number };

let channel: BroadcastChannel | undefined;
const updates = () => (channel ??= new BroadcastChannel("commonplace-documents"));

function showInAllTabs(document: Document): void {
  queries.setQueryData(documentKey(document.id), document);
  storeAnswer(copyNames.document(document.id), document);
  updates().postMessage({ id: document.id, version: document.version } satisfies DocumentUpdate);
}

/** Updates the cache with a saved document, tells other tabs and refreshes lists. */
export function publishDocument(document: Document): void {
  showInAllTabs(document);
  refreshDocuments();
}

/** Like `publishDocument`, while the user keeps editing: lists are fetched again only when they are shown. */
export function publishWhileEditing(document: Document): void {
  showInAllTabs(document);
  void markDocumentsStale();
}

/** Shows an unconfirmed change, and cancels requests that lack it. Returns a rollback, without effect once it was replaced. */
export function showOptimistically(document: Document): () => void {
  const queryKey = documentKey(document.id);
  const before = queries.getQueryData<Document>(queryKey);
  void queries.cancelQueries({ queryKey });
  queries.setQueryData(queryKey, document);
  return () => queries.setQueryData<Document>(queryKey, (now) => (now === document ? before : now));
}

/** The newest version of a document that this tab knows. */
export function newestVersion(document: Document, other: Document | undefined): Document {
  const known = queries.getQueryData<Document>(documentKey(document.id));
  return [known, other].reduce<Document>(
    (newest, one) => (one && one.version > newest.version ? one : newest),
    document,
  );
}

/** Fetches the document again when another tab has changed it. */
export function useOtherTabUpdates(id: string): void {
  useEffect(() => {
    const refresh = ({ data }: MessageEvent<DocumentUpdate>) => {
      const known = queries.getQueryData<Document>(documentKey(id));
      if (data.id === id && known && known.version < data.version) refreshDocuments();
    };
    updates().addEventListener("message", refresh);
    return () => updates().removeEventListener("message", refresh);
  }, [id]);
}

/** The document was changed elsewhere. Either the texts are merged, or the user has to compare them. */
export class Conflict extends Error {
  readonly theirs: Document;

  constructor(theirs: Document) {
    super("The document was changed elsewhere");
    this.theirs = theirs;
  }
}

/** `editSession`: id of the edit session. `changes` collects the ids of the recorded changes. */
type WriteContext = { editSession?: string; changes?: ChangeIds };

export type TitleAndContent = { title: string; content: Record<string, unknown> };

/**
 * Saves a title or content based on a version. A newer version is overwritten if only its tags or folder changed. If it has the
 * same text already, the answer to an earlier request was lost. Otherwise throws Conflict with the newer version.
 */
export async function updateFromBase(
  base: Document,
  patch: Partial<TitleAndContent>,
  by: WriteContext = {},
): Promise<Document> {
  try {
    return await documentsApi.update(base.id, patch, { version: base.version, ...by });
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
    const latest = await documentsApi.get(base.id);
    queries.setQueryData(documentKey(base.id), latest);
    if (isSameWriting(latest, { ...latest, ...patch })) return latest;
    if (isSameWriting(latest, base)) return updateFromBase(latest, patch, by);
    throw new Conflict(latest);
  }
}
