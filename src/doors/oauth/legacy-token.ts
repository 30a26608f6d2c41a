import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { Credential } from "../../features/auth/caller-store.ts";
import { readCredential } from "../../features/auth/guard.ts";
import { AppError } from "../../platform/core/errors.ts";
import { openShard } from "../../platform/shards/router.ts";

export type LegacyProps = { credential: Credential };

const isUnauthorized = (problem: unknown) => problem instanceof AppError && problem.status === 401;

/** /mcp also accepts access tokens of the API and API keys. The call itself checks whether they are valid. */
export async function resolveLegacyToken(env: Env, token: string, mcpUrl: string) {
  const credential = await readCredential(env, openShard(env, FIRST_SHARD), token, []).catch(
    (problem: unknown) => {
      if (isUnauthorized(problem)) return null;
      throw problem;
    },
  );
  return credential && { props: { credential } satisfies LegacyProps, audience: mcpUrl };
}
