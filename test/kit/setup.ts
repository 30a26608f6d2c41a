import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, expect } from "vitest";
import { enforceLimits } from "./d1-limits.ts";
import { checkEffects, takeWrongEffects } from "./effects.ts";
import { mailService } from "./mailbox.ts";
import { createTables, emptyTables } from "./tables.ts";
import { isThorough } from "./time-limits.ts";
import { forgetUse, watchStores, wereUsed } from "./used-stores.ts";

// Every test starts with an empty deployment, whose databases have the limits of D1.

enforceLimits();
checkEffects();
watchStores();

// Before a merge, the examples of a property are few, and those of the last time, so that a failure is about the change.
if (!isThorough) fc.configureGlobal({ seed: 1, numRuns: 30 });

const DATABASES = [env.DB, env.DB_2, env.DB_3, env.REPLICA];

const hasTables = (database: D1Database) =>
  database.prepare("SELECT 1 AS one FROM sqlite_schema WHERE name = 'd1_migrations'").first<number>("one");

const haveTables = async (databases: readonly D1Database[]) =>
  (await Promise.all(databases.map(hasTables))).some(Boolean);

const hasFiles = async () => ((await env.FILES?.list({ limit: 1 }))?.objects.length ?? 0) > 0;

/** Empties the deployment. `reset` skips what was idle for ten seconds, which reading wakes. */
async function empty(): Promise<void> {
  do await reset();
  while ((await haveTables(DATABASES)) || (await hasFiles()));
}

const OTHERS = DATABASES.slice(1);

const NOTHING = { keys: [], list_complete: true };

/** Deletes what the last test stored, which takes a fifth of a new deployment's time, if that leaves nothing of it. */
async function isCleared(): Promise<boolean> {
  if (wereUsed(...OTHERS) && (await haveTables(OTHERS))) return false;
  const [{ keys, list_complete: isAll }, files] = await Promise.all([
    wereUsed(env.OAUTH_KV) ? env.OAUTH_KV.list() : NOTHING,
    wereUsed(env.FILES) ? env.FILES?.list() : undefined,
  ]);
  if (!isAll || files?.truncated) return false;
  await Promise.all([
    ...keys.map(({ name }) => env.OAUTH_KV.delete(name)),
    ...(files?.objects ?? []).map(({ key }) => env.FILES?.delete(key)),
  ]);
  return emptyTables(env.DB);
}

let isFirst = true;

beforeEach(async () => {
  // Many tests are of functions, and use nothing of the deployment.
  if (!isFirst && !wereUsed(env.DB, ...OTHERS, env.OAUTH_KV, env.FILES)) return;
  if (isFirst || !(await isCleared())) {
    await empty();
    await createTables(env.DB);
  }
  isFirst = false;
  await mailService.clear();
  forgetUse();
});

afterEach(() => {
  expect(takeWrongEffects(), "use db.all to read, and db.run or db.returning to write").toEqual([]);
});
