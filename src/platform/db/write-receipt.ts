import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";

/** How to recognize a change whose answer was lost by its activity entry. */
export type WriteReceipt = {
  /** Aborts the batch with `done` if the change has been written. */
  assertNotWritten: () => SQLiteRaw<unknown>;
  selectWritten: () => SQLiteRaw<WrittenEntry[]>;
};

export type WrittenEntry = { number: number; verb: string; record: string; title: string | null };

const receipts = new WeakMap<object, WriteReceipt>();

export function withWriteReceipt<Statement extends object>(
  statement: Statement,
  receipt: WriteReceipt,
): Statement {
  receipts.set(statement, receipt);
  return statement;
}

export const writeReceiptOf = (statement: object): WriteReceipt | undefined => receipts.get(statement);

export const writeReceipts = (statements: readonly BatchItem<"sqlite">[]): WriteReceipt[] =>
  statements.flatMap((statement) => writeReceiptOf(statement) ?? []);
