import type { Query } from "drizzle-orm";
import {
  BaseSQLiteDatabase,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
  SQLiteAsyncDialect,
  SQLitePreparedQuery,
  SQLiteSession,
} from "drizzle-orm/sqlite-core";
import * as utils from "drizzle-orm/utils";
import { type Database, type Sender, Statement } from "../core/statement.ts";

// A driver for drizzle's query builder, whose queries are sent as statements. Drizzle's own for D1 wraps errors, and cannot
// tell what is sent first or sent again.

type JoinsNotNullable = Record<string, boolean>;

/** Reads a row. Drizzle exports this without its type. */
const { mapResultRow } = utils as unknown as {
  mapResultRow: (
    fields: SelectedFieldsOrdered,
    row: unknown[],
    joins: JoinsNotNullable | undefined,
  ) => unknown;
};

class BuilderQuery extends SQLitePreparedQuery<PreparedQueryConfig & { type: "async" }> {
  readonly statement: Statement;
  /** Set by the builder. */
  joinsNotNullableMap?: JoinsNotNullable;

  constructor(
    send: Sender,
    {
      query,
      fields,
      type,
    }: { query: Query; fields: SelectedFieldsOrdered | undefined; type: string | undefined },
  ) {
    super("async", fields ? "all" : "run", query);
    const readRow = (row: unknown) =>
      mapResultRow(fields ?? [], Object.values(row as object), this.joinsNotNullableMap);
    const read = (result: D1Result) => (fields ? result.results.map(readRow) : result);
    this.statement = new Statement(send, query, read, { effect: type === "select" ? "none" : "any" });
  }

  override all = () => this.statement.execute();
  override run = this.all;
  override get = async () => ((await this.all()) as unknown[])[0];
  override values = (): never => {
    throw new Error("Rows are read by name");
  };
}

class BuilderSession extends SQLiteSession<"async", D1Result, Record<string, never>, Record<string, never>> {
  readonly #send: Sender;

  constructor(dialect: SQLiteAsyncDialect, send: Sender) {
    super(dialect);
    this.#send = send;
  }

  override prepareQuery(
    ...args: Parameters<
      SQLiteSession<"async", D1Result, Record<string, never>, Record<string, never>>["prepareQuery"]
    >
  ) {
    const [query, fields, , , , metadata] = args;
    return new BuilderQuery(this.#send, { query, fields, type: metadata?.type });
  }

  override transaction(): never {
    throw new Error("D1 has no transactions besides batches");
  }
}

export function queryBuilder(send: Sender): Pick<Database, "select" | "insert" | "update" | "delete"> {
  const dialect = new SQLiteAsyncDialect();
  return new BaseSQLiteDatabase("async", dialect, new BuilderSession(dialect, send), undefined);
}
