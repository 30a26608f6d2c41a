import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Every test begins with empty databases. Applying all migrations takes 150 ms of processor time, creating what they lead
// to takes 30. So only the first database of a run is migrated; the others get its schema, as one text.
// test/house/tables.test.ts compares the two.

/** What SQLite, D1 and virtual tables create by themselves is left out. */
const CREATED = `
  SELECT sql FROM sqlite_schema AS one
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
    AND NOT EXISTS (
      SELECT 1 FROM sqlite_schema AS virtual
      WHERE virtual.sql LIKE 'CREATE VIRTUAL%' AND one.name LIKE virtual.name || '\\_%' ESCAPE '\\'
    )
  ORDER BY rowid`;

/** The only row that the migrations write into an empty database, besides their names. */
const REFERENCE = /^INSERT INTO search_index /m;

async function schemaOf(database: D1Database): Promise<string> {
  const { results: created } = await database.prepare(CREATED).all<{ sql: string }>();
  const rows = env.MIGRATIONS.flatMap(({ queries }) => queries).filter((query) => REFERENCE.test(query));
  const names = env.MIGRATIONS.map(({ name }) => `('${name}')`).join(", ");
  return [
    ...created.map(({ sql }) => sql),
    ...rows.map((row) => row.replace(/;\s*$/, "")),
    `INSERT INTO d1_migrations (name) VALUES ${names}`,
  ].join(";\n");
}

let schema: string | undefined;

/**
 * Gives an empty database its tables. The first account gets a random number, because the Durable Objects of an earlier
 * test may still be there: an account must not have the rate limits of another one.
 */
export async function createTables(database: D1Database): Promise<void> {
  if (schema === undefined) {
    await applyD1Migrations(database, env.MIGRATIONS);
    schema = await schemaOf(database);
  } else await database.prepare(schema).run();
  const last = Math.floor(Math.random() * 1_000_000) * 1000;
  await database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('users', ?)").bind(last).run();
}
