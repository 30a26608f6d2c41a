import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { changeEmailRoute, confirmEmailChangeRoute } from "../../../src/features/auth/email/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { type Client, PASSWORD, signIn, visitor } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";
import { CHANGE, codeFor } from "../../kit/mailbox.ts";
import {
  ADA,
  cronAfterMoves,
  type Kill,
  Killed,
  move,
  numberIn,
  openShards,
  rowOf,
} from "../../kit/shard-migration.ts";
import { databaseOf, personIn } from "../../kit/shards.ts";
import { MANY_RUNS_MS } from "../../kit/time-limits.ts";

// Commands that move the same account, one after another and at once, and whatever its owner does meanwhile.

beforeEach(openShards);

const HOMES = [1, 2, 3];

/** The shards in which the account is. */
async function homesOf(email = ADA): Promise<number[]> {
  const numbers = await Promise.all(HOMES.map((home) => numberIn(home, email)));
  return HOMES.filter((_, index) => numbers[index] !== null);
}

/** The address book's entries of the account that has this address. */
async function bookOf(email: string): Promise<unknown[]> {
  const { results } = await databaseOf(1)
    .prepare(`SELECT email, home, state FROM address_book
      WHERE user_id = (SELECT user_id FROM address_book WHERE email = ?) ORDER BY state`)
    .bind(email)
    .all();
  return results;
}

/** The account is in one home, with this many documents, and can be used with what its owner had before and has now. */
async function expectWhole(ada: Client, total: number, note = ""): Promise<void> {
  expect(await homesOf(), note).toHaveLength(1);
  expect((await ada.ok(documents.listDocumentsRoute)).total, note).toBe(total);
  const again = await signIn(ADA);
  expect((await again.ok(documents.listDocumentsRoute)).total, note).toBe(total);
}

const moving = (to: number, kill?: Kill): Promise<unknown> => move(ADA, to, kill).catch((error) => error);

test("a move that was killed when the account had arrived, and another one back, leave it in one home", async () => {
  const bob = "bob@example.com";
  const [ada, other] = [await personIn(2, ADA), await personIn(2, bob)];
  for (const one of [ada, other]) await rowOf(one, 1);
  const calls = await move(bob, 3);
  // The address directory has been updated, and the old shard has not.
  await expect(move(ADA, 3, { at: calls - 2, isAnswered: true })).rejects.toThrow(Killed);
  expect(await homesOf()).toEqual([2, 3]);
  await move(ADA, 2);
  await cronAfterMoves();
  await expectWhole(ada, 1);
  await rowOf(ada, 2);
});

const Step = fc.record({
  to: fc.constantFrom(...HOMES),
  /** How many of the last calls a command does not make; null: it is not killed. */
  spared: fc.option(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 150 }))),
  isAnswered: fc.boolean(),
  /** Another command at the same time, to this home. */
  rival: fc.option(fc.constantFrom(...HOMES), { freq: 3 }),
  cron: fc.constantFrom("none", "none", "soon", "late"),
});
type Step = typeof Step extends fc.Arbitrary<infer Value> ? Value : never;

/** What people do while commands run and are killed. */
async function run(steps: Step[]): Promise<void> {
  const ada = await personIn(1, ADA);
  await rowOf(ada, 0);
  const calls = await move(ADA, 2);
  let written = 1;
  for (const { to, spared, isAnswered, rival, cron: when } of steps) {
    const kill = spared === null ? undefined : { at: Math.max(1, calls - spared), isAnswered };
    await Promise.all([moving(to, kill), rival === null ? undefined : moving(rival)]);
    if (when === "soon") await cron();
    if (when === "late") await cronAfterMoves();
    const answer = await ada.call(documents.createDocumentRoute, { json: { title: "Plan" } });
    expect([201, 503]).toContain(answer.status);
    if (answer.status === 201) written++;
    expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(written);
  }
  await cronAfterMoves();
  await expectWhole(ada, written);
  await rowOf(ada, 1);
  await move(ADA, 1);
  await move(ADA, 3);
  await expectWhole(ada, written + 1);
}

test(
  "moves to and fro, killed anywhere, at once and in any order, lose nothing and leave nothing twice",
  async () => {
    const property = fc.asyncProperty(fc.array(Step, { minLength: 4, maxLength: 4 }), run);
    await fc.assert(property.afterEach(forgetAda), {
      numRuns: Number(env.FUZZ_RUNS || 1),
      endOnFailure: true,
    });
  },
  MANY_RUNS_MS,
);

