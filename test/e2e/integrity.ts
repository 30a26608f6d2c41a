import type { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";

/** What must hold in the database of a service that was stopped or killed. */
export function checkIntegrity(database: DatabaseSync): void {
  const rows = (sql: string) => database.prepare(sql).all();
  expect(rows("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(rows("PRAGMA foreign_key_check")).toEqual([]);
  database.exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')");
  const lost = `SELECT entry FROM search_entries WHERE entry NOT IN (SELECT id FROM search_index_docsize)
    UNION ALL SELECT id FROM search_index_docsize WHERE id > 0 AND id NOT IN (SELECT entry FROM search_entries)`;
  expect(rows(lost)).toEqual([]);
}
