import { type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";
import { fullFrom, fullText } from "../../contract/quota.ts";
import type { BaseCtx, Database } from "../core/ctx.ts";
import {
  type AppError,
  badRequest,
  forbidden,
  hasCode,
  moving,
  notFound,
  outcomeUnknown,
  preconditionFailed,
  tooManyAtOnce,
  unauthorized,
} from "../core/errors.ts";
import { throughFaults } from "../core/faults.ts";
import { movedTo } from "../core/moved.ts";
import { endOf, endsOf } from "./at-end.ts";
import { effectOf, isRepeatable, type Prepared, prepare } from "./effect.ts";
import { faultOf } from "./faults.ts";
import { receiptOf, receiptsOf, type Written } from "./receipt.ts";

// The only path for statements to D1: every call is a transaction. An `assertInBatch` that does not hold rolls it back
// and becomes the error that its word stands for.

/** Refusals that concern the caller rather than the request: features/auth/caller-store.ts puts them in front of a request. */
const NOT_ADMITTED = {
  "signed-out": () => unauthorized(),
  "lacks-scope": (missing: string) => forbidden(`The API key lacks the scope ${missing}`),
  moved: movedTo,
};

/** The error for each word of a failed `assertInBatch`. A word consists of a-z and hyphens. */
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
  "file-not-found": () => notFound("by"),
  "memory-not-found": () => notFound("memory_id"),
  "too-many-uploads": () => tooManyAtOnce("You have 50 uploads under way"),
  "registration-link": () =>
    forbidden("This link has been used, is too old, or is for another email address: ask for a new one"),
  "last-admin": () =>
    badRequest(
      "There is no other admin: give somebody that role first (npm run admin -- role <email> admin), or add --yes",
    ),
  "account-changed": () => unauthorized("Your account was just changed: sign in again"),
  "passkey-used": () => unauthorized("The passkey's answer is not valid: try again"),
  "link-used": () => badRequest("This link has just been used"),
  "email-taken": () =>
    badRequest("Another account has this email address, or can still take it back: choose another one"),
  "email-reserved": () =>
    badRequest(
      "This email address was recently given up by an account that can still take it back: use another one, or try again in a week",
    ),
  "too-many-keys": () => badRequest("There are 100 keys already: revoke one first"),
  quota: (words) => forbidden(fullText(fullFrom(words))),
  stale: preconditionFailed,
  // The triggers of migration 0033 say this.
  moving,
  // The import, which takes files of other copies, expects it. Elsewhere, what is too large is refused before it is sent.
  "too-large": () => new Error("The database does not store values or rows of this size"),
  // It was, but what it answered is lost: `sendRecorded` reads what it has written.
  done: () => outcomeUnknown(),
  // Never seen by a caller: platform/idempotency/store.ts, features/activity/undo-store.ts, features/memories/remember-store.ts and
  // features/documents/folder-path-store.ts, platform/db/known-names.ts and moving/ expect them.
  repeated: () => new Error("A repeated request was not expected here"),
  overtaken: () => new Error("Another change was not expected here"),
  ended: () => new Error("Work that is not under way was not expected here"),
  unchanged: () => new Error("A change of nothing was not expected here"),
  "move-overtaken": () => new Error("Another move of this account was not expected here"),
  "folder-changed": () => new Error("Another change of folders was not expected here"),
  "spelled-otherwise": () => new Error("Another spelling of a name was not expected here"),
  "already-said": () => new Error("A record with the same content was not expected here"),
} satisfies Record<string, (detail: string) => AppError | Error>;

export type Refusal = keyof typeof REFUSALS;

/**
 * Aborts its whole batch with `refusal` unless the condition holds. SQLite has no RAISE outside of triggers, but an
 * invalid JSON path is an error that quotes the path, and CASE evaluates only the branch taken.
 */
export const assertInBatch = (ctx: BaseCtx, condition: SQL, refusal: Refusal) =>
  ctx.db.all(
    sql`SELECT json_extract('{}', CASE WHEN ${condition} THEN '$' ELSE ${sql.raw(`'${refusal}'`)} END)`,
  );

