import { linkNameKey } from "../../../../../src/shared/markdown/note-links.ts";
import { documentsApi } from "../../../api/documents.ts";
import type { Folder } from "../../../api/folders.ts";
import { isTransientError } from "../../../api/request.ts";
import { searchApi } from "../../../api/search.ts";
import { cachedDocumentsWithChanges, listCachedDocuments } from "../../../state/cached-lists.ts";
import { fetchOrCopy, listCopyName } from "../../../state/copies.ts";
import { queries } from "../../../state/queries.ts";
import { readRecentItems } from "../../../state/recent-items.ts";
import { ALL_FOLDERS_QUERY, folderPath } from "../../folders/folders.ts";

// Looks up documents by what is typed of their title.

export type Titled = {
  id: string;
  title: string;
  /** The names of its folders, from the top. */
  folders: readonly string[];
};

type Listed = { id: string; title: string; folder_id: string | null };

const FRESH_MS = 30_000;
const MAX_SHOWN = 8;
const LATEST = { limit: 50, sort: "changed_at" } as const;

const latestDocuments = () =>
  queries.fetchQuery({
    queryKey: ["documents", "latest"],
    queryFn: (asking) =>
      fetchOrCopy(
        listCopyName("/api/documents", LATEST),
        () => documentsApi.list(LATEST),
        asking,
        () => listCachedDocuments(LATEST),
      ),
    staleTime: FRESH_MS,
    retry: false,
  });

const WORD = /[\p{L}\p{N}]+/gu;
const wordsOf = (text: string): string[] => text.normalize("NFKD").toLowerCase().match(WORD) ?? [];

/** Whether each typed word begins a word of a title. */
function matches(typed: readonly string[], { title }: Listed): boolean {
  const words = wordsOf(title);
  return typed.every((one) => words.some((word) => word.startsWith(one)));
}

/** The query for titles with these words, of which the last may be unfinished. */
function queryOf(text: string): string {
  const words = text.match(WORD) ?? [];
  return words.map((word, place) => `title:${word}${place === words.length - 1 ? "*" : ""}`).join(" ");
}

/** Finds titles on the server, or on this device if it cannot be reached. */
async function search(text: string): Promise<Listed[]> {
  try {
    const { results } = await searchApi.search({ q: queryOf(text), type: "documents", limit: 20 });
    return results.flatMap((result) => ("document" in result ? [result.document] : []));
  } catch (problem) {
    if (!isTransientError(problem)) return [];
    return cachedDocumentsWithChanges();
  }
}

/** Recently opened documents first. */
function byOpening(documents: readonly Listed[]): Listed[] {
  const opened = readRecentItems().map(({ href }) => href.split("/").at(-1));
  const placeOf = ({ id }: Listed) => (opened.includes(id) ? opened.indexOf(id) : opened.length);
  return documents.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function rankOf(text: string, { title }: Listed): number {
  const [key, typed] = [linkNameKey(title), linkNameKey(text)];
  if (key === typed) return 0;
  return key.startsWith(typed) ? 1 : 2;
}

const foldersOf = (folders: readonly Folder[], { folder_id }: Listed) =>
  folderPath(folders, folder_id).map(({ name }) => name);

/** The documents whose titles match, and the recent ones if nothing is typed. */
export async function findTitles(text: string): Promise<Titled[]> {
  const typed = wordsOf(text);
  const [latest, found, folders] = await Promise.all([
    latestDocuments().then(
      ({ items }) => items,
      () => [],
    ),
    typed.length > 0 ? search(text) : [],
    queries.fetchQuery({ ...ALL_FOLDERS_QUERY, staleTime: FRESH_MS, retry: false }).catch(() => []),
  ]);
  const all: Listed[] = [...new Map([...byOpening(latest), ...found].map((one) => [one.id, one])).values()];
  return all
    .filter((one) => one.title.trim() !== "" && matches(typed, one))
    .toSorted((one, other) => rankOf(text, one) - rankOf(text, other))
    .slice(0, MAX_SHOWN)
    .map((one) => ({ id: one.id, title: one.title, folders: foldersOf(folders, one) }));
}
