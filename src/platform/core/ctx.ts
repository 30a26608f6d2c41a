import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { Env } from "../../env.ts";
import type { Access } from "../../contract/access.ts";

export type Database = DrizzleD1Database & { $client: D1Database };

/** An account as currently stored. */
export type CtxUser = {
  id: string;
  number: number;
  email: string;
  /** When somebody showed that they read mail at this address. */
  email_verified_at: string | null;
  name: string | null;
  role: "admin" | "member";
  timezone: string;
  stale_after_days: { commitment: number; blocker: number };
  created_at: string;
  /** 1 if any of the account's webhooks is active; absent where nobody asks. */
  has_webhooks?: number;
};

/** What an account's days depend on. */
export type DaySettings = Pick<CtxUser, "timezone" | "stale_after_days">;

/** What every store function needs, signed in or not. */
export type BaseCtx = {
  db: Database;
  now: Date;
  /** The number of the home that the database is: credentials name it. */
  home: number;
  /** What people know the program as that sent the request; see program.ts. */
  program?: string | undefined;
  /** The setting PLAN_LIMITS; see billing/limits.ts. */
  plan_limits?: string | undefined;
};

/** Who acts with a credential: a person, a program with an API key, or an MCP client. */
export type Actor = {
  kind: "person" | "api_key" | "assistant";
  /** The id of the MCP client's connection. */
  id?: string | undefined;
  /** The hash of the API key. */
  key_hash?: string;
  source_type: "api" | "mcp" | "web";
};

/** What every store function of an owned resource needs: the caller, the database session and the current time. */
export type Ctx = BaseCtx & {
  /** The caller's number, stored in every row they own. */
  owner: number;
  /**
   * The caller's account. It comes with the request's first database call; if there was none yet, this makes one.
   * Throws 401 when the caller is no longer signed in.
   */
  user: () => Promise<CtxUser>;
  /** The session that the caller's token or cookie belongs to. Like `user`, it may query the database. */
  sessionId: () => Promise<string | undefined>;
  /** The caller's settings as this isolate last saw them; `user` tells whether they have changed. */
  lastSettings?: DaySettings | undefined;
  /** Who is acting; absent for the service itself. */
  actor?: Actor;
  /** The name of the MCP client, if there is one. */
  client_name?: string;
  /** What an MCP client's token allows; undefined allows everything. */
  scopes?: readonly Access[];
  /** For an API key: its scopes. Like `user`, they come with the first database call. */
  keyScopes?: () => Promise<readonly Access[]>;
  /** For an API key: scopes that this request needs besides its route's. The first call throws 403 without them. */
  keyNeeds?: (more: readonly Access[]) => void;
  /** The base URL of links in answers, such as https://notes.example, without a trailing slash. */
  public_url?: string;
};

export type AppEnv = {
  Bindings: Env;
  Variables: { ctx: Ctx; base: BaseCtx; session: D1DatabaseSession; requestId: string };
};

/** A context that skips authentication: for the cron handler, the command-line tools and public links. */
export const ctxFor = (base: BaseCtx, user: CtxUser): Ctx => ({
  ...base,
  owner: user.number,
  user: async () => user,
  sessionId: async () => undefined,
  lastSettings: user,
});
