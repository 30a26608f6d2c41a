import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { readCursor, writeCursor } from "../http/cursor.ts";
import { invalid } from "../core/errors.ts";

// Pages that begin after a row instead of at a number: what is written meanwhile moves no row from one page to another.

/** A page of a list: from an offset, or after the row of a cursor. */
export type KeysetPage = { limit: number; offset: number; cursor?: string | undefined };

/** How a list is sorted: by a key, which may be null and is last then, and by id. The name says so, for its cursors. */
export type Keyset = {
  name: string;
  direction: "asc" | "desc";
  /** What the keys and ids of its rows are. */
  key: z.ZodType<string | null>;
  id: z.ZodType<string | number>;
};

const listOf = ({ name, direction }: Keyset) => `${name} ${direction}`;

/** The key and id of a row. */
export type Place = readonly [key: string | null, id: string | number];

/**
 * The row after which a page begins; undefined without a cursor. Throws 422 for a cursor of another list or order, and
 * for one with an offset.
 */
export function placeOf(
  keyset: Keyset,
  { cursor, offset }: Pick<KeysetPage, "cursor" | "offset">,
): Place | undefined {
  if (cursor === undefined) return undefined;
  if (offset > 0) throw invalid("offset: must be left out with cursor");
  return readCursor(listOf(keyset), cursor, z.tuple([keyset.key, keyset.id]));
}

/**
 * True in SQL for the rows after that of the cursor; undefined without one. Throws as `placeOf` does.
 *
 * @param key the key's column, with its collation
 */
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

/**
 * The rows of a page, of which one more was read, and the cursor of the next page, if there is one.
 *
 * @param keyOf what a row is sorted by
 */
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
