import { FIRST_HOME } from "./contract/home.ts";
import { FULL_BYTES } from "./contract/placement.ts";
import { mergeStep } from "./engine/index.ts";
import type { Env } from "./env.ts";
import { purgeActivity } from "./features/activity/retention-store.ts";
import { purgeApiKeys } from "./features/api-keys/store.ts";
import { purgeAddresses } from "./features/auth/address-store.ts";
import { purgeLinks } from "./features/auth/email/store.ts";
import { purgeRegistrationLinks } from "./features/auth/registration-store.ts";
import { purgeSessions } from "./features/auth/session-store.ts";
import { purgeGrants } from "./features/connections/grants.ts";
import { purgeUses } from "./features/connections/store.ts";
import { completeFolderKeys } from "./features/folders/key-store.ts";
import { purgeImports } from "./features/import/store.ts";
import { overdueOwners } from "./features/jobs/chores.ts";
import { wakeMemories } from "./features/memories/wake-store.ts";
import { settleMoves } from "./features/moving/purge-store.ts";
import { purgeSubscriptions } from "./features/push/store.ts";
import { mailAgain, mailDay, pushDay } from "./features/reminders/remind.ts";
import { reindexSome } from "./features/search/reindex-store.ts";
import { purgeTrash } from "./features/trash/store.ts";
import { purgeDeliveries } from "./features/webhooks/sending-store.ts";
import type { BaseCtx } from "./platform/core/ctx.ts";
import { completeSpellings } from "./platform/db/spellings.ts";
import { noteSize, settleClaims } from "./platform/homes/address-book-store.ts";
import { homesOf, openHome } from "./platform/homes/router.ts";
import { isCurrent, measureHome } from "./platform/homes/schema-store.ts";
import { purgeIdempotencyKeys } from "./platform/idempotency/store.ts";
import { wakeNow } from "./platform/later/wake.ts";
import { purgeEvents } from "./platform/security-events/store.ts";
import { yieldToOthers } from "./platform/turns/yield.ts";

/** Reindexing steps per run of the cron handler after the text analysis has changed. */
const REINDEX_STEPS = 20;

type Step = (base: BaseCtx, env: Env) => Promise<unknown>;

/** The steps of a run, in order. Each handles a bounded number of rows. */
const STEPS: Record<string, Step> = {
  settleMoves: (base, env) => settleMoves(base, (home) => openHome(env, home)),
  purgeSessions,
  purgeAddresses,
  purgeRegistrationLinks,
  purgeLinks,
  purgeEvents,
  purgeIdempotencyKeys,
  purgeApiKeys,
  purgeUses,
  wakeMemories,
  purgeTrash,
  purgeImports,
  purgeDeliveries,
  wakeOverdue,
  purgeSubscriptions,
  purgeActivity,
  completeSpellings,
  completeFolderKeys,
  reindex: reindexSteps,
  mergeStep,
};

/** Last, because they wait for other people's servers. */
const remindersOf = (again: number[]): Record<string, Step> => ({
  mailDay: async (base, env) => {
    if ((await mailDay(base, env)) > 0) again.push(base.home);
  },
  pushDay,
});

/** Wakes accounts that have something to do and were not told. Throws if some were not reached. */
async function wakeOverdue(base: BaseCtx): Promise<void> {
  const { home } = base;
  const owners = await overdueOwners(base);
  const woken = await Promise.allSettled(owners.map((owner) => wakeNow({ home, owner })));
  const failed = woken.filter((one) => one.status === "rejected");
  if (failed[0]) throw new Error(`${failed.length} accounts were not woken: ${failed[0].reason}`);
}

async function reindexSteps(base: BaseCtx): Promise<void> {
  for (let step = 0; step < REINDEX_STEPS; step++) {
    const { indexed, remaining } = await reindexSome(base);
    if (indexed === 0 || remaining === 0) break;
    await yieldToOthers();
  }
}

/** Steps for what is shared by all homes. */
const SHARED_STEPS: Record<string, Step> = {
  purgeGrants: (_, env) => purgeGrants(env),
  settleClaims: (base, env) => settleClaims(base, (home) => openHome(env, home)),
};

/** Runs steps in a home; a failing one is logged and the others still run. */
async function run(steps: Record<string, Step>, base: BaseCtx, env: Env): Promise<void> {
  const { home } = base;
  const failed: string[] = [];
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step(base, env);
    } catch (problem) {
      failed.push(name);
      console.error(JSON.stringify({ purge: name, home, error: String(problem) }));
    }
  }
  if (failed.length > 0)
    console.error(JSON.stringify({ purge: "failed", home, steps: failed.length, names: failed }));
}

/** Notes how full a home is. One that is too full for new users is logged, so that the operator adds another. */
async function noteHome(base: BaseCtx, env: Env): Promise<void> {
  const size = await measureHome(base);
  await noteSize(openHome(env, FIRST_HOME), { number: base.home, ...size });
  if (size.bytes >= FULL_BYTES) console.error(JSON.stringify({ full: true, home: base.home, ...size }));
}

/** One of several homes. Skips databases that have not been migrated yet. */
async function purgeOneOf(base: BaseCtx, env: Env, steps: Record<string, Step>): Promise<void> {
  if (await isCurrent(base)) return run(steps, base, env);
  console.error(JSON.stringify({ purge: "skipped", home: base.home, reason: "its schema is older" }));
}

/** A run of the cron handler begins no further home after this long; Cloudflare ends it after 15 minutes. */
const RUN_MS = 600_000;
const HOUR_MS = 3_600_000;

/** The cron handler. No answer depends on it. Each run begins with another home, so that none always comes too late. */
export async function purge(env: Env): Promise<void> {
  const first = openHome(env, FIRST_HOME);
  const homes = homesOf(env);
  await run(SHARED_STEPS, first, env);
  const again: number[] = [];
  const steps = { noteHome, ...STEPS, ...remindersOf(again) };
  if (homes.length === 1) await run(steps, first, env);
  else await purgeEach(homes, { first, env, steps });
  await Promise.all(again.map((home) => runAgain(home, env)));
}

const runAgain = (home: number, env: Env): Promise<void> =>
  run({ mailAgain: () => mailAgain(() => openHome(env, home), env) }, openHome(env, home), env);

type Run = { first: BaseCtx; env: Env; steps: Record<string, Step> };

async function purgeEach(homes: { number: number }[], { first, env, steps }: Run): Promise<void> {
  const turn = Math.floor(first.now.getTime() / HOUR_MS) % homes.length;
  for (const { number } of [...homes.slice(turn), ...homes.slice(0, turn)]) {
    const base = openHome(env, number);
    if (base.now.getTime() - first.now.getTime() > RUN_MS) break;
    await purgeOneOf(base, env, steps);
  }
}
