import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { person } from "../kit/client.ts";
import { belongings } from "../kit/named.ts";
import { contentsOf } from "../kit/shards.ts";
import { createTables, emptyTables } from "../kit/tables.ts";

const schemaOf = async (database: D1Database) =>
  (await database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all()).results;

/** Every row, except the number of the first account, which is random, and when the migrations were applied. */
async function rowsOf(database: D1Database): Promise<Record<string, unknown[]>> {
  const { d1_migrations: migrations = [], ...rows } = await contentsOf(database);
  return { ...rows, migrations: migrations.map((row) => ({ ...(row as object), applied_at: undefined })) };
}

test("a test's database is as all migrations leave it, be it new or emptied", async () => {
  await applyD1Migrations(env.DB_3, env.MIGRATIONS);
  await createTables(env.DB_2);
  await belongings(await person())("document_id");
  expect(await emptyTables(env.DB)).toBe(true);
  const expected = { schema: await schemaOf(env.DB_3), rows: await rowsOf(env.DB_3) };
  expect({ schema: await schemaOf(env.DB_2), rows: await rowsOf(env.DB_2) }).toEqual(expected);
  // FTS5 counts the pages that it has written for automatic merges only.
  const { search_index_data: index, ...rows } = await rowsOf(env.DB);
  expect({ schema: await schemaOf(env.DB), rows }).toEqual({
    ...expected,
    rows: { ...expected.rows, search_index_data: undefined },
  });
  expect(index).toHaveLength(expected.rows.search_index_data?.length ?? 0);
});

test("what emptying cannot undo is noticed", async () => {
  await env.DB.prepare("CREATE TABLE left_over (id INTEGER PRIMARY KEY)").run();
  expect(await emptyTables(env.DB)).toBe(false);
});
