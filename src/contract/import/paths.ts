export const basename = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** The ending of a path's last name with its dot, or an empty string. A name that begins with its only dot has none. */
export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot) : "";
}

export const stem = (path: string) => basename(path).slice(0, basename(path).length - extname(path).length);

export const foldersAbove = (path: string) => path.split("/").slice(0, -1);
