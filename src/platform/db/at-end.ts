/** A statement that runs once at the end of a batch, however many of its statements require it. */
export type AtEnd = {
  /** Amount of work that the statement requires. */
  amount: number;
  /** SQL for the total amount; undefined when that is too little to be worth a statement. */
  queryFor: (total: number) => string | undefined;
};

const finalStatements = new WeakMap<object, AtEnd>();

export function withEnd<Statement extends object>(statement: Statement, atEnd: AtEnd): Statement {
  finalStatements.set(statement, atEnd);
  return statement;
}

export const endOf = (statement: object): AtEnd | undefined => finalStatements.get(statement);

/** SQL of the statements that are appended to a batch. */
export function endsOf(statements: readonly { atEnd?: AtEnd | undefined }[]): string[] {
  const totals = new Map<AtEnd["queryFor"], number>();
  for (const { atEnd } of statements)
    if (atEnd) totals.set(atEnd.queryFor, (totals.get(atEnd.queryFor) ?? 0) + atEnd.amount);
  return [...totals].flatMap(([queryFor, total]) => queryFor(total) ?? []);
}
