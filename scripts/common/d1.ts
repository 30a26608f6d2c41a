import { FIRST_SHARD } from "../../src/contract/shard.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import type { SqlRow, TextStatement, WritableDatabase } from "./local-database.ts";

// Gives a database that binds only text parameters D1's interface, so that the service's own functions work on it
// outside of a Worker.

const PLACEHOLDER = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g;

/** Writes numbers and NULL into the SQL, because only text can be bound. */
export function inlineNonText(sql: string, values: unknown[]): TextStatement {
  const remaining = [...values];
  const params: string[] = [];
  const text = sql.replace(PLACEHOLDER, (part) => {
    if (part !== "?") return part;
    const value = remaining.shift();
    if (typeof value === "string") {
      params.push(value);
      return part;
    }
    return value === null || value === undefined ? "NULL" : String(Number(value));
  });
  return { sql: text, params };
}

class PreparedStatement {
  readonly sql: string;
  readonly values: unknown[];

  constructor(sql: string, values: unknown[] = []) {
    this.sql = sql;
    this.values = values;
  }

  bind(...values: unknown[]): PreparedStatement {
    return new PreparedStatement(this.sql, values);
  }
}

const toD1Result = (results: SqlRow[]) => ({ results, success: true, meta: {} });

/** The context in which the service's functions use a database. */
export function baseCtxFor(target: WritableDatabase, shard = FIRST_SHARD): BaseCtx {
  const session = {
    prepare: (sql: string) => new PreparedStatement(sql),
    batch: async (statements: PreparedStatement[]) =>
      (await target.batch(statements.map(({ sql, values }) => inlineNonText(sql, values)))).map(toD1Result),
  };
  return { db: openDatabase(session as unknown as D1DatabaseSession), now: new Date(), shard: shard };
}
