import { getTableColumns, getTableName } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { resolveDuplicateAccounts } from "../../../scripts/backup/resolve-duplicates.ts";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { changeEmailRoute, confirmEmailChangeRoute } from "../../../src/features/auth/email/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import { createCalendarTokenRoute, getCalendarRoute } from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import {
  createMemoryRoute,
  deferMemoryRoute,
  deleteMemoryRoute,
} from "../../../src/features/memories/routes.ts";
import { MIGRATED_TABLES, tableName } from "../../../src/features/shard-migration/rows-store.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { Browser } from "../../kit/browser.ts";
import { PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";
import { CHANGE, codeFor } from "../../kit/mailbox.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { authorizeUrl, bearer, exchange, registerClient, signInOn } from "../../kit/oauth.ts";
import { ADA, full, Killed, move, numberIn, rowOf } from "../../kit/shard-migration.ts";
import { contentsOf, databaseOf, openHomes, personIn } from "../../kit/shards.ts";

// What else happens while an account is moved.

beforeEach(async () => {
  await openHomes();
  // The first account is the admin's, which stays.
  await person({ email: "admin@example.com" });
});

describe("the cron handler beside a move", () => {
  const OLD = "2025-01-01T00:00:00.000Z";

  /** Tables of which nothing becomes old. The trash has no tags. */
  const UNTOUCHED = [
    "calendar_tokens",
    "document_files",
    "document_tags",
    "file_texts",
    "folders",
    "memory_files",
    "passkeys",
    "recovery_codes",
    "second_factors",
    "subscriptions",
    "tidy_kept",
    "tidy_looks",
  ];

  /** Makes every row of an account as old as it can be. */
  async function age(home: number, owner: number | null): Promise<void> {
    for (const { table, key, ownedThrough } of MIGRATED_TABLES) {
      const columns = Object.keys(getTableColumns(table));
      const where = ownedThrough
        ? `${ownedThrough.column} IN (SELECT id FROM ${getTableName(ownedThrough.parent)} WHERE owner = ?2)`
        : "owner = ?2";
      for (const column of columns.filter((name) => /(^|_)at$/.test(name) && !key.includes(name)))
        await databaseOf(home)
          .prepare(
            `UPDATE ${getTableName(table)} SET ${column} = ?1 WHERE ${column} IS NOT NULL AND ${where}`,
          )
          .bind(OLD, owner)
          .run();
    }
  }

  const setFenced = (home: number, owner: number | null, isFenced: number) =>
    databaseOf(home)
      .prepare(`INSERT INTO moves (owner, user_id, state, home, is_fenced, at) VALUES (?, 'x', 'arriving', 1, ?, ?)
        ON CONFLICT DO UPDATE SET is_fenced = excluded.is_fenced`)
      .bind(owner, isFenced, new Date().toISOString())
      .run();

  /** The steps that fail in a run. */
  async function failing(): Promise<string[]> {
    const logged = vi.spyOn(console, "error");
    await cron();
    const lines = logged.mock.calls.map(([line]) => String(line));
    logged.mockRestore();
    return lines.filter((line) => line.startsWith('{"purge"'));
  }

  test("leaves out an account that is fenced, whatever is due of it, and no step fails", async () => {
    const ada = await full(2);
    const [trashed, deferred] = await Promise.all(
      ["Trashed", "Deferred"].map((topic) =>
        ada.ok(createMemoryRoute, { json: { memory_type: "commitment", topic, content: "x" } }),
      ),
    );
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Plan" } });
    const plan = { params: { document_id: id } };
    await ada.ok(documents.updateDocumentRoute, { ...plan, json: { title: "Old plan" } });
    await ada.call(documents.deleteDocumentRoute, plan);
    await ada.call(deleteMemoryRoute, { params: { memory_id: String(trashed?.id) } });
    const day = { params: { memory_id: String(deferred?.id) }, json: { deferred_until: "2099-01-01" } };
    await ada.ok(deferMemoryRoute, day);
    const owner = await numberIn(2);
    await age(2, owner);
    await databaseOf(2).prepare("UPDATE api_keys SET expires_at = ?").bind(OLD).run();
    await databaseOf(2)
      .prepare("UPDATE memories SET deferred_until = '2025-01-01' WHERE status = 'deferred'")
      .run();
    // Accounts take turns by their numbers; with these few it is everybody's turn each hour.
    await databaseOf(2).prepare("DELETE FROM sqlite_sequence WHERE name = 'users'").run();
    const rows = async () => {
      const contents = await contentsOf(databaseOf(2));
      return MIGRATED_TABLES.map(
        (moved) => [tableName(moved), JSON.stringify(contents[tableName(moved)])] as const,
      );
    };
    const before = await rows();
    await setFenced(2, owner, 1);
    expect(await failing()).toEqual([]);
    expect(await rows()).toEqual(before);
    await setFenced(2, owner, 0);
    expect(await failing()).toEqual([]);
    const after = await rows();
    const unchanged = before.filter(([, was], index) => was === after[index]?.[1]).map(([table]) => table);
    // Whatever else an account has, the cron handler had something to do with it.
    expect(unchanged.sort()).toEqual(UNTOUCHED);
  });
});

const NEW = "ada.lovelace@example.com";

test("a change of address that is refused during a move can be repeated after it", async () => {
  const ada = await personIn(2, ADA);
  await ada.ok(changeEmailRoute, { json: { email: NEW, password: PASSWORD } });
  const change_token = await codeFor(NEW, CHANGE);
  const confirm = () => visitor().call(confirmEmailChangeRoute, { json: { change_token } });
  await expect(move(ADA, 3, { at: 30, isAnswered: true })).rejects.toThrow(Killed);
  const refused = await visitor().fetch("/api/auth/email/confirm", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ change_token }),
  });
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "60"]);
  await move(ADA, 3);
  expect((await confirm()).status).toBe(204);
  await signIn(NEW);
  expect(await numberIn(3, NEW)).not.toBeNull();
});