/** Aborts its whole batch if a quota is full: `full` is, in SQL, `quota` and the words that `fullFrom` reads, or null. */
export const fits = (ctx: BaseCtx, full: SQL) =>
  ctx.db.all(sql`SELECT json_extract('{}', coalesce(${full}, '$'))`);

/** The same statement, whose rows are also given to `hear` once its batch has been carried out. */
export function onRows<Row>(statement: SQLiteRaw<Row[]>, hear: (rows: Row[]) => void): SQLiteRaw<Row[]> {
  const mapResult = statement.mapResult.bind(statement);
  statement.mapResult = (result: unknown, isFromBatch?: boolean) => {
    const rows = mapResult(result, isFromBatch) as Row[];
    hear(rows);
    return rows;
  };
  return statement;
}

type Batch = Readonly<[BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]>;

/** Sends a transaction; returns what its statements answer, or its entries in the ledger if that was lost. */
export async function sendRecorded<const Sent extends Batch>(
  ctx: BaseCtx,
  statements: Sent,
): Promise<{ results: BatchResponse<Sent>; entries?: never } | { results?: never; entries: Written[] }> {
  const { answer, refusal } = await unless(ctx.db.batch(statements), "done");
  if (!refusal) return { results: answer };
  const reads = receiptsOf(statements).map(({ written }) => written());
  return { entries: (await ctx.db.batch(reads as [SQLiteRaw<Written[]>])).flat() };
}

/** Sends a list of statements as one transaction, ignoring their rows. */
export const send = async (ctx: BaseCtx, statements: BatchItem<"sqlite">[]): Promise<void> => {
  await sendRecorded(ctx, statements as unknown as Batch);
};

/** `D1_ERROR: bad JSON path: 'stale': SQLITE_ERROR`, or a trigger's `D1_ERROR: refused: moving: SQLITE_CONSTRAINT`. */
const REFUSED = /(?:bad JSON path: '|refused: )([a-z-]+)(?: ([a-z0-9_: ]+)')?/;

type Refused = { word: Refusal; detail: string };

/** What D1 says of a value or row that is larger than 2,000,000 bytes, and local D1 of 8 MiB. */
const TOO_LARGE = /string or blob too big|SQLITE_TOOBIG/;

function refusedBy(problem: unknown): Refused | undefined {
  const message = problem instanceof Error ? problem.message : "";
  if (TOO_LARGE.test(message)) return { word: "too-large", detail: "" };
  const [, word = "", detail = ""] = REFUSED.exec(message) ?? [];
  return Object.hasOwn(REFUSALS, word) ? { word: word as Refusal, detail } : undefined;
}

/** The word that each thrown error stands for, for `unless`. */
const words = new WeakMap<object, Refusal>();

function errorOf({ word, detail }: Refused): Error {
  const error = REFUSALS[word](detail);
  words.set(error, word);
  return error;
}

/** The result of a call, or the word of the refusal if that is an expected one. Throws any other refusal or error. */
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
export type CallerCheck = {
  statements: (session: D1DatabaseSession) => D1PreparedStatement[];
  answered: (rows: Record<string, unknown>[]) => void;
  refused: (error: Error) => void;
  /** Whether the statements succeeded, even if the rest of their batch did not. */
  admitted: boolean;
  /** Whether a call with them may have been carried out without an answer, which is what the caller has to be told. */
  isLost: boolean;
};

/** Sends statements to D1 as one call, with the check in front until it has been answered. */
type Sender = <Row>(statements: Prepared[]) => Promise<D1Result<Row>[]>;

function mustBeUnknown(session: D1DatabaseSession, statements: readonly Prepared[]): D1PreparedStatement[] {
  return statements.flatMap(({ receipt }) => {
    if (!receipt) return [];
    const { sql: query, params } = receipt.unknown().getQuery();
    return prepare(session, query).statement.bind(...params);
  });
}

