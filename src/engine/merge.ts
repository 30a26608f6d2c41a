import { sql } from "drizzle-orm";
import type { BaseCtx } from "../platform/core/ctx.ts";
import { withEnd } from "../platform/db/at-end.ts";
import { withRest } from "../platform/turns/fair.ts";

// FTS5 writes what is new to a segment of its own, and merges segments later (https://sqlite.org/fts5.html, 'automerge').
// By itself it does so in one go for each 64 pages: 100 to 300 ms, in which nobody else is answered. Migration 0055
// switches that off, and each transaction that writes to the index merges about as much as it has written.

const mergeQuery = (pages: number) =>
  `INSERT INTO search_index (search_index, rank) VALUES ('merge', ${Math.ceil(pages)})`;

/** Pages of 4 KB that one transaction merges at least: each of its segments has one. */
const LEAST_PAGES = 8;
const CHARACTERS_PER_PAGE = 1000;

const mergeAtEnd = (total: number) => mergeQuery(LEAST_PAGES + total);

/** The same statement, which writes so many characters to the index; 0 for one that removes. */
export const merging = <Statement extends object>(statement: Statement, characters: number): Statement =>
  withEnd(statement, { amount: characters / CHARACTERS_PER_PAGE, queryFor: mergeAtEnd });

const STEPS = 8;
const PAGES_AT_ONCE = 32;

/**
 * Merges what is left. A deleted entry is only marked, and its words stay until their segment is merged; a merge takes
 * segments of which a tenth is deleted ('deletemerge').
 */
export async function mergeSome({ db }: BaseCtx): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    const { meta } = await withRest(() => db.run(sql.raw(mergeQuery(PAGES_AT_ONCE))));
    // With nothing to merge, only the number of the index's configuration is looked at.
    if ((meta.rows_written ?? 0) <= 1) return;
  }
}