test("somebody whose registration was interrupted can sign in after a move to the first home", async () => {
  const ada = await personIn(2, ADA);
  await databaseOf(1).prepare("UPDATE address_book SET state = 'claimed', user_id = NULL").run();
  await move(ADA, 1);
  await signIn(ADA);
  expect((await ada.ok(auth.getMeRoute)).email).toBe(ADA);
});

describe("a person who authorizes a client while their account is moved", () => {
  /** The page that asks for the decision, as far as it has been reached, and what is sent for it. */
  async function asked() {
    const browser = new Browser();
    const { client_id } = await registerClient();
    const first = await browser.open(await authorizeUrl(client_id));
    const page = await signInOn(browser, first, ADA);
    return { client_id, decide: () => browser.submit(page, { decision: "allow" }) };
  }

  test("can send the decision again, and has one connection", async () => {
    const ada = await personIn(2, ADA);
    const { client_id, decide } = await asked();
    await expect(move(ADA, 3, { at: 30, isAnswered: true })).rejects.toThrow(Killed);
    const refused = await decide();
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "60"]);
    expect((await ada.ok(listConnectionsRoute)).total).toBe(0);
    await move(ADA, 3);
    const answer = await decide();
    const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code");
    await move(ADA, 1);
    const { access_token } = await exchange(client_id, code);
    expect(await use(stateless(bearer(access_token)), "whoami")).toMatchObject({ email: ADA });
    expect((await ada.ok(listConnectionsRoute)).total).toBe(1);
  });
});