/** Deletes the account, for the next run. */
async function forgetAda(): Promise<void> {
  await (await signIn(ADA)).call(auth.deleteMeRoute, { json: { password: PASSWORD } });
}

describe("a command that stalls when the account has arrived, while another one finishes the move", () => {
  type Person = { email: string; next: string };
  type Entry = { email: string; home: number; state: string };

  /** What happens then. Returns what the address book says afterwards. */
  const MEANWHILE: Record<string, (person: Person) => Promise<Entry[]>> = {
    "and moves it back": async ({ email }) => {
      await move(email, 2);
      return [{ email, home: 2, state: "settled" }];
    },
    "and moves it on": async ({ email }) => {
      await move(email, 1);
      return [];
    },
    "and its address is changed": async ({ email, next }) => {
      const change_token = await codeFor(next, CHANGE);
      await visitor().ok(confirmEmailChangeRoute, { json: { change_token } });
      return [
        { email, home: 3, state: "former" },
        { email: next, home: 3, state: "settled" },
      ];
    },
  };

  /** After this many calls a command has found the account, and would not start again. */
  const FOUND = 5;

  /** Starts commands that stall at each of their calls since the arrival, until one of them finishes the move. */
  async function stalledCommands(email: string, to: number, released: Promise<void>) {
    const commands: Promise<number>[] = [];
    for (let isFinished = false; !isFinished; ) {
      const stalled = Promise.withResolvers<boolean>();
      const stallsAt = commands.length === 0 ? 1 : FOUND + commands.length;
      let calls = 0;
      const command = move(email, to, undefined, async () => {
        if ((await numberIn(to, email)) === null || ++calls !== stallsAt) return;
        stalled.resolve(false);
        await released;
      });
      commands.push(command);
      isFinished = await Promise.race([stalled.promise, command.then(() => true)]);
    }
    return commands;
  }

  test.each(Object.entries(MEANWHILE))("%s, changes nothing", async (_, happens) => {
    const [email, next] = [ADA, "ada.lovelace@example.com"];
    const ada = await personIn(2, email);
    await ada.ok(changeEmailRoute, { json: { email: next, password: PASSWORD } });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const commands = await stalledCommands(email, 3, released);
    expect(commands.length).toBeGreaterThan(3);
    const expected = await happens({ email, next });
    release();
    await Promise.all(commands);
    const { email: address } = await ada.ok(auth.getMeRoute);
    expect(await bookOf(address)).toEqual(expected);
    expect(await homesOf(address)).toEqual([expected.at(-1)?.home ?? 1]);
  });
});

describe("an account that is deleted while a command begins to move it", () => {
  test.each([0, 3, 6, 9, 12])("is gone, or was moved (%i)", async (delay) => {
    const ada = await personIn(2, ADA);
    await rowOf(ada, 1);
    const deleting = async () => {
      for (let wait = 0; wait < delay; wait++) await databaseOf(2).prepare("SELECT 1").run();
      return ada.call(auth.deleteMeRoute, { json: { password: PASSWORD } });
    };
    const [answer, moved] = await Promise.all([deleting(), moving(3)]);
    await cronAfterMoves();
    if (answer.status === 204) {
      expect(await homesOf()).toEqual([]);
      expect((await ada.call(auth.getMeRoute)).status).toBe(401);
      for (const home of HOMES)
        expect(await databaseOf(home).prepare("SELECT count(*) AS n FROM documents").first("n")).toBe(0);
    } else {
      expect([answer.status, moved]).toEqual([503, expect.any(Number)]);
      await expectWhole(ada, 1);
    }
  });
});

test("the email address of an account that is being moved cannot be registered", async () => {
  for (const [from, to] of [
    [1, 2],
    [2, 3],
    [3, 1],
  ] as const) {
    const ada = from === 1 ? await personIn(1, ADA) : await signIn(ADA);
    const register = () => visitor().call(auth.registerRoute, { json: { email: ADA, password: PASSWORD } });
    const registering = async () => {
      for (let attempt = 0; attempt < 10; attempt++) expect((await register()).status).not.toBe(201);
    };
    await Promise.all([registering(), move(ADA, to)]);
    await expectWhole(ada, 0);
  }
});
