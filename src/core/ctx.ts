import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { Env } from "../env.ts";
import type { Access } from "./access.ts";

export type Database = DrizzleD1Database & { $client: D1Database };

/** An account, as the database has it now. */
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
  /** The number of the caller, written into every row of theirs. */
  owner: number;
  /**
   * The caller's account. It comes with the request's first answer from the database; where nothing has been asked
   * yet, this asks for it alone. Throws 401 when the caller is not signed in any more.
   */
  user: () => Promise<CtxUser>;
  sessionId: string;
  /** The MCP client's own name, where there is one. */
  client_name?: string;
  /** What the token of an MCP client may do; without it, everything. */
  scopes?: readonly Access[];
  /** Where an API key asks: what it may do. It comes with the first answer, as `user` does. */
  keyScopes?: () => Promise<readonly Access[]>;
  /** Where an API key asks: what this request needs beside what its route does. The first call throws 403 without it. */
  keyNeeds?: (more: readonly Access[]) => void;
  /** Where people open what an answer links to, such as https://notes.example; no slash at the end. */
  public_url?: string;
};

export type AppEnv = {
  Bindings: Env;
  Variables: { ctx: Ctx; base: BaseCtx; session: D1DatabaseSession; requestId: string };
};

/** The context of a user who needs no letting in: for the cron handler, the command-line tools and public links. */
export const ctxFor = (base: BaseCtx, user: CtxUser): Ctx => ({
  ...base,
  owner: user.number,
  user: async () => user,
  sessionId: "none",
});
