import { useQuery } from "@tanstack/react-query";
import { type Folder, foldersApi } from "../../api/folders.ts";
import { fetchOrCopy, type QueryContext } from "../../state/copies.ts";
import { folderPageQuery } from "./folder-query.ts";

/** Created at its first use, because that takes long. */
let names: Intl.Collator | undefined;

/** "Part 2" before "Part 10" */
export function compareNames(one: { name: string }, other: { name: string }): number {
  names ??= new Intl.Collator("en", { numeric: true });
  return names.compare(one.name, other.name);
}

async function readFolders(): Promise<Folder[]> {
  const all: Folder[] = [];
  for (;;) {
    const { items, total } = await foldersApi.list(folderPageQuery(all.length));
    all.push(...items);
    if (all.length >= total || items.length === 0) return all.sort(compareNames);
  }
}

export const ALL_FOLDERS_QUERY = {
  queryKey: ["folders", "all"],
  queryFn: (asking: QueryContext) => fetchOrCopy("/api/folders", readFolders, asking),
};

export const useFolders = () => useQuery(ALL_FOLDERS_QUERY);

const foldersById = (folders: readonly Folder[]) => new Map(folders.map((folder) => [folder.id, folder]));

function pathIn(byId: ReadonlyMap<string, Folder>, id: string | null | undefined): Folder[] {
  const path: Folder[] = [];
  for (let at = byId.get(id ?? ""); at && !path.includes(at); at = byId.get(at.parent_id ?? ""))
    path.unshift(at);
  return path;
}

/** The ancestors of a folder and the folder itself, from the top. Empty if it does not exist. */
export const folderPath = (folders: readonly Folder[], id: string | null | undefined) =>
  pathIn(foldersById(folders), id);

export const folderPathName = (folders: readonly Folder[], id: string | null | undefined) =>
  folderPath(folders, id)
    .map(({ name }) => name)
    .join(" / ");

/** Number of documents per folder, including its subfolders. */
export function totalDocumentCounts(folders: readonly Folder[]): ReadonlyMap<string, number> {
  const byId = foldersById(folders);
  const counts = new Map<string, number>();
  for (const { id, document_count } of folders)
    for (const above of pathIn(byId, id)) counts.set(above.id, (counts.get(above.id) ?? 0) + document_count);
  return counts;
}

export const childFolders = (folders: readonly Folder[], id: string | null) =>
  folders.filter(({ parent_id }) => parent_id === id);

/** Whether a folder is `other` or inside it. */
export const isWithinFolder = (folders: readonly Folder[], id: string | null, other: string) =>
  folderPath(folders, id).some((folder) => folder.id === other);
