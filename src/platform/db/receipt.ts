import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";

/** What a change leaves in the database, by which it is recognized when its answer was lost. */
export type Receipt = {
  unknown: () => SQLiteRaw<unknown>;
  written: () => SQLiteRaw<Written[]>;
};

export type Written = { number: number; verb: string; record: string; title: string | null };

const receipts = new WeakMap<object, Receipt>();

export function withReceipt<Statement extends object>(statement: Statement, receipt: Receipt): Statement {
  receipts.set(statement, receipt);
  return statement;
}

export const receiptOf = (statement: object): Receipt | undefined => receipts.get(statement);

export const receiptsOf = (statements: readonly BatchItem<"sqlite">[]): Receipt[] =>
  statements.flatMap((statement) => receiptOf(statement) ?? []);
