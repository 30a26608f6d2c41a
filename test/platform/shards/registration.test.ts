import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { TokenAnswer } from "../../../src/contract/auth.ts";
import { nearestShard } from "../../../src/contract/placement.ts";
import { parseShards } from "../../../src/contract/shards.ts";
import { setRole } from "../../../src/features/admin/store.ts";
import {
  changeEmailRoute,
  confirmEmailChangeRoute,
  confirmPasswordResetRoute,
  undoEmailChangeRoute,
} from "../../../src/features/auth/email/routes.ts";
import { passkeyLoginOptionsRoute, passkeyLoginRoute } from "../../../src/features/auth/passkeys/routes.ts";
import { claimAddress, createInvitation } from "../../../src/features/auth/registration-store.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { confirmOrDeleteClaims } from "../../../src/platform/shards/address-directory-store.ts";
import { Client, PASSWORD, signIn, visitor } from "../../kit/client.ts";
import { ConfiguredClient } from "../../kit/database.ts";
import { CHANGE, codeFor, UNDO } from "../../kit/mailbox.ts";
import { passkeyOf } from "../../kit/named.ts";
import { countingIn, databaseOf, openHomes, personIn } from "../../kit/shards.ts";

// An account in another shard than the first is created in two databases. However that is interrupted or repeated, an
// address belongs to one account at most, and is free again when it has none.

beforeEach(openHomes);

const ADA = "ada@example.com";
const NEW = "ada.lovelace@example.com";
const first = () => openBaseCtx(env.DB);
const book = async () =>
  (await env.DB.prepare("SELECT email, home, state FROM address_book ORDER BY email").all()).results;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** A visitor whose new account will be in this shard. */
const newcomer = (home: number, more: Record<string, string> = {}) =>
  new ConfiguredClient(new Client(undefined, ADDRESS), {
    HOME_FOR_NEW: home === 1 ? "DB" : `DB_${home}`,
    LOCAL_ONLY: "false",
    RATE_LIMIT_REGISTER: "10000/60",
    ...more,
  });
const ADDRESS = "203.0.113.7";
const registering = (email: string) => ({ json: { email, password: PASSWORD } });

const holdersOf = (email: string) =>
  Promise.all(
    [1, 2, 3].map((home) =>
      databaseOf(home)
        .prepare("SELECT count(*) AS n FROM users WHERE email = ?")
        .bind(email)
        .first<number>("n"),
    ),
  );
const statusOf = async (home: number, email: string) =>
  (await newcomer(home).call(auth.registerRoute, registering(email))).status;
const clearUp = () => confirmOrDeleteClaims(first(), (home) => openBaseCtx(databaseOf(home), home));

/** Each of them computes a slow hash, so that only a long run of the fuzz tests sends all. */
const AT_ONCE = env.FUZZ_RUNS ? 300 : 30;

test("of many registrations at once, a fifth of them for the same addresses, each address gets one account", async () => {
  const numbers = Array.from({ length: AT_ONCE }, (_, n) => (n < AT_ONCE / 5 ? n % (AT_ONCE / 15) : n));
  const emails = numbers.map((n) => `person${n}@example.com`);
  const statuses: number[] = [];
  // A 503 says that too many wait for their passwords to be hashed: nothing was done, and they ask again.
  for (let waiting = emails; waiting.length > 0; ) {
    const answers = await Promise.all(waiting.map((email, n) => statusOf((n % 3) + 1, email)));
    statuses.push(...answers.filter((status) => status !== 503));
    waiting = waiting.filter((_, n) => answers[n] === 503);
  }
  const distinct = new Set(emails);
  expect(statuses.filter((status) => status === 201)).toHaveLength(distinct.size);
  expect(new Set(statuses)).toEqual(new Set([201, 400]));
  const select = "SELECT email FROM users";
  const held = await Promise.all([1, 2, 3].map((home) => databaseOf(home).prepare(select).raw<[string]>()));
  expect(held.flat(2).sort()).toEqual([...distinct].sort());
}, 120_000);

