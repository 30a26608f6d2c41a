import { type SQL, sql } from "drizzle-orm";
import { FULL_SHARD_BYTES } from "./contract/placement.ts";
import { FIRST_SHARD } from "./contract/shard.ts";
import { hasOutdated, mergeSegments } from "./engine/index.ts";
import type { Env } from "./env.ts";
import { apiKeyRetention } from "./features/api-keys/store.ts";
import { emailLinkRetention } from "./features/auth/email/store.ts";
import { registrationLinkRetention } from "./features/auth/registration-store.ts";
import { hasOldSessions, purgeSessions } from "./features/auth/session-store.ts";
import { signInAddressRetention } from "./features/auth/sign-in-address-store.ts";
import { reconcileEvents } from "./features/billing/stripe-events.ts";
import { purgeGrants } from "./features/connections/grants.ts";
import { hasOldConnectionUses, purgeConnectionUses } from "./features/connections/store.ts";
import {
  completeExcerpts,
  completeLinks,
  completeTitleKeys,
  countMissingTasks,
  hasMissingExcerpts,
  hasMissingLinks,
  hasMissingTitleKeys,
  hasUncountedDocuments,
} from "./features/documents/backfill-store.ts";
import { completeFolderKeys, hasKeylessFolders } from "./features/folders/key-store.ts";
import { hasOldImports, purgeImports } from "./features/import/store.ts";
import { overdueOwners } from "./features/jobs/chores.ts";
import { hasOldJobs, purgeJobs } from "./features/jobs/store.ts";
import { hasUnstoredWakings, wakeMemories } from "./features/memories/wake-store.ts";
import { reindexNextStep } from "./features/search/reindex-store.ts";
import { endAbandonedMigrations, hasOldMigrations } from "./features/shard-migration/purge-store.ts";
import { hasOldDeliveries, purgeDeliveries } from "./features/webhooks/delivery-store.ts";
import type { BaseCtx } from "./platform/core/ctx.ts";
import { completeSpellingKeys, hasNamesWithoutKey } from "./platform/db/spellings.ts";
import { hasOldIdempotencyKeys, purgeIdempotencyKeys } from "./platform/idempotency/store.ts";
import { triggerShardPurge, wakeAccountNow } from "./platform/jobs/wake.ts";
import { yieldToOthers } from "./platform/queue/yield.ts";
import { securityEventRetention } from "./platform/security-events/store.ts";
import { confirmOrDeleteClaims, recordShardSize } from "./platform/shards/address-directory-store.ts";
import { configuredShards, openShard } from "./platform/shards/router.ts";
import { isSchemaCurrent, measureShard } from "./platform/shards/schema-store.ts";

// The cron handler. No response depends on it. Work of a single account is done by its Durable Object (features/jobs):
// here the objects are only woken, if they have not been.

const REINDEX_STEPS = 20;

type Step = (base: BaseCtx, env: Env) => Promise<unknown>;

/** Maintenance of a shard, in order. `isDue` is SQL: a run evaluates all of them in one call. */
const STEPS: Record<string, { isDue: (base: BaseCtx) => SQL; run: Step }> = {
  settleMoves: {
    isDue: hasOldMigrations,
    run: (base, env) => endAbandonedMigrations(base, (home) => openShard(env, home)),
  },
  purgeSessions: { isDue: hasOldSessions, run: purgeSessions },
  purgeAddresses: signInAddressRetention,
  purgeRegistrationLinks: registrationLinkRetention,
  purgeLinks: emailLinkRetention,
  purgeEvents: securityEventRetention,
  purgeIdempotencyKeys: { isDue: hasOldIdempotencyKeys, run: purgeIdempotencyKeys },
  purgeApiKeys: apiKeyRetention,
  purgeUses: { isDue: hasOldConnectionUses, run: purgeConnectionUses },
  purgeImports: { isDue: hasOldImports, run: purgeImports },
  purgeJobs: { isDue: hasOldJobs, run: purgeJobs },
  purgeDeliveries: { isDue: hasOldDeliveries, run: purgeDeliveries },
  wakeMemories: { isDue: hasUnstoredWakings, run: wakeMemories },
  completeSpellings: { isDue: hasNamesWithoutKey, run: completeSpellingKeys },
  completeFolderKeys: { isDue: hasKeylessFolders, run: completeFolderKeys },
  completeTitleKeys: { isDue: hasMissingTitleKeys, run: completeTitleKeys },
  countTasks: { isDue: hasUncountedDocuments, run: countMissingTasks },
  completeLinks: { isDue: hasMissingLinks, run: completeLinks },
  completeExcerpts: { isDue: hasMissingExcerpts, run: completeExcerpts },
  reindex: { isDue: hasOutdated, run: reindexSteps },
};

