import { type SQL, sql } from "drizzle-orm";
import { parseQuotaExceeded, quotaExceededText } from "../../contract/quota.ts";
import { parseMovedError } from "../core/account-location.ts";
import type { BaseCtx } from "../core/ctx.ts";
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
import { callWithRetries, type Fault, messageMatches, type RepeatEffect } from "../core/faults.ts";
import {
  type BatchItem,
  type BatchResults,
  type Database,
  type FinalStatement,
  type Sender,
  Statement,
  type WrittenEntry,
} from "../core/statement.ts";
import { queryBuilder } from "./query-builder.ts";

// All statements to D1 go through here. Every call is a transaction. A failed `assertInBatch` rolls it back and becomes the
// error that its refusal code stands for.

/** https://developers.cloudflare.com/d1/observability/debug-d1/ */
const D1_FAULTS: readonly (Fault & { words: RegExp })[] = [
  { name: "daily limit", kind: "spent", words: /D1's free tier daily row (read|write)/i },
  { name: "memory limit", kind: "refused", words: /exceeded its memory limit/i },
  { name: "processor limit", kind: "refused", words: /exceeded its CPU time limit/i },
  { name: "overloaded", kind: "queued", words: /D1 DB is overloaded|too many requests queued/i },
  { name: "time limit", kind: "late", words: /exceeded (?:the time limit of this service|timeout)/i },
  {
    name: "connection lost",
    kind: "lost",
    words:
      /network connection lost|caused object to be reset|reset because its code was updated|D1 DB due to transient issue|internal error while starting up D1 DB storage|internal error; reference/i,
  },
];

export const findD1Fault = (problem: unknown): Fault | undefined =>
  D1_FAULTS.find(({ words }) => messageMatches(problem, words));

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
    { rejectsRepetition: refusal === "repeated" },
  );

/** Aborts its whole batch if a quota is full. `full` in SQL: `quota` and the details that `parseQuotaExceeded` reads, or null. */
export const assertQuota = (ctx: BaseCtx, full: SQL) =>
  ctx.db.all(sql`SELECT json_extract('{}', coalesce(${full}, '$'))`);

/** Sends a transaction. Returns the activity entries it wrote and, unless they were lost, the results of its statements. */
export async function sendRecoverable<const Items extends readonly BatchItem[]>(
  ctx: BaseCtx,
  items: Items,
): Promise<{ results?: BatchResults<Items>; entries: WrittenEntry[] }> {
  const { answer, refusal } = await catchRefusal(ctx.db.batch(items), "done");
  const receipts = items.map((item) => (item instanceof Statement ? item.options.receipt : undefined));
  if (refusal) {
    const reads = receipts.flatMap((receipt) => receipt?.selectWritten() ?? []);
    return { entries: (await ctx.db.batch(reads)).flat() };
  }
  const rows: readonly unknown[] = answer;
  const written = rows.filter((_, place) => receipts[place]) as WrittenEntry[][];
  return { results: answer, entries: written.flat() };
}

export const sendBatch = async (ctx: BaseCtx, items: readonly BatchItem[]): Promise<void> => {
  await sendRecoverable(ctx, items);
};

/** `D1_ERROR: bad JSON path: 'stale': SQLITE_ERROR`, or a trigger's `D1_ERROR: refused: moving: SQLITE_CONSTRAINT`. */
const REFUSAL = /(?:bad JSON path: '|refused: )([a-z-]+)(?: ([a-z0-9_: ]+)')?/;

/** D1's error for a value or row of more than 2,000,000 bytes (local D1: 8 MiB). */
const TOO_LARGE = /string or blob too big|SQLITE_TOOBIG/;

function parseRefusal(problem: unknown): { code: RefusalCode; detail: string } | undefined {
  const message = problem instanceof Error ? problem.message : "";
  if (TOO_LARGE.test(message)) return { code: "too-large", detail: "" };
  const [, code = "", detail = ""] = REFUSAL.exec(message) ?? [];
  return Object.hasOwn(REFUSALS, code) ? { code: code as RefusalCode, detail } : undefined;
}

