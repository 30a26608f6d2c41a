import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { isSameName } from "../../../../src/contract/name-key.ts";
import { isTag } from "../../../../src/contract/tag-rule.ts";
import { type DocumentListItem, documentsApi, textChangedAt } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import type { DocumentQuery } from "../../state/cached-lists.ts";
import { fetchOrCopy, listCopyName, type QueryContext } from "../../state/copies.ts";
import { usePendingChanges } from "../../state/pending-changes.ts";
import { readRecords } from "../../state/read-records.ts";
import { useFolders } from "../folders/folders.ts";
import { listWithPendingChanges } from "../things/pending-lists.ts";

// The records of a project, and the documents that are tagged with its name or in a folder of that name.

/** One page; the list of all records shows the rest. */
const MOST_RECORDS = 100;
const MOST_DOCUMENTS = 20;
/** Folders in different places may have the same name. */
const MOST_FOLDERS = 5;

export const useProjectRecords = (name: string) =>
  useQuery({
    queryKey: ["memories", "project", name],
    queryFn: (context) =>
      // Sorted by due date, so that due records are on the first page.
      readRecords({ project: name, status: "active", sort: "due_date", limit: MOST_RECORDS }, context),
  });

export const foldersWithName = (folders: readonly Folder[], name: string): Folder[] =>
  folders.filter((folder) => isSameName(folder.name, name)).slice(0, MOST_FOLDERS);

const readList = (query: DocumentQuery, context: QueryContext & { signal: AbortSignal }) =>
  fetchOrCopy(
    listCopyName("/api/documents", query),
    () => documentsApi.list(query, context.signal),
    context,
    async () => (await import("../../state/cached-lists.ts")).listCachedDocuments(query),
  );

/** The documents whose texts changed last, each once. */
function newestDocuments(lists: readonly DocumentListItem[][]): DocumentListItem[] {
  const all = [...new Map(lists.flat().map((one) => [one.id, one])).values()];
  return all
    .sort((one, other) => (textChangedAt(one) < textChangedAt(other) ? 1 : -1))
    .slice(0, MOST_DOCUMENTS);
}

const BY_TEXT = { sort: "changed_at" } as const;

const listQueries = (name: string, folders: readonly string[]): DocumentQuery[] => [
  ...(isTag(name) ? [{ ...BY_TEXT, tag: [name] }] : []),
  ...folders.map((folder_id) => ({ ...BY_TEXT, folder_id })),
];

/** The documents of a project, with pending changes applied. */
export function useProjectDocuments(name: string) {
  const { data: folders } = useFolders();
  const ids = folders && foldersWithName(folders, name).map(({ id }) => id);
  const changes = usePendingChanges();
  const { data: lists, ...result } = useQuery({
    queryKey: ["documents", "project", name, ids],
    enabled: ids !== undefined,
    queryFn: (context) =>
      Promise.all(
        listQueries(name, ids ?? []).map(async (query) => {
          const { items } = await readList({ ...query, limit: MOST_DOCUMENTS }, context);
          return { query, items };
        }),
      ),
  });
  const data = useMemo(
    () =>
      lists &&
      newestDocuments(lists.map(({ query, items }) => listWithPendingChanges(items, query, changes))),
    [lists, changes],
  );
  return { ...result, data };
}
