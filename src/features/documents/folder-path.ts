import { distance } from "fastest-levenshtein";

// Folders by what people call them: a name, or names from the top separated by slashes.

export type StoredFolder = { id: string; name: string; parent_id: string | null };
export type FolderPath = { id: string; path: string };

/** Longer paths are neither followed nor taken: a chain of folders could otherwise produce megabytes of paths. */
export const MAX_PATH = 2000;

/** How many folders an answer names as similar. */
export const MAX_NAMED = 10;
/** Longer names are not compared, nor more folders than this. */
const MAX_COMPARED = 100;
const MAX_FOLDERS_COMPARED = 5000;

const ID = /^\s*(?:folder:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/i;

/** The UUID in a folder's id, `folder:<uuid>` or bare; undefined for a name or path. */
export const folderIdOf = (asked: string): string | undefined => ID.exec(asked)?.[1]?.toLowerCase();

/** Whether a folder is named by its id. */
export const isFolderId = (asked: string): boolean => folderIdOf(asked) !== undefined;

/** The names in a path; `/` alone has none, and stands for the top level. */
export const segmentsOf = (path: string): string[] =>
  path
    .split("/")
    .map((name) => name.trim())
    .filter(Boolean);

const normalized = (path: string) => segmentsOf(path.normalize("NFC")).join("/").toLowerCase();

/** The last name of a path. */
const lastOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Folders with what is needed to find them by name. Each name is normalized once. */
export type FolderTree = {
  folders: readonly StoredFolder[];
  byId: ReadonlyMap<string, StoredFolder>;
  names: ReadonlyMap<string, string>;
  byName: ReadonlyMap<string, readonly StoredFolder[]>;
};

export function treeOf(folders: readonly StoredFolder[]): FolderTree {
  const names = new Map(folders.map(({ id, name }) => [id, normalized(name)]));
  return {
    folders,
    byId: new Map(folders.map((folder) => [folder.id, folder])),
    names,
    byName: Map.groupBy(folders, ({ id }) => lastOf(names.get(id) ?? "")),
  };
}

/** The names of a folder and of those above it, joined from the bottom up until the path is long enough. */
function joinedUp(
  { byId }: FolderTree,
  folder: StoredFolder,
  { nameOf, length }: { nameOf: (folder: StoredFolder) => string; length: number },
): { path: string; isWhole: boolean } {
  let path = nameOf(folder);
  let above = folder.parent_id === null ? undefined : byId.get(folder.parent_id);
  while (above && path.length <= length) {
    // A folder that is called `/` has no name in a path.
    path = [nameOf(above), path].filter(Boolean).join("/");
    above = above.parent_id === null ? undefined : byId.get(above.parent_id);
  }
  return { path, isWhole: above === undefined };
}

/** A folder with its path from the top; of a very long one, the end. */
export const withPath = (tree: FolderTree, folder: StoredFolder): FolderPath => ({
  id: folder.id,
  path: joinedUp(tree, folder, { nameOf: ({ name }) => name, length: MAX_PATH }).path,
});

/**
 * The folders that a path may mean, in any case: those with exactly this path from the top, or else those whose path
 * ends with it. Several names of which the first is a folder at the top can only be a path from there.
 */
export function foldersNamed(tree: FolderTree, asked: string): StoredFolder[] {
  const wanted = normalized(asked);
  if (wanted === "") return [];
  const nameOf = ({ id }: StoredFolder) => tree.names.get(id) ?? "";
  const placed = (tree.byName.get(lastOf(wanted)) ?? []).map((folder) => ({
    folder,
    ...joinedUp(tree, folder, { nameOf, length: wanted.length }),
  }));
  const exact = placed.filter(({ path, isWhole }) => isWhole && path === wanted);
  const [top = "", ...others] = wanted.split("/");
  const isTop = ({ parent_id }: StoredFolder) => parent_id === null;
  const isFromTop = others.length > 0 && (tree.byName.get(top) ?? []).some(isTop);
  const found =
    exact.length > 0 || isFromTop ? exact : placed.filter(({ path }) => path.endsWith(`/${wanted}`));
  return found.map(({ folder }) => folder);
}

/** The folders whose names are like the last one of the asked path, at most ten. */
export function foldersLike({ folders, names }: FolderTree, asked: string): StoredFolder[] {
  const cut = (path: string) => lastOf(path).slice(0, MAX_COMPARED);
  const wanted = cut(normalized(asked));
  const near = folders.slice(0, MAX_FOLDERS_COMPARED).filter(({ id }) => {
    const name = cut(names.get(id) ?? "");
    const contains = name !== "" && (name.includes(wanted) || wanted.includes(name));
    return contains || distance(name, wanted) <= (wanted.length + 1) / 2.5;
  });
  return near.slice(0, MAX_NAMED);
}

/** Numbers and words of one or two characters, which tell folders apart: `2026`, `Team B`. */
const TELLING = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2}(?![\p{L}\p{N}])|\p{N}+/gu;

const lettersOf = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
const sorted = (text: string) => [...text].sort().join("");

/** Whether a name may be a slip for another: different in spaces or accents, two swapped letters, or one or two others. */
export function isSlip(one: string, other: string): boolean {
  const telling = (name: string) => (name.toLowerCase().match(TELLING) ?? []).join(" ");
  if (telling(one) !== telling(other)) return false;
  const [a, b] = [lettersOf(one.slice(0, MAX_COMPARED)), lettersOf(other.slice(0, MAX_COMPARED))];
  const length = Math.min(a.length, b.length);
  const errors = distance(a, b);
  if (errors === 0) return true;
  if (errors === 2 && a.length === b.length && sorted(a) === sorted(b)) return true;
  return errors <= (length >= 8 ? 2 : length >= 4 ? 1 : 0);
}

/** The folders for whose name a new one's may be a slip: those beside it, or all if it is not said where it belongs. */
export const slipsOf = (tree: FolderTree, parent: StoredFolder | undefined, name: string): StoredFolder[] =>
  tree.folders
    .slice(0, MAX_FOLDERS_COMPARED)
    .filter((folder) => (parent === undefined || folder.parent_id === parent.id) && isSlip(folder.name, name))
    .slice(0, MAX_NAMED);

/** The folders directly or indirectly in a folder, nearest first, at most `limit`. */
export function foldersInside({ folders }: FolderTree, id: string, limit: number): StoredFolder[] {
  const children = Map.groupBy(folders, ({ parent_id }) => parent_id);
  const inside: StoredFolder[] = [...(children.get(id) ?? [])];
  for (const folder of inside) {
    if (inside.length >= limit) break;
    inside.push(...(children.get(folder.id) ?? []));
  }
  return inside.slice(0, limit);
}

/**
 * The path of a document's folder as an SQL expression, null for none.
 *
 * @param of the alias of the documents
 */
export const folderPathSql = (of = "documents"): string => `(
  WITH RECURSIVE up(parent_id, path) AS (
    SELECT parent_id, name FROM folders WHERE folders.id = ${of}.folder_id AND folders.owner = ${of}.owner
    UNION ALL
    SELECT f.parent_id, f.name || '/' || up.path FROM up JOIN folders AS f ON f.id = up.parent_id
    WHERE length(up.path) < ${MAX_PATH})
  SELECT path FROM up ORDER BY length(path) DESC LIMIT 1)`;
