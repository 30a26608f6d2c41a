import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { type Document, documentsApi } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { copied, keepAnswer, readDocument } from "../../state/copies.ts";
import { markDocumentsStale, queries, refreshDocuments } from "../../state/queries.ts";
import type { Changes } from "../../state/undo.ts";
import { useChanges, withChanges } from "../../state/waiting-changes.ts";
import { sameWriting } from "./writing.ts";

const keyOf = (id: string) => ["documents", "one", id];

/** A document as it is going to be: changes that wait are in it. `trashedAt`: one of them put it in the trash. */
export function useDocument(id: string) {
  const changes = useChanges();
  const { data, ...query } = useQuery({
    queryKey: keyOf(id),
    queryFn: (asking) => readDocument(id, asking),
    enabled: id !== "new",
  });
  const shown = useMemo(() => data && withChanges(data, changes), [data, changes]);
  const trashedAt = shown?.isTrashed ? new Date(shown.at).toISOString() : undefined;
  return { ...query, data: shown?.item, trashedAt };
}

const NEWS = "commonplace-documents";
type News = { id: string; version: number };

let channel: BroadcastChannel | undefined;
const news = () => {
  channel ??= new BroadcastChannel(NEWS);
  return channel;
};

/** Shows a document that was just written, here and in the other tabs. */
export function showWritten(document: Document): void {
  queries.setQueryData(keyOf(document.id), document);
  keepAnswer(copied.document(document.id), document);
  news().postMessage({ id: document.id, version: document.version } satisfies News);
  refreshDocuments();
}

/**
 * Shows a document as it is going to be, in this tab. An answer that is under way does not have the change yet. Returns
 * what shows it as it was, unless something else is shown by then.
 */
export function showAtOnce(document: Document): () => void {
  const queryKey = keyOf(document.id);
  const before = queries.getQueryData<Document>(queryKey);
  void queries.cancelQueries({ queryKey });
  queries.setQueryData(queryKey, document);
  return () => queries.setQueryData<Document>(queryKey, (now) => (now === document ? before : now));
}

/** The newest state that this tab knows of a document, which may have been written since it was shown. */
export function newestOf(document: Document, written: Document | undefined): Document {
  const known = queries.getQueryData<Document>(keyOf(document.id));
  return [known, written].reduce<Document>(
    (newest, one) => (one && one.version > newest.version ? one : newest),
    document,
  );
}

/** Shows what was saved while somebody writes on: lists that have it are asked for when they are looked at. */
export function showSaved(document: Document): void {
  queries.setQueryData(keyOf(document.id), document);
  keepAnswer(copied.document(document.id), document);
  news().postMessage({ id: document.id, version: document.version } satisfies News);
  void markDocumentsStale();
}

/** Asks again for a document that another tab has written. */
export function useNews(id: string): void {
  useEffect(() => {
    const hear = ({ data }: MessageEvent<News>) => {
      const known = queries.getQueryData<Document>(keyOf(id));
      if (data.id === id && known && known.version < data.version) refreshDocuments();
    };
    news().addEventListener("message", hear);
    return () => news().removeEventListener("message", hear);
  }, [id]);
}

/** The document has been written by somebody else, and both texts have to be seen. */
export class Conflict extends Error {
  readonly theirs: Document;

  constructor(theirs: Document) {
    super("The document has been changed elsewhere");
    this.theirs = theirs;
  }
}

/** The sitting that it belongs to, or who gets the name of the change. */
type Writing = { sitting?: string; changes?: Changes };

export type Written = { title: string; content: Record<string, unknown> };

/**
 * Writes a title or a content over the version that they are based on. A change of tags or folder alone does not stand
 * in the way, and neither does the same text: the answer to it was lost. Throws Conflict with the other text.
 */
export async function writeOver(
  base: Document,
  written: Partial<Written>,
  by: Writing = {},
): Promise<Document> {
  try {
    return await documentsApi.update(base.id, written, { version: base.version, ...by });
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
    const latest = await documentsApi.get(base.id);
    queries.setQueryData(keyOf(base.id), latest);
    if (sameWriting(latest, { ...latest, ...written })) return latest;
    if (sameWriting(latest, base)) return writeOver(latest, written, by);
    throw new Conflict(latest);
  }
}
