import { ctxOfToken } from "../auth/guard.ts";
import { type CtxUser, openBase } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { ACCESSES, type Access } from "../core/tool.ts";
import type { Env } from "../env.ts";

/** What /mcp knows of a caller who was let in without OAuth. */
export type LegacyProps = { user: CtxUser; scopes: readonly Access[]; client_name?: string | undefined };

const isRefusal = (problem: unknown) => problem instanceof AppError && problem.status === 401;

/**
 * The legacy bearer mode: a token of the API or an API key, and nothing else, opens /mcp.
 * Both are made by this service, so that the audience is ours to say.
 */
export async function resolveLegacyToken(env: Env, token: string, mcpUrl: string) {
  const ctx = await ctxOfToken(env, openBase(env.DB), token).catch((problem: unknown) => {
    if (isRefusal(problem)) return null;
    throw problem;
  });
  if (!ctx) return null;
  const { user, scopes = ACCESSES, client_name } = ctx;
  return { props: { user, scopes, client_name } satisfies LegacyProps, audience: mcpUrl };
}
