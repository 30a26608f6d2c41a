import { asName, nameKey } from "./name-key.ts";

/** The names in a path, as folders are stored; `/` alone has none, and stands for the top level. */
export const segmentsOf = (path: string): string[] => path.split("/").map(asName).filter(Boolean);

/** What all spellings of a folder's name have in common, or of a path. The name may have slashes as well. */
export const folderKey = (path: string): string => nameKey(segmentsOf(path).join("/"));