describe("a registration that was interrupted", () => {
  const claim = () => claimAddress(first(), { email: ADA, home: 2, mode: "open" });

  test("before the account was created is repeated in the same shard, wherever from", async () => {
    await claim();
    expect((await visitor().call(auth.loginRoute, registering(ADA))).status).toBe(401);
    expect(await statusOf(3, ADA)).toBe(201);
    expect(await holdersOf(ADA)).toEqual([0, 1, 0]);
    expect(await book()).toEqual([{ email: ADA, home: 2, state: "settled" }]);
  });

  test("after the account was created leaves an account that can be signed in to", async () => {
    await personIn(2, ADA);
    await env.DB.prepare("UPDATE address_book SET state = 'claimed', user_id = NULL, at = ?")
      .bind(hoursAgo(2))
      .run();
    expect(await statusOf(3, ADA)).toBe(400);
    await signIn(ADA);
    await env.DB.prepare("UPDATE address_book SET at = ?").bind(hoursAgo(2)).run();
    await clearUp();
    expect(await book()).toEqual([{ email: ADA, home: 2, state: "settled" }]);
  });

  test("and is not repeated gives the address back after an hour", async () => {
    await claim();
    await clearUp();
    expect(await book()).toHaveLength(1);
    await env.DB.prepare("UPDATE address_book SET at = ?").bind(hoursAgo(2)).run();
    await clearUp();
    expect(await book()).toEqual([]);
    expect(await statusOf(1, ADA)).toBe(201);
    expect(await holdersOf(ADA)).toEqual([1, 0, 0]);
  });

  test("with an invitation is repeated with the same one, which is good for one account", async () => {
    const code = await createInvitation(first());
    await claimAddress(first(), { email: ADA, home: 2, code, mode: "invite" });
    const invited = newcomer(2, { REGISTRATION: "invite" });
    const register = async (email: string, more = {}) =>
      (await invited.call(auth.registerRoute, { json: { email, password: PASSWORD, ...more } })).status;
    expect(await register("eve@example.com", { code })).toBe(403);
    expect([await register(ADA), await register(ADA, { code })]).toEqual([403, 201]);
    expect(await register("bob@example.com", { code })).toBe(403);
  });
});

test("of ten parallel registrations with one invitation, in different shards, one succeeds", async () => {
  const code = await createInvitation(first());
  const all = Array.from({ length: 10 }, (_, n) =>
    newcomer((n % 3) + 1, { REGISTRATION: "invite" }).call(auth.registerRoute, {
      json: { email: `person${n}@example.com`, password: PASSWORD, code },
    }),
  );
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
});

test("an address is taken in every shard, and free again when its account is deleted", async () => {
  for (const home of [1, 2]) {
    const ada = await personIn(home, ADA);
    for (const other of [1, 2, 3]) expect(await statusOf(other, ADA)).toBe(400);
    await ada.call(auth.deleteMeRoute, { json: { password: PASSWORD } });
    expect(await holdersOf(ADA)).toEqual([0, 0, 0]);
    expect(await book()).toEqual([]);
  }
});

describe("a change of address in the second shard", () => {
  const ask = (ada: Client, email: string) =>
    ada.call(changeEmailRoute, { json: { email, password: PASSWORD } });
  const confirm = async (email: string) =>
    visitor().call(confirmEmailChangeRoute, { json: { change_token: await codeFor(email, CHANGE) } });

  test("takes effect everywhere, keeps the previous address reserved, and is undone", async () => {
    const ada = await personIn(2, ADA);
    expect((await ask(ada, NEW)).status).toBe(202);
    expect((await confirm(NEW)).status).toBe(204);
    await signIn(NEW);
    expect(await book()).toEqual([
      { email: NEW, home: 2, state: "settled" },
      { email: ADA, home: 2, state: "former" },
    ]);
    for (const home of [1, 2, 3]) expect(await statusOf(home, ADA)).toBe(400);
    const undo_token = await codeFor(ADA, UNDO);
    const { reset_token } = await visitor().ok(undoEmailChangeRoute, { json: { undo_token } });
    const json = { reset_token, new_password: PASSWORD };
    expect((await visitor().call(confirmPasswordResetRoute, { json })).status).toBe(204);
    await signIn(ADA);
    expect((await visitor().call(auth.loginRoute, registering(NEW))).status).toBe(401);
  });

  test("refuses an address of any shard, and one that was taken while the mail was on its way", async () => {
    const ada = await personIn(2, ADA);
    for (const home of [1, 2, 3]) {
      const email = `taken${home}@example.com`;
      await personIn(home, email);
      expect((await ask(ada, email)).status).toBe(400);
      const late = `late${home}@example.com`;
      expect((await ask(ada, late)).status).toBe(202);
      await personIn(home, late);
      expect((await confirm(late)).status).toBe(400);
    }
    await signIn(ADA);
    const bob = await personIn(1, "bob@example.com");
    expect((await ask(bob, ADA)).status).toBe(400);
  });
});

