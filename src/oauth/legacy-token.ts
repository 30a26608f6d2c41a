import type { Credential } from "../features/auth/caller-store.ts";
import { credentialOf } from "../features/auth/guard.ts";
import { AppError } from "../platform/core/errors.ts";
import { FIRST_HOME } from "../contract/home.ts";
import type { Env } from "../env.ts";
import { openHome } from "../platform/homes/router.ts";

/** What /mcp knows of a caller who does not use OAuth. */
export type LegacyProps = { credential: Credential };

const isRefusal = (problem: unknown) => problem instanceof AppError && problem.status === 401;

/**
 * The legacy bearer mode: /mcp also accepts an access token of the API or an API key, and nothing else. The service
 * issues both itself, so it may state their audience. Whether the session or the key is still valid is checked by the
 * call itself.
 */
export async function resolveLegacyToken(env: Env, token: string, mcpUrl: string) {
  const credential = await credentialOf(env, openHome(env, FIRST_HOME), token, []).catch(
    (problem: unknown) => {
      if (isRefusal(problem)) return null;
      throw problem;
    },
  );
  return credential && { props: { credential } satisfies LegacyProps, audience: mcpUrl };
}
