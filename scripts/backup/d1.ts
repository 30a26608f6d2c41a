import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

type Meta = { changes: number };
type Result = { results: unknown[]; success: true; meta: Meta };

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

/** A statement with the methods of D1 that the stores use. */
class Statement {
  readonly database: DatabaseSync;
  readonly sql: string;
  readonly values: SQLInputValue[];

  constructor(database: DatabaseSync, sql: string, values: SQLInputValue[] = []) {
    this.database = database;
    this.sql = sql;
    this.values = values;
  }

  bind(...values: SQLInputValue[]): Statement {
    return new Statement(this.database, this.sql, values);
  }

  execute(): Result {
    const results = prepare(this.database, this.sql).all(...this.values);
    return { results, success: true, meta: { changes: 0 } };
  }

  async all(): Promise<Result> {
    return this.execute();
  }

  async run(): Promise<Result> {
    return this.execute();
  }

  async first(): Promise<unknown> {
    return this.execute().results[0] ?? null;
  }

  async raw(): Promise<unknown[][]> {
    return this.execute().results.map((row) => Object.values(row as object));
  }
}

/** Gives a database file D1's interface, so that the service's own functions work on it outside of a Worker. `batch` opens no transaction, and `changes` is always 0. */
export const toD1Session = (database: DatabaseSync) =>
  ({
    prepare: (sql: string) => new Statement(database, sql),
    batch: async (statements: Statement[]) => statements.map((statement) => statement.execute()),
  }) as unknown as D1DatabaseSession;
