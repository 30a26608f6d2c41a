import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";

// What D1 refuses and its local copy accepts (https://developers.cloudflare.com/d1/platform/limits/): here it is refused
// too, as an error that no route declares.

/** The bytes of a value, and of a row. */
export const MAX_VALUE = 2_000_000;
const MAX_PARAMETERS = 100;
/** The bytes of a statement's text. */
const MAX_STATEMENT = 100_000;
/** The bytes that a batch may answer. D1 has no such limit, but the isolate that reads it has 128 MB in all. */
const MAX_ANSWER = 20_000_000;

/** Calls in an invocation. On Workers Free it is fifty: test/house/cost.test.ts counts those of each operation. */
const MAX_CALLS = 1000;

/**
 * Those of each session that was opened: it is that of one invocation, except in an MCP session of the older protocol,
 * which has one for all. Tests ask the database itself.
 */
const calls = new WeakMap<object, number>();

function countCall(session: D1DatabaseSession): void {
  const made = calls.get(session);
  if (made === undefined) return;
  calls.set(session, made + 1);
  refuse("calls in an invocation:", made + 1, MAX_CALLS);
}

type Prepared = D1PreparedStatement & { statement: string; params?: unknown[] };

/** Shared by all test files of an isolate, each of which has modules of its own. */
const shared = globalThis as { d1Limits?: { areLifted: boolean } };

/** Runs something as if there were only the limits of local D1: for rows that earlier releases could store there. */
export async function withLocalLimits<Result>(run: () => Promise<Result>): Promise<Result> {
  const limits = shared.d1Limits;
  if (!limits) throw new Error("enforceLimits comes first");
  limits.areLifted = true;
  return run().finally(() => {
    limits.areLifted = false;
  });
}

const bytesOf = (value: unknown): number => {
  if (typeof value !== "string") return value instanceof ArrayBuffer ? value.byteLength : 8;
  return value.length * 3 <= MAX_VALUE ? value.length : Buffer.byteLength(value);
};

function refuse(what: string, is: number, most: number): void {
  if (is > most && !shared.d1Limits?.areLifted)
    throw new Error(`D1 would refuse this: ${what} ${is}, at most ${most}`);
}

function checkStatement({ statement, params = [] }: Prepared): void {
  refuse("bytes of a statement:", Buffer.byteLength(statement), MAX_STATEMENT);
  refuse("parameters:", params.length, MAX_PARAMETERS);
  // In D1's own words, which the import knows.
  for (const value of params)
    refuse("D1_ERROR: string or blob too big: SQLITE_TOOBIG:", bytesOf(value), MAX_VALUE);
}

function answeredBytes(results: D1Result<Record<string, unknown>>[]): number {
  let bytes = 0;
  for (const { results: rows } of results)
    for (const row of rows ?? []) for (const value of Object.values(row)) bytes += bytesOf(value);
  return bytes;
}

/** Makes every database of the tests refuse what D1 would refuse. */
export function enforceLimits(): void {
  if (shared.d1Limits) return;
  shared.d1Limits = { areLifted: false };
  const session = env.DB.withSession();
  const sessions = Object.getPrototypeOf(session) as D1DatabaseSession;
  const { batch } = sessions;
  const databases = Object.getPrototypeOf(env.DB) as D1Database;
  const { withSession } = databases;
  databases.withSession = function (...how) {
    const opened = withSession.apply(this, how);
    calls.set(opened, 0);
    return opened;
  };
  sessions.batch = async function <Row>(sent: D1PreparedStatement[]) {
    countCall(this);
    for (const statement of sent as Prepared[]) checkStatement(statement);
    const results = await batch.call(this, sent);
    refuse("bytes of an answer:", answeredBytes(results as D1Result<Record<string, unknown>>[]), MAX_ANSWER);
    return results as D1Result<Row>[];
  };
}
