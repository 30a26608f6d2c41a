import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { FULL_SHARD_BYTES, leavesEu } from "../../../src/contract/placement.ts";
import { parseShards } from "../../../src/contract/shards.ts";
import type { Env } from "../../../src/env.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { reindexRoute, searchRoute } from "../../../src/features/search/routes.ts";
import { Client, PASSWORD, visitor } from "../../kit/client.ts";
import { ConfiguredClient } from "../../kit/database.ts";
import { cron } from "../../kit/hooks.ts";
import { databaseOf, openHomes, personIn } from "../../kit/shards.ts";

// In which shard an account is: a full one takes no new account, and one in the European Union those who ask for it.

beforeEach(openHomes);

const SETTINGS = { LOCAL_ONLY: "false", RATE_LIMIT_REGISTER: "1000/60" };
const newcomer = (settings: Partial<Env>) =>
  new ConfiguredClient(new Client(undefined, "203.0.113.8"), { ...SETTINGS, ...settings });

const homeOf = async (email: string) => {
  const found = [1, 2, 3].map((home) =>
    databaseOf(home).prepare("SELECT 1 FROM users WHERE email = ?").bind(email).first(),
  );
  return (await Promise.all(found)).findIndex(Boolean) + 1;
};

let people = 0;
/** Registers an account; returns the status and the shard. */
async function register(settings: Partial<Env>, more: { region?: "eu"; email?: string } = {}) {
  const json = { email: `person${people++}@example.com`, password: PASSWORD, ...more };
  const { status } = await newcomer(settings).call(auth.registerRoute, { json });
  return { status, home: await homeOf(json.email) };
}

describe("a shard that is full", () => {
  /** A database that says that it has a size. */
  const sized = (database: D1Database, size_after: number) => ({
    prepare: database.prepare.bind(database),
    batch: database.batch.bind(database),
    withSession: (bookmark: string) => {
      const session = database.withSession(bookmark);
      const batch = async (statements: D1PreparedStatement[]) =>
        (await session.batch(statements)).map(({ meta, ...rest }) => ({
          ...rest,
          meta: { ...meta, size_after },
        }));
      return { prepare: session.prepare.bind(session), getBookmark: () => session.getBookmark(), batch };
    },
  });

  test("takes no new users, also when it is the one for all, and the log says so each hour", async () => {
    const HOMES = "DB=weur:closed, DB_2=weur:open, DB_3=apac:open";
    expect(await register({ HOMES })).toEqual({ status: 201, home: 2 });
    const log = vi.spyOn(console, "error").mockReturnValue();
    const full = { DB_2: sized(env.DB_2, FULL_SHARD_BYTES) } as object;
    for (const _ of [1, 2]) await cron({ HOMES, ...full });
    const said = expect.stringContaining('"full":true,"home":2');
    expect(log.mock.calls).toEqual([[said], [said]]);
    expect(await register({ HOMES })).toEqual({ status: 201, home: 3 });
    expect(await register({ HOMES, HOME_FOR_NEW: "DB_2" })).toEqual({ status: 403, home: 0 });
    await cron({ HOMES });
    expect(await register({ HOMES })).toEqual({ status: 201, home: 2 });
  });

  test("is named by the log of a service with one database, too, which goes on", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await cron({ HOMES: "", DB: sized(env.DB, FULL_SHARD_BYTES) as unknown as D1Database });
    expect(log.mock.calls).toEqual([[expect.stringContaining('"full":true,"home":1')]]);
    expect(await register({ HOMES: "" })).toEqual({ status: 201, home: 1 });
  });
});

