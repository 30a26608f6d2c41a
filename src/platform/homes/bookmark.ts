import { FIRST_SHARD, SHARD_PATTERN } from "../../contract/home.ts";

export type Bookmark = { home: number; bookmark: string };

/** A D1 bookmark (hexadecimal groups of 8, 8, 8 and 32 digits), preceded by its shard. */
const BOOKMARK = new RegExp(`^(?:(${SHARD_PATTERN}):)?([0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32})$`);

/** Undefined for a malformed bookmark. One without a shard belongs to the first. */
export function parseBookmark(header: string | undefined): Bookmark | undefined {
  const [, home = FIRST_SHARD, bookmark] = BOOKMARK.exec(header ?? "") ?? [];
  return bookmark === undefined ? undefined : { home: Number(home), bookmark };
}

export const formatBookmark = ({ home, bookmark }: Bookmark): string => `${home}:${bookmark}`;
