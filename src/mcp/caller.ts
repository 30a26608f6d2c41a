import { type CallerCtx, type Credential, openCtx } from "../auth/caller-store.ts";
import type { Access } from "../core/access.ts";
import { packJson, unpackJson } from "../core/bytes.ts";
import { openBase, openSession } from "../db/session.ts";
import type { Env } from "../env.ts";

/**
 * Who is calling, by what they have shown. Whether that still opens anything is asked by the first call to the database,
 * in the Worker or in the Durable Object of a session.
 */
export type Caller = {
  credential: Credential;
  scopes: readonly Access[];
  /** The name under which the client was allowed in, or the one it calls itself by. */
  client_name?: string | undefined;
  public_url: string;
};

/**
 * The header in which the Worker tells a session who is calling. The Worker always writes it itself. The props of agents
 * 0.32 cannot: McpAgent stores them with the session when it starts, and every message may come from another caller.
 */
export const CALLER_HEADER = "x-commonplace-caller";

export const writeCaller = (caller: Caller): string => packJson(caller);

export const readCaller = (header: string): Caller => unpackJson(header) as Caller;

const MAX_NAME = 200;

/** A client's name as records keep it. Every client writes its own name, so nothing may rest on it. */
export const clientName = (name: unknown): string | undefined =>
  typeof name === "string" && name.trim() !== ""
    ? name.trim().slice(0, MAX_NAME).replaceAll("\u0000", "").toWellFormed()
    : undefined;

/** What the tools of a caller need: a database session that sees every write before it, and the time. */
export function ctxOf(env: Env, { credential, scopes, client_name, public_url }: Caller): CallerCtx {
  const ctx = openCtx(openBase(env.DB), openSession(env.DB), credential);
  return Object.assign(ctx, { scopes, public_url, ...(client_name !== undefined && { client_name }) });
}
