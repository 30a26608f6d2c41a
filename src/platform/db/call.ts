import { type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";
import { parseQuotaExceeded, quotaExceededText } from "../../contract/quota.ts";
import { parseMovedError } from "../core/account-location.ts";
import type { BaseCtx, Database } from "../core/ctx.ts";
import {
  type AppError,
  accountMigrating,
  badRequest,
  forbidden,
  hasCode,
  notFound,
  outcomeUnknown,
  preconditionFailed,
  tooManyConcurrent,
  unauthorized,
} from "../core/errors.ts";
import { callWithRetries } from "../core/faults.ts";
import { batchEffect, isRepeatable, type PreparedQuery, prepareQuery } from "./effect.ts";
import { findD1Fault } from "./faults.ts";
import { finalStatementOf, finalStatementsSql } from "./final-statement.ts";
import { type WrittenEntry, writeReceiptOf, writeReceipts } from "./write-receipt.ts";

// All statements to D1 go through here. Every call is a transaction. A failed `assertInBatch` rolls it back and becomes the
// error that its refusal code stands for.

/** Refusals of the caller rather than the request; see features/auth/caller-store.ts, which sends them ahead of a request. */
const CALLER_REFUSALS = {
  "signed-out": () => unauthorized(),
  "lacks-scope": (missing: string) => forbidden(`The API key lacks the scope ${missing}`),
  moved: parseMovedError,
};

/** The error for each code of a failed `assertInBatch`. A code consists of a-z and hyphens. */
const REFUSALS = {
  ...CALLER_REFUSALS,
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
  "too-many-uploads": () => tooManyConcurrent("You have 50 uploads in progress"),
  "registration-link": () =>
    forbidden("This link has been used, has expired, or is for another email address: ask for a new one"),
  "last-admin": () =>
    badRequest(
      "There is no other admin: give another account that role first (npm run admin -- role <email> admin), or add --yes",
    ),
  "account-changed": () => unauthorized("Your account was just changed: sign in again"),
  "passkey-used": () => unauthorized("The passkey's answer is not valid: try again"),
  "link-used": () => badRequest("This link has just been used"),
  "email-taken": () =>
    badRequest("Another account has this email address or can still restore it: choose another one"),
  "email-reserved": () =>
    badRequest(
      "Another account used this email address recently and can still restore it: use another one, or try again in a week",
    ),
  "too-many-keys": () => badRequest("You already have 100 API keys: revoke one first"),
  quota: (words) => forbidden(quotaExceededText(parseQuotaExceeded(words))),
  stale: preconditionFailed,
  // From the triggers of migration 0033.
  moving: accountMigrating,
  // Expected by the import of files of other copies. Everywhere else, sizes are checked before anything is sent.
  "too-large": () => new Error("The database does not store values or rows of this size"),
  // The batch had run and its answer was lost: `sendRecoverable` reads what it wrote.
  done: () => outcomeUnknown(),
  // The rest are always caught: by the stores of idempotency, undo, remember, folder paths, spellings, jobs and migrations.
  repeated: () => new Error("A repeated request was not expected here"),
  overtaken: () => new Error("Another change was not expected here"),
  ended: () => new Error("A job that is not running was not expected here"),
  unchanged: () => new Error("A change without effect was not expected here"),
  "move-overtaken": () => new Error("Another migration of this account was not expected here"),
  "folder-changed": () => new Error("Another change of folders was not expected here"),
  "spelled-otherwise": () => new Error("Another spelling of a name was not expected here"),
  "already-said": () => new Error("A record with the same content was not expected here"),
} satisfies Record<string, (detail: string) => AppError | Error>;

export type RefusalCode = keyof typeof REFUSALS;

/**
 * Aborts its whole batch with `refusal` unless the condition holds. SQLite has no RAISE outside of triggers, but its error
 * for an invalid JSON path quotes the path, and CASE evaluates only the branch taken.
 */
export const assertInBatch = (ctx: BaseCtx, condition: SQL, refusal: RefusalCode) =>
  ctx.db.all(
    sql`SELECT json_extract('{}', CASE WHEN ${condition} THEN '$' ELSE ${sql.raw(`'${refusal}'`)} END)`,
  );

/** Aborts its whole batch if a quota is full. `full` in SQL: `quota` and the details that `parseQuotaExceeded` reads, or null. */
export const assertQuota = (ctx: BaseCtx, full: SQL) =>
  ctx.db.all(sql`SELECT json_extract('{}', coalesce(${full}, '$'))`);

/** Passes the rows of a statement to a listener as well, once its batch has run. */
export function onRows<Row>(statement: SQLiteRaw<Row[]>, listener: (rows: Row[]) => void): SQLiteRaw<Row[]> {
  const mapResult = statement.mapResult.bind(statement);
  statement.mapResult = (result: unknown, isFromBatch?: boolean) => {
    const rows = mapResult(result, isFromBatch) as Row[];
    listener(rows);
    return rows;
  };
  return statement;
}

export type Batch = Readonly<[BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]>;

/** Sends a transaction. Returns the activity entries it wrote and, unless they were lost, the results of its statements. */
export async function sendRecoverable<const Sent extends Batch>(
  ctx: BaseCtx,
  statements: Sent,
): Promise<{ results?: BatchResponse<Sent>; entries: WrittenEntry[] }> {
  const { answer, refusal } = await catchRefusal(ctx.db.batch(statements), "done");
  if (!refusal) {
    const rows: readonly unknown[] = answer;
    const written = statements.map((statement, at) => (writeReceiptOf(statement) ? rows[at] : []));
    return { results: answer, entries: written.flat() as WrittenEntry[] };
  }
  const reads = writeReceipts(statements).map(({ selectWritten }) => selectWritten());
  return { entries: (await ctx.db.batch(reads as [SQLiteRaw<WrittenEntry[]>])).flat() };
}

/** Sends statements as one transaction, ignoring their rows. */
export const sendBatch = async (ctx: BaseCtx, statements: BatchItem<"sqlite">[]): Promise<void> => {
  await sendRecoverable(ctx, statements as unknown as Batch);
};

/** `D1_ERROR: bad JSON path: 'stale': SQLITE_ERROR`, or a trigger's `D1_ERROR: refused: moving: SQLITE_CONSTRAINT`. */
const REFUSAL = /(?:bad JSON path: '|refused: )([a-z-]+)(?: ([a-z0-9_: ]+)')?/;

type ParsedRefusal = { code: RefusalCode; detail: string };

/** D1's error for a value or row of more than 2,000,000 bytes (local D1: 8 MiB). */
const TOO_LARGE = /string or blob too big|SQLITE_TOOBIG/;

function parseRefusal(problem: unknown): ParsedRefusal | undefined {
  const message = problem instanceof Error ? problem.message : "";
  if (TOO_LARGE.test(message)) return { code: "too-large", detail: "" };
  const [, code = "", detail = ""] = REFUSAL.exec(message) ?? [];
  return Object.hasOwn(REFUSALS, code) ? { code: code as RefusalCode, detail } : undefined;
}

/** The refusal code of each thrown error, for `catchRefusal`. */
const refusalCodes = new WeakMap<object, RefusalCode>();

function errorOf({ code, detail }: ParsedRefusal): Error {
  const error = REFUSALS[code](detail);
  refusalCodes.set(error, code);
  return error;
}

/** The answer of a call, or its refusal if that is one of those expected. Throws any other refusal or error. */
export async function catchRefusal<Answer, Expected extends RefusalCode>(
  call: Promise<Answer>,
  ...expected: Expected[]
): Promise<{ answer: Answer; refusal?: never } | { answer?: never; refusal: Expected }> {
  try {
    return { answer: await call };
  } catch (problem) {
    const code = refusalCodes.get(Object(problem));
    const refusal = expected.find((one) => one === code);
    if (!refusal) throw problem;
    return { refusal };
  }
}

/** Statements sent ahead of a request's first call. They authenticate and authorize the caller. */
export type CallerCheck = {
  statements: (session: D1DatabaseSession) => D1PreparedStatement[];
  /** Called with the rows of the first statement. */
  onAnswer: (rows: Record<string, unknown>[]) => void;
  onRefusal: (error: Error) => void;
  /** Whether the statements succeeded, even if the rest of their batch did not. */
  isAdmitted: boolean;
  /** Whether a call with them got no answer and may have run, so that the caller has to be told that this is unknown. */
  isOutcomeUnknown: boolean;
};

/** Sends statements to D1 as one call, preceded by the caller check until that has been answered. */
type Sender = <Row>(statements: PreparedQuery[]) => Promise<D1Result<Row>[]>;

function notWrittenChecks(
  session: D1DatabaseSession,
  statements: readonly PreparedQuery[],
): D1PreparedStatement[] {
  return statements.flatMap(({ writeReceipt }) => {
    if (!writeReceipt) return [];
    const { sql: query, params } = writeReceipt.assertNotWritten().getQuery();
    return prepareQuery(session, query).statement.bind(...params);
  });
}

function sender(session: D1DatabaseSession, callerCheck: CallerCheck | undefined): Sender {
  let pendingCheck = callerCheck;
  let isBegun = false;
  return async <Row>(statements: PreparedQuery[]) => {
    const ahead = pendingCheck?.statements(session) ?? [];
    const all = statements.map(({ statement }) => statement);
    const last = finalStatementsSql(statements).map((query) => session.prepare(query));
    // The caller check may run twice: its writes are idempotent.
    const options = {
      what: "The database",
      faultOf: findD1Fault,
      isBegun: () => isBegun,
      effectOf: () => batchEffect(statements),
      ahead: async () => ahead.length > 0 && session.batch(ahead),
    };
    const call = (isAgain: boolean) =>
      session.batch<Row>([
        ...ahead,
        ...(isAgain ? notWrittenChecks(session, statements) : []),
        ...all,
        ...last,
      ]);
    const results = await callWithRetries(options, call).catch((problem: unknown) => {
      const refusal = parseRefusal(problem);
      const isLost = hasCode(problem, "outcome_unknown");
      isBegun ||= isLost;
      if (pendingCheck) pendingCheck.isOutcomeUnknown ||= isLost;
      if (!refusal) throw problem;
      isBegun ||= refusal.code === "done" || refusal.code === "repeated";
      // Statements run in order, so any other refusal means that the caller was admitted. Sizes are checked before all.
      if (pendingCheck && refusal.code !== "too-large" && !Object.hasOwn(CALLER_REFUSALS, refusal.code))
        pendingCheck.isAdmitted = true;
      const error = errorOf(refusal);
      pendingCheck?.onRefusal(error);
      throw error;
    });
    isBegun ||= !statements.every(isRepeatable);
    pendingCheck?.onAnswer((results[0]?.results ?? []) as Record<string, unknown>[]);
    pendingCheck = undefined;
    const end = results.length - last.length;
    return results.slice(end - all.length, end);
  };
}

type Sendable = D1PreparedStatement & PreparedQuery;

/** A statement that is sent as a batch of its own when awaited by itself. */
function sendable(prepared: PreparedQuery, send: Sender): Sendable {
  const one = async <Row>() => (await send<Row>([prepared]))[0] as D1Result<Row>;
  return {
    ...prepared,
    bind: (...values: unknown[]) =>
      sendable({ ...prepared, statement: prepared.statement.bind(...values) }, send),
    run: one,
    all: one,
    first: async (column?: string) => {
      const row = (await one<Record<string, unknown>>()).results[0];
      return (column === undefined ? row : row?.[column]) ?? null;
    },
    raw: async () => (await one<Record<string, unknown>>()).results.map((row) => Object.values(row)),
  } as unknown as Sendable;
}

/** A D1 session for drizzle. An empty batch sends only the caller check. */
const d1Of = (session: D1DatabaseSession, send: Sender) => ({
  prepare: (query: string) => sendable(prepareQuery(session, query), send),
  batch: (statements: Sendable[]) => send(statements),
});

type Internals = {
  session: { prepareQuery: (...args: unknown[]) => object };
};

/** Drizzle over a D1 session. `callerCheck` is sent ahead of each call until it has been answered. */
export function openDatabase(session: D1DatabaseSession, callerCheck?: CallerCheck): Database {
  const sendCall = sender(session, callerCheck);
  let calls = 0;
  const countAndSend: Sender = (statements) => {
    calls++;
    return sendCall(statements);
  };
  const db: Database = Object.assign(drizzle(d1Of(session, countAndSend) as unknown as D1Database), {
    calls: () => calls,
  });
  const { run, all } = db;
  db.run = (query) => batchable(run.call(db, query), session, countAndSend);
  db.all = ((query) => batchable(all.call(db, query), session, countAndSend)) as Database["all"];
  throwUnwrapped(db);
  return db;
}

/** Rethrows a statement's original error, which drizzle wraps in one of its own. */
function throwUnwrapped(db: Database): void {
  const { session } = db as unknown as Internals;
  const prepareQuery = session.prepareQuery.bind(session);
  const queryWithCache = (_query: string, _params: unknown[], execute: () => Promise<unknown>) => execute();
  session.prepareQuery = (...args) => Object.assign(prepareQuery(...args), { queryWithCache });
}

/** Makes raw statements work in `db.batch`, where drizzle-orm 0.45 fails on those with parameters. */
function batchable<Result>(
  raw: SQLiteRaw<Result>,
  session: D1DatabaseSession,
  send: Sender,
): SQLiteRaw<Result> {
  const prepared = () => {
    // Computed once: building the SQL of a long statement takes longer than running it.
    const query = raw.getQuery();
    return {
      stmt: sendable(
        {
          ...prepareQuery(session, query.sql),
          writeReceipt: writeReceiptOf(raw),
          finalStatement: finalStatementOf(raw),
        },
        send,
      ),
      getQuery: () => query,
      mapResult: (result: unknown) => raw.mapResult(result, true),
    };
  };
  return Object.assign(raw, { _prepare: prepared });
}
