import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { WRANGLER, wranglerEnvironment } from "../start/processes.ts";

export type Row = Record<string, string | number | null>;

/** A database that can be read. */
export type Source = { query: (sql: string) => Row[]; close: () => void };

/** Where `npm start` keeps its data. */
export const stateDirOf = (environment: NodeJS.ProcessEnv) => resolve(environment.STATE_DIR ?? ".state");

/** The file of the local database. Throws when there is none yet. */
export function localFile(stateDir: string): string {
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const file = names.find((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  if (!file) throw new Error(`There is no database in ${stateDir}: start the service once, or set STATE_DIR`);
  return join(folder, file);
}

/** Reads a database file as it is at one moment, also while the service writes to it. */
export function localSource(file: string): Source {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec("BEGIN");
  return { query: (sql) => database.prepare(sql).all() as Row[], close: () => database.close() };
}

/** Reads the database of the deployment, through wrangler. */
export function remoteSource(): Source {
  const query = (sql: string): Row[] => {
    const command = [WRANGLER, "d1", "execute", "DB", "--remote", "--json", "--command", sql];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      env: wranglerEnvironment(stateDirOf(process.env)),
      encoding: "utf8",
      maxBuffer: 512 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`wrangler d1 execute failed:\n${stdout}${stderr}`);
    return (JSON.parse(stdout) as [{ results: Row[] }])[0].results;
  };
  return { query, close: () => undefined };
}
