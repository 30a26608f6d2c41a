import { primaryKey, type SQLiteColumnBuilderBase, sqliteTable } from "drizzle-orm/sqlite-core";

type Columns = Record<string, SQLiteColumnBuilderBase>;

/** A table whose primary key has several columns. */
export const keyedTable = <Name extends string, Fields extends Columns>(
  name: Name,
  [first, ...others]: [keyof Fields & string, ...(keyof Fields & string)[]],
  fields: Fields,
) =>
  sqliteTable(name, fields, (table) => [
    primaryKey({ columns: [table[first], ...others.map((other) => table[other])] }),
  ]);
