import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { invalid } from "../core/errors.ts";
import { readCursor, writeCursor } from "../http/cursor.ts";

// Pages that begin after a row, so that what is written meanwhile moves no row from one page to another.

export type KeysetPage = { limit: number; offset: number; cursor?: string | undefined };

/** How a list is sorted: by a key, which may be null and is last then, and by id. The name says so, for its cursors. */
export type Keyset = {
  name: string;
  direction: "asc" | "desc";
  key: z.ZodType<string | null>;
  id: z.ZodType<string | number>;
};

const listOf = ({ name, direction }: Keyset) => `${name} ${direction}`;

export type Place = readonly [key: string | null, id: string | number];

/** The row after which a page begins; undefined without a cursor. Throws 422 for another list's, or with an offset. */
export function placeOf(
  keyset: Keyset,
  { cursor, offset }: Pick<KeysetPage, "cursor" | "offset">,
): Place | undefined {
  if (cursor === undefined) return undefined;
  if (offset > 0) throw invalid("offset: must be left out with cursor");
  return readCursor(listOf(keyset), cursor, z.tuple([keyset.key, keyset.id]));
}

/** True in SQL for the rows after the cursor's; undefined without one. `key` is the column with its collation. */
export function rowsAfter(
  keyset: Keyset,
  page: Pick<KeysetPage, "cursor" | "offset">,
  { key, id }: { key: SQL; id: SQL },
): SQL | undefined {
  const place = placeOf(keyset, page);
  if (!place) return undefined;
  const [lastKey, lastId] = place;
  const compare = sql.raw(keyset.direction === "asc" ? ">" : "<");
  if (lastKey === null) return sql`(${key} IS NULL AND ${id} ${compare} ${lastId})`;
  const after = sql`(${key}, ${id}) ${compare} (${lastKey}, ${lastId})`;
  return keyset.key.safeParse(null).success ? sql`(${after} OR ${key} IS NULL)` : sql`(${after})`;
}

/** The rows of a page, of which one more was read, and the cursor of the next page. `keyOf` is what sorts a row. */
export function cutPage<Row extends { id: string | number }>(
  keyset: Keyset,
  { limit }: Pick<KeysetPage, "limit">,
  read: { rows: Row[]; keyOf: (row: Row) => string | null },
): { rows: Row[]; next_cursor?: string } {
  const rows = read.rows.slice(0, limit);
  const last = rows.at(-1);
  if (read.rows.length <= limit || !last) return { rows };
  return { rows, next_cursor: writeCursor(listOf(keyset), [read.keyOf(last), last.id]) };
}
