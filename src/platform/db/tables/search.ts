import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "./keyed-table.ts";

// The names of projects and tags are listed by triggers; see spellings.ts.
export const spellings = keyedTable("spellings", ["owner", "kind", "name"], {
  owner: integer().notNull(),
  kind: text({ enum: ["project", "tag"] }).notNull(),
  name: text().notNull(),
  key: text().notNull(),
});

// search_totals and the full-text index are maintained by triggers and read only in SQL: see src/engine/index-store.ts.
export const search_entries = sqliteTable("search_entries", {
  entry: integer().primaryKey(),
  owner: integer().notNull(),
  kind: text({ enum: ["document", "memory", "file"] }).notNull(),
  record: text().notNull(),
  length: integer().notNull(),
  index_version: integer().notNull(),
  tokens: integer().notNull().default(0),
});

export const search_totals = keyedTable("search_totals", ["owner", "kind"], {
  owner: integer().notNull(),
  kind: text({ enum: ["document", "memory", "file"] }).notNull(),
  entries: integer().notNull(),
  length: integer().notNull(),
});
