import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Every test begins with empty databases. Applying all migrations takes 150 ms of processor time, creating what they lead
// to takes 30, deleting the rows of a test 5. So only the first database of a run is migrated; the first test of a file
// gets its schema, as one text, and the others find it empty. test/house/tables.test.ts compares the three.

/** What SQLite, D1 and virtual tables create by themselves is left out. */
const CREATED = `
  SELECT type, name, sql FROM sqlite_schema AS one
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
    AND NOT EXISTS (
      SELECT 1 FROM sqlite_schema AS virtual
      WHERE virtual.sql LIKE 'CREATE VIRTUAL%' AND one.name LIKE virtual.name || '\\_%' ESCAPE '\\'
    )
  ORDER BY rowid`;

/** The only row that the migrations write into an empty database, besides their names, and a setting of the index. */
const REFERENCE = /^INSERT INTO search_index \(rowid/m;
const SETTING = /^INSERT INTO search_index \(search_index/m;

/**
 * The first account gets a random number, because the Durable Objects of an earlier test may still be there: an account
 * must not have the rate limits of another one.
 */
const FIRST_ACCOUNT =
  "INSERT INTO sqlite_sequence (name, seq) VALUES ('users', abs(random() % 1000000) * 1000)";

/** A changed schema has another one. */
const FINGERPRINT = "SELECT count(*) || ' ' || total(length(sql)) FROM sqlite_schema";

/** What creates the tables, and what empties them: statements of which the last says whether they are like new ones. */
async function scriptsOf(database: D1Database) {
  const { results: created } = await database
    .prepare(CREATED)
    .all<{ type: string; name: string; sql: string }>();
  const isOrdinary = ({ type, name, sql }: (typeof created)[number]) =>
    type === "table" && name !== "d1_migrations" && !sql.startsWith("CREATE VIRTUAL");
  const tables = created.filter(isOrdinary).map(({ name }) => name);
  const queries = env.MIGRATIONS.flatMap((migration) => migration.queries);
  const matching = (pattern: RegExp) =>
    queries.filter((query) => pattern.test(query)).map((query) => query.replace(/;\s*$/, ""));
  const names = env.MIGRATIONS.map(({ name }) => `('${name}')`).join(", ");
  const fingerprint = await database.prepare(`SELECT (${FINGERPRINT}) AS it`).first<string>("it");
  const creating = [
    ...created.map(({ sql }) => sql),
    ...matching(REFERENCE),
    ...matching(SETTING),
    `INSERT INTO d1_migrations (name) VALUES ${names}`,
    FIRST_ACCOUNT,
  ];
  const emptying = [
    "PRAGMA defer_foreign_keys = on",
    ...tables.map((name) => `DELETE FROM ${name}`),
    "INSERT INTO search_index (search_index) VALUES ('delete-all')",
    ...matching(REFERENCE),
    "DELETE FROM sqlite_sequence",
    FIRST_ACCOUNT,
    `SELECT (${FINGERPRINT}) = '${fingerprint}'
      AND ${tables.map((name) => `(SELECT count(*) FROM ${name})`).join(" + ")} = 0 AS is_empty`,
  ];
  return { creating: creating.join(";\n"), emptying: emptying.join(";\n") };
}

/** Shared by all test files of an isolate, each of which has modules of its own. */
const shared = globalThis as { tableScripts?: Awaited<ReturnType<typeof scriptsOf>> };

/** Gives an empty database its tables. */
export async function createTables(database: D1Database): Promise<void> {
  if (shared.tableScripts) {
    await database.prepare(shared.tableScripts.creating).run();
    return;
  }
  await applyD1Migrations(database, env.MIGRATIONS);
  shared.tableScripts = await scriptsOf(database);
  await database.prepare(FIRST_ACCOUNT).run();
}

/**
 * Deletes what a test has written into a database that `createTables` made. Answers whether it is like a new one then: not
 * if its schema was changed, or a trigger refused, as while an account moves.
 */
export async function emptyTables(database: D1Database): Promise<boolean> {
  if (!shared.tableScripts) return false;
  const emptying = database.prepare(shared.tableScripts.emptying);
  return (await emptying.first<number>("is_empty").catch(() => 0)) === 1;
}
