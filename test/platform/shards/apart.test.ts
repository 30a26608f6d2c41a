import { env } from "cloudflare:workers";
import fc from "fast-check";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { globalAccountId, shardInSecret, shardPrefix } from "../../../src/contract/shard.ts";
import { TOOLS } from "../../../src/doors/mcp/tools.ts";
import type { Env } from "../../../src/env.ts";
import * as apiKeys from "../../../src/features/api-keys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { createCalendarTokenRoute, getCalendarRoute } from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { newSecretForShard } from "../../../src/platform/core/secret.ts";
import { formatBookmark, parseBookmark } from "../../../src/platform/shards/router.ts";
import { type Client, visitor } from "../../kit/client.ts";
import { OPERATIONS, type Schema } from "../../kit/description.ts";
import { exampleOf, isPublic } from "../../kit/examples.ts";
import { valid } from "../../kit/from-schema.ts";
import { hookOf, sendNow } from "../../kit/hooks.ts";
import { ask, initialize, stateless, use } from "../../kit/mcp.ts";
import { belongings, EXAMPLE_EMAIL } from "../../kit/named.ts";
import { bearer, connect } from "../../kit/oauth.ts";
import { contentsOf, countingIn, databaseOf, openHomes, personIn } from "../../kit/shards.ts";

// Shards number their users independently, so that two people may have the same number. Whatever one of them does, nothing of
// the other is asked, shown or changed.

beforeEach(openHomes);

const ADA = EXAMPLE_EMAIL;
const BOB = "bob@example.com";
const SECRET = "BOBSECRET";

/** A number that nothing else is likely to contain. */
const NUMBER = 777_001;

const countTo = (home: number) =>
  databaseOf(home).batch([
    databaseOf(home).prepare("DELETE FROM sqlite_sequence WHERE name = 'users'"),
    databaseOf(home).prepare(
      `INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at) VALUES
        (${NUMBER - 1}, 'x', 'x@example.com', '', 'member', 'UTC', '{"commitment":14,"blocker":7}', '2026-01-01')`,
    ),
  ]);

/** Two people with the same number, one in each of two shards. What the second one has is full of the secret. */
async function sameNumbers(mine: number, other: number) {
  for (const home of [mine, other]) await countTo(home);
  const [ada, bob] = [await personIn(mine, ADA), await personIn(other, BOB)];
  for (const [home, email] of [
    [mine, ADA],
    [other, BOB],
  ] as const) {
    const found = databaseOf(home).prepare("SELECT number FROM users WHERE email = ?").bind(email);
    expect(await found.first("number")).toBe(NUMBER);
  }
  const content = { text: `${SECRET} travel` };
  await bob.ok(documents.createDocumentRoute, {
    json: { title: `${SECRET} title`, content, tags: [SECRET] },
  });
  const record = { memory_type: "commitment", topic: SECRET, content: SECRET, project: SECRET } as const;
  await bob.ok(memories.createMemoryRoute, { json: { ...record, due_date: "2026-01-01" } });
  return { ada, bob };
}

/** Bindings that record the names they are called with. */
function namingBindings() {
  const names: string[] = [];
  const note = (name: string) => names.push(name);
  const noting = (objects: DurableObjectNamespace) => ({
    getByName: (name: string) => note(name) && objects.getByName(name),
  });
  const USER_LIMIT = { limit: (asked: RateLimitOptions) => note(asked.key) && env.USER_LIMIT.limit(asked) };
  const bindings = { RATE_LIMITER: noting(env.RATE_LIMITER), ACCOUNTS: noting(env.ACCOUNTS), USER_LIMIT };
  return { names, bindings: bindings as unknown as Partial<Env> };
}

/** What sign-ins ask of the first shard, for all accounts. */
const SHARED = ["address_book", "homes", "passkey_challenges"];

