import { folderPathKey } from "../../contract/folder-key.ts";
import { isLikelyTypo, isWorthHint } from "../../shared/text/likeness.ts";

export type StoredFolder = { id: string; name: string; parent_id: string | null };
export type FolderPath = { id: string; path: string };

/** Longer paths are neither followed nor accepted; otherwise a chain of folders could produce megabytes of paths. */
export const MAX_PATH = 2000;

export const MAX_FOLDERS_LISTED = 10;
/** Limits of the comparison: characters of a name, and number of folders. */
const MAX_COMPARED = 100;
const MAX_FOLDERS_COMPARED = 5000;

const FOLDER_ID = /^\s*(?:folder:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/i;

/** The UUID of a folder id (`folder:<uuid>` or bare); undefined for a name or path. */
export const parseFolderId = (requested: string): string | undefined =>
  FOLDER_ID.exec(requested)?.[1]?.toLowerCase();

export const isFolderId = (requested: string): boolean => parseFolderId(requested) !== undefined;

const lastName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

export type FolderTree = {
  folders: readonly StoredFolder[];
  byId: ReadonlyMap<string, StoredFolder>;
  names: ReadonlyMap<string, string>;
  byName: ReadonlyMap<string, readonly StoredFolder[]>;
};

export function buildFolderTree(folders: readonly StoredFolder[]): FolderTree {
  const names = new Map(folders.map(({ id, name }) => [id, folderPathKey(name)]));
  return {
    folders,
    byId: new Map(folders.map((folder) => [folder.id, folder])),
    names,
    byName: Map.groupBy(folders, ({ id }) => lastName(names.get(id) ?? "")),
  };
}

/** Joins the names of a folder and its ancestors, bottom up, until the path is long enough. */
function joinPath(
  { byId }: FolderTree,
  folder: StoredFolder,
  { nameOf, length }: { nameOf: (folder: StoredFolder) => string; length: number },
): { path: string; isWhole: boolean } {
  let path = nameOf(folder);
  let above = folder.parent_id === null ? undefined : byId.get(folder.parent_id);
  while (above && path.length <= length) {
    // A folder called `/` has no name in a path.
    path = [nameOf(above), path].filter(Boolean).join("/");
    above = above.parent_id === null ? undefined : byId.get(above.parent_id);
  }
  return { path, isWhole: above === undefined };
}

/** A folder with its path; only the end of a very long one. */
export const folderWithPath = (tree: FolderTree, folder: StoredFolder): FolderPath => ({
  id: folder.id,
  path: joinPath(tree, folder, { nameOf: ({ name }) => name, length: MAX_PATH }).path,
});

/** The folders with exactly this path, else those whose path ends with it, ignoring case. */
export function findMatchingFolders(tree: FolderTree, requested: string): StoredFolder[] {
  const wanted = folderPathKey(requested);
  if (wanted === "") return [];
  const nameOf = ({ id }: StoredFolder) => tree.names.get(id) ?? "";
  const placed = (tree.byName.get(lastName(wanted)) ?? []).map((folder) => ({
    folder,
    ...joinPath(tree, folder, { nameOf, length: wanted.length }),
  }));
  const exact = placed.filter(({ path, isWhole }) => isWhole && path === wanted);
  const [top = "", ...others] = wanted.split("/");
  const isTop = ({ parent_id }: StoredFolder) => parent_id === null;
  const isFromTop = others.length > 0 && (tree.byName.get(top) ?? []).some(isTop);
  const found =
    exact.length > 0 || isFromTop ? exact : placed.filter(({ path }) => path.endsWith(`/${wanted}`));
  return found.map(({ folder }) => folder);
}

export function similarFolders({ folders, names }: FolderTree, requested: string): StoredFolder[] {
  const cut = (path: string) => lastName(path).slice(0, MAX_COMPARED);
  const wanted = cut(folderPathKey(requested));
  const near = folders.slice(0, MAX_FOLDERS_COMPARED).filter(({ id }) => {
    const name = cut(names.get(id) ?? "");
    const contains = name !== "" && (name.includes(wanted) || wanted.includes(name));
    return contains || isWorthHint(name, wanted);
  });
  return near.slice(0, MAX_FOLDERS_LISTED);
}

/** The folders whose names a new name may be a typo of: siblings, or all folders if it has no parent. */
export const likelyTypos = (
  tree: FolderTree,
  parent: StoredFolder | undefined,
  name: string,
): StoredFolder[] =>
  tree.folders
    .slice(0, MAX_FOLDERS_COMPARED)
    .filter(
      (folder) => (parent === undefined || folder.parent_id === parent.id) && isLikelyTypo(folder.name, name),
    )
    .slice(0, MAX_FOLDERS_LISTED);

/** SQL: the path of a document's folder, or null. `of`: alias of documents. `name`: expression on the folder alias `f`. */
export const folderPathSql = (of = "documents", name = "f.name"): string => `(
  WITH RECURSIVE up(parent_id, path) AS (
    SELECT f.parent_id, ${name} FROM folders AS f WHERE f.id = ${of}.folder_id AND f.owner = ${of}.owner
    UNION ALL
    SELECT f.parent_id, ${name} || '/' || up.path FROM up JOIN folders AS f ON f.id = up.parent_id
    WHERE length(up.path) < ${MAX_PATH})
  SELECT path FROM up ORDER BY length(path) DESC LIMIT 1)`;
