import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { type Shard, shardBinding } from "../../src/contract/shards.ts";
import {
  hasTable,
  localDatabasePath,
  openSnapshot,
  type ReadableDatabase,
} from "../common/local-database.ts";
import { explainStateProblem, recoveryHint, withExplainedProblems } from "../common/state-problems.ts";

// Checks a state folder before a start. If a database was lost, the start would create an empty service, where the
// first visitor could register as the admin.

const SQLITE_HEADER = "SQLite format 3\0";

const listNames = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** The first bytes of a file; empty for an empty file. */
function readHeader(file: string): string {
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(SQLITE_HEADER.length);
    return bytes.toString("latin1", 0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}

const databaseFiles = (stateDir: string): string[] =>
  ["d1", "kv", "r2"].flatMap((part) =>
    listNames(join(stateDir, "v3", part))
      .map((name) => join(stateDir, "v3", part, name))
      .filter((folder) => statSync(folder).isDirectory())
      .flatMap((folder) => listNames(folder).map((name) => join(folder, name)))
      .filter((file) => file.endsWith(".sqlite") && statSync(file, { throwIfNoEntry: false })?.isFile()),
  );

function requireSqliteHeader(file: string): void {
  const header = withExplainedProblems(file, () => readHeader(file));
  if (header !== "" && header !== SQLITE_HEADER)
    throw new Error(`${file} is damaged (it is not a database). ${recoveryHint()}`);
}

/** Whether a service has run on the folder. An interrupted first start leaves only `file`. */
function wasUsed(stateDir: string, file: string): boolean {
  const siblings = listNames(join(file, "..")).map((name) => join(file, "..", name));
  return listNames(join(stateDir, "v3", "do")).length > 0 || siblings.some((one) => !one.startsWith(file));
}

const lostDatabaseError = (file: string, what: string, reason: string) =>
  new Error(
    `${file} is ${what}, but ${reason}: this start would create a new, empty service. Put the file back. Or: ${recoveryHint()}. ` +
      "To start over on purpose, move v3 away, or choose another folder: STATE_DIR=…",
  );

/** What is wrong with a database file; undefined if it has content. */
function fileDefect(file: string): "missing" | "empty" | undefined {
  if (!existsSync(file)) return "missing";
  return statSync(file).size === 0 ? "empty" : undefined;
}

async function populatedShards(first: ReadableDatabase): Promise<number[]> {
  if (!(await hasTable(first, "address_book"))) return [];
  const rows = await first.query("SELECT DISTINCT home FROM address_book WHERE state = 'settled'");
  return rows.map(({ home }) => Number(home));
}

/** Whether the first database has been set up, and the shards that have users. */
const readFirst = async (source: ReadableDatabase, file: string): Promise<[boolean, number[]]> => {
  try {
    return [await hasTable(source, "users"), await populatedShards(source)];
  } catch (problem) {
    throw explainStateProblem(problem, file);
  }
};

/** Throws if a database of a used state folder is missing, empty or not a database. The error says how to recover. */
export async function checkState(stateDir: string, shards: readonly Shard[]): Promise<void> {
  for (const file of databaseFiles(stateDir)) requireSqliteHeader(file);
  const first = localDatabasePath(stateDir, FIRST_SHARD);
  const isUsed = wasUsed(stateDir, first);
  const defect = fileDefect(first);
  if (defect && isUsed) throw lostDatabaseError(first, defect, `a service has run on ${stateDir}`);
  if (defect) return;
  const source = withExplainedProblems(first, () => openSnapshot(first));
  const [hasUsers, populated] = await readFirst(source, first).finally(source.close);
  if (!hasUsers && isUsed) throw lostDatabaseError(first, "empty", `a service has run on ${stateDir}`);
  for (const { number } of shards.filter((shard) => populated.includes(shard.number))) {
    const file = localDatabasePath(stateDir, number);
    const missing = fileDefect(file);
    if (missing) throw lostDatabaseError(file, missing, `it has the users of ${shardBinding(number)}`);
  }
}