async function reindexSteps(base: BaseCtx): Promise<void> {
  for (let step = 0; step < REINDEX_STEPS; step++) {
    const { indexed, remaining } = await reindexNextStep(base);
    if (indexed === 0 || remaining === 0) break;
    await yieldToOthers();
  }
}

/** Wakes accounts with overdue work, those with reminders first. */
async function wakeOverdue(base: BaseCtx, env: Env): Promise<void> {
  const { shard } = base;
  const owners = await overdueOwners(base, env);
  const outcomes = await Promise.allSettled(owners.map((owner) => wakeAccountNow({ shard, owner })));
  const failed = outcomes.filter((outcome) => outcome.status === "rejected");
  if (failed[0]) throw new Error(`${failed.length} accounts were not woken: ${failed[0].reason}`);
}

async function runDue(base: BaseCtx, env: Env): Promise<void> {
  const flags = Object.entries(STEPS).map(
    ([name, { isDue }]) => sql`${isDue(base)} AS ${sql.identifier(name)}`,
  );
  const [due = {}] = await base.db.all<Record<string, number>>(sql`SELECT ${sql.join(flags, sql`, `)}`);
  const steps = Object.entries(STEPS).filter(([name]) => due[name] === 1);
  await runEach(Object.fromEntries(steps.map(([name, { run }]) => [name, run])), base, env);
}

/** Records the size of a shard. Logs one that is too full for new accounts, so that the operator adds another. */
async function recordSize(base: BaseCtx, env: Env): Promise<void> {
  const size = await measureShard(base);
  await recordShardSize(openShard(env, FIRST_SHARD), { number: base.shard, ...size });
  if (size.bytes >= FULL_SHARD_BYTES)
    console.error(JSON.stringify({ full: true, home: base.shard, ...size }));
}

const SERVICE_STEPS: Record<string, Step> = {
  purgeGrants: (_, env) => purgeGrants(env),
  reconcile: reconcileEvents,
  settleClaims: (base, env) => confirmOrDeleteClaims(base, (home) => openShard(env, home)),
};

/** Runs steps in a shard; a failing one is logged and the others still run. */
async function runEach(steps: Record<string, Step>, base: BaseCtx, env: Env): Promise<void> {
  const { shard } = base;
  const failed: string[] = [];
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(base, env);
    } catch (problem) {
      failed.push(name);
      console.error(JSON.stringify({ purge: name, home: shard, error: String(problem) }));
    }
  }
  if (failed.length > 0)
    console.error(JSON.stringify({ purge: "failed", home: shard, steps: failed.length, names: failed }));
}

/** Hourly maintenance of a shard. Skips a database that has not been migrated yet. */
export async function purgeHome(env: Env, home: number): Promise<void> {
  const base = openShard(env, home);
  if (configuredShards(env).length > 1 && !(await isSchemaCurrent(base)))
    return console.error(JSON.stringify({ purge: "skipped", home, reason: "its schema is older" }));
  await runEach({ wakeOverdue, runDue, mergeSome: mergeSegments, recordSize }, base, env);
}

/** The cron handler. If there are several shards, each has an invocation and its limits of its own. */
export async function purge(env: Env): Promise<void> {
  const homes = configuredShards(env);
  if (homes.length === 1) await purgeHome(env, FIRST_SHARD);
  else
    for (const { number: home } of homes)
      await triggerShardPurge(home).catch((problem: unknown) =>
        console.error(JSON.stringify({ purge: "failed", home, error: String(problem) })),
      );
  await runEach(SERVICE_STEPS, openShard(env, FIRST_SHARD), env);
}
