import { getTableColumns, getTableName } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createApiKeyRoute } from "../src/api-keys/routes.ts";
import * as auth from "../src/auth/routes.ts";
import { createCalendarTokenRoute, getCalendarRoute } from "../src/dashboard/routes.ts";
import * as documents from "../src/documents/routes.ts";
import { createMemoryRoute, deferMemoryRoute, deleteMemoryRoute } from "../src/memories/routes.ts";
import { MOVED, nameOf } from "../src/moving/rows-store.ts";
import { PASSWORD, person, signIn, visitor } from "./kit/client.ts";
import { contentsOf, databaseOf, openHomes, personIn } from "./kit/homes.ts";
import { ADA, cron, full, Killed, move, numberIn, rowOf } from "./kit/moving.ts";
import { bearer } from "./kit/oauth.ts";

// What else happens while an account is moved.

beforeEach(async () => {
  await openHomes();
  // The first account is the admin's, which stays.
  await person({ email: "admin@example.com" });
});

describe("the cron handler beside a move", () => {
  const OLD = "2025-01-01T00:00:00.000Z";

  /** Tables of which nothing becomes old; versions and pieces go with what they belong to. */
  const UNTOUCHED = [
    "calendar_tokens",
    "document_tags",
    "document_versions",
    "folders",
    "import_pieces",
    "passkeys",
    "recovery_codes",
    "second_factors",
    "subscriptions",
  ];

  /** Makes every row of an account as old as it can be. */
  async function age(home: number, owner: number | null): Promise<void> {
    for (const { table, key, through } of MOVED) {
      const columns = Object.keys(getTableColumns(table));
      const where = through
        ? `${through.column} IN (SELECT id FROM ${getTableName(through.parent)} WHERE owner = ?2)`
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
    const { id } = await rowOf(ada, 1);
    await ada.call(documents.deleteDocumentRoute, { params: { document_id: id } });
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
      return MOVED.map((moved) => [nameOf(moved), JSON.stringify(contents[nameOf(moved)])] as const);
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
});
