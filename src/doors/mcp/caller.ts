import type { Access } from "../../contract/access.ts";
import type { Env } from "../../env.ts";
import { type CallerCtx, type Credential, openCtx } from "../../features/auth/caller-store.ts";
import { withCurrentLocation } from "../../platform/core/account-location.ts";
import { openBaseCtx, openSession } from "../../platform/db/session.ts";
import { shardDatabase } from "../../platform/shards/router.ts";

/** The first database call checks whether the credential is still valid. */
export type McpCaller = {
  credential: Credential;
  scopes: readonly Access[];
  client_name?: string | undefined;
  public_url: string;
};

const MAX_NAME = 200;

/** A client's name as stored with records. Clients choose it freely, so it must not be relied on. */
export const normalizeClientName = (name: unknown): string | undefined =>
  typeof name === "string" && name.trim() !== ""
    ? name.trim().slice(0, MAX_NAME).replaceAll("\u0000", "").toWellFormed()
    : undefined;

type Options = { asksPlan?: boolean };

/** The context of a credential in its shard; `asksPlan` as in caller-store.ts. Throws 401 for an unknown shard. */
export function openCallerCtx(env: Env, credential: Credential, options: Options = {}): CallerCtx {
  const database = shardDatabase(env, credential.shard);
  const session = openSession(database);
  return openCtx(openBaseCtx(database, credential.shard, session), session, credential, options);
}

export type ClientCtx = CallerCtx & {
  /** Switches to the account's new shard after a migration. */
  switchShard: () => void;
};

export function createClientCtx(env: Env, caller: McpCaller, options: Options = {}): ClientCtx {
  const { scopes, client_name, public_url } = caller;
  const credential = withCurrentLocation(caller.credential);
  const ctx = openCallerCtx(env, credential, options);
  const actor = { ...ctx.actor, kind: "assistant", source_type: "mcp" } as const;
  return Object.assign(ctx, {
    actor,
    scopes,
    public_url,
    plan_limits: env.PLAN_LIMITS,
    sells_plans: Boolean(env.STRIPE_SECRET_KEY),
    bucket: env.FILES,
    ...(client_name !== undefined && { client_name }),
    switchShard(this: ClientCtx) {
      Object.assign(this, createClientCtx(env, caller, options));
    },
  });
}
