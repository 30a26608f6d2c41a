export const basename = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The ending of a path's last name with its dot, or an empty string. A name that begins with its only dot has none. */
export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot) : "";
}

export const stem = (path: string) => basename(path).slice(0, basename(path).length - extname(path).length);

/** Notion adds the id of a page to the names of its file and folder. */
export const withoutId = (name: string) => name.replace(/ [0-9a-f]{32}$/, "");

export const foldersAbove = (path: string) => path.split("/").slice(0, -1);

/** A TextBundle is one note: a folder with its text, which is always called so, and what that refers to. */
export const isBundle = (folder: string) => /\.textbundle$/i.test(folder);

/** What a note is called that says no title. */
export function noteName(path: string): string {
  const folder = foldersAbove(path).at(-1) ?? "";
  return withoutId(stem(isBundle(folder) ? folder : path));
}
