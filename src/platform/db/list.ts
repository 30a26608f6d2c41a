import { type SQL, sql } from "drizzle-orm";

/**
 * The values of a list, to stand after IN: one parameter of JSON, however long it is, because D1 allows a hundred in a
 * statement. SQLite looks each of them up in an index, as it would with `IN (?, ?)`.
 */
export const listOf = (values: Iterable<string | number | null>): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify([...values])}))`;
