import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseShards, type Shard } from "../../src/contract/shards.ts";
import { localDatabasePath } from "./local-database.ts";
import { requireAllLocalShards } from "./require-all-shards.ts";
import { explainStateProblem, withExplainedProblems } from "./state-problems.ts";

// The migrations of local databases. wrangler uses the same table, but takes many times as long: it starts a runtime
// for each database and calls it several times for each migration.

const FOLDER = "migrations";
const LOCK_TIMEOUT_MS = 30_000;

/** wrangler's table of applied migrations. */
const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

function applyMigration(database: DatabaseSync, name: string): void {
  try {
    database.exec("BEGIN IMMEDIATE");
    database.exec(readFileSync(join(FOLDER, name), "utf8"));
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
    database.exec("COMMIT");
  } catch (problem) {
    const { message } = problem as Error;
    if (explainStateProblem(problem, "") !== problem)
      throw explainStateProblem(problem, String(database.location()));
    throw new Error(`The migration ${name} of ${database.location()} failed and was rolled back: ${message}`);
  }
}

/**
 * Applies the missing migrations to the local database of a shard, each in a transaction, and returns their names.
 * Creates the database if it does not exist. It must not be in use.
 */
export function migrateShard(stateDir: string, shard: number): string[] {
  const file = localDatabasePath(stateDir, shard);
  mkdirSync(dirname(file), { recursive: true });
  // An instance that is stopping releases its ports a moment before its files.
  const database = withExplainedProblems(file, () => new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS }));
  try {
    withExplainedProblems(file, () => database.exec(CREATE_MIGRATIONS_TABLE));
    const applied = database.prepare("SELECT name FROM d1_migrations").all();
    const missing = readdirSync(FOLDER)
      .filter((name) => !applied.some((one) => one.name === name))
      .sort();
    for (const name of missing) applyMigration(database, name);
    return missing;
  } finally {
    database.close();
  }
}

type AppliedMigrations = { binding: string; names: string[] };

/**
 * Applies the missing migrations to the local databases in `stateDir`. Throws before any change if a shard with users
 * is missing from the list.
 */
export async function applyMigrations(
  stateDir: string,
  shards: Shard[] = parseShards(""),
): Promise<AppliedMigrations[]> {
  await requireAllLocalShards(stateDir, shards);
  return shards
    .map(({ binding, number }) => ({ binding, names: migrateShard(stateDir, number) }))
    .filter(({ names }) => names.length > 0);
}
