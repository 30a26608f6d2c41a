import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";
import type { BaseCtx, Database } from "../core/ctx.ts";
import {
  type AppError,
  badRequest,
  forbidden,
  moving,
  notFound,
  preconditionFailed,
  unauthorized,
} from "../core/errors.ts";
import { movedTo } from "../core/moved.ts";
import { fullFrom, fullText } from "../../contract/quota.ts";

// The only path for statements to D1: every call is a batch, which is a transaction. If a `must` in it does not hold, the
// batch is rolled back and becomes the error that the word stands for.

/** Refusals that concern the caller rather than the request: auth/caller-store.ts puts them in front of a request. */
const NOT_ADMITTED = {
  "signed-out": () => unauthorized(),
  "lacks-scope": (missing: string) => forbidden(`The API key lacks the scope ${missing}`),
  moved: movedTo,
};

/** The error for each word of a failed `must`. A word consists of a-z and hyphens. */
const REFUSALS = {
  ...NOT_ADMITTED,
  "not-found": () => notFound(),
  "folder-not-found": () => notFound("folder_id"),
  "parent-not-found": () => notFound("parent_id"),
  "folder-cycle": () => badRequest("A folder cannot be moved into itself or into a folder inside it"),
  "folder-not-empty": () =>
    badRequest(
      "The folder is not empty: move its contents first, or delete it with on_content=move_up or on_content=trash",
    ),
  "document-not-found": () => notFound("document_id"),
  "registration-link": () =>
    forbidden("This link has been used, is too old, or is for another e-mail address: ask for a new one"),
  "last-admin": () =>
    badRequest(
      "There is no other admin: give somebody that role first (npm run admin -- role <e-mail> admin), or add --yes",
    ),
  "account-changed": () => unauthorized("Your account has been changed at this moment: sign in again"),
  "passkey-used": () => unauthorized("The passkey's answer is not valid: try again"),
  "link-used": () => badRequest("This link has just been used"),
  "email-taken": () =>
    badRequest("Another account has this e-mail address, or can still take it back: choose another one"),
  "email-reserved": () =>
    badRequest(
      "This e-mail address was recently given up by an account that can still take it back: use another one, or try again in a week",
    ),
  "too-many-keys": () => badRequest("There are 100 keys already: revoke one first"),
  quota: (words) => forbidden(fullText(fullFrom(words))),
  stale: preconditionFailed,
  // The triggers of migration 0033 say this.
  moving,
  // Never seen by a caller: idempotency/store.ts, activity/undo-store.ts, memories/remember-store.ts and
  // documents/folder-path-store.ts and moving/ expect them.
  repeated: () => new Error("A repeated request was not expected here"),
  overtaken: () => new Error("Another change was not expected here"),
  unchanged: () => new Error("A change of nothing was not expected here"),
  "move-overtaken": () => new Error("Another move of this account was not expected here"),
  "folder-changed": () => new Error("Another change of folders was not expected here"),
  "already-said": () => new Error("A record with the same content was not expected here"),
} satisfies Record<string, (detail: string) => AppError | Error>;

/** The words with which a `must` can refuse. */
export type Refusal = keyof typeof REFUSALS;

/**
 * A statement that aborts its whole batch with `refusal` unless the condition holds; its position in the batch is free.
 * SQLite has no RAISE outside of triggers, but an invalid JSON path is an error that quotes the path, and a CASE
 * evaluates only the branch that it takes.
 */
export const must = (ctx: BaseCtx, condition: SQL, refusal: Refusal) =>
  ctx.db.all(
    sql`SELECT json_extract('{}', CASE WHEN ${condition} THEN '$' ELSE ${sql.raw(`'${refusal}'`)} END)`,
  );

/**
 * A statement that aborts its whole batch if a quota is full.
 *
 * @param full what is full, in SQL: `quota` and the words that `fullFrom` reads, or null
 */
export const fits = (ctx: BaseCtx, full: SQL) =>
  ctx.db.all(sql`SELECT json_extract('{}', coalesce(${full}, '$'))`);

/** Sends a list of statements as one transaction, ignoring their rows. */
export const send = async (ctx: BaseCtx, statements: BatchItem<"sqlite">[]): Promise<void> => {
  await ctx.db.batch(statements as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);
};

/**
 * D1's message: `D1_ERROR: bad JSON path: 'stale': SQLITE_ERROR`, or `D1_ERROR: refused: moving: SQLITE_CONSTRAINT` of a
 * trigger. Some words are followed by a detail.
 */
const REFUSED = /(?:bad JSON path: '|refused: )([a-z-]+)(?: ([a-z0-9_: ]+)')?/;

type Refused = { word: Refusal; detail: string };

/** The `must` that rolled a batch back, or undefined for any other error. */
function refusedBy(problem: unknown): Refused | undefined {
  const [, word = "", detail = ""] = REFUSED.exec(problem instanceof Error ? problem.message : "") ?? [];
  return Object.hasOwn(REFUSALS, word) ? { word: word as Refusal, detail } : undefined;
}

/** The word that each thrown error stands for, for `unless`. */
const words = new WeakMap<object, Refusal>();

function errorOf({ word, detail }: Refused): Error {
  const error = REFUSALS[word](detail);
  words.set(error, word);
  return error;
}

