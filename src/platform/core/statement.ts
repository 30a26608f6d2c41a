import { QueryPromise, type SQL } from "drizzle-orm";
import { type BaseSQLiteDatabase, SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { RepeatEffect } from "./faults.ts";

export type Query = { readonly sql: string; readonly params: readonly unknown[] };

export type WrittenEntry = { number: number; verb: string; record: string; title: string | null };

/** How to recognize a change whose answer was lost by its activity entry. */
export type WriteReceipt = {
  /** Aborts the batch with `done` if the change has been written. */
  assertNotWritten: () => Statement;
  selectWritten: () => Statement<WrittenEntry[]>;
};

/** A statement that runs once at the end of a batch, however many of its statements require it. */
export type FinalStatement = {
  amount: number;
  /** SQL for the total amount; undefined when that is too little to be worth a statement. */
  sqlFor: (total: number) => string | undefined;
};

export type StatementOptions<Row = unknown> = {
  /** Of running the statement again: by default `none` for `all`, and `any` for `returning` and `run`. */
  effect?: Exclude<RepeatEffect, "recognized">;
  /** Whether it aborts its batch if that has run before. */
  rejectsRepetition?: boolean;
  receipt?: WriteReceipt;
  finalStatement?: FinalStatement;
  isUndoable?: boolean;
  onRows?(rows: Row[]): void;
};

export type Sender = (statements: readonly Statement[]) => Promise<D1Result[]>;

export const DIALECT = new SQLiteAsyncDialect();

export const toQuery = (query: SQL | Query): Query => ("params" in query ? query : DIALECT.sqlToQuery(query));

/** A statement, which is sent in a batch, or by itself when awaited. */
export class Statement<Result = unknown> extends QueryPromise<Result> {
  readonly options: Readonly<StatementOptions> & Required<Pick<StatementOptions, "effect">>;
  readonly #send: Sender;
  readonly #read: (result: D1Result) => Result;
  #query: SQL | Query;

  constructor(
    send: Sender,
    query: SQL | Query,
    read: (result: D1Result) => Result,
    options: Statement["options"],
  ) {
    super();
    this.#send = send;
    this.#query = query;
    this.#read = read;
    this.options = options;
  }

  get query(): Query {
    // Computed once: building the SQL of a long statement takes longer than running it.
    this.#query = toQuery(this.#query);
    return this.#query;
  }

  bind(session: D1DatabaseSession): D1PreparedStatement {
    const { sql, params } = this.query;
    // SQLite recompiles a statement whenever a bare `LIMIT ?` is bound, which took half the time of a search.
    return session.prepare(sql.replace(/\blimit \?/gi, "LIMIT +?")).bind(...params);
  }

  read(result: D1Result): Result {
    this.options.onRows?.(result.results);
    return this.#read(result);
  }

  /** For batches, which also have queries of the query builder. */
  prepare(): { statement: Statement } {
    return { statement: this };
  }

  override async execute(): Promise<Result> {
    const [result] = await this.#send([this]);
    return this.read(result as D1Result);
  }
}

/** A statement, or a query of the query builder. */
export type BatchItem = PromiseLike<unknown> & { prepare: () => unknown };

export type BatchResults<Items extends readonly BatchItem[]> = {
  -readonly [Place in keyof Items]: Awaited<Items[Place]>;
};

/** The query builder of drizzle, and statements of SQL. Whether a statement writes is said by how it is made. */
export type Database = Pick<
  BaseSQLiteDatabase<"async", D1Result>,
  "select" | "insert" | "update" | "delete"
> & {
  all: <Row = unknown>(query: SQL | Query, options?: StatementOptions<Row>) => Statement<Row[]>;
  returning: <Row = unknown>(query: SQL | Query, options?: StatementOptions<Row>) => Statement<Row[]>;
  run: (query: SQL | Query, options?: StatementOptions) => Statement<D1Result>;
  batch: <const Items extends readonly BatchItem[]>(items: Items) => Promise<BatchResults<Items>>;
  calls: () => number;
};
