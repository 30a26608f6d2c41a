import type { Query } from "drizzle-orm";
import {
  BaseSQLiteDatabase,
  type PreparedQueryConfig,
  type SelectedFieldsOrdered,
  SQLitePreparedQuery,
  SQLiteSession,
} from "drizzle-orm/sqlite-core";
import * as utils from "drizzle-orm/utils";
import { DIALECT, type Sender, Statement } from "../core/statement.ts";

// A driver for drizzle's query builder, whose queries are sent as statements. Drizzle's own for D1 wraps errors, and cannot
// tell what is sent first or sent again.

type Fields = SelectedFieldsOrdered | undefined;
type JoinsNotNullable = Record<string, boolean> | undefined;

/** Reads a row. Drizzle exports this without its type. */
const { mapResultRow } = utils as unknown as {
  mapResultRow: (fields: SelectedFieldsOrdered, row: unknown[], joins: JoinsNotNullable) => unknown;
};

const rejectUse = (): never => {
  throw new Error("Await a query, or send it in a batch");
};

class BuilderQuery extends SQLitePreparedQuery<PreparedQueryConfig & { type: "async" }> {
  readonly statement: Statement;
  /** Set by the builder. */
  joinsNotNullableMap?: JoinsNotNullable;

  constructor(send: Sender, query: Query, fields: Fields, isSelect: boolean) {
    super("async", fields ? "all" : "run", query);
    const read = (result: D1Result) =>
      fields
        ? result.results.map((row) =>
            mapResultRow(fields, Object.values(row as object), this.joinsNotNullableMap),
          )
        : result;
    this.statement = new Statement(send, query, read, { effect: isSelect ? "none" : "any" });
  }

  override all = () => this.statement.execute();
  override run = this.all;
  override get = rejectUse;
  override values = rejectUse;
}

type NoSchema = Record<string, never>;
type Session = SQLiteSession<"async", D1Result, NoSchema, NoSchema>;

class BuilderSession extends SQLiteSession<"async", D1Result, NoSchema, NoSchema> {
  readonly #send: Sender;

  constructor(send: Sender) {
    super(DIALECT);
    this.#send = send;
  }

  override prepareQuery(...[query, fields, , , , metadata]: Parameters<Session["prepareQuery"]>) {
    return new BuilderQuery(this.#send, query, fields, metadata?.type === "select");
  }

  override transaction = rejectUse;
}

export const queryBuilder = (send: Sender): BaseSQLiteDatabase<"async", D1Result> =>
  new BaseSQLiteDatabase("async", DIALECT, new BuilderSession(send), undefined);
