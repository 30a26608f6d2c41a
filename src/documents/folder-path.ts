import { distance } from "fastest-levenshtein";

// Folders by what people call them: a name, or names from the top separated by slashes.

export type FolderPath = { id: string; path: string };

/** Longer paths are neither followed nor taken: a chain of folders could otherwise produce megabytes of paths. */
export const MAX_PATH = 2000;

/** How many folders an answer names as similar. */
export const MAX_NAMED = 10;
/** Longer names are not compared. */
const MAX_COMPARED = 100;

/** The names in a path; `/` alone has none, and stands for the top level. */
export const segmentsOf = (path: string): string[] =>
  path
    .split("/")
    .map((name) => name.trim())
    .filter(Boolean);

const normalized = (path: string) => segmentsOf(path.normalize("NFC")).join("/").toLowerCase();

/**
 * The folders that a path may mean, in any case: those with exactly this path from the top, or else those whose path
 * ends with it. Several names of which the first is a folder at the top can only be a path from there.
 */
export function foldersNamed<Folder extends FolderPath>(folders: readonly Folder[], asked: string): Folder[] {
  const wanted = normalized(asked);
  if (wanted === "") return [];
  const paths = folders.map((folder) => ({ folder, path: normalized(folder.path) }));
  const having = (test: (path: string) => boolean) => paths.filter(({ path }) => test(path));
  const exact = having((path) => path === wanted);
  const [top = "", ...others] = wanted.split("/");
  const isFromTop = others.length > 0 && having((path) => path === top).length > 0;
  const found = exact.length > 0 || isFromTop ? exact : having((path) => path.endsWith(`/${wanted}`));
  return found.map(({ folder }) => folder);
}

/** The last name of a path, cut to a length that is cheap to compare. */
const lastName = (path: string) => (normalized(path).split("/").at(-1) ?? "").slice(0, MAX_COMPARED);

/** The folders whose names are like the asked one, at most ten. */
export function foldersLike<Folder extends FolderPath>(folders: readonly Folder[], asked: string): Folder[] {
  const wanted = lastName(asked);
  const near = folders.filter(({ path }) => {
    const name = lastName(path);
    const contains = name !== "" && (name.includes(wanted) || wanted.includes(name));
    return contains || distance(name, wanted) <= (wanted.length + 1) / 2.5;
  });
  return near.slice(0, MAX_NAMED);
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