/** The answer of a call, or its refusal if that is one of those expected. Throws any other refusal or error. */
export async function catchRefusal<Answer, Expected extends RefusalCode>(
  call: Promise<Answer>,
  ...expected: Expected[]
): Promise<{ answer: Answer; refusal?: never } | { answer?: never; refusal: Expected }> {
  try {
    return { answer: await call };
  } catch (problem) {
    const code = parseRefusal((problem as Error | undefined)?.cause)?.code;
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

/** The effect of sending a batch again after its answer was lost. */
function effectOf(statements: readonly Statement[]): RepeatEffect {
  const options = statements.map((statement) => statement.options);
  if (options.every(({ effect }) => effect === "none")) return "none";
  if (options.some(({ rejectsRepetition }) => rejectsRepetition)) return "once";
  if (options.every(({ effect }) => effect !== "any")) return "once";
  return options.some(({ receipt }) => receipt) ? "recognized" : "any";
}

function finalStatements(statements: readonly Statement[]): string[] {
  const totals = new Map<FinalStatement["sqlFor"], number>();
  for (const { finalStatement } of statements.map(({ options }) => options))
    if (finalStatement)
      totals.set(finalStatement.sqlFor, (totals.get(finalStatement.sqlFor) ?? 0) + finalStatement.amount);
  return [...totals].flatMap(([sqlFor, total]) => sqlFor(total) ?? []);
}

function sender(session: D1DatabaseSession, callerCheck: CallerCheck | undefined): Sender {
  let pendingCheck = callerCheck;
  let isBegun = false;
  return async (statements) => {
    const ahead = pendingCheck?.statements(session) ?? [];
    const all = statements.map((statement) => statement.bind(session));
    const last = finalStatements(statements).map((query) => session.prepare(query));
    const notWrittenChecks = () =>
      statements.flatMap(({ options }) => options.receipt?.assertNotWritten().bind(session) ?? []);
    // The caller check may run twice: its writes are idempotent.
    const options = {
      what: "The database",
      faultOf: findD1Fault,
      isBegun: () => isBegun,
      effectOf: () => effectOf(statements),
      ahead: async () => ahead.length > 0 && session.batch(ahead),
    };
    const call = (isAgain: boolean) =>
      session.batch([...ahead, ...(isAgain ? notWrittenChecks() : []), ...all, ...last]);
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
      const error = Object.assign(REFUSALS[refusal.code](refusal.detail), { cause: problem });
      pendingCheck?.onRefusal(error);
      throw error;
    });
    isBegun ||= statements.some(({ options }) => options.effect === "any");
    pendingCheck?.onAnswer((results[0]?.results ?? []) as Record<string, unknown>[]);
    pendingCheck = undefined;
    const end = results.length - last.length;
    return results.slice(end - all.length, end);
  };
}

const rowsOf = ({ results }: D1Result) => results as never[];

const statementOf = (item: BatchItem) => (item.prepare() as { statement: Statement }).statement;

/** A database over a D1 session. `callerCheck` is sent ahead of each call until it has been answered. */
export function openDatabase(session: D1DatabaseSession, callerCheck?: CallerCheck): Database {
  const sendCall = sender(session, callerCheck);
  let calls = 0;
  const send: Sender = (statements) => {
    calls++;
    return sendCall(statements);
  };
  const builder = queryBuilder(send);
  return {
    select: builder.select.bind(builder) as Database["select"],
    insert: builder.insert.bind(builder),
    update: builder.update.bind(builder),
    delete: builder.delete.bind(builder),
    all: (query, options) => new Statement(send, query, rowsOf, { effect: "none", ...options }),
    returning: (query, options) => new Statement(send, query, rowsOf, { effect: "any", ...options }),
    run: (query, options) => new Statement(send, query, (result) => result, { effect: "any", ...options }),
    // An empty batch sends only the caller check.
    batch: async <Items extends readonly BatchItem[]>(items: Items) => {
      const statements = items.map(statementOf);
      const results = await send(statements);
      return statements.map((one, place) => one.read(results[place] as D1Result)) as BatchResults<Items>;
    },
    calls: () => calls,
  };
}
