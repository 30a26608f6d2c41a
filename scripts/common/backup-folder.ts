import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { KvEntry, KvNamespace } from "./kv.ts";
import {
  bindValues,
  hasTable,
  type ReadableDatabase,
  type SqlRow,
  type TextStatement,
} from "./local-database.ts";
import { createProgress } from "./progress.ts";

const FORMAT = "commonplace-backup";
/** Limits of a page. A single row may have 2 MB. */
const PAGE_ROWS = 1000;
const PAGE_BYTES = 1_000_000;

type TableChecksum = { count: number; sha256: string };

export type BackupManifest = {
  format: typeof FORMAT;
  created_at: string;
  /** The shard's number, which its users' credentials contain; missing for a service with one database. */
  home?: number;
  migrations: string[];
  tables: Record<string, TableChecksum>;
  /** The OAuth server's entries; missing in backups of earlier releases. */
  oauth_kv?: TableChecksum;
};

/** Tables that are derived from others, or maintained by SQLite or wrangler. */
const EXCLUDED_TABLES = /^(sqlite_|_cf_|d1_migrations$|search_)/;

/** The tables that go into a backup. */
export async function listTables(source: ReadableDatabase): Promise<string[]> {
  const rows = await source.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  return rows.map(({ name }) => String(name)).filter((name) => !EXCLUDED_TABLES.test(name));
}

type TableShape = { key: string[]; columns: string[] };

/** The columns and the primary key of a table. A table without a key uses its rowid. */
export async function readTableShape(source: ReadableDatabase, table: string): Promise<TableShape> {
  const rows = await source.query(`SELECT name, pk FROM pragma_table_info('${table}') ORDER BY cid`);
  const columns = rows.map(({ name }) => String(name));
  const keyRows = rows.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
  return keyRows.length > 0
    ? { columns, key: keyRows.map(({ name }) => String(name)) }
    : { columns: ["rowid", ...columns], key: ["rowid"] };
}

/** The statement that reads the next page: as many rows as fit the limits, at least one. */
function pageStatement(table: string, { key, columns }: TableShape, last: SqlRow | undefined): TextStatement {
  const order = key.join(", ");
  const after = last && bindValues(key.map((column) => last[column]));
  const where = after ? `WHERE (${order}) > ${after.sql}` : "";
  const size = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
  const sizes = `SELECT ${order}, ${size} AS size FROM ${table} ${where} ORDER BY ${order} LIMIT ${PAGE_ROWS}`;
  const sums = `SELECT sum(size) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS sum FROM (${sizes})`;
  return {
    sql: `SELECT ${columns.join(", ")} FROM ${table} ${where} ORDER BY ${order}
      LIMIT max(1, (SELECT count(*) FROM (${sums}) WHERE sum <= ${PAGE_BYTES}))`,
    params: after ? [...after.params, ...after.params] : [],
  };
}

/** Every row of a table, ordered by key. */
export async function* readTableRows(source: ReadableDatabase, table: string): AsyncGenerator<SqlRow> {
  const shape = await readTableShape(source, table);
  let last: SqlRow | undefined;
  do {
    const { sql, params } = pageStatement(table, shape, last);
    const rows = await source.query(sql, params);
    yield* rows;
    last = rows.at(-1);
  } while (last);
}

/** The migrations applied to a database, in order. */
export async function listAppliedMigrations(source: ReadableDatabase): Promise<string[]> {
  if (!(await hasTable(source, "d1_migrations"))) return [];
  return (await source.query("SELECT name FROM d1_migrations ORDER BY id")).map(({ name }) => String(name));
}

/** Shows a progress bar while rows pass through `each`. */
export function trackRows(stage: string, total: number) {
  const progress = createProgress(stage);
  let count = 0;
  return {
    async *each<Item>(rows: AsyncIterable<Item>): AsyncGenerator<Item> {
      for await (const row of rows) {
        yield row;
        progress.show(++count, Math.max(total, count));
      }
    },
    end: progress.end,
  };
}

/**
 * Counts and hashes the rows of a table as the lines of a backup.
 *
 * @param onLine called with each line
 */
