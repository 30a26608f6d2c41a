export const basename = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The file extension with its dot, or an empty string. A name that only begins with a dot has none. */
export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot) : "";
}

export const stem = (path: string) => basename(path).slice(0, basename(path).length - extname(path).length);

/** Removes the page id that Notion adds to the names of files and folders. */
export const withoutNotionId = (name: string) => name.replace(/ [0-9a-f]{32}$/, "");

export const foldersAbove = (path: string) => path.split("/").slice(0, -1);

/** A TextBundle is one note: a folder with its text, which always has the same name, and the files that it refers to. */
export const isTextBundle = (folder: string) => /\.textbundle$/i.test(folder);

export function defaultTitle(path: string): string {
  const folder = foldersAbove(path).at(-1) ?? "";
  return withoutNotionId(stem(isTextBundle(folder) ? folder : path));
}
