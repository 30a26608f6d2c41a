import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "./keyed-table.ts";

export const address_book = sqliteTable("address_book", {
  email: text().notNull().primaryKey(),
  home: integer().notNull(),
  state: text({ enum: ["claimed", "settled", "former"] }).notNull(),
  at: text().notNull(),
  user_id: text(),
  link: text(),
});

export const homes = sqliteTable("homes", {
  number: integer().primaryKey(),
  users: integer().notNull(),
  bytes: integer().notNull(),
  checked_at: text().notNull(),
});

export const moves = sqliteTable("moves", {
  owner: integer().notNull().primaryKey(),
  user_id: text().notNull(),
  state: text({ enum: ["leaving", "arriving", "arrived", "left", "dropped"] }).notNull(),
  home: integer().notNull(),
  number: integer(),
  progress: text(),
  is_fenced: integer().notNull(),
  at: text().notNull(),
});

export const moved_secrets = sqliteTable("moved_secrets", {
  hash: text().notNull().primaryKey(),
  owner: integer().notNull(),
  expires_at: text(),
});

export const home_sizes = keyedTable("home_sizes", ["number", "day"], {
  number: integer().notNull(),
  day: text().notNull(),
  bytes: integer().notNull(),
});