export async function checksumRows(
  rows: AsyncIterable<SqlRow> | SqlRow[],
  onLine?: (line: string) => Promise<unknown>,
): Promise<TableChecksum> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const row of rows) {
    const line = `${JSON.stringify(row)}\n`;
    hash.update(line);
    count++;
    await onLine?.(line);
  }
  return { count, sha256: hash.digest("hex") };
}

/** The number of rows in these tables. */
export async function countRows(source: ReadableDatabase, tables: string[]): Promise<number> {
  let sum = 0;
  for (const table of tables) sum += Number((await source.query(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  return sum;
}

/** The SHA-256 of a file, in hex. */
export async function fileSha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

const OAUTH_KV = "oauth_kv";

export const manifestFile = (folder: string) => join(folder, "manifest.json");

const tableFile = (folder: string, table: string) => join(folder, `${table}.ndjson`);

async function writeTable(rows: AsyncIterable<SqlRow> | SqlRow[], path: string): Promise<TableChecksum> {
  const file = await open(path, "wx", 0o600);
  const table = await checksumRows(rows, (line) => file.write(line));
  await file.sync();
  await file.close();
  return table;
}

/** `shard` is the number of one of several databases. */
export type BackupSource = {
  database: ReadableDatabase;
  namespace: Pick<KvNamespace, "read">;
  shard: number | undefined;
};

/**
 * Writes every table of a database and the connections of MCP clients into a new folder. The manifest comes last: a
 * folder without one is not a backup.
 */
export async function writeBackup(
  { database: source, namespace, shard }: BackupSource,
  folder: string,
  now: Date,
): Promise<BackupManifest & { oauth_kv: TableChecksum }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const tableNames = await listTables(source);
  const reading = trackRows("Reading", await countRows(source, tableNames));
  const tables: Record<string, TableChecksum> = {};
  for (const table of tableNames) {
    tables[table] = await writeTable(reading.each(readTableRows(source, table)), tableFile(folder, table));
  }
  reading.end();
  // After the database, so that a connection that ends in between is not brought back by a restore.
  const entries = (await namespace.read()) as unknown as SqlRow[];
  const manifest = {
    format: FORMAT,
    created_at: now.toISOString(),
    ...(shard !== undefined && { home: shard }),
    migrations: await listAppliedMigrations(source),
    tables,
    oauth_kv: await writeTable(entries, tableFile(folder, OAUTH_KV)),
  } as const;
  writeManifest(folder, manifest);
  return manifest;
}

/** Writes the file without which a folder is not a backup. Throws if it exists. */
export const writeManifest = (folder: string, manifest: object) =>
  writeFileSync(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`, { flag: "wx", mode: 0o600 });

/** The OAuth server's entries in a backup; empty for backups of earlier releases. */
export async function readOAuthEntries(folder: string, { oauth_kv }: BackupManifest): Promise<KvEntry[]> {
  const entries: KvEntry[] = [];
  if (oauth_kv) for await (const line of readTableLines(folder, OAUTH_KV)) entries.push(JSON.parse(line));
  return entries;
}

/** The lines of a table's file in a backup. */
export const readTableLines = (folder: string, table: string) =>
  createInterface({ input: createReadStream(tableFile(folder, table)), crlfDelay: Number.POSITIVE_INFINITY });

/** Reads a backup's manifest and checks every file against it. Throws if a file is damaged. */
export async function verifyBackup(folder: string): Promise<BackupManifest> {
  const manifest = JSON.parse(readFileSync(manifestFile(folder), "utf8")) as BackupManifest;
  if (manifest.format !== FORMAT) throw new Error(`${folder} is not a backup`);
  const { tables, oauth_kv } = manifest;
  const files = { ...tables, ...(oauth_kv && { [OAUTH_KV]: oauth_kv }) };
  for (const [table, { sha256 }] of Object.entries(files)) {
    const file = tableFile(folder, table);
    if ((await fileSha256(file)) !== sha256) throw new Error(`${file} is damaged: its checksum differs`);
  }
  return manifest;
}
