import { sql } from "drizzle-orm";
import type { BaseCtx } from "../platform/core/ctx.ts";
import type { FinalStatement } from "../platform/core/statement.ts";
import { withRest } from "../platform/queue/yielding.ts";
import type { IndexRow } from "./analyse.ts";

// FTS5 writes each change to a new segment and merges segments later (https://sqlite.org/fts5.html, 'automerge'). By default
// it merges in one go per 64 pages, which blocks all requests for 100 to 300 ms. Migration 0055 switches that off; instead,
// transactions that write to the index merge about as much as they have written.

const mergeQuery = (pages: number) =>
  `INSERT INTO search_index (search_index, rank) VALUES ('merge', ${Math.ceil(pages)})`;

const CHARACTERS_PER_PAGE = 1000;
/** Of the transactions that write less, one in four merges for all, because the statement is billed as a row. */
const SMALL_WRITE = 16 * CHARACTERS_PER_PAGE;
const SAMPLE_RATE = 4;
const MIN_PAGES = 24;
/** A removal writes hardly anything. */
const REMOVAL_CHARACTERS = 250;

function mergeQueryFor(total: number): string | undefined {
  const characters = total / SAMPLE_RATE;
  if (characters < SMALL_WRITE && total % SAMPLE_RATE !== 0) return undefined;
  return mergeQuery(MIN_PAGES + characters / CHARACTERS_PER_PAGE);
}

type SourceText = { title: string; text: string };

/** A number that selects one write in four: it changes as a text grows, and is the same in all accounts. */
const sampleNumber = ({ title, text }: SourceText) =>
  [...`${title.slice(-8)}${text.slice(-8)}`].reduce(
    (sum, sign) => sum + (sign.codePointAt(0) ?? 0),
    text.length,
  );

export const mergeAfterWrite = (
  { title, tags, body, extra }: IndexRow,
  source: SourceText,
): FinalStatement => {
  const characters = title.length + tags.length + body.length + extra.length;
  return { amount: SAMPLE_RATE * characters + sampleNumber(source), sqlFor: mergeQueryFor };
};

export const MERGE_AFTER_REMOVAL: FinalStatement = {
  amount: SAMPLE_RATE * REMOVAL_CHARACTERS + 1,
  sqlFor: mergeQueryFor,
};

const MERGE_STEPS = 3;
const PAGES_PER_STEP = 64;

/** A deleted entry's words stay until its segment is merged, as FTS5 does if a tenth of it is deleted ('deletemerge'). */
export async function mergeSegments({ db }: BaseCtx): Promise<void> {
  for (let step = 0; step < MERGE_STEPS; step++)
    await withRest(() => db.run(sql.raw(mergeQuery(PAGES_PER_STEP))));
}
