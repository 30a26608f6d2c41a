import { nameKey, normalizeName } from "./name-key.ts";

/** The folder names in a path, as they are stored; empty for `/`, the top level. */
export const pathSegments = (path: string): string[] => path.split("/").map(normalizeName).filter(Boolean);

/** A key that is equal for all spellings of a folder's name or path. A name may contain slashes. */
export const folderPathKey = (path: string): string => nameKey(pathSegments(path).join("/"));
