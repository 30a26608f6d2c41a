import type { Ctx } from "../platform/core/ctx.ts";
import { ownerPrefix } from "../engine/analyse.ts";
import { BEGINNING, beginning, UNSURE_BEGINNING } from "../text-index/forms.ts";
import { beginningOfTwoSlips, isCorrectable, type Known, likelyMeant, oneSlipAway } from "./correct.ts";
import { TYPE_WORDS } from "./fact-words.ts";
import { SURE_WORDS } from "./match.ts";
import type { Corrections, Plan } from "../engine/plan.ts";
import type { RankedRow } from "../engine/score.ts";

/** How many words of a vocabulary one lookup reads at most. */
const MAX_SCANNED = 2000;
/** How many unknown words of a query are looked up at most. */
const MAX_CORRECTED = 8;
/** Sorts after any character of a word. */
const LAST = "\u{10ffff}";

/** The statements that read words similar to an unknown one, and some facts, only from the caller's own vocabulary. */
function nearStatements(
  ctx: Ctx,
  word: string,
  facts: readonly string[],
): [D1PreparedStatement, D1PreparedStatement] {
  const prefix = ownerPrefix(ctx.owner);
  const start = beginningOfTwoSlips(word);
  return [
    ctx.db.$client
      .prepare("SELECT w.term, w.doc FROM json_each(?) j CROSS JOIN search_words w ON w.term = j.value")
      .bind(JSON.stringify([...oneSlipAway(word), ...facts].map((near) => prefix + near))),
    ctx.db.$client
      .prepare("SELECT term, doc FROM search_words WHERE term >= ? AND term < ? LIMIT ?")
      .bind(prefix + start, `${prefix}${start}${LAST}`, start === undefined ? 0 : MAX_SCANNED),
  ];
}

/** For each word, similar ones from the caller's vocabulary, in a single call; with records, also the words for their types. */
async function vocabulariesNear(ctx: Ctx, wanted: readonly string[], records: boolean): Promise<Known[][]> {
  const facts = records ? [...TYPE_WORDS.keys()] : [];
  const statements = wanted.flatMap((word) => nearStatements(ctx, word, facts));
  if (statements.length === 0) return [];
  const found = await ctx.db.$client.batch<{ term: string; doc: number }>(statements);
  const { length } = ownerPrefix(ctx.owner);
  const wordsOf = (term: string) => TYPE_WORDS.get(term) ?? [term];
  return wanted.map((_, place) =>
    found
      .slice(2 * place, 2 * place + 2)
      .flatMap(({ results }) => results)
      .flatMap(({ term, doc }) => wordsOf(term.slice(length)).map((text) => ({ text, records: doc }))),
  );
}

/** The words that, judging by their beginning, are other forms of words in the caller's texts rather than typos. */
async function inflectedAmong(ctx: Ctx, unknown: string[]): Promise<Set<string>> {
  const prefix = ownerPrefix(ctx.owner);
  const beginnings = unknown.flatMap((word) =>
    [BEGINNING, UNSURE_BEGINNING].map((mark) => [word, prefix + mark + beginning(word)]),
  );
  const { results } = await ctx.db.$client
    .prepare("SELECT j.value->>0 word FROM json_each(?) j CROSS JOIN search_words w ON w.term = j.value->>1")
    .bind(JSON.stringify(beginnings))
    .all<{ word: string }>();
  return new Set(results.map(({ word }) => word));
}

/**
 * Corrections for the words of a plan that occur in none of the caller's records; `records`: whether they may also be
 * corrected to the words for the types of memory records.
 */
export async function correctionsFor(
  ctx: Ctx,
  { plan, records }: { plan: Plan; records: boolean },
  rows: RankedRow[],
): Promise<Corrections> {
  const known = JSON.parse(rows[0]?.known ?? "[]") as number[];
  const unknown = plan.units
    .filter(({ text, correctable }, unit) => correctable && !known[unit] && isCorrectable(text))
    .map(({ text }) => text);
  if (unknown.length === 0) return new Map();
  const inflected = plan.units.length > SURE_WORDS ? await inflectedAmong(ctx, unknown) : new Set<string>();
  const slips = unknown.filter((word) => !inflected.has(word)).slice(0, MAX_CORRECTED);
  const vocabularies = await vocabulariesNear(ctx, slips, records);
  const asked = new Set(plan.units.flatMap(({ names }) => names));
  const corrections = slips.map((text, place) => {
    const meant = likelyMeant(text, vocabularies[place] ?? []);
    // A word that the query has as well is looked for already.
    return [text, meant.some((one) => asked.has(one)) ? meant.slice(0, 1) : meant] as const;
  });
  return new Map(corrections.filter(([, meant]) => meant.length > 0));
}
