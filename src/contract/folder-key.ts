import { asName, nameKey } from "./name-key.ts";

/** The folder names in a path, as they are stored; empty for `/`, the top level. */
export const segmentsOf = (path: string): string[] => path.split("/").map(asName).filter(Boolean);

/** A key that is equal for all spellings of a folder's name or path. A name may contain slashes. */
export const folderKey = (path: string): string => nameKey(segmentsOf(path).join("/"));