test("an admin's account is in the first shard", async () => {
  await personIn(2, "ada@example.com");
  await expect(setRole(openBaseCtx(env.DB_2, 2), "ada@example.com", "admin")).rejects.toThrow(
    "npm run homes -- move ada@example.com --to DB",
  );
});

test("a passkey leads to the shard of its account", async () => {
  const ada = await personIn(3, ADA);
  const authenticator = await passkeyOf(ada);
  const { challenge } = await visitor().ok(passkeyLoginOptionsRoute);
  const assertion = await authenticator.sign(challenge);
  const tokens = (await visitor().ok(passkeyLoginRoute, { json: { assertion } })) as TokenAnswer;
  expect((await new Client(tokens).ok(auth.getMeRoute)).email).toBe(ADA);
});

test("signing in asks the address directory once, and only with several shards", async () => {
  await personIn(1, ADA);
  const callsOf = async (
    HOMES: string,
    route: typeof auth.registerRoute | typeof auth.loginRoute,
    email: string,
  ) => {
    const { client, calls } = countingIn(visitor(), { HOMES });
    await client.ok(route, registering(email));
    return calls();
  };
  const [signingIn = 0] = await callsOf("", auth.loginRoute, ADA);
  expect(await callsOf(env.HOMES, auth.loginRoute, ADA)).toEqual([signingIn + 1, 0, 0]);
  const [one = 0] = await callsOf("", auth.registerRoute, "one@example.com");
  expect(await callsOf(env.HOMES, auth.registerRoute, "several@example.com")).toEqual([one + 1, 0, 0]);
});

describe("the shard of a new user", () => {
  const HOMES = parseShards("DB=weur:open, DB_2=enam:open, DB_3=enam:open, DB_4=apac:closed, DB_5=eu:open");
  const sizes = new Map([
    [2, 5_000_000],
    [3, 4_000_000],
  ]);

  test("is open, near, and the emptiest of its region", () => {
    const expected = { EU: 1, AF: 1, NA: 3, SA: 3, AS: 1, OC: 3, AN: 1, undefined: 1 };
    for (const [continent, home] of Object.entries(expected))
      expect(nearestShard(HOMES, sizes, continent), continent).toBe(home);
    expect(nearestShard(HOMES, sizes, undefined)).toBe(1);
  });

  test("is never one above 7 GB, and none if no other is open", () => {
    const sized = (...bytes: number[]) => new Map(bytes.map((size, at) => [at + 1, size]));
    expect(nearestShard(HOMES, sized(7e9, 7e9, 6_999_999_999), "EU")).toBe(3);
    expect(nearestShard(HOMES, sized(8e9, 8e9, 8e9), "EU")).toBeUndefined();
  });

  test("is refused where none is open", async () => {
    const settings = { HOMES: "DB=weur:closed, DB_2=eu:open", LOCAL_ONLY: "false" };
    const closed = new ConfiguredClient(visitor(), settings);
    const detail = "This service does not accept new accounts at the moment: ask its operator";
    expect(await closed.refusal(auth.registerRoute, registering(ADA))).toEqual({ status: 403, detail });
  });
});
