import { purgeApiKeys } from "./api-keys/store.ts";
import { purgeErasedAccounts } from "./auth/erasure-store.ts";
import { purgeSessions } from "./auth/store.ts";
import { openDatabase, openSession } from "./core/ctx.ts";
import { purgeIdempotencyKeys } from "./core/idempotency.ts";
import type { Env } from "./env.ts";
import { wakeMemories } from "./memories/store.ts";
import { purgeGrants } from "./oauth/provider.ts";
import { purgeTrash } from "./trash/store.ts";

/** The cron handler: deletes what has expired and writes down what woke, a bounded number of rows a run. No answer depends on it. */
export async function purge(env: Env): Promise<void> {
  const base = { db: openDatabase(openSession(env.DB)), now: new Date() };
  await purgeSessions(base);
  await purgeIdempotencyKeys(base);
  await purgeApiKeys(base);
  await purgeGrants(env);
  await wakeMemories(base);
  await purgeTrash(base);
  await purgeErasedAccounts(base);
}
