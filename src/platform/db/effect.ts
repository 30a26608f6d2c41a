import { sql } from "drizzle-orm";
import type { RepeatEffect } from "../core/faults.ts";
import type { FinalStatement } from "./final-statement.ts";
import type { WriteReceipt } from "./write-receipt.ts";

/** SQLite recompiles a statement whenever a bare `LIMIT ?` is bound, which took half the time of a search. `+?` avoids it. */
export const prepareQuery = (session: D1DatabaseSession, query: string): PreparedQuery => ({
  statement: session.prepare(query.replace(/\blimit \?/gi, "LIMIT +?")),
  query,
});

export type PreparedQuery = {
  statement: D1PreparedStatement;
  query: string;
  writeReceipt?: WriteReceipt | undefined;
  finalStatement?: FinalStatement | undefined;
};

/** Marks, at its beginning, a statement that has the same effect if its batch runs twice. */
export const REPEATABLE = sql.raw("/* repeatable */ ");
/** Part of a statement that aborts its batch if that has run before. */
const REJECTS_REPETITION = "'repeated'";

const READS = /^\s*(?:select|with)\b/i;
const WRITES = /\b(?:insert|replace)\s+(?:or\s+\w+\s+)?into\b|\bdelete\s+from\b|\bupdate\s+["\w]+\s+set\b/i;

const isRead = ({ query }: PreparedQuery) => READS.test(query) && !WRITES.test(query);
export const isRepeatable = (prepared: PreparedQuery) =>
  isRead(prepared) || prepared.query.startsWith("/* repeatable */");

/** The effect of sending a batch again after its answer was lost. */
export function batchEffect(statements: readonly PreparedQuery[]): RepeatEffect {
  if (statements.every(isRead)) return "none";
  const rejectsRepetition = statements.some(({ query }) => query.includes(REJECTS_REPETITION));
  if (rejectsRepetition || statements.every(isRepeatable)) return "once";
  return statements.some(({ writeReceipt }) => writeReceipt) ? "recognized" : "any";
}
