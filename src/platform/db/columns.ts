import { type Column, getTableColumns, type SQL, type SQLChunk, sql, type Table } from "drizzle-orm";

type ColumnsOf<T extends Table> = T["_"]["columns"];

/** All columns of a table except the named ones. Columns added to the table later are included. */
export function columnsExcept<T extends Table, Name extends keyof ColumnsOf<T>>(
  table: T,
  ...excluded: Name[]
): Omit<ColumnsOf<T>, Name> {
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(columns.filter(([name]) => !excluded.includes(name as Name))) as Omit<
    ColumnsOf<T>,
    Name
  >;
}

/** INSERT … SELECT into every column. `fields` has the expression for each, `from` starts with FROM. */
export function insertSelect<T extends Table>(
  table: T,
  fields: { [Name in keyof ColumnsOf<T>]: SQL | Column },
  from: SQL,
): SQL {
  const names = Object.keys(getTableColumns(table)) as (keyof ColumnsOf<T> & string)[];
  const list = (items: SQLChunk[]) => sql.join(items, sql`, `);
  const columns = list(names.map((name) => sql.identifier(name)));
  const values = list(names.map((name) => fields[name]));
  return sql`INSERT INTO ${table} (${columns}) SELECT ${values} ${from}`;
}

/** The values of a row as SQL parameters, encoded as their columns require. */
export const columnValues = <T extends Table, Row extends object>(table: T, row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      sql`${sql.param(value, getTableColumns(table)[name])}`,
    ]),
  ) as { [Name in keyof Row]: SQL };