async function ownContents(home: number) {
  const contents = await contentsOf(databaseOf(home));
  return Object.fromEntries(Object.entries(contents).filter(([table]) => !SHARED.includes(table)));
}

/** Only the admin, who is in the first shard, may do this; and this creates another account. */
const LEFT_OUT = ["reindex", "register"];

const [signIn = [], others = []] = [true, false].map((is) =>
  OPERATIONS.filter(({ operation }) => operation.tags?.includes("Sign-in") === is).filter(
    ({ operation }) => !LEFT_OUT.includes(operation.operationId),
  ),
);

/** Stripe's messages know the customer only, so that the first shard has the account of each. */
const OF_CUSTOMERS = ["startCheckout", "openPortal", "syncPlan"];

/** The nightly run has the other direction too. */
const DIRECTIONS = [[2, 1] as const, ...(env.NIGHTLY ? [[1, 2] as const] : [])];

test.for(DIRECTIONS)(
  "an account in shard %i, with the number of one in shard %i, asks its own shard alone, and shows and changes nothing of the other's",
  async ([mine, other]) => {
    const { ada } = await sameNumbers(mine, other);
    const { customer_book: _, ...before } = await ownContents(other);
    const { names, bindings } = namingBindings();
    const { client, calls } = countingIn(ada, bindings);
    for (const offered of others) {
      const { operationId } = offered.operation;
      const parts = await exampleOf(offered, belongings(ada), true);
      calls();
      const sender = isPublic(offered) ? countingIn(visitor()).client : client;
      const answer = await sender.call(offered.route, parts);
      expect(answer.status, `${operationId}: ${answer.text}`).toBeLessThan(400);
      expect(answer.text, operationId).not.toContain(SECRET);
      const asked = calls().flatMap((count, index) => (count > 0 ? [index + 1] : []));
      const isShared = (home: number) => home === 1 && OF_CUSTOMERS.includes(operationId) && mine !== 1;
      if (!isPublic(offered))
        expect(
          asked.filter((home) => !isShared(home)),
          operationId,
        ).toEqual([mine]);
    }
    const numbered = names.filter((name) => name.includes(String(NUMBER)));
    expect(numbered).not.toEqual([]);
    const name = globalAccountId({ shard: mine, owner: NUMBER });
    for (const one of numbered) expect(one.split(":").at(-1)).toBe(name);
    expect(await ownContents(other)).toMatchObject(before);
  },
);

test("an account in the second shard uses every tool there alone", async () => {
  const { ada } = await sameNumbers(2, 1);
  const before = await ownContents(1);
  const { client, calls } = countingIn(ada);
  const { result } = await ask(client, "tools/list");
  const definitions = result?.tools as { name: string; inputSchema: Schema }[];
  expect(definitions.length).toBe(TOOLS.length);
  for (const { name, inputSchema } of definitions) {
    const samples = fc.sample(valid(inputSchema), { numRuns: 8, seed: 1 });
    for (const sample of [{}, ...samples]) {
      calls();
      const answer = await ask(client, "tools/call", { name, arguments: sample as object });
      expect(JSON.stringify(answer.result ?? answer.error), name).not.toContain(SECRET);
      expect(calls(), name).toEqual([0, expect.any(Number), 0]);
    }
  }
  expect(await ownContents(1)).toEqual(before);
});

test.each(
  signIn.filter(({ method }) => method !== "GET").map((one) => [one.operation.operationId, one] as const),
)("signing in from the second shard works for %s, and changes nothing in the first", async (_, offered) => {
  const { ada } = await sameNumbers(2, 1);
  const parts = await exampleOf(offered, belongings(ada), true);
  const before = await ownContents(1);
  const { names, bindings } = namingBindings();
  const { client } = countingIn(isPublic(offered) ? visitor() : ada, bindings);
  const answer = await client.call(offered.route, parts);
  expect(answer.status, answer.text).toBeLessThan(300);
  expect(answer.text).not.toContain(SECRET);
  expect(await ownContents(1)).toEqual(before);
  for (const one of names.filter((name) => name.includes(String(NUMBER))))
    expect(one.split(":").at(-1)).toBe(`2.${NUMBER}`);
});

