import { FIRST_HOME } from "../../src/contract/home.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import type { Row, Statement, Target } from "./source.ts";

// Gives a database that binds only text parameters D1's interface, so that the service's own functions work on it
// outside of a Worker.

const PLACE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g;

/** Writes numbers and NULL into the SQL, because only text can be bound. */
export function inline(sql: string, values: unknown[]): Statement {
  const left = [...values];
  const params: string[] = [];
  const written = sql.replace(PLACE, (part) => {
    if (part !== "?") return part;
    const value = left.shift();
    if (typeof value === "string") {
      params.push(value);
      return part;
    }
    return value === null || value === undefined ? "NULL" : String(Number(value));
  });
  return { sql: written, params };
}

class Prepared {
  readonly sql: string;
  readonly values: unknown[];

  constructor(sql: string, values: unknown[] = []) {
    this.sql = sql;
    this.values = values;
  }

  bind(...values: unknown[]): Prepared {
    return new Prepared(this.sql, values);
  }
}

const answerOf = (results: Row[]) => ({ results, success: true, meta: {} });

/** The context in which the service's functions use a database. */
export function baseOf(target: Target, home = FIRST_HOME): BaseCtx {
  const session = {
    prepare: (sql: string) => new Prepared(sql),
    batch: async (statements: Prepared[]) =>
      (await target.batch(statements.map(({ sql, values }) => inline(sql, values)))).map(answerOf),
  };
  return { db: openDatabase(session as unknown as D1DatabaseSession), now: new Date(), home };
}
