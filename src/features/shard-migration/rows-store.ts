import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { OwnerCtx } from "../../platform/core/ctx.ts";
import * as tables from "../../platform/db/tables.ts";

export type MigratedTable = {
  table: SQLiteTable;
  /** Columns that identify and order an account's rows; empty if there is a single row. */
  key: string[];
  /** For a table without an owner: the table that its rows refer to, and the column that refers to it. */
  ownedThrough?: { parent: SQLiteTable; column: string };
  /** A column that refers to other rows of the same table. It is set after all rows have been copied. */
  selfReference?: string;
  /** The target shard may already have such a row, written by a trigger or another account. */
  replacesRows?: true;
};

/** Ordered so that rows are copied after the rows that they refer to. A test says why other tables are not migrated. */
export const MIGRATED_TABLES: MigratedTable[] = [
  { table: tables.subscriptions, key: ["id"] },
  { table: tables.customers, key: [] },
  { table: tables.sessions, key: ["id"] },
  {
    table: tables.refresh_tokens,
    key: ["hash"],
    ownedThrough: { parent: tables.sessions, column: "session_id" },
  },
  { table: tables.folders, key: ["id"], selfReference: "parent_id" },
  { table: tables.documents, key: ["id"] },
  {
    table: tables.document_versions,
    key: ["document_id", "version"],
    ownedThrough: { parent: tables.documents, column: "document_id" },
  },
  { table: tables.document_tags, key: ["tag", "document_id"] },
  { table: tables.document_links, key: ["from_id", "target_key"] },
  { table: tables.document_aliases, key: ["key", "document_id"] },
  { table: tables.memories, key: ["id"] },
  { table: tables.memory_events, key: ["memory_id", "id"] },
  { table: tables.files, key: ["id"] },
  { table: tables.document_files, key: ["document_id", "file_id"] },
  { table: tables.memory_files, key: ["memory_id", "file_id"] },
  { table: tables.file_texts, key: ["file_id", "page"] },
  { table: tables.file_uploads, key: ["id"] },
  { table: tables.activity, key: ["number"] },
  { table: tables.imports, key: ["id"] },
  {
    table: tables.import_pieces,
    key: ["import_id", "number"],
    ownedThrough: { parent: tables.imports, column: "import_id" },
  },
  { table: tables.tidy_looks, key: ["part"] },
  { table: tables.tidy_kept, key: ["kind", "key"] },
  { table: tables.later, key: ["kind", "key"] },
  { table: tables.idempotency_keys, key: ["route", "key"] },
  { table: tables.calendar_tokens, key: [] },
  { table: tables.sign_in_addresses, key: ["address"] },
  { table: tables.api_keys, key: ["id"] },
  { table: tables.connection_uses, key: ["grant_id"] },
  { table: tables.email_links, key: ["hash"] },
  { table: tables.security_events, key: ["id"] },
  { table: tables.second_factors, key: [] },
  { table: tables.recovery_codes, key: ["hash"] },
  { table: tables.passkeys, key: ["id"] },
  { table: tables.webhooks, key: ["id"] },
  { table: tables.webhook_deliveries, key: ["id"] },
  // A browser belongs to the account that subscribed in it last.
  { table: tables.push_subscriptions, key: ["id"], replacesRows: true },
  { table: tables.reminders, key: [] },
  { table: tables.usage, key: [], replacesRows: true },
];

export type RowValue = string | number | null;
export type MigratedRow = RowValue[];

const OWNER = "owner";

const columnsOf = (table: SQLiteTable) =>
  Object.keys(getTableColumns(table)).filter((name) => name !== OWNER);
const hasOwner = (table: SQLiteTable) => OWNER in getTableColumns(table);
const joined = (parts: SQL[]) => sql.join(parts, sql`, `);
const columnList = (names: string[]) => joined(names.map((name) => sql`${sql.identifier(name)}`));
const rowColumns = (names: string[]) => joined(names.map((name) => sql`t.${sql.identifier(name)}`));

/** Limits of a page. A single row may be larger. */
const PAGE_ROWS = 500;
const PAGE_BYTES = 300_000;

