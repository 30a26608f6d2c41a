import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { contentsOf } from "../kit/shards.ts";
import { createTables } from "../kit/tables.ts";

const schemaOf = async (database: D1Database) =>
  (await database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all()).results;

/** Every row, except the number of the first account, which is random, and when the migrations were applied. */
async function rowsOf(database: D1Database) {
  const { d1_migrations: migrations = [], ...rows } = await contentsOf(database);
  return { ...rows, migrations: migrations.map((row) => ({ ...(row as object), applied_at: undefined })) };
}

test("a test's database is as all migrations leave it", async () => {
  await createTables(env.DB_2);
  await applyD1Migrations(env.DB_3, env.MIGRATIONS);
  expect(await schemaOf(env.DB_2)).toEqual(await schemaOf(env.DB_3));
  expect(await rowsOf(env.DB_2)).toEqual(await rowsOf(env.DB_3));
});
