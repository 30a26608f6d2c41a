import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as auth from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { getHealthRoute } from "../../../src/features/health/routes.ts";
import { LATEST_MIGRATION } from "../../../src/platform/shards/schema-store.ts";
import { purge } from "../../../src/purge.ts";
import { PASSWORD, visitor } from "../../kit/client.ts";
import { accountOf, workOf } from "../../kit/hooks.ts";
import { initialize, stateless } from "../../kit/mcp.ts";
import { databaseOf, openHomes, personIn } from "../../kit/shards.ts";

// What a service with several shards does in all of them: the cron handler, and noticing that one lacks a migration.

beforeEach(openHomes);

const ALL = [1, 2, 3];

const expireSessions = async () => {
  for (const home of ALL) await personIn(home, `person${home}@example.com`);
  for (const home of ALL)
    await databaseOf(home).prepare("UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z'").run();
};
const sessionsLeft = () =>
  Promise.all(ALL.map((home) => databaseOf(home).prepare("SELECT count(*) AS n FROM sessions").first("n")));

test("the latest migration is known", () => {
  const names = env.MIGRATIONS.map(({ name }) => name);
  expect(names.sort().at(-1)).toBe(LATEST_MIGRATION);
});

test("the cron handler clears up in every shard, and notes how full each is", async () => {
  await expireSessions();
  await purge(env);
  expect(await sessionsLeft()).toEqual([0, 0, 0]);
  const { results } = await env.DB.prepare("SELECT number, users, bytes FROM homes ORDER BY number").all();
  expect(results).toEqual(ALL.map((number) => ({ number, users: 1, bytes: expect.any(Number) })));
});

test("the cron handler finishes the erasure of an account in its shard, and frees the address", async () => {
  const ada = await personIn(2, "ada@example.com");
  await ada.ok(documents.createDocumentRoute, { json: { title: "Mine" } });
  for (const table of ["refresh_tokens", "sessions", "email_links"])
    await env.DB_2.prepare(`DELETE FROM ${table}`).run();
  await env.DB_2.prepare("UPDATE users SET deleted_at = '2026-01-01', email = 'erased:' || id").run();
  const owner = accountOf(ada).owner;
  await purge(env);
  await workOf({ home: 2, owner });
  expect(await env.DB_2.prepare("SELECT count(*) AS n FROM users").first("n")).toBe(0);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM address_book").first("n")).toBe(0);
});

describe("a shard that lacks a migration", () => {
  const outdate = async () => {
    await env.DB_2.prepare("DELETE FROM d1_migrations WHERE name = ?").bind(LATEST_MIGRATION).run();
    await env.DB_2.prepare("ALTER TABLE sessions RENAME COLUMN revoked_at TO ended_at").run();
  };

  test("answers 503 until it has it, and others go on", async () => {
    const [ada, bob] = [await personIn(2, "ada@example.com"), await personIn(1, "bob@example.com")];
    vi.spyOn(console, "error").mockReturnValue();
    await outdate();
    const answer = await ada.fetch("/api/documents");
    expect([answer.status, answer.headers.get("Retry-After"), await answer.json()]).toEqual([
      503,
      "60",
      { detail: expect.stringContaining("being updated") },
    ]);
    expect((await bob.ok(documents.listDocumentsRoute)).total).toBe(0);
    const { homes } = await visitor().ok(getHealthRoute, { query: { deep: "true" } });
    const [schema, before] = [LATEST_MIGRATION, env.MIGRATIONS.at(-2)?.name];
    const current = { schema, is_current: true };
    const outdated = { home: 2, schema: before, is_current: false };
    expect(homes).toEqual([{ home: 1, ...current }, outdated, { home: 3, ...current }]);
  });

  test("is explained to assistants, and answers 503 where they ask for no data", async () => {
    const ada = await personIn(2, "ada@example.com");
    const session = await initialize(ada);
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Mine" } });
    vi.spyOn(console, "error").mockReturnValue();
    await outdate();
    const text = "The service is being updated, and nothing was changed: try again in a few minutes";
    const questions = [
      ["tools/call", { name: "list_documents", arguments: {} }],
      ["tools/call", { name: "create_document", arguments: { title: "New", text: "x" } }],
      ["resources/read", { uri: `doc://${id}` }],
      ["tools/list", {}],
    ] as const;
    for (const [method, params] of questions) {
      expect((await session.ask(method, params)).error?.message, method).toBe(text);
      const { status, headers } = await stateless(ada).ask(method, params);
      expect([status, headers.get("Retry-After")], method).toEqual([503, "60"]);
    }
    const ping = await ada.fetch("/mcp", { method: "POST", body: "{}" });
    expect([ping.status, ping.headers.get("Retry-After")]).toEqual([503, "60"]);
    expect(await ping.json()).toEqual({ detail: text });
  });

  test("is left alone by the cron handler, which looks after the others", async () => {
    await expireSessions();
    const log = vi.spyOn(console, "error").mockReturnValue();
    await outdate();
    await purge(env);
    expect(await sessionsLeft()).toEqual([0, 1, 0]);
    expect(log.mock.calls).toEqual([[expect.stringContaining('"purge":"skipped","home":2')]]);
  });

  test("is no excuse for a fault of our own: that stays an internal error", async () => {
    const ada = await personIn(1, "ada@example.com");
    vi.spyOn(console, "error").mockReturnValue();
    await env.DB.prepare("ALTER TABLE sessions RENAME COLUMN revoked_at TO ended_at").run();
    expect((await ada.fetch("/api/documents")).status).toBe(500);
  });
});

test("closed shards take no new accounts, and their people go on signing in", async () => {
  const ada = await personIn(3, "ada@example.com");
  await ada.call(auth.logoutAllRoute);
  const json = { email: "ada@example.com", password: PASSWORD };
  expect((await visitor().call(auth.loginRoute, { json })).status).toBe(200);
  await visitor().ok(auth.registerRoute, { json: { email: "bob@example.com", password: PASSWORD } });
  expect(await env.DB.prepare("SELECT email FROM users").first("email")).toBe("bob@example.com");
});
