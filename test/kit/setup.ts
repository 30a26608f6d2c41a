import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, expect } from "vitest";
import { enforceLimits } from "./d1-limits.ts";
import { checkEffects, takeWrongEffects } from "./effects.ts";
import { mailService } from "./mailbox.ts";
import { createTables, emptyTables } from "./tables.ts";
import { isThorough } from "./time-limits.ts";

// Every test starts with an empty deployment, whose databases have the limits of D1.

enforceLimits();
checkEffects();

// Before a merge, the examples of a property are few, and those of the last time, so that a failure is about the change.
if (!isThorough) fc.configureGlobal({ seed: 1, numRuns: 30 });

const DATABASES = [env.DB, env.DB_2, env.DB_3, env.REPLICA];

const changesOf = (database: D1Database) =>
  database.prepare("SELECT total_changes() AS n").first<number>("n");

/** The rows that each database has changed. */
const countChanges = () => Promise.all(DATABASES.map(changesOf));

let before: (number | null)[] = [];

/** Whether nothing has been asked of a database or written to KV since the last test. Local D1 writes a row at each call. */
async function isUntouched(): Promise<boolean> {
  const [expected, { keys }] = [before.map((n) => Number(n) + 1), await env.OAUTH_KV.list({ limit: 1 })];
  before = await countChanges();
  return keys.length === 0 && before.join() === expected.join();
}

const hasTables = (database: D1Database) =>
  database.prepare("SELECT 1 AS one FROM sqlite_schema WHERE name = 'd1_migrations'").first<number>("one");

const hasFiles = async () => ((await env.FILES?.list({ limit: 1 }))?.objects.length ?? 0) > 0;

/** Empties the deployment. `reset` skips what was idle for ten seconds, which reading wakes. */
async function empty(): Promise<void> {
  do await reset();
  while ((await Promise.all([...DATABASES.map(hasTables), hasFiles()])).some(Boolean));
}

/** Deletes what the last test stored, which takes a fifth of a new deployment's time, if that leaves nothing of it. */
async function isCleared(): Promise<boolean> {
  const [{ keys, list_complete: isAll }, files, ...others] = await Promise.all([
    env.OAUTH_KV.list(),
    env.FILES?.list(),
    ...DATABASES.slice(1).map(hasTables),
  ]);
  if (!isAll || files?.truncated || others.some(Boolean)) return false;
  await Promise.all([
    ...keys.map(({ name }) => env.OAUTH_KV.delete(name)),
    ...(files?.objects ?? []).map(({ key }) => env.FILES?.delete(key)),
  ]);
  return emptyTables(env.DB);
}

beforeEach(async () => {
  const isFirst = before.length === 0;
  // Many tests are of functions, and leave the deployment as it was.
  if (await isUntouched()) return;
  if (isFirst || !(await isCleared())) {
    await empty();
    await createTables(env.DB);
  }
  await mailService.clear();
  before = await countChanges();
});

afterEach(() => {
  expect(takeWrongEffects(), "use db.all to read, and db.run or db.returning to write").toEqual([]);
});
