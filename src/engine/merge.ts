import { sql } from "drizzle-orm";
import type { BaseCtx } from "../platform/core/ctx.ts";
import { withEnd } from "../platform/db/at-end.ts";
import { withRest } from "../platform/turns/fair.ts";
import type { IndexRow } from "./analyse.ts";

// FTS5 writes what is new to a segment of its own, and merges segments later (https://sqlite.org/fts5.html, 'automerge').
// By itself it does so in one go for each 64 pages: 100 to 300 ms, in which nobody else is answered. Migration 0055
// switches that off, and the transactions that write to the index merge about as much as they have written.

const mergeQuery = (pages: number) =>
  `INSERT INTO search_index (search_index, rank) VALUES ('merge', ${Math.ceil(pages)})`;

const CHARACTERS_PER_PAGE = 1000;
/** Of the transactions that write less, one in so many merges for all of them: the statement is billed as a row. */
const SMALL = 16 * CHARACTERS_PER_PAGE;
const ONE_IN = 4;
const LEAST_PAGES = 24;
/** What is removed writes hardly anything. */
const REMOVED = 250;

function mergeAtEnd(total: number): string | undefined {
  const characters = total / ONE_IN;
  if (characters < SMALL && total % ONE_IN !== 0) return undefined;
  return mergeQuery(LEAST_PAGES + characters / CHARACTERS_PER_PAGE);
}

type Source = { title: string; text: string };

/** A number by which one write in four is drawn: another one as a text grows, and the same whoever has it. */
const drawn = ({ title, text }: Source) =>
  [...`${title.slice(-8)}${text.slice(-8)}`].reduce(
    (sum, sign) => sum + (sign.codePointAt(0) ?? 0),
    text.length,
  );

/** The same statement, which writes these words of a text to the index. */
export const merging = <Statement extends object>(
  statement: Statement,
  { title, tags, body, extra }: IndexRow,
  source: Source,
): Statement => {
  const characters = title.length + tags.length + body.length + extra.length;
  return withEnd(statement, { amount: ONE_IN * characters + drawn(source), queryFor: mergeAtEnd });
};

/** The same statement, which removes a text from the index. */
export const mergingRemoval = <Statement extends object>(statement: Statement): Statement =>
  withEnd(statement, { amount: ONE_IN * REMOVED + 1, queryFor: mergeAtEnd });

const STEPS = 3;
const PAGES_AT_ONCE = 64;

/**
 * Merges what is left. A deleted entry is only marked, and its words stay until their segment is merged; a merge takes
 * segments of which a tenth is deleted ('deletemerge').
 */
export async function mergeSome({ db }: BaseCtx): Promise<void> {
  for (let step = 0; step < STEPS; step++) await withRest(() => db.run(sql.raw(mergeQuery(PAGES_AT_ONCE))));
}
