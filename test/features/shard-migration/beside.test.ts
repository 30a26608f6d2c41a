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
import { PASSWORD, signIn, visitor } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";
import { CHANGE, codeFor } from "../../kit/mailbox.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { authorizeUrl, bearer, exchange, registerClient, signInOn } from "../../kit/oauth.ts";
import {
  ADA,
  beginMove,
  cronAfterMoves,
  full,
  move,
  numberIn,
  openShards,
  rowOf,
} from "../../kit/shard-migration.ts";
import { contentsOf, databaseOf, personIn } from "../../kit/shards.ts";

// What else happens while an account is moved.

beforeEach(openShards);

describe("the cron handler beside a move", () => {
  const OLD = "2025-01-01T00:00:00.000Z";

  /** Tables in which nothing expires. The trash has no tags. */
  const UNTOUCHED = [
    ...[
      "calendar_tokens",
      "document_aliases",
      "document_files",
      "document_links",
      "document_tags",
      "file_texts",
    ],
    ...["folders", "memory_files"],
    ...["passkeys", "recovery_codes", "second_factors", "subscriptions", "tidy_kept", "tidy_looks"],
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
    const record = async () => {
      const json = { memory_type: "commitment", topic: "Due", content: "x" } as const;
      return { params: { memory_id: String((await ada.ok(createMemoryRoute, { json })).id) } };
    };
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Plan" } });
    const plan = { params: { document_id: id } };
    await ada.ok(documents.updateDocumentRoute, { ...plan, json: { title: "Old plan" } });
    await ada.call(documents.deleteDocumentRoute, plan);
    await ada.call(deleteMemoryRoute, await record());
    await ada.ok(deferMemoryRoute, { ...(await record()), json: { deferred_until: "2099-01-01" } });
    const owner = await numberIn(2);
    await age(2, owner);
    await databaseOf(2).prepare("UPDATE api_keys SET expires_at = ?").bind(OLD).run();
    await databaseOf(2)
      .prepare("UPDATE memories SET deferred_until = '2025-01-01' WHERE status = 'deferred'")
      .run();
    // Accounts have their hours by their numbers; with these few it is the hour of all.
    await databaseOf(2).prepare("DELETE FROM sqlite_sequence WHERE name = 'users'").run();
    const rows = async () => {
      const contents = await contentsOf(databaseOf(2));
      return MIGRATED_TABLES.map(tableName).map((name) => [name, JSON.stringify(contents[name])] as const);
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
  await beginMove();
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ change_token });
  const refused = await visitor().fetch("/api/auth/email/confirm", { method: "POST", headers, body });
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "60"]);
  await move(ADA, 3);
  expect((await confirm()).status).toBe(204);
  await signIn(NEW);
  expect(await numberIn(3, NEW)).not.toBeNull();
});

test("an account whose registration was interrupted can be signed in to after a move to the first shard", async () => {
  const ada = await personIn(2, ADA);
  await databaseOf(1).prepare("UPDATE address_book SET state = 'claimed', user_id = NULL").run();
  await move(ADA, 1);
  await signIn(ADA);
  expect((await ada.ok(auth.getMeRoute)).email).toBe(ADA);
});

test("a decision about a client during a move can be sent again, and there is one connection", async () => {
  const ada = await personIn(2, ADA);
  const browser = new Browser();
  const { client_id } = await registerClient();
  const page = await signInOn(browser, await browser.open(await authorizeUrl(client_id)), ADA);
  const decide = () => browser.submit(page, { decision: "allow" });
  await beginMove();
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

test("an account that is deleted after moves leaves nothing in any shard, and what it had is a plain 401", async () => {
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
  await beginMove(40);
  await cronAfterMoves([2, 3]);
  await rowOf(ada, 1);
  const bob = await personIn(2, "bob@example.com");
  await move("bob@example.com", 3);
  await signIn(ADA);

  expect((await ada.call(auth.deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
  await cron();
  for (const home of [1, 2, 3]) {
    const contents = await contentsOf(databaseOf(home));
    const text = JSON.stringify(contents);
    for (const word of [id, ADA, "harvest"]) expect(text, `${word} in ${home}`).not.toContain(word);
    const rows = Object.values(contents).flat() as { owner?: number }[];
    expect(rows.filter(({ owner }) => numbers.includes(owner ?? 0))).toEqual([]);
  }
  const refreshing = { json: { refresh_token: ada.tokens?.refresh_token } };
  expect((await visitor().call(auth.refreshRoute, refreshing)).status).toBe(401);
  expect((await ada.call(auth.getMeRoute)).status).toBe(401);
  expect((await bearer(key).call(documents.listDocumentsRoute)).status).toBe(401);
  expect((await visitor().call(getCalendarRoute, { query: { token: calendar } })).status).toBe(404);
  // Other accounts are redirected.
  expect((await bob.ok(auth.getMeRoute)).email).toBe("bob@example.com");
}, 120_000);

describe("a shard that was restored from a backup which is older than a move", () => {
  const baseOf = (home: number) => openBaseCtx(databaseOf(home), home);
  const settle = (restored: number) =>
    resolveDuplicateAccounts([1, 2, 3].map(baseOf), (home) => home === restored);

  /** Moves the account, and brings back what its old shard had of it before. */
  async function moveAndRestore(from: number, to: number): Promise<void> {
    const before = await contentsOf(databaseOf(from));
    await move(ADA, to);
    const database = databaseOf(from);
    const restored = ["users", "sessions", "refresh_tokens"].flatMap((table) =>
      (before[table] as Record<string, unknown>[]).map((row) => {
        const columns = Object.keys(row);
        const insert = `INSERT OR REPLACE INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`;
        return database.prepare(insert).bind(...Object.values(row));
      }),
    );
    const first = ["DELETE FROM moves", "DELETE FROM moved_secrets", "PRAGMA defer_foreign_keys = on"];
    await database.batch([...first.map((one) => database.prepare(one)), ...restored]);
  }

  test("leads on to the shard where the account is now, with its changes since", async () => {
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

  test("gives no account the number of one that has left it", async () => {
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
