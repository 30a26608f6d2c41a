import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { indexStatements, searchEntries } from "../../src/engine/index.ts";
import { entryOfRow, type IndexedKind, searchableColumns } from "../../src/features/indexed/entry.ts";
import { type Ctx, type CtxUser, ctxFor } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { parseQuery } from "../../src/shared/query/query.ts";
import {
  type BackupManifest,
  checksumRows,
  listTables,
  readTableLines,
  readTableRows,
} from "../common/backup-folder.ts";
import { openSnapshot, type ReadableDatabase, type SqlRow } from "../common/local-database.ts";
import { toD1Session } from "./d1.ts";

const MIGRATIONS = "migrations";

/** The migrations of this version that a backup lacks. */
export const missingMigrations = ({ migrations }: BackupManifest): string[] =>
  readdirSync(MIGRATIONS)
    .filter((name) => !migrations.includes(name))
    .sort();

/**
 * Applies migrations by name. Throws if this version does not have them.
 *
 * @param whose what they come from, for the error
 */
export function applyMigrationFiles(file: string, migrations: string[], whose: string): void {
  const known = readdirSync(MIGRATIONS);
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`${whose} is from a later version: it has the migrations ${unknown.join(", ")}`);
  const database = new DatabaseSync(file);
  for (const name of migrations) database.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  database.close();
}

type TableReader = { tables: string[]; readRows: (table: string) => AsyncIterable<SqlRow> };

/** The rows of a backup. */
export const readBackupTables = (folder: string, { tables }: BackupManifest): TableReader => ({
  tables: Object.keys(tables),
  readRows: async function* (table) {
    for await (const line of readTableLines(folder, table)) yield JSON.parse(line) as SqlRow;
  },
});

/** The rows of another database. */
export const readDatabaseTables = async (source: ReadableDatabase): Promise<TableReader> => ({
  tables: await listTables(source),
  readRows: (table) => readTableRows(source, table),
});

async function loadTable(database: DatabaseSync, table: string, rows: AsyncIterable<SqlRow>): Promise<void> {
  database.exec(`DELETE FROM ${table}`);
  let insert: { columns: string; statement: StatementSync } | undefined;
  for await (const row of rows) {
    const values = Object.values(row) as SQLInputValue[];
    const columns = Object.keys(row).join(", ");
    // Prepared once, because a statement's memory outside of the heap is freed late.
    if (insert?.columns !== columns) {
      const places = values.map(() => "?").join(", ");
      const statement = database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${places})`);
      insert = { columns, statement };
    }
    insert.statement.run(...values);
  }
}

function ctxForOwner(database: DatabaseSync, owner: number): Ctx {
  const user = { number: owner, timezone: "UTC" } as CtxUser;
  return ctxFor({ db: openDatabase(toD1Session(database)), now: new Date(), shard: FIRST_SHARD }, user);
}

/** Builds the search index, which backups do not contain. The database must have this version's migrations. */
export async function rebuildSearchIndex(file: string): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec("BEGIN IMMEDIATE");
  database.exec("DELETE FROM search_entries");
  await indexTable(database, "document", "documents");
  await indexTable(database, "memory", "memories");
  database.exec("COMMIT");
  database.exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')");
  await checkSearch(database);
  database.close();
}

/** Indexes each row that is not in the trash, with one row in memory at a time. */
async function indexTable(database: DatabaseSync, kind: IndexedKind, table: string): Promise<void> {
  const columns = ["owner", "id", ...searchableColumns(kind)].join(", ");
  const rows = database.prepare(`SELECT ${columns} FROM ${table} WHERE trashed_at IS NULL`).iterate();
  for (const { owner, id, ...row } of rows as Iterable<SqlRow>) {
    const ctx = ctxForOwner(database, Number(owner));
    await ctx.db.batch(indexStatements(ctx, { kind, record: String(id), ...entryOfRow(kind, row) }));
  }
}

/** Loads rows into a database with the same migrations, in one transaction. */
export async function loadTables({ tables, readRows }: TableReader, file: string): Promise<void> {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec("BEGIN IMMEDIATE");
  // Without triggers, because the backup contains the rows that they write.
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'search_%'")
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  for (const table of tables) await loadTable(database, table, readRows(table));
  for (const trigger of triggers) database.exec(trigger.sql);
  database.exec("COMMIT");
  database.close();
}

/** Throws unless a search finds the first document that has a word in its title. */
async function checkSearch(database: DatabaseSync): Promise<void> {
  const row = database
    .prepare(
      "SELECT id, owner, title FROM documents WHERE trashed_at IS NULL AND title GLOB '*[a-zA-Z]*' LIMIT 1",
    )
    .get() as { id: string; owner: number; title: string } | undefined;
  if (!row) return;
  const query = parseQuery(`title:${row.title.match(/\p{L}+/u)?.[0]}`);
  const { total } = await searchEntries(ctxForOwner(database, row.owner), {
    query,
    kinds: ["document"],
    limit: 1,
    offset: 0,
  });
  if (total === 0) throw new Error(`A search for the title of ${row.id} finds nothing`);
}

/** Compares a restored database with its backup. Throws at the first difference. */
export async function verifyDatabase(manifest: BackupManifest, file: string): Promise<void> {
  const source = openSnapshot(file);
  for (const [table, expected] of Object.entries(manifest.tables)) {
    const { count, sha256 } = await checksumRows(readTableRows(source, table));
    if (count !== expected.count) throw new Error(`${table} has ${count} rows, not ${expected.count}`);
    if (sha256 !== expected.sha256) throw new Error(`The rows of ${table} differ from the backup`);
  }
  source.close();
  const database = new DatabaseSync(file);
  const problems = [
    ...database
      .prepare("PRAGMA integrity_check")
      .all()
      .filter((row) => row.integrity_check !== "ok"),
    ...database.prepare("PRAGMA foreign_key_check").all(),
  ];
  if (problems.length > 0) throw new Error(`The database is damaged: ${JSON.stringify(problems[0])}`);
  database.close();
}
