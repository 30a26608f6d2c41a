import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Maximum number of prepared statements. Then all are dropped, because their native memory is freed late. */
const MAX_PREPARED = 50;
const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

function prepare(database: DatabaseSync, sql: string): StatementSync {
  const known = prepared.get(database) ?? new Map<string, StatementSync>();
  prepared.set(database, known);
  const statement = known.get(sql) ?? database.prepare(sql);
  if (known.size === MAX_PREPARED) known.clear();
  known.set(sql, statement);
  return statement;
}

class BoundStatement {
  readonly sql: string;
  readonly values: SQLInputValue[];

  constructor(sql: string, values: SQLInputValue[] = []) {
    this.sql = sql;
    this.values = values;
  }

  bind(...values: SQLInputValue[]): BoundStatement {
    return new BoundStatement(this.sql, values);
  }
}

/**
 * Gives a database file the part of D1's interface that the service's own functions use outside of a Worker. `batch`
 * opens no transaction.
 */
export const toD1Session = (database: DatabaseSync) =>
  ({
    prepare: (sql: string) => new BoundStatement(sql),
    batch: async (statements: BoundStatement[]) =>
      statements.map(({ sql, values }) => ({
        results: prepare(database, sql).all(...values),
        success: true,
        meta: {},
      })),
  }) as unknown as D1DatabaseSession;
