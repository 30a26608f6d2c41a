import { purgeApiKeys } from "./api-keys/store.ts";
import { purgeErasedAccounts } from "./auth/erasure-store.ts";
import { purgeSessions } from "./auth/store.ts";
import { breathe } from "./core/breathe.ts";
import { openBase } from "./core/ctx.ts";
import { purgeIdempotencyKeys } from "./core/idempotency.ts";
import type { Env } from "./env.ts";
import { purgeImports } from "./import/store.ts";
import { wakeMemories } from "./memories/store.ts";
import { purgeGrants, revokeSomeGrants } from "./oauth/provider.ts";
import { reindexStep } from "./search/reindex-store.ts";
import { mergeStep } from "./text-index/store.ts";
import { purgeTrash } from "./trash/store.ts";

/** Steps of a re-index that one run of the cron handler takes after a change of the analysis. */
const REINDEX_STEPS = 20;

/**
 * The cron handler: deletes what has expired, writes down what woke, indexes again what an older version
 * wrote and lets deleted words go, a bounded number of rows a run. No answer depends on it.
 */
export async function purge(env: Env): Promise<void> {
  const base = openBase(env.DB);
  await purgeSessions(base);
  await purgeIdempotencyKeys(base);
  await purgeApiKeys(base);
  await purgeGrants(env);
  await wakeMemories(base);
  await purgeTrash(base);
  await purgeImports(base);
  await purgeErasedAccounts(base, (userId) => revokeSomeGrants(env, userId));
  for (let step = 0; step < REINDEX_STEPS; step++) {
    const { indexed, remaining } = await reindexStep(base);
    if (indexed === 0 || remaining === 0) break;
    await breathe();
  }
  await mergeStep(base);
}