/**
 * The result of a call, or the word of the `must` that refused it if that is an expected one. Any other refusal or error
 * is thrown.
 */
export async function unless<Answer, Expected extends Refusal>(
  call: Promise<Answer>,
  ...expected: Expected[]
): Promise<{ answer: Answer; refusal?: never } | { answer?: never; refusal: Expected }> {
  try {
    return { answer: await call };
  } catch (problem) {
    const word = words.get(Object(problem));
    const refusal = expected.find((one) => one === word);
    if (!refusal) throw problem;
    return { refusal };
  }
}

/** Statements sent in front of a request's first call: they authenticate and authorize the caller. */
export type Escort = {
  statements: (session: D1DatabaseSession) => D1PreparedStatement[];
  /** Receives the rows of the first statement. */
  answered: (rows: Record<string, unknown>[]) => void;
  /** Receives the error of a batch that was rolled back. */
  refused: (error: Error) => void;
  /** Whether the statements succeeded, even if the rest of their batch did not. */
  admitted: boolean;
};

/**
 * A statement. While SQLite compiles a bare `LIMIT ?` it looks at the value, and therefore compiles the statement again
 * whenever a value is bound, which took half the time of a search. It does not look at an expression.
 */
const prepare = (session: D1DatabaseSession, query: string) =>
  session.prepare(query.replace(/\blimit \?/gi, "LIMIT +?"));

/** Sends statements to D1 as one call, with the escort in front until it has been answered. */
type Sender = <Row>(statements: D1PreparedStatement[]) => Promise<D1Result<Row>[]>;

function sender(session: D1DatabaseSession, escort: Escort | undefined): Sender {
  let waiting = escort;
  return async <Row>(statements: D1PreparedStatement[]) => {
    const ahead = waiting?.statements(session) ?? [];
    const results = await session.batch<Row>([...ahead, ...statements]).catch((problem: unknown) => {
      const refused = refusedBy(problem);
      if (!refused) throw problem;
      // The statements of a batch run in order: a later refusal means that the caller was admitted.
      if (waiting && !Object.hasOwn(NOT_ADMITTED, refused.word)) waiting.admitted = true;
      const error = errorOf(refused);
      waiting?.refused(error);
      throw error;
    });
    waiting?.answered((results[0]?.results ?? []) as Record<string, unknown>[]);
    waiting = undefined;
    return results.slice(ahead.length);
  };
}

type Sendable = D1PreparedStatement & { statement: D1PreparedStatement };

/** A statement that, when awaited by itself, is sent as its own batch. */
function sendable(statement: D1PreparedStatement, ask: Sender): Sendable {
  const one = async <Row>() => (await ask<Row>([statement]))[0] as D1Result<Row>;
  return {
    statement,
    bind: (...values: unknown[]) => sendable(statement.bind(...values), ask),
    run: one,
    all: one,
    first: async (column?: string) => {
      const row = (await one<Record<string, unknown>>()).results[0];
      return (column === undefined ? row : row?.[column]) ?? null;
    },
    raw: async () => (await one<Record<string, unknown>>()).results.map((row) => Object.values(row)),
  } as unknown as Sendable;
}

/** A D1 session as drizzle sees it; an empty batch sends only the escort. */
const d1Of = (session: D1DatabaseSession, ask: Sender) => ({
  prepare: (query: string) => sendable(prepare(session, query), ask),
  batch: (statements: Sendable[]) => ask(statements.map(({ statement }) => statement)),
});

type Internals = {
  session: { prepareQuery: (...args: unknown[]) => object };
};

/**
 * Drizzle over a D1 session.
 *
 * @param escort statements to put in front of each call until they have been answered
 */
export function openDatabase(session: D1DatabaseSession, escort?: Escort): Database {
  const ask = sender(session, escort);
  const db: Database = drizzle(d1Of(session, ask) as unknown as D1Database);
  const { run, all } = db;
  db.run = (query) => batchable(run.call(db, query), session, ask);
  db.all = ((query) => batchable(all.call(db, query), session, ask)) as Database["all"];
  throwUnwrapped(db);
  return db;
}

/** Rethrows a statement's original error, which drizzle wraps in one of its own. */
function throwUnwrapped(db: Database): void {
  const { session } = db as unknown as Internals;
  const prepareQuery = session.prepareQuery.bind(session);
  const queryWithCache = (_query: string, _params: unknown[], ask: () => Promise<unknown>) => ask();
  session.prepareQuery = (...args) => Object.assign(prepareQuery(...args), { queryWithCache });
}

/**
 * Makes raw statements work in `db.batch`. There, drizzle-orm 0.45 does not prepare them and fails on every raw
 * statement with parameters.
 */
function batchable<Result>(
  raw: SQLiteRaw<Result>,
  session: D1DatabaseSession,
  ask: Sender,
): SQLiteRaw<Result> {
  const prepared = () => {
    // Building the text of a long statement takes longer than running it.
    const query = raw.getQuery();
    return {
      stmt: sendable(prepare(session, query.sql), ask),
      getQuery: () => query,
      mapResult: (result: unknown) => raw.mapResult(result, true),
    };
  };
  return Object.assign(raw, { _prepare: prepared });
}
