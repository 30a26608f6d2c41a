import type { Home } from "../../src/contract/homes.ts";
import type { Source } from "../common/source.ts";

// Opens several databases, and detects whether accounts were moved between them while they were read.

/** A shard with its open database. */
export type Opened = { home: Home; source: Source };

/** The migrations in progress of a database, the number of those that have ended, and when the last one ended. */
const MOVES = `SELECT owner, state, home, NULL AS at FROM moves WHERE state IN ('leaving', 'arriving', 'arrived')
  UNION ALL SELECT NULL, 'left', count(*), max(at) FROM moves WHERE state = 'left' ORDER BY owner`;

async function movesIn({ source }: Opened) {
  const [table] = await source.query("SELECT 1 FROM sqlite_schema WHERE name = 'moves'");
  return table ? source.query(MOVES) : [];
}

/** The state of account migrations in these databases, as text to compare. */
export async function readMoves(opened: Opened[]): Promise<string> {
  const moves = [];
  for (const one of opened) moves.push(await movesIn(one));
  return JSON.stringify(moves);
}

/** Opens databases and closes them after `use`. */
export async function withAll<Answer>(
  homes: Home[],
  open: (home: Home) => Promise<Source>,
  use: (opened: Opened[]) => Promise<Answer>,
): Promise<Answer> {
  const opened: Opened[] = [];
  try {
    for (const home of homes) opened.push({ home, source: await open(home) });
    return await use(opened);
  } finally {
    for (const { source } of opened) source.close();
  }
}
