import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { shardBinding } from "../../src/contract/shards.ts";
import { readWranglerConfig } from "./wrangler.ts";

export type SqlRow = Record<string, string | number | null>;

/** SQL with its bound parameters. D1's HTTP API accepts only text parameters. */
export type TextStatement = { sql: string; params: string[] };

/** A database that can be read. */
export type ReadableDatabase = {
  query: (sql: string, params?: string[]) => Promise<SqlRow[]>;
  close: () => void;
};

/** A database that can also be written. A batch is one transaction and returns the rows of each statement. */
export type WritableDatabase = ReadableDatabase & {
  batch: (statements: TextStatement[]) => Promise<SqlRow[][]>;
};

/** Where `npm start` keeps its data. */
export const stateDirectory = (environment: NodeJS.ProcessEnv) => resolve(environment.STATE_DIR ?? ".state");

/** Miniflare's name of a local database: wrangler's name for the first one, the binding for the others. */
export function localDatabaseName(shard: number): string {
  if (shard !== FIRST_SHARD) return shardBinding(shard);
  const first = readWranglerConfig().d1_databases.find(({ binding }) => binding === "DB");
  return first?.preview_database_id ?? first?.database_id ?? "DB";
}

const OBJECTS = "miniflare-D1DatabaseObject";

/** Miniflare's file for a database of this name: it derives the id from the name. */
function fileNameOf(name: string): string {
  const key = createHash("sha256").update(OBJECTS).digest();
  const digest = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const idBytes = digest(name);
  return `${Buffer.concat([idBytes, digest(idBytes)]).toString("hex")}.sqlite`;
}

/** The path of a local database's file, which may not exist yet. */
export const localDatabasePath = (stateDir: string, shard: number) =>
  join(stateDir, "v3", "d1", OBJECTS, fileNameOf(localDatabaseName(shard)));

/** The file of a local database. Throws if it does not exist. */
export function requireDatabaseFile(stateDir: string, shard = FIRST_SHARD): string {
  const file = localDatabasePath(stateDir, shard);
  if (existsSync(file)) return file;
  const which = shard === FIRST_SHARD ? "" : ` DB_${shard}`;
  throw new Error(`There is no database${which} in ${stateDir}: start the service once, or set STATE_DIR`);
}

/** Reads a snapshot of a database file, even while the service writes to it. */
export function openSnapshot(file: string): ReadableDatabase {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec("BEGIN");
  return {
    query: async (sql, params = []) => database.prepare(sql).all(...params) as SqlRow[],
    close: () => database.close(),
  };
}

export const hasTable = async (source: ReadableDatabase, name: string) =>
  (await source.query("SELECT 1 FROM sqlite_schema WHERE name = ?", [name])).length > 0;

/** A list of values as SQL: text is bound, numbers and NULL are written out. */
export function bindValues(values: (string | number | null | undefined)[]): TextStatement {
  const valueTexts = values.map((value) => (typeof value === "string" ? "?" : String(value ?? "NULL")));
  return {
    sql: `(${valueTexts.join(", ")})`,
    params: values.filter((value): value is string => typeof value === "string"),
  };
}
