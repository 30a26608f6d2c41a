import { FIRST_HOME, HOME_PATTERN } from "../../contract/home.ts";

export type Bookmark = { home: number; bookmark: string };

/** A D1 bookmark, four hexadecimal groups of 8, 8, 8 and 32 digits, with its home in front. */
const BOOKMARK = new RegExp(`^(?:(${HOME_PATTERN}):)?([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32})$`);

/** Reads a bookmark; undefined for a malformed one. One that names no home belongs to the first. */
export function readBookmark(header: string | undefined): Bookmark | undefined {
  const [, home = FIRST_HOME, bookmark] = BOOKMARK.exec(header ?? "") ?? [];
  return bookmark === undefined ? undefined : { home: Number(home), bookmark };
}

export const writeBookmark = ({ home, bookmark }: Bookmark): string => `${home}:${bookmark}`;