test("an account that is deleted after moves leaves nothing in any home, and what it had is a plain 401", async () => {
  const ada = await full(1);
  const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
  const { token: calendar } = await ada.ok(createCalendarTokenRoute);
  const { id } = await ada.ok(auth.getMeRoute);
  await databaseOf(1).prepare("DELETE FROM second_factors").run();
  const numbers: (number | null)[] = [await numberIn(1)];
  for (const to of [2, 3, 2]) {
    await move(ADA, to);
    numbers.push(await numberIn(to));
  }
  // A copy that was given up.
  await expect(move(ADA, 3, { at: 40, isAnswered: true })).rejects.toThrow(Killed);
  for (const home of [2, 3])
    await databaseOf(home).prepare("UPDATE moves SET at = '2026-01-01T00:00:00.000Z'").run();
  await cron();
  await rowOf(ada, 1);
  const bob = await personIn(2, "bob@example.com");
  await move("bob@example.com", 3);
  await signIn(ADA);

  expect((await ada.call(auth.deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
  await cron();
  for (const home of [1, 2, 3]) {
    const contents = JSON.stringify(Object.entries(await contentsOf(databaseOf(home))));
    for (const word of [id, ADA, "harvest"]) expect(contents, `${word} in ${home}`).not.toContain(word);
    const owned = Object.values(await contentsOf(databaseOf(home)))
      .flat()
      .filter((row) => numbers.includes((row as { owner?: number }).owner ?? 0));
    expect(owned).toEqual([]);
  }
  const refreshed = await visitor().call(auth.refreshRoute, {
    json: { refresh_token: ada.tokens?.refresh_token },
  });
  expect(refreshed.status).toBe(401);
  expect((await ada.call(auth.getMeRoute)).status).toBe(401);
  expect((await bearer(key).call(documents.listDocumentsRoute)).status).toBe(401);
  expect((await visitor().call(getCalendarRoute, { query: { token: calendar } })).status).toBe(404);
  // Everybody else's are led on.
  expect((await bob.ok(auth.getMeRoute)).email).toBe("bob@example.com");
}, 120_000);

describe("a home that was restored from a backup which is older than a move", () => {
  const baseOf = (home: number) => openBaseCtx(databaseOf(home), home);
  const settle = (restored: number) =>
    resolveDuplicateAccounts([1, 2, 3].map(baseOf), (home) => home === restored);

  /** Moves the account, and brings back what its old home had of it before. */
  async function moveAndRestore(from: number, to: number): Promise<void> {
    const tables = ["users", "sessions", "refresh_tokens"];
    const before = await contentsOf(databaseOf(from));
    await move(ADA, to);
    const statements = tables.flatMap((table) =>
      (before[table] ?? []).map((row) => {
        const columns = Object.keys(row as object);
        const places = columns.map(() => "?").join(", ");
        return databaseOf(from)
          .prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${places})`)
          .bind(...Object.values(row as object));
      }),
    );
    const forget = ["moves", "moved_secrets"].map((table) =>
      databaseOf(from).prepare(`DELETE FROM ${table}`),
    );
    await databaseOf(from).batch([
      ...forget,
      databaseOf(from).prepare("PRAGMA defer_foreign_keys = on"),
      ...statements,
    ]);
  }

  test("leads on to the home where the account is, with what it has become there", async () => {
    const ada = await personIn(2, ADA);
    await rowOf(ada, 1);
    await moveAndRestore(2, 3);
    const there = await signIn(ADA);
    await rowOf(there, 2);
    expect([await numberIn(2), await numberIn(3)]).toEqual([expect.any(Number), expect.any(Number)]);
    await settle(2);
    expect([await numberIn(2), await numberIn(3)]).toEqual([null, expect.any(Number)]);
    for (const client of [ada, there]) expect((await client.ok(documents.listDocumentsRoute)).total).toBe(2);
    await visitor().ok(auth.refreshRoute, { json: { refresh_token: ada.tokens?.refresh_token } });
    await settle(2);
    expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(2);
  });

  test("gives nobody the number of an account that has left it", async () => {
    await personIn(2, ADA);
    // The rows of the account have been erased; a restore knows only the numbers of those that it has written.
    const number = ((await numberIn(2)) ?? 0) + 1;
    await databaseOf(2)
      .prepare(`INSERT INTO moves (owner, user_id, state, home, number, is_fenced, at)
        VALUES (?, 'moved', 'left', 3, 1, 0, '2026-01-01T00:00:00.000Z')`)
      .bind(number)
      .run();
    await settle(2);
    await personIn(2, "bob@example.com");
    expect(await numberIn(2, "bob@example.com")).toBeGreaterThan(number);
  });
});
