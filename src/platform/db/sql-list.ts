import { type SQL, sql } from "drizzle-orm";

/** A list to follow IN, as a single JSON parameter, because D1 allows 100 parameters per statement. It can use an index. */
export const sqlList = (values: Iterable<string | number | null>): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify([...values])}))`;
