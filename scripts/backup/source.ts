import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

export type Row = Record<string, string | number | null>;

/** SQL with its bound parameters. D1's HTTP API accepts only text parameters. */
export type Statement = { sql: string; params: string[] };

/** A database that can be read. */
export type Source = { query: (sql: string, params?: string[]) => Promise<Row[]>; close: () => void };

/** A database that can also be written; the statements of a batch are one transaction. Returns the rows of each. */
export type Target = Source & { batch: (statements: Statement[]) => Promise<Row[][]> };

/** Where `npm start` keeps its data. */
export const stateDirOf = (environment: NodeJS.ProcessEnv) => resolve(environment.STATE_DIR ?? ".state");

/** The file of the local database. Throws if there is none yet. */
export function localFile(stateDir: string): string {
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const file = names.find((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  if (!file) throw new Error(`There is no database in ${stateDir}: start the service once, or set STATE_DIR`);
  return join(folder, file);
}

/** Reads a snapshot of a database file, even while the service writes to it. */
export function localSource(file: string): Source {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec("BEGIN");
  return {
    query: async (sql, params = []) => database.prepare(sql).all(...params) as Row[],
    close: () => database.close(),
  };
}

/** Values as SQL: texts are bound, numbers and NULL are written out. */
export function bind(values: (string | number | null | undefined)[]): Statement {
  const places = values.map((value) => (typeof value === "string" ? "?" : String(value ?? "NULL")));
  return {
    sql: `(${places.join(", ")})`,
    params: values.filter((value): value is string => typeof value === "string"),
  };
}
