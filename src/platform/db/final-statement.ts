/** A statement that runs once at the end of a batch, however many of its statements require it. */
export type FinalStatement = {
  /** Amount of work that the statement requires. */
  amount: number;
  /** SQL for the total amount; undefined when that is too little to be worth a statement. */
  sqlFor: (total: number) => string | undefined;
};

const finalStatements = new WeakMap<object, FinalStatement>();

export function withFinalStatement<Statement extends object>(
  statement: Statement,
  atEnd: FinalStatement,
): Statement {
  finalStatements.set(statement, atEnd);
  return statement;
}

export const finalStatementOf = (statement: object): FinalStatement | undefined =>
  finalStatements.get(statement);

/** SQL of the statements that are appended to a batch. */
export function finalStatementsSql(
  statements: readonly { finalStatement?: FinalStatement | undefined }[],
): string[] {
  const totals = new Map<FinalStatement["sqlFor"], number>();
  for (const { finalStatement } of statements)
    if (finalStatement)
      totals.set(finalStatement.sqlFor, (totals.get(finalStatement.sqlFor) ?? 0) + finalStatement.amount);
  return [...totals].flatMap(([queryFor, total]) => queryFor(total) ?? []);
}
