import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { MIGRATED_TABLES, tableName } from "../../../src/features/shard-migration/rows-store.ts";
import { urlOf } from "../../kit/client.ts";
import { ConfiguredClient, sessionWith } from "../../kit/database.ts";
import { type Offered, OPERATIONS } from "../../kit/description.ts";
import { exampleOf } from "../../kit/examples.ts";
import { objectOf, workOf } from "../../kit/hooks.ts";
import { mailService } from "../../kit/mailbox.ts";
import { belongings } from "../../kit/named.ts";
import { random } from "../../kit/random.ts";
import { ADA, type Kill, Killed, move, numberIn, openShards, rowsIn } from "../../kit/shard-migration.ts";
import { databaseOf, personIn } from "../../kit/shards.ts";
import { isThorough } from "../../kit/time-limits.ts";

// An account is moved in the middle of a request. Whatever the request is, it takes effect once: what is there afterwards is what
// would be there without the move.

beforeEach(openShards);

/** A database, with what happens before each of its calls. */
function interrupted(database: D1Database, before: () => Promise<void>): D1Database {
  const withSession = (constraint?: string) => {
    const session = database.withSession(constraint);
    return sessionWith(session, async (statements) => {
      await before();
      return session.batch(statements);
    });
  };
  return { prepare: (query: string) => database.prepare(query), withSession } as unknown as D1Database;
}

/** What is different each time: ids, times, nonces, secrets and their hashes. */
const withoutChance = (row: string) =>
  row
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "id")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replace(/"nonce":\d+/g, '"nonce":1')
    .replace(/cpk_\d\.\d+\.[\w-]{4}/g, "hint")
    .replace(/[\w+/=.-]{20,}/g, "secret");

/**
 * Rows that depend on when a webhook was sent; those of sessions, without an owner; those of requests with a key, whose
 * answer is given but not stored when it comes after the move has begun; and those of work that went on after it.
 */
const BY_CHANCE = ["webhook_deliveries", "refresh_tokens", "idempotency_keys", "later"];

/** What Ada has in the shard where she is. */
async function belongingsOf(home: number): Promise<Record<string, string[]>> {
  const rows = await rowsIn(home);
  const tables = MIGRATED_TABLES.map(tableName).filter((name) => !BY_CHANCE.includes(name));
  return Object.fromEntries(tables.map((table) => [table, (rows[table] ?? []).map(withoutChance).sort()]));
}

/** Lets time pass for requests that have not been answered. */
async function wait(seconds: number): Promise<void> {
  expect(seconds).toBeGreaterThan(0);
  const sooner = `-${seconds} seconds`;
  await databaseOf(3)
    .prepare("UPDATE idempotency_keys SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', created_at, ?)")
    .bind(sooner)
    .run();
}

/** Continues the work that a request has begun in the shard where Ada is now. */
async function workIn(home: number): Promise<void> {
  const owner = await numberIn(home);
  if (owner === null) return;
  const place = { home, owner };
  await objectOf(place).wake(owner, home, Date.now() + 3_600_000);
  const ours = databaseOf(home)
    .prepare("UPDATE later SET due_at = '2020-01-01T00:00:00.000Z' WHERE owner = ? AND state = 'waiting'")
    .bind(owner);
  for (let round = 0; (await ours.run()).meta.changes > 0; round++) {
    if (round > 50) throw new Error("It does not end");
    await workOf(place);
  }
}

/** Gives Ada's address back, for the next account that has it. */
async function forgetAda(): Promise<void> {
  for (const home of [1, 2, 3]) {
    const rename = "UPDATE users SET email = 'former:' || number WHERE email LIKE 'ada%'";
    await databaseOf(home).batch([
      databaseOf(home).prepare("UPDATE moves SET is_fenced = 0"),
      databaseOf(home).prepare(rename),
      databaseOf(home).prepare("DELETE FROM email_links"),
    ]);
  }
  await env.DB.prepare("DELETE FROM address_book").run();
  await mailService.clear();
}