const keyOf = async (owner: Client) =>
  (await owner.ok(apiKeys.createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } })).key;

describe("a credential", () => {
  test("names its shard: token, refresh token, key, cookie, calendar address, grant", async () => {
    const { ada } = await sameNumbers(2, 1);
    expect(decodeJwt(ada.tokens?.access_token ?? "").home).toBe(2);
    expect(ada.tokens?.refresh_token).toMatch(/^2\.[\w-]{43}$/);
    expect(await keyOf(ada)).toMatch(/^cpk_2\.777001\./);
    const { token } = await ada.ok(createCalendarTokenRoute);
    expect(token).toMatch(/^2\./);
    expect((await visitor().call(getCalendarRoute, { query: { token } })).status).toBe(200);
    const refreshed = await visitor().ok(auth.refreshRoute, {
      json: { refresh_token: ada.tokens?.refresh_token },
    });
    expect(refreshed.refresh_token).toMatch(/^2\.[\w-]{43}$/);
    const { mcp } = await connect(ADA);
    for (const asker of [stateless(mcp), await initialize(mcp)])
      expect(await use(asker, "whoami")).toMatchObject({ email: ADA, documents: 0 });
  });

  test("with another shard in it, the other account's or one that does not exist, is a 401", async () => {
    const { ada, bob } = await sameNumbers(2, 1);
    const token = ada.tokens?.access_token ?? "";
    const secret = new TextEncoder().encode(env.JWT_SECRET);
    const tokenOf = (home: unknown) =>
      new SignJWT({ ...decodeJwt(token), home })
        .setProtectedHeader(decodeProtectedHeader(token) as never)
        .sign(secret);
    const key = await keyOf(ada);
    const bobs = await keyOf(bob);
    const wrong = [
      ...(await Promise.all([1, 3, 4, 0, -1, 9999, 1.5].map(tokenOf))),
      ...[1, 3, 4, 9999].map((home) => key.replace("cpk_2.", `cpk_${home}.`)),
      bobs.replace("cpk_1.", "cpk_2."),
    ];
    const whoami = { name: "whoami", arguments: {} };
    for (const credential of wrong) {
      expect((await bearer(credential).call(documents.listDocumentsRoute)).status, credential).toBe(401);
      expect((await ask(bearer(credential), "tools/call", whoami)).status).toBe(401);
    }
    const [, refreshing = ""] = (ada.tokens?.refresh_token ?? "").split(".");
    const { token: calendar } = await ada.ok(createCalendarTokenRoute);
    for (const home of [1, 3, 4]) {
      const Cookie = `__Host-commonplace=cps_${home}.${NUMBER}.${"A".repeat(43)}`;
      expect((await visitor().fetch("/api/documents", { headers: { Cookie } })).status).toBe(401);
      const json = { refresh_token: `${home}.${refreshing}` };
      expect((await visitor().call(auth.refreshRoute, { json })).status).toBe(401);
      const query = { token: calendar.replace("2.", `${home}.`) };
      expect((await visitor().call(getCalendarRoute, { query })).status).toBe(404);
    }
    const older = { json: { refresh_token: refreshing } };
    expect((await visitor().call(auth.refreshRoute, older)).status).toBe(401);
  });

  test("without a shard belongs to the first", async () => {
    const bob = await personIn(1, BOB);
    const token = bob.tokens?.access_token ?? "";
    const { home: _, ...older } = decodeJwt(token);
    const signed = new SignJWT(older).setProtectedHeader(decodeProtectedHeader(token) as never);
    const access_token = await signed.sign(new TextEncoder().encode(env.JWT_SECRET));
    expect((await bearer(access_token).ok(auth.getMeRoute)).email).toBe(BOB);
  });
});

