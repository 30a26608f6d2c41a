import type { Access } from "../core/access.ts";
import { packJson, unpackJson } from "../core/bytes.ts";
import { type Ctx, type CtxUser, ctxFor } from "../core/ctx.ts";
import { openBase } from "../db/session.ts";
import type { Env } from "../env.ts";

/** Who is calling, as the Worker found out: what a Durable Object cannot find out again from the request alone. */
export type Caller = {
  user: CtxUser;
  scopes: readonly Access[];
  /** The name under which the client was allowed in, or the one it calls itself by. */
  client_name?: string | undefined;
  public_url: string;
};

/** The header in which the Worker tells a session who is calling. The Worker always writes it itself. */
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
export function ctxOf(env: Env, { user, scopes, client_name, public_url }: Caller): Ctx {
  return {
    ...ctxFor(openBase(env.DB), user),
    sessionId: "mcp",
    scopes,
    ...(client_name !== undefined && { client_name }),
    public_url,
  };
}