/** An interruption: before which call of the request the move begins, and whether it is killed and ends after the request. */
type Interruption = { at: number; kill?: Kill };

/** The outcome of an operation for a new account: its status, what is there afterwards, and the calls that it made. */
async function outcomeOf(offered: Offered, interruption?: Interruption) {
  const { route, method } = offered;
  const ada = await personIn(2, ADA);
  const request = await exampleOf(offered, belongings(ada), true);
  const json = request.json === undefined ? undefined : JSON.stringify(request.json);
  const headers = { "Content-Type": "application/json", ...request.headers };
  let calls = 0;
  const before = async () => {
    if (++calls !== interruption?.at) return;
    // The account may just have been deleted, or have got another address.
    await move(ADA, 3, interruption.kill).catch((problem) =>
      expect(problem instanceof Killed || problem.status === 404).toBe(true),
    );
  };
  const settings = { DB_2: interrupted(databaseOf(2), before) };
  const send = async () => {
    const client = new ConfiguredClient(ada, settings as object);
    const answer = await client.fetch(urlOf(route, request), { method, headers, body: request.body ?? json });
    await answer.text();
    return answer;
  };
  let answer = await send();
  if (interruption && (await numberIn(2)) !== null) await move(ADA, 3);
  const home = interruption ? 3 : 2;
  if (answer.status === 503) {
    await wait(Number(answer.headers.get("Retry-After")));
    await workIn(home);
    answer = await send();
  }
  if (answer.status === 202) await workIn(home);
  const has = await belongingsOf(home);
  await forgetAda();
  return { status: answer.status, has, calls };
}

describe("an operation in the middle of which its account is moved", () => {
  /** Operations that cannot simply be repeated, and why. */
  const LEFT_OUT: Record<string, string> = {
    register: "there is no account yet",
    reindex: "is about all accounts",
    continueImport: "goes on at another byte; see the import below",
    // Each is started again: a challenge stays in its shard, and a code that was accepted has been used up.
    ...{ addPasskey: "challenge", passkeyLogin: "challenge", passkeyOptions: "code" },
    ...{ changePassword: "code", removeSecondFactor: "code", renewRecoveryCodes: "code", deleteMe: "code" },
    changeEmail: "code",
    resetPassword: "its mail is sent after the answer",
    // They answer for each record, also that it could not be changed.
    ...{ changeMemories: "bulk", bulkDocuments: "bulk", undoActivity: "bulk" },
  };
  const offered = OPERATIONS.filter(
    ({ method, operation }) => method !== "GET" && !Object.hasOwn(LEFT_OUT, operation.operationId ?? ""),
  );
  const KILL = { at: 30, isAnswered: true };

  const draw = isThorough ? Math.random : random(1);
  const below = (count: number) => Math.floor(draw() * count);
  /** Two of them in the gate, and all in the nightly run. */
  const FEW = ["importAccount", "revokeConnection"];
  /** So many calls are all tried, of more a random one. */
  const FEW_CALLS = 4;
  const chosen = offered.filter(
    ({ operation }) => env.FUZZ_RUNS || FEW.includes(operation.operationId ?? ""),
  );

  test.each(chosen.map((one) => [one.operation.operationId, one] as const))(
    "takes effect once: %s",
    async (_, one) => {
      const { calls, ...expected } = await outcomeOf(one);
      const each = Array.from({ length: calls }, (_, before) => before + 1);
      const some = calls <= FEW_CALLS ? each : [1 + below(calls)];
      for (const interruption of some.flatMap((at) => [{ at }, { at, kill: KILL }])) {
        const { calls: _, ...outcome } = await outcomeOf(one, interruption);
        // Work that the move has interrupted goes on after the answer.
        const status = outcome.status === 202 ? 202 : expected.status;
        expect(outcome, JSON.stringify(interruption)).toEqual({ ...expected, status });
      }
    },
    120_000,
  );
});
