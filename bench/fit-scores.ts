import type { DatabaseSync } from "node:sqlite";
import { planQuery } from "../src/engine/plan-query.ts";
import { scoreSteps, TUNING, type Tuning } from "../src/engine/score.ts";
import { parseQuery } from "../src/shared/query/query.ts";

// What a query finds, kept in memory so that it can be ranked with other parameters without asking the database again:
// only the title's weight changes how often a word occurs in a record, and it does so linearly.

/** One unit or bonus in one record. */
type Hit = {
  entry: number;
  record: string;
  unit: number;
  bonus: "once" | "near" | "exact" | "date" | null;
  required: number;
  /** what it adds to the score, apart from how often it occurs and from the share of a bonus */
  worth: number;
  tf: number;
  /** the record's length as a multiple of the average */
  length: number;
};

type Found = Pick<Hit, "entry" | "record"> & {
  length: number;
  hits: (Hit & { inTitle: number })[];
  hasAll: boolean;
};

/** The records that a query finds. */
export type Candidates = readonly Found[];

const OWNER = 1;
const EQUAL_SHARES = { near: 1, exact: 1, date: 1 };

function hitsOf(database: DatabaseSync, text: string, relaxed: boolean) {
  const plan = planQuery(OWNER, parseQuery(text), { relaxed });
  const run = (title: number) => {
    const steps = scoreSteps(
      plan,
      { owner: OWNER, kinds: ["document"] },
      { ...TUNING, ...EQUAL_SHARES, title },
    );
    return database
      .prepare(
        `WITH ${steps.sql} SELECT entry, e.record, unit, bonus, required, worth, tf, e.length / (SELECT average FROM own) length
          FROM scored JOIN search_entries e USING (entry)`,
      )
      .all(...steps.params) as unknown as Hit[];
  };
  return { plan, once: run(1), twice: run(2) };
}

/** Everything that a query finds, with the counts from which any parameters can rank it. */
export function candidatesOf(database: DatabaseSync, text: string, relaxed = false): Candidates {
  const { plan, once, twice } = hitsOf(database, text, relaxed);
  const found = new Map<number, Found>();
  for (const [place, hit] of once.entries()) {
    const { entry, record, length } = hit;
    const known = found.get(entry) ?? { entry, record, length, hits: [], hasAll: false };
    known.hits.push({ ...hit, inTitle: (twice[place]?.tf ?? hit.tf) - hit.tf });
    found.set(entry, known);
  }
  const required = plan.clauses.filter((unit) => unit.isRequired).length;
  const results = [...found.values()].flatMap((one) => {
    const units = one.hits.filter(({ bonus }) => bonus === null || bonus === "once").length;
    const isFound = units > 0 || one.hits.some(({ bonus }) => bonus === "date");
    const fits = isFound && one.hits.filter((hit) => hit.required).length === required;
    return fits ? [{ ...one, hasAll: units === plan.clauses.length }] : [];
  });
  return results.length > 0 || relaxed ? results : candidatesOf(database, text, true);
}

function scoreOf({ hits, length }: Found, { k1, b, title, near, exact }: Tuning): number {
  const k = k1 * (1 - b + b * length);
  let score = 0;
  for (const { bonus, worth, tf: inText, inTitle } of hits) {
    const tf = inText + (title - 1) * inTitle;
    const share = bonus === "exact" ? exact : 1;
    score += bonus === "near" ? near * worth : (share * worth * (k1 + 1) * tf) / (tf + k);
  }
  return score;
}

/** The first `count` records in the order of a search with these parameters. */
export function best(candidates: Candidates, tuning: Tuning, count: number): string[] {
  const first: Scored[] = [];
  for (const found of candidates) {
    const one = { found, score: scoreOf(found, tuning) };
    const place = first.findLastIndex((other) => compare(other, one) < 0) + 1;
    if (place >= count) continue;
    first.splice(place, 0, one);
    if (first.length > count) first.pop();
  }
  return first.map(({ found }) => found.record);
}

type Scored = { found: Found; score: number };

/** Negative if the first of two comes first: all words, then the score, then the entry number. */
const compare = (one: Scored, other: Scored): number =>
  Number(other.found.hasAll) - Number(one.found.hasAll) ||
  other.score - one.score ||
  one.found.entry - other.found.entry;
