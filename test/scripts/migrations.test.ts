import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";

// What the migrations since a release make of what a copy of it has left behind. That the service goes on with it is in
// test/front-door/upgrade.test.ts.

const STATES = "test/front-door/upgrade";
const releases = readdirSync(STATES).flatMap((name) => /^state-(.*)\.tar\.gz$/.exec(name)?.[1] ?? []);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "commonplace-migrations-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

type Row = Record<string, unknown>;

const rowsOf = (database: DatabaseSync, query: string) => database.prepare(query).all() as Row[];
const namesOf = (database: DatabaseSync, query: string) =>
  rowsOf(database, query).map(({ name }) => String(name));

/** Queries for every value of every table. The search index is virtual: what it has is searched in the story above. */
const everything = (database: DatabaseSync) =>
  namesOf(
    database,
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_index%'
      AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'`,
  ).map((table) => {
    const columns = namesOf(database, `SELECT name FROM pragma_table_info('${table}')`);
    return `SELECT "${columns.join('", "')}" FROM "${table}"`;
  });

test.each(releases)("the migrations since the release of %s keep every value", (release) => {
  execFileSync("tar", ["-xzf", join(STATES, `state-${release}.tar.gz`), "-C", folder]);
  const database = new DatabaseSync(requireDatabaseFile(join(folder, "state")));
  const known = namesOf(database, "SELECT name FROM d1_migrations");
  const queries = everything(database);
  const read = (query: string) => rowsOf(database, query).map((row) => JSON.stringify(row));
  const before = queries.map((query) => read(query).sort());
  expect(before.flat().length).toBeGreaterThan(50);
  const since = readdirSync("migrations").filter((name) => !known.includes(name));
  for (const name of since.sort()) database.exec(readFileSync(join("migrations", name), "utf8"));
  // What a migration is meant to change has to be excepted here.
  for (const [place, query] of queries.entries()) expect(read(query).sort(), query).toEqual(before[place]);
  database.close();
});
