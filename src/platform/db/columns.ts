import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";

type ColumnsOf<Of extends Table> = Of["_"]["columns"];

/** All columns of a table except the named ones. Columns added to the table later are included. */
export function columnsBut<Of extends Table, Name extends keyof ColumnsOf<Of>>(
  table: Of,
  ...leftOut: Name[]
): Omit<ColumnsOf<Of>, Name> {
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(columns.filter(([name]) => !leftOut.includes(name as Name))) as Omit<
    ColumnsOf<Of>,
    Name
  >;
}

/** INSERT … SELECT into every column; `fields` is what is selected for each, `from` starts with FROM. */
export function insertSelect<Of extends Table>(
  table: Of,
  fields: { [Name in keyof ColumnsOf<Of>]: SQL | Column },
  from: SQL,
): SQL {
  const names = Object.keys(getTableColumns(table)) as (keyof ColumnsOf<Of> & string)[];
  const columns = sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  );
  const values = sql.join(
    names.map((name) => sql`${fields[name]}`),
    sql`, `,
  );
  return sql`INSERT INTO ${table} (${columns}) SELECT ${values} ${from}`;
}

export const valuesOf = <Of extends Table, Row extends object>(table: Of, row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      sql`${sql.param(value, getTableColumns(table)[name])}`,
    ]),
  ) as { [Name in keyof Row]: SQL };
