import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { isSameName } from "../../../../src/contract/name-key.ts";
import { isTag } from "../../../../src/contract/tag-rule.ts";
import { textChangedAt } from "../../api/document-times.ts";
import { type DocumentListItem, documentsApi } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import type { Memory, MemoryType } from "../../api/memories.ts";
import type { DocumentQuery } from "../../state/cached-lists.ts";
import { fetchOrCopy, listCopyName, type QueryContext } from "../../state/copies.ts";
import { usePendingChanges } from "../../state/pending-changes.ts";
import { readAllRecords, readRecords } from "../../state/read-records.ts";
import { useFolders } from "../folders/folders.ts";
import { listWithPendingChanges } from "../things/pending-lists.ts";

// The records of a project, and the documents that are tagged with its name or in a folder of that name.

/** The types, in the order of the screen. */
const PROJECT_TYPES: readonly (readonly [type: MemoryType, title: string])[] = [
  ["commitment", "Commitments"],
  ["blocker", "Blockers"],
  ["decision", "Decisions"],
  ["pattern", "Patterns"],
  ["preference", "Preferences"],
  ["context", "Context"],
];

const PAGE = 100;
const MOST_DOCUMENTS = 20;
/** Folders in different places may have the same name. */
const MOST_FOLDERS = 5;

/** Records of one type, or of all. */
type Part = { type?: MemoryType; offset: number };
/** `left`: how many of the part follow. */
export type ProjectPage = { type?: MemoryType; items: Memory[]; total: number; left: number };

const loadedOf = (pages: readonly ProjectPage[], type: MemoryType): Memory[] => {
  const all = pages.flatMap(({ items }) => items).filter(({ memory_type }) => memory_type === type);
  return [...new Map(all.map((one) => [one.id, one])).values()];
};

/** How many records of a type are not loaded; undefined if that is unknown. */
const leftOf = (pages: readonly ProjectPage[], type: MemoryType): number | undefined =>
  pages[0]?.left === 0 ? 0 : pages.findLast((page) => page.type === type)?.left;

/** The sections up to the first that is not complete, so that rows are only ever added at the end. */
export function loadedSections(pages: readonly ProjectPage[]) {
  const end = PROJECT_TYPES.findIndex(([type]) => leftOf(pages, type) !== 0);
  return PROJECT_TYPES.slice(0, end < 0 ? undefined : end + 1).map(([type, title]) => ({
    type,
    title,
    rows: loadedOf(pages, type),
    left: leftOf(pages, type),
  }));
}

function nextPart(pages: readonly ProjectPage[]): Part | undefined {
  const next = PROJECT_TYPES.find(([type]) => leftOf(pages, type) !== 0);
  return next && { type: next[0], offset: loadedOf(pages, next[0]).length };
}

/** The active records of a project: the first page has those that are due first, the others have the rest, type by type. */
export function useProjectRecords(name: string) {
  const query = { project: name, status: "active", sort: "due_date" } as const;
  const list = useInfiniteQuery({
    queryKey: ["memories", "list", query, "by type"],
    queryFn: async ({ pageParam: { type, offset }, ...context }): Promise<ProjectPage> => {
      const part = { ...query, ...(type && { memory_type: [type] }) };
      const { items, total } = await readRecords({ ...part, limit: PAGE, offset }, context);
      return { ...(type && { type }), items, total, left: Math.max(0, total - offset - items.length) };
    },
    initialPageParam: { offset: 0 } as Part,
    getNextPageParam: (_, pages) => nextPart(pages),
  });
  return { ...list, readAll: async () => (await readAllRecords(query)).items };
}

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
