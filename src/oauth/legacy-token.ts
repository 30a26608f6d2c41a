import { openCtx } from "../auth/caller-store.ts";
import { credentialOf } from "../auth/guard.ts";
import { ACCESSES, type Access } from "../core/access.ts";
import type { CtxUser } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { openBase, openSession } from "../db/session.ts";
import type { Env } from "../env.ts";

/** What /mcp knows of a caller who was let in without OAuth. */
export type LegacyProps = { user: CtxUser; scopes: readonly Access[]; client_name?: string | undefined };

const isRefusal = (problem: unknown) => problem instanceof AppError && problem.status === 401;

async function propsOf(env: Env, token: string): Promise<LegacyProps> {
  const base = openBase(env.DB);
  const ctx = openCtx(base, openSession(env.DB), await credentialOf(env, base, token, []));
  const key = await ctx.key();
  return { user: await ctx.user(), scopes: key?.scopes ?? ACCESSES, client_name: key?.name };
}

/**
 * The legacy bearer mode: a token of the API or an API key, and nothing else, opens /mcp.
 * Both are made by this service, so that the audience is ours to say.
 */
export async function resolveLegacyToken(env: Env, token: string, mcpUrl: string) {
  const props = await propsOf(env, token).catch((problem: unknown) => {
    if (isRefusal(problem)) return null;
    throw problem;
  });
  return props && { props, audience: mcpUrl };
}
