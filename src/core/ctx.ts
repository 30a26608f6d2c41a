import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteRaw } from "drizzle-orm/sqlite-core/query-builders/raw";
import type { Env } from "../env.ts";
import type { Access } from "./tool.ts";

export type Database = DrizzleD1Database & { $client: D1Database };

/** Who is asking. `number` is the owner written into every row of this user. */
export type CtxUser = {
  id: string;
  number: number;
  email: string;
  name: string | null;
  role: "admin" | "member";
  timezone: string;
  stale_after_days: { commitment: number; blocker: number };
  created_at: string;
};

/** What every store function needs, signed in or not. */
export type BaseCtx = { db: Database; now: Date };

/** What every store function of an owned resource needs: who is asking, which database session, what time it is. */
export type Ctx = BaseCtx & {
  user: CtxUser;
  sessionId: string;
  /** The MCP client's own name, where there is one. */
  client_name?: string;
  /** What the token may do; without it, everything. */
  scopes?: readonly Access[];
  /** Where people open what an answer links to, such as https://notes.example; no slash at the end. */
  public_url?: string;
};

export type AppEnv = {
  Bindings: Env;
  Variables: { ctx: Ctx; base: BaseCtx; requestId: string };
};

/** A D1 bookmark: four hexadecimal groups of 8, 8, 8 and 32 digits. */
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/**
 * Opens a D1 session. With a well-formed bookmark a replica that is at least as new may answer; without
 * one (or with a malformed one) the first statement goes to the primary.
 */
export function openSession(d1: D1Database, bookmark?: string): D1DatabaseSession {
  return d1.withSession(bookmark && BOOKMARK.test(bookmark) ? bookmark : "first-primary");
}

/** Drizzle over a D1 session. A session has the two methods that drizzle calls: `prepare` and `batch`. */
export function openDatabase(session: D1DatabaseSession): Database {
  const db: Database = drizzle(session as unknown as D1Database);
  const { run, all } = db;
  db.run = (query) => batchable(run.call(db, query), session);
  db.all = ((query) => batchable(all.call(db, query), session)) as Database["all"];
  return db;
}

/** What stores need where no HTTP request of ours has begun: a session of its own on the primary, and the time. */
export const openBase = (d1: D1Database): BaseCtx => ({ db: openDatabase(openSession(d1)), now: new Date() });

/**
 * Lets a raw statement take part in `db.batch`. drizzle-orm 0.45 leaves out its preparation there, and fails
 * on every raw statement that has parameters.
 */
function batchable<Result>(raw: SQLiteRaw<Result>, session: D1DatabaseSession): SQLiteRaw<Result> {
  const prepared = () => ({
    stmt: session.prepare(raw.getQuery().sql),
    getQuery: () => raw.getQuery(),
    mapResult: (result: unknown) => raw.mapResult(result, true),
  });
  return Object.assign(raw, { _prepare: prepared });
}
