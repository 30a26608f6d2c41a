import { type CallerCtx, type Credential, openCtx } from "../../features/auth/caller-store.ts";
import type { Access } from "../../contract/access.ts";
import { packJson, unpackJson } from "../../platform/core/bytes.ts";
import { followed } from "../../platform/core/moved.ts";
import { openBase, openSession } from "../../platform/db/session.ts";
import type { Env } from "../../env.ts";
import { databaseOf } from "../../platform/homes/router.ts";

/**
 * Who is calling, by their credential. Whether it is still valid is checked with the first call to the database, in the
 * Worker or in a session's Durable Object.
 */
export type Caller = {
  credential: Credential;
  scopes: readonly Access[];
  /** The name under which the client was authorized, or the one it reports. */
  client_name?: string | undefined;
  public_url: string;
};

/**
 * The header that tells a session who is calling. The Worker always sets it itself. The props of agents 0.32 do not
 * replace it: McpAgent stores them when the session starts, but each message may come from another caller.
 */
export const CALLER_HEADER = "x-commonplace-caller";

export const writeCaller = (caller: Caller): string => packJson(caller);

export const readCaller = (header: string): Caller => unpackJson(header) as Caller;

const MAX_NAME = 200;

/** A client's name as stored with records. Clients choose it freely, so nothing may rely on it. */
export const clientName = (name: unknown): string | undefined =>
  typeof name === "string" && name.trim() !== ""
    ? name.trim().slice(0, MAX_NAME).replaceAll("\u0000", "").toWellFormed()
    : undefined;

type Options = { asksPlan?: boolean };

/** The context of a credential in its home; `asksPlan` as in caller-store.ts. Throws 401 for an unknown home. */
export function openCallerCtx(env: Env, credential: Credential, options: Options = {}): CallerCtx {
  const database = databaseOf(env, credential.home);
  const session = openSession(database);
  return openCtx(openBase(database, credential.home, session), session, credential, options);
}

/** The context of an MCP client, which can go on in another home. */
export type ClientCtx = CallerCtx & {
  /** Makes this the context of the same caller where their account has been moved. */
  goOn: () => void;
};

/** The context for a caller's tools, with a database session that sees all earlier writes. */
export function ctxOf(env: Env, caller: Caller, options: Options = {}): ClientCtx {
  const { scopes, client_name, public_url } = caller;
  const credential = followed(caller.credential);
  const ctx = openCallerCtx(env, credential, options);
  const actor = { ...ctx.actor, kind: "assistant", source_type: "mcp" } as const;
  const { PLAN_LIMITS: plan_limits } = env;
  return Object.assign(ctx, {
    ...{ actor, scopes, public_url, plan_limits },
    ...(client_name !== undefined && { client_name }),
    goOn(this: ClientCtx) {
      Object.assign(this, ctxOf(env, caller, options));
    },
  });
}