test("a session of MCP belongs to the account of its shard, not to its number", async () => {
  const { ada, bob } = await sameNumbers(2, 1);
  const { headers } = await initialize(bob);
  expect((await ask(ada, "tools/list", {}, headers)).status).toBe(404);
});

test("a bookmark of another shard is ignored", async () => {
  const { ada, bob } = await sameNumbers(2, 1);
  const seen = await bob.call(documents.listDocumentsRoute);
  const bookmark = seen.headers.get("X-D1-Bookmark") ?? "";
  expect(bookmark).toMatch(/^1:/);
  for (const foreign of [bookmark, bookmark.slice(2), `3:${bookmark.slice(2)}`, `4:${bookmark.slice(2)}`]) {
    const answer = await ada.call(documents.listDocumentsRoute, { headers: { "X-D1-Bookmark": foreign } });
    expect([answer.status, answer.headers.get("X-D1-Bookmark")?.slice(0, 2)]).toEqual([200, "2:"]);
  }
});

test("webhooks do not report what the other account does", async () => {
  const { ada, bob } = await sameNumbers(2, 1);
  const { receiver: hers } = await hookOf(ada);
  const { receiver: his } = await hookOf(bob);
  await ada.ok(documents.createDocumentRoute, { json: { title: "Mine" } });
  await sendNow(ada);
  await sendNow(bob);
  expect(await hers.received()).toHaveLength(1);
  expect(await his.received()).toHaveLength(0);
});

test("a request is one call to one database, with one, three and thirty shards", async () => {
  const others = Array.from({ length: 29 }, (_, n) => `, DB_${n + 2}=weur:closed`);
  const thirty = `DB=weur:open${others.join("")}`;
  for (const home of [1, 2, 3]) {
    const ada = await personIn(home, `${home}@example.com`);
    for (const HOMES of [env.HOMES, thirty, ...(home === 1 ? [""] : [])]) {
      const { client, calls } = countingIn(ada, { HOMES });
      await client.ok(documents.listDocumentsRoute);
      await client.ok(documents.createDocumentRoute, { json: { title: "New" } });
      await client.ok(searchRoute, { query: { q: "new" } });
      await use(stateless(client), "whoami");
      expect(calls()).toEqual([1, 2, 3].map((one) => (one === home ? 5 : 0)));
    }
  }
});

test("a secret names its shard, and an older one belongs to the first", () => {
  const secret = newSecretForShard(12);
  expect(secret).toMatch(/^12\.[\w-]{43}$/);
  expect([shardInSecret(secret), shardPrefix(secret)]).toEqual([12, "12."]);
  for (const older of ["Zk3vQ0bT7zRwXc2mJ8sYd1LhNf5PaEgK6tUoVi9xA4", "0.x", "12", "12345.x", ""])
    expect([shardInSecret(older), shardPrefix(older)]).toEqual([1, ""]);
});

test("accounts with the same number in different shards have different names", () => {
  const all = [1, 2, 11, 12, 9999].flatMap((shard) =>
    [1, 2, 11, 12, 21, 112, 1_000_000].map((owner) => globalAccountId({ shard, owner })),
  );
  expect(new Set(all).size).toBe(all.length);
  // Objects that exist already keep their names.
  expect(globalAccountId({ shard: 1, owner: 12 })).toBe("12");
});

test("a bookmark carries its shard in front; one without is the first shard's", () => {
  const bookmark = "00000000-0000001b-00000000-00000000000000000000000000000000";
  expect(parseBookmark(bookmark)).toEqual({ home: 1, bookmark });
  expect(parseBookmark(formatBookmark({ home: 12, bookmark }))).toEqual({ home: 12, bookmark });
  for (const malformed of [
    undefined,
    "",
    `0:${bookmark}`,
    `x:${bookmark}`,
    `2:${bookmark}x`,
    `2:2:${bookmark}`,
  ])
    expect(parseBookmark(malformed)).toBeUndefined();
});
