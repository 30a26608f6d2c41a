import { sql } from "drizzle-orm";
import type { Effect } from "../core/faults.ts";
import type { AtEnd } from "./at-end.ts";
import type { Receipt } from "./receipt.ts";

/**
 * SQLite looks at the value of a bare `LIMIT ?` and compiles the statement again whenever one is bound, which took half
 * the time of a search. It does not look at an expression.
 */
export const prepare = (session: D1DatabaseSession, query: string): Prepared => ({
  statement: session.prepare(query.replace(/\blimit \?/gi, "LIMIT +?")),
  query,
});

export type Prepared = {
  statement: D1PreparedStatement;
  query: string;
  receipt?: Receipt | undefined;
  atEnd?: AtEnd | undefined;
};

/** Stands in a statement that has the same effect if its batch is carried out twice. */
export const REPEATABLE = sql.raw("/* repeatable */ ");
const TURNS_REPETITIONS_AWAY = "'repeated'";

const READS = /^\s*(?:select|with)\b/i;
const WRITES = /\b(?:insert|replace)\s+(?:or\s+\w+\s+)?into\b|\bdelete\s+from\b|\bupdate\s+["\w]+\s+set\b/i;

const isRead = ({ query }: Prepared) => READS.test(query) && !WRITES.test(query);
export const isRepeatable = (one: Prepared) => isRead(one) || one.query.startsWith("/* repeatable */");

/** What a batch changes, and whether it does so again if it is sent again after a lost answer. */
export function effectOf(statements: readonly Prepared[]): Effect {
  if (statements.every(isRead)) return "none";
  const refusesTwice = statements.some(({ query }) => query.includes(TURNS_REPETITIONS_AWAY));
  if (refusesTwice || statements.every(isRepeatable)) return "once";
  return statements.some(({ receipt }) => receipt) ? "recognized" : "any";
}
