/** What has to be done once at the end of a batch, however many of its statements ask for it. */
export type AtEnd = {
  /** How much of it a statement asks for. */
  amount: number;
  /** The text of the statement that does as much as all together ask for; undefined when that is not worth it. */
  queryFor: (total: number) => string | undefined;
};

const asked = new WeakMap<object, AtEnd>();

export function withEnd<Statement extends object>(statement: Statement, atEnd: AtEnd): Statement {
  asked.set(statement, atEnd);
  return statement;
}

export const endOf = (statement: object): AtEnd | undefined => asked.get(statement);

/** The texts of the statements that follow those of a batch. */
export function endsOf(statements: readonly { atEnd?: AtEnd | undefined }[]): string[] {
  const totals = new Map<AtEnd["queryFor"], number>();
  for (const { atEnd } of statements)
    if (atEnd) totals.set(atEnd.queryFor, (totals.get(atEnd.queryFor) ?? 0) + atEnd.amount);
  return [...totals].flatMap(([queryFor, total]) => queryFor(total) ?? []);
}
