import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { Access, KeyScope } from "../../contract/access.ts";
import type { Env } from "../../env.ts";

export type Database = DrizzleD1Database & {
  $client: D1Database;
  /** How many calls it has made. */
  calls: () => number;
};

export type CtxUser = {
  id: string;
  number: number;
  email: string;
  email_verified_at: string | null;
  name: string | null;
  role: "admin" | "member";
  timezone: string;
  stale_after_days: { commitment: number; blocker: number };
  created_at: string;
  /** 1 if any of the account's webhooks is active; undefined when not loaded. */
  has_webhooks?: number;
  /** How long before its hour a record is reminded of that says nothing itself; null for never, undefined when not loaded. */
  remind_before?: string | null;
};

export type DaySettings = Pick<CtxUser, "timezone" | "stale_after_days">;

export type BaseCtx = {
  db: Database;
  now: Date;
  /** The number of the home that the database is: credentials name it. */
  home: number;
  program?: string | undefined;
  plan_limits?: string | undefined;
  /** Whether larger plans can be paid for here. */
  sells_plans?: boolean;
  /** The bytes of files; undefined where the service keeps none. */
  bucket?: R2Bucket | undefined;
};

export type Actor = {
  kind: "person" | "api_key" | "assistant";
  id?: string | undefined;
  key_hash?: string;
  source_type: "api" | "mcp" | "web";
};

export type Ctx = BaseCtx & {
  /** The caller's number, stored in every row they own. */
  owner: number;
  /** The caller's account, from the first database call; makes one if there was none. Throws 401 when signed out. */
  user: () => Promise<CtxUser>;
  /** The session that the caller's token or cookie belongs to. Like `user`, it may query the database. */
  sessionId: () => Promise<string | undefined>;
  /** The caller's settings as this isolate last saw them; `user` tells whether they have changed. */
  lastSettings?: DaySettings | undefined;
  actor?: Actor;
  client_name?: string;
  /** What an MCP client's token allows; undefined allows everything. */
  scopes?: readonly Access[];
  /** For an API key: its scopes. Like `user`, they come with the first database call. */
  keyScopes?: () => Promise<readonly KeyScope[]>;
  /** For an API key: scopes that this request needs besides its route's. The first call throws 403 without them. */
  keyNeeds?: (more: readonly Access[]) => void;
  /** Whose work waits for whose: the account, or a credential that has not been checked yet and may name any. */
  waits_as?: string;
  changes?: number[];
  /** The earliest reminder that this request has written: the account is woken for it after the answer. */
  reminds?: { at?: string };
  /** Lets the account's next request run: called before waiting for what others do. */
  endTurn?: () => void;
  /** Why it is done, as an assistant said. */
  reason?: string | undefined;
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
