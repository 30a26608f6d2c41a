import type { Home } from "../../src/contract/homes.ts";
import type { Source } from "../common/source.ts";

// Several databases, read so that each account is whole in one of them, although accounts may be moved in the meantime.

/** A home with its database. */
export type Opened = { home: Home; source: Source };

/** What a database knows of moves: those under way, and how many have ended, and when the last of them did. */
const MOVES = `SELECT owner, state, home, NULL AS at FROM moves WHERE state IN ('leaving', 'arriving', 'arrived')
  UNION ALL SELECT NULL, 'left', count(*), max(at) FROM moves WHERE state = 'left' ORDER BY owner`;

async function movesIn({ source }: Opened) {
  const [table] = await source.query("SELECT 1 FROM sqlite_schema WHERE name = 'moves'");
  return table ? source.query(MOVES) : [];
}

/** What databases know of moves, as text. A local one is read as it was at the first query. */
export async function readMoves(opened: Opened[]): Promise<string> {
  const moves = [];
  for (const one of opened) moves.push(await movesIn(one));
  return JSON.stringify(moves);
}

/** Opens databases for as long as `use` takes. */
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