function rowsAfter({ owner }: OwnerCtx, { table, key, ownedThrough }: MigratedTable, after: RowValue[]): SQL {
  const past =
    after.length > 0
      ? sql`(${rowColumns(key)}) > (${joined(after.map((value) => sql`${value}`))})`
      : sql`true`;
  if (!ownedThrough) return sql`FROM ${table} AS t WHERE t.owner = ${owner} AND ${past}`;
  const { parent, column } = ownedThrough;
  const from = after.length > 0 && key[0] === column ? sql`p.id >= ${after[0]}` : sql`true`;
  return sql`FROM ${parent} AS p CROSS JOIN ${table} AS t ON t.${sql.identifier(column)} = p.id
    WHERE p.owner = ${owner} AND ${from} AND ${past}`;
}

/** The next rows after a key, about 300 kB and at most `most`. Depends only on the rows, so both shards get the same ones. */
export async function readRows(
  ctx: OwnerCtx,
  moved: MigratedTable,
  after: RowValue[],
  most = PAGE_ROWS,
): Promise<MigratedRow[]> {
  const columns = columnsOf(moved.table);
  const rows = rowsAfter(ctx, moved, after);
  const order = moved.key.length > 0 ? rowColumns(moved.key) : sql`1`;
  const size = sql.join(
    columns.map((name) => sql`coalesce(octet_length(t.${sql.identifier(name)}), 0)`),
    sql` + `,
  );
  const sizes = sql`SELECT sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS sum
    FROM (SELECT ${size} AS size ${rows} ORDER BY ${order} LIMIT ${sql.raw(String(most))})`;
  const page = await ctx.db.all<
    Record<string, RowValue>
  >(sql`SELECT ${rowColumns(columns)} ${rows} ORDER BY ${order}
    LIMIT max(1, (SELECT count(*) FROM (${sizes}) WHERE sum <= ${sql.raw(String(PAGE_BYTES))}))`);
  return page.map((row) => columns.map((name) => row[name] ?? null));
}

export function lastRowKey({ table, key }: MigratedTable, rows: MigratedRow[]): RowValue[] | undefined {
  const last = rows.at(-1);
  if (!last || key.length === 0) return undefined;
  const columns = columnsOf(table);
  return key.map((name) => last[columns.indexOf(name)] ?? null);
}

export const rowsToObjects = ({ table }: MigratedTable, rows: MigratedRow[]): Record<string, RowValue>[] =>
  rows.map((row) => Object.fromEntries(columnsOf(table).map((name, index) => [name, row[index] ?? null])));

/** A page is sent as one JSON text unless it is larger: D1 binds at most 2 MB. */
const MAX_JSON = 1_000_000;

export function insertRowsStatements(
  ctx: OwnerCtx,
  { table, selfReference, replacesRows }: MigratedTable,
  rows: MigratedRow[],
) {
  const columns = columnsOf(table);
  const into = sql`${sql.raw(replacesRows ? "INSERT OR REPLACE" : "INSERT")} INTO ${table}
    (${columnList(hasOwner(table) ? [OWNER, ...columns] : columns)})`;
  const valuesOf = (values: SQL[]) =>
    joined([
      ...(hasOwner(table) ? [sql`${ctx.owner}`] : []),
      ...columns.map((name, index) => (name === selfReference ? sql`NULL` : (values[index] as SQL))),
    ]);
  const json = JSON.stringify(rows);
  if (json.length > MAX_JSON)
    return rows.map((row) =>
      ctx.db.run(sql`${into} VALUES (${valuesOf(row.map((value) => sql`${value}`))})`),
    );
  const fromJson = valuesOf(columns.map((_, index) => sql`value ->> ${sql.raw(String(index))}`));
  return [ctx.db.run(sql`${into} SELECT ${fromJson} FROM json_each(${json})`)];
}

/** Sets the references to rows of the same table, which were copied as null. */
export function setReferencesStatements(
  ctx: OwnerCtx,
  { table, selfReference = "" }: MigratedTable,
  rows: MigratedRow[],
) {
  const columns = columnsOf(table);
  const [id, reference] = ["id", selfReference].map((name) => sql.raw(String(columns.indexOf(name))));
  return [
    ctx.db.run(sql`UPDATE ${table} SET ${sql.identifier(selfReference)} = page.value ->> ${reference}
      FROM json_each(${JSON.stringify(rows)}) AS page
      WHERE ${table}.id = page.value ->> ${id} AND owner = ${ctx.owner}`),
  ];
}

export const tableName = ({ table }: MigratedTable): string => getTableName(table);