function sender(session: D1DatabaseSession, callerCheck: CallerCheck | undefined): Sender {
  let waiting = callerCheck;
  let isBegun = false;
  return async <Row>(statements: Prepared[]) => {
    const ahead = waiting?.statements(session) ?? [];
    const all = statements.map(({ statement }) => statement);
    const last = endsOf(statements).map((query) => session.prepare(query));
    // The check's own writes have the same effect a second time.
    const course = {
      ...{ what: "The database", faultOf },
      isBegun: () => isBegun,
      effectOf: () => effectOf(statements),
      ahead: async () => ahead.length > 0 && session.batch(ahead),
    };
    const call = (isAgain: boolean) =>
      session.batch<Row>([...ahead, ...(isAgain ? mustBeUnknown(session, statements) : []), ...all, ...last]);
    const results = await throughFaults(course, call).catch((problem: unknown) => {
      const refused = refusedBy(problem);
      const isLost = hasCode(problem, "outcome_unknown");
      isBegun ||= isLost;
      if (waiting) waiting.isLost ||= isLost;
      if (!refused) throw problem;
      isBegun ||= refused.word === "done" || refused.word === "repeated";
      // Statements run in order, so a later refusal means an admitted caller; but a size is refused before any of them.
      if (waiting && refused.word !== "too-large" && !Object.hasOwn(NOT_ADMITTED, refused.word))
        waiting.admitted = true;
      const error = errorOf(refused);
      waiting?.refused(error);
      throw error;
    });
    isBegun ||= !statements.every(isRepeatable);
    waiting?.answered((results[0]?.results ?? []) as Record<string, unknown>[]);
    waiting = undefined;
    const end = results.length - last.length;
    return results.slice(end - all.length, end);
  };
}

type Sendable = D1PreparedStatement & Prepared;

/** A statement that, when awaited by itself, is sent as its own batch. */
function sendable(prepared: Prepared, ask: Sender): Sendable {
  const one = async <Row>() => (await ask<Row>([prepared]))[0] as D1Result<Row>;
  return {
    ...prepared,
    bind: (...values: unknown[]) =>
      sendable({ ...prepared, statement: prepared.statement.bind(...values) }, ask),
    run: one,
    all: one,
    first: async (column?: string) => {
      const row = (await one<Record<string, unknown>>()).results[0];
      return (column === undefined ? row : row?.[column]) ?? null;
    },
    raw: async () => (await one<Record<string, unknown>>()).results.map((row) => Object.values(row)),
  } as unknown as Sendable;
}

/** A D1 session as drizzle sees it; an empty batch sends only the check. */
const d1Of = (session: D1DatabaseSession, ask: Sender) => ({
  prepare: (query: string) => sendable(prepare(session, query), ask),
  batch: (statements: Sendable[]) => ask(statements),
});

type Internals = {
  session: { prepareQuery: (...args: unknown[]) => object };
};

/** Drizzle over a D1 session. `callerCheck` goes in front of each call until it has been answered. */
export function openDatabase(session: D1DatabaseSession, callerCheck?: CallerCheck): Database {
  const sent = sender(session, callerCheck);
  let calls = 0;
  const ask: Sender = (statements) => {
    calls++;
    return sent(statements);
  };
  const db: Database = Object.assign(drizzle(d1Of(session, ask) as unknown as D1Database), {
    calls: () => calls,
  });
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

/** Makes raw statements work in `db.batch`, where drizzle-orm 0.45 fails on every one with parameters. */
function batchable<Result>(
  raw: SQLiteRaw<Result>,
  session: D1DatabaseSession,
  ask: Sender,
): SQLiteRaw<Result> {
  const prepared = () => {
    // Building the text of a long statement takes longer than running it.
    const query = raw.getQuery();
    return {
      stmt: sendable({ ...prepare(session, query.sql), receipt: receiptOf(raw), atEnd: endOf(raw) }, ask),
      getQuery: () => query,
      mapResult: (result: unknown) => raw.mapResult(result, true),
    };
  };
  return Object.assign(raw, { _prepare: prepared });
}
