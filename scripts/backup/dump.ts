import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Row, Source } from "./source.ts";

const FORMAT = "commonplace-backup";
/** Rows are read until a page has about so many bytes. */
const PAGE_ROWS = 200;

export type Table = { count: number; sha256: string };

export type Manifest = {
  format: typeof FORMAT;
  created_at: string;
  migrations: string[];
  tables: Record<string, Table>;
};

/** Tables that are made from others, or kept by SQLite and wrangler. */
const DERIVED = /^(sqlite_|_cf_|d1_migrations$|search_)/;

/** The tables that a backup holds. */
export const tablesOf = (source: Source): string[] =>
  source
    .query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .map(({ name }) => String(name))
    .filter((name) => !DERIVED.test(name));

const literal = (value: string | number | null | undefined): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value ?? "NULL");

function keyOf(source: Source, table: string): string[] {
  const key = source
    .query(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`)
    .map(({ name }) => String(name));
  return key.length > 0 ? key : ["rowid"];
}

/** Every row of a table in the order of its key, a JSON object each. */
export function* linesOf(source: Source, table: string): Generator<string> {
  const key = keyOf(source, table);
  let after = "";
  for (;;) {
    const where = after && `WHERE (${key.join(", ")}) > (${after})`;
    const hidden = key[0] === "rowid" ? "rowid AS rowid, " : "";
    const rows = source.query(
      `SELECT ${hidden}* FROM ${table} ${where} ORDER BY ${key.join(", ")} LIMIT ${PAGE_ROWS}`,
    );
    for (const row of rows) yield JSON.stringify(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = key.map((column) => literal(last[column])).join(", ");
  }
}

export const migrationsOf = (source: Source): string[] =>
  source.query("SELECT name FROM d1_migrations ORDER BY id").map(({ name }) => String(name));

/** The count and the checksum of a table as it is in a database. */
export function measure(source: Source, table: string): Table {
  const hash = createHash("sha256");
  let count = 0;
  for (const line of linesOf(source, table)) {
    hash.update(`${line}\n`);
    count++;
  }
  return { count, sha256: hash.digest("hex") };
}

const fileOf = (folder: string, table: string) => join(folder, `${table}.ndjson`);

async function writeTable(source: Source, folder: string, table: string): Promise<Table> {
  const hash = createHash("sha256");
  let count = 0;
  const file = await open(fileOf(folder, table), "wx", 0o600);
  for (const line of linesOf(source, table)) {
    hash.update(`${line}\n`);
    count++;
    await file.write(`${line}\n`);
  }
  await file.sync();
  await file.close();
  return { count, sha256: hash.digest("hex") };
}

/** Writes every table of a database into a new folder. The manifest comes last: without it, it is no backup. */
export async function dump(source: Source, folder: string, now: Date): Promise<Manifest> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const tables: Record<string, Table> = {};
  for (const table of tablesOf(source)) tables[table] = await writeTable(source, folder, table);
  const manifest: Manifest = {
    format: FORMAT,
    created_at: now.toISOString(),
    migrations: migrationsOf(source),
    tables,
  };
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, {
    flag: "wx",
    mode: 0o600,
  });
  return manifest;
}

/** The lines of a table in a backup. */
export const readTable = (folder: string, table: string) =>
  createInterface({ input: createReadStream(fileOf(folder, table)), crlfDelay: Number.POSITIVE_INFINITY });

/** Reads a backup's manifest and holds every file against it. Throws when one is damaged. */
export async function checkBackup(folder: string): Promise<Manifest> {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;
  if (manifest.format !== FORMAT) throw new Error(`${folder} is not a backup`);
  for (const [table, { sha256 }] of Object.entries(manifest.tables)) {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(fileOf(folder, table))) hash.update(chunk);
    if (hash.digest("hex") !== sha256)
      throw new Error(`${fileOf(folder, table)} is damaged: its checksum differs`);
  }
  return manifest;
}

export type { Row };
