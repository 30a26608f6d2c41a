import type { Access, KeyScope } from "../../contract/access.ts";
import type { Env } from "../../env.ts";
import type { Database } from "./statement.ts";

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
  /** Default reminder offset of records without their own; null for never, undefined when not loaded. */
  remind_before?: string | null;
};

export type DaySettings = Pick<CtxUser, "timezone" | "stale_after_days">;

export type BaseCtx = {
  db: Database;
  now: Date;
  /** Number of the shard that `db` is. Credentials contain it. */
  shard: number;
  /** Display name of the program that sent the request. */
  program?: string | undefined;
  plan_limits?: string | undefined;
  sells_plans?: boolean;
  /** Stores the contents of files; undefined if the operator has configured none. */
  bucket?: R2Bucket | undefined;
};

export type OwnerCtx = BaseCtx & { owner: number };

export type Actor = {
  kind: "person" | "api_key" | "assistant";
  id?: string | undefined;
  key_hash?: string;
  source_type: "api" | "mcp" | "web";
};

export type Ctx = BaseCtx & {
  owner: number;
  /** The caller's account, from the first database call, which is made if there was none yet. Throws 401 when signed out. */
  user: () => Promise<CtxUser>;
  /** Id of the session of the caller's token or cookie. Like `user`, it may query the database. */
  sessionId: () => Promise<string | undefined>;
  /** The caller's settings as this isolate last saw them. They may be outdated; `user` has the current ones. */
  lastSettings?: DaySettings | undefined;
  actor?: Actor;
  client_name?: string;
  /** Scopes of an MCP client's token; undefined allows everything. */
  scopes?: readonly Access[];
  /** Scopes of an API key. Like `user`, they come with the first database call. */
  keyScopes?: () => Promise<readonly KeyScope[]>;
  /** Requires more scopes of an API key than the route does. The first database call throws 403 without them. */
  requireKeyScopes?: (more: readonly Access[]) => void;
  /** The account once verified, until then the credential, so that a forged one cannot fill the account's queue. */
  queue_key?: string;
  /** Numbers of the activity entries that this request has written, for `Change-Id`. */
  changes?: number[];
  /** The earliest reminder that this request has written. The account is woken for it after the response. */
  reminds?: { at?: string };
  /** Lets the account's next request run. Called before this request waits for other work. */
  releaseSlot?: () => void;
  reason?: string | undefined;
  /** Base URL of links in responses, such as https://notes.example, without a trailing slash. */
  public_url?: string;
};

export type AppEnv = {
  Bindings: Env;
  Variables: { ctx: Ctx; base: BaseCtx; session: D1DatabaseSession; requestId: string };
};

/** A context without authentication: for the cron handler, command-line tools and public links. */
export const ctxFor = (base: BaseCtx, user: CtxUser): Ctx => ({
  ...base,
  owner: user.number,
  user: async () => user,
  sessionId: async () => undefined,
  lastSettings: user,
});