describe("a shard in the European Union", () => {
  const HOMES = "DB=weur:open, DB_2=enam:open, DB_3=eu:open";

  test("is for those who ask for it, whatever the operator has chosen for the others", async () => {
    expect((await register({ HOMES })).home).toBe(1);
    expect(await register({ HOMES }, { region: "eu" })).toEqual({ status: 201, home: 3 });
    expect(await register({ HOMES, HOME_FOR_NEW: "DB_2" }, { region: "eu" })).toEqual({
      status: 201,
      home: 3,
    });
    expect((await register({ HOMES, HOME_FOR_NEW: "DB_3" })).home).toBe(3);
  });

  test("is not replaced by another one: who asks for it and cannot have it is told so", async () => {
    for (const setting of ["", "DB=weur:open, DB_2=enam:open", "DB=weur:open, DB_3=eu:closed"])
      expect(await register({ HOMES: setting }, { region: "eu" }), setting).toEqual({ status: 400, home: 0 });
    expect(await register({ HOMES: "DB=eu:open" }, { region: "eu" })).toEqual({ status: 201, home: 1 });
    // An interrupted registration has bound the address to a shard elsewhere.
    await env.DB.prepare(
      "INSERT INTO address_book (email, home, state, at) VALUES ('ada@example.com', 2, 'claimed', '2026-01-01')",
    ).run();
    const wish = { region: "eu", email: "ada@example.com" } as const;
    expect(await register({ HOMES }, wish)).toEqual({ status: 400, home: 0 });
    // The admin's account is in the first home.
    expect(await register({ HOMES, LOCAL_ONLY: "true" }, { region: "eu" })).toEqual({ status: 400, home: 0 });
  });

  test("can be chosen on the page, where there is one", async () => {
    const page = async (setting: string) =>
      (await newcomer({ HOMES: setting }).fetch("/sign-in/register")).text();
    expect(await page(HOMES)).toContain("Keep my data in the European Union");
    for (const setting of ["", "DB=eu:open", "DB=weur:open, DB_3=eu:closed"])
      expect(await page(setting), setting).not.toContain("European Union");
  });
});

test("only the admin reindexes any shard", async () => {
  const admin = await personIn(1, "admin@example.com");
  const bob = await personIn(2, "bob@example.com");
  await bob.ok(documents.createDocumentRoute, { json: { title: "Walrus" } });
  const again = { json: { all: true, home: 2 } };
  expect(await admin.ok(reindexRoute, again)).toEqual({ indexed: 1, remaining: 0 });
  expect((await bob.ok(searchRoute, { query: { q: "walrus" } })).total).toBe(1);
  expect((await bob.call(reindexRoute, again)).status).toBe(403);
  expect((await visitor().call(reindexRoute, again)).status).toBe(401);
  expect((await admin.call(reindexRoute, { json: { all: true, home: 4 } })).status).toBe(422);
});

test("only a move from a shard in the European Union to another one leaves it", () => {
  const homes = parseShards("DB=weur:open, DB_2=eu:open, DB_3=eu:closed, DB_4=enam:open");
  const leaving = [1, 2, 3, 4].flatMap((from) =>
    [1, 2, 3, 4].filter((to) => leavesEu(homes, from, to)).map((to) => `${from} to ${to}`),
  );
  expect(leaving).toEqual(["2 to 1", "2 to 4", "3 to 1", "3 to 4"]);
});

describe("HOMES", () => {
  test("names each database with its region and whether it takes new users", () => {
    const first = { number: 1, binding: "DB" };
    expect(parseShards("")).toEqual([{ ...first, region: undefined, isOpen: true }]);
    expect(parseShards("DB=weur:open, DB_2=enam:closed,DB_12=eu:open")).toEqual([
      { ...first, region: "weur", isOpen: true },
      { number: 2, binding: "DB_2", region: "enam", isOpen: false },
      { number: 12, binding: "DB_12", region: "eu", isOpen: true },
    ]);
  });

  test.for([
    ...["DB", "DB=weur", "DB=weur:opened", "DB=moon:open", "DB_2=weur:open", "db=weur:open"],
    ...["DB=weur:open, DB=weur:open", "DB=weur:open, DB_1=weur:open", "DB=weur:open, DB_02=weur:open"],
    ...["DB=weur:open, DB_2=weur:open, DB_2=weur:open", "DB=weur:open,", "DB=weur:open; DB_2=weur:open"],
  ])("is refused as %j", (setting) => {
    expect(() => parseShards(setting)).toThrow("HOMES must list databases");
  });
});
