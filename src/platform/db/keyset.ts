import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { unprocessable } from "../core/errors.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";

// Keyset pagination: pages begin after a row, so that concurrent writes move no row from one page to another.

export type KeysetPage = { limit: number; offset: number; cursor?: string | undefined };

/** The order of a list: by a key (null last), then by id. `name` identifies it in cursors. */
export type Keyset = {
  name: string;
  direction: "asc" | "desc";
  key: z.ZodType<string | null>;
  id: z.ZodType<string | number>;
};

const cursorName = ({ name, direction }: Keyset) => `${name} ${direction}`;

export type KeysetPosition = readonly [key: string | null, id: string | number];

/** Undefined without a cursor. Throws 422 for a cursor of another list, or with an offset. */
export function readKeysetPosition(
  keyset: Keyset,
  { cursor, offset }: Pick<KeysetPage, "cursor" | "offset">,
): KeysetPosition | undefined {
  if (cursor === undefined) return undefined;
  if (offset > 0) throw unprocessable("offset: must be left out with cursor");
  return decodeCursor(cursorName(keyset), cursor, z.tuple([keyset.key, keyset.id]));
}

/** True in SQL for the rows after the cursor; undefined without one. `key` is the column with its collation. */
export function isAfterCursor(
  keyset: Keyset,
  page: Pick<KeysetPage, "cursor" | "offset">,
  { key, id }: { key: SQL; id: SQL },
): SQL | undefined {
  const place = readKeysetPosition(keyset, page);
  if (!place) return undefined;
  const [lastKey, lastId] = place;
  const compare = sql.raw(keyset.direction === "asc" ? ">" : "<");
  if (lastKey === null) return sql`(${key} IS NULL AND ${id} ${compare} ${lastId})`;
  const after = sql`(${key}, ${id}) ${compare} (${lastKey}, ${lastId})`;
  return keyset.key.safeParse(null).success ? sql`(${after} OR ${key} IS NULL)` : sql`(${after})`;
}

/** The rows of a page and the cursor of the next one. `rows` has one more than the page; `keyOf` is a row's sort key. */
export function cutPage<Row extends { id: string | number }>(
  keyset: Keyset,
  { limit }: Pick<KeysetPage, "limit">,
  read: { rows: Row[]; keyOf: (row: Row) => string | null },
): { rows: Row[]; next_cursor?: string } {
  const rows = read.rows.slice(0, limit);
  const last = rows.at(-1);
  if (read.rows.length <= limit || !last) return { rows };
  return { rows, next_cursor: encodeCursor(cursorName(keyset), [read.keyOf(last), last.id]) };
}
