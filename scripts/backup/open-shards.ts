import type { Shard } from "../../src/contract/shards.ts";
import { hasTable, type ReadableDatabase } from "../common/local-database.ts";

// Opens several databases, and reads the state by which a caller detects moves of accounts between them.

/** A shard with its open database. */
export type OpenShard = { shard: Shard; source: ReadableDatabase };

/** The migrations in progress of a database, the number of those that have ended, and when the last one ended. */
const LIST_MOVES = `SELECT owner, state, home, NULL AS at FROM moves WHERE state IN ('leaving', 'arriving', 'arrived')
  UNION ALL SELECT NULL, 'left', count(*), max(at) FROM moves WHERE state = 'left' ORDER BY owner`;

/** The state of account migrations in these databases, as text to compare. */
export async function readMigrationState(opened: OpenShard[]): Promise<string> {
  const moves = [];
  for (const { source } of opened)
    moves.push((await hasTable(source, "moves")) ? await source.query(LIST_MOVES) : []);
  return JSON.stringify(moves);
}

/** Opens databases and closes them after `use`. */
export async function withOpenShards<Result>(
  shards: Shard[],
  open: (shard: Shard) => Promise<ReadableDatabase>,
  use: (opened: OpenShard[]) => Promise<Result>,
): Promise<Result> {
  const opened: OpenShard[] = [];
  try {
    for (const shard of shards) opened.push({ shard, source: await open(shard) });
    return await use(opened);
  } finally {
    for (const { source } of opened) source.close();
  }
}
