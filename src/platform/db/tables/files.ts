import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "./keyed-table.ts";

const TEXT_STATES = ["none", "waiting", "done", "cut", "failed"] as const;
const KINDS = ["image", "pdf", "audio", "video", "text", "other"] as const;

export const files = sqliteTable("files", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  sha256: text().notNull(),
  bytes: integer().notNull(),
  type: text().notNull(),
  kind: text({ enum: KINDS }).notNull(),
  name: text().notNull(),
  alt: text(),
  width: integer(),
  height: integer(),
  pages: integer(),
  text_state: text({ enum: TEXT_STATES }).notNull(),
  text_note: text(),
  thumbnails: text({ mode: "json" }).$type<Record<string, number>>().notNull(),
  replaces_id: text(),
  unused_since: text(),
  due_at: text().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  trashed_at: text(),
});

export const document_files = keyedTable("document_files", ["document_id", "file_id"], {
  document_id: text().notNull(),
  file_id: text().notNull(),
  owner: integer().notNull(),
  created_at: text().notNull(),
});

export const memory_files = keyedTable("memory_files", ["owner", "memory_id", "file_id"], {
  owner: integer().notNull(),
  memory_id: integer().notNull(),
  file_id: text().notNull(),
  created_at: text().notNull(),
});

/** Objects in the bucket that belong to no file: uploads in progress, and erased files. */
export const file_uploads = sqliteTable("file_uploads", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  state: text({ enum: ["receiving", "erasing"] }).notNull(),
  name: text().notNull(),
  bytes: integer().notNull(),
  sha256: text(),
  multipart_id: text(),
  parts: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
  document_id: text(),
  memory_id: integer(),
  due_at: text().notNull(),
  created_at: text().notNull(),
});

/** Progress of reading an account's texts for references to files. */
export const file_looks = sqliteTable("file_looks", {
  owner: integer().notNull().primaryKey(),
  began_at: text().notNull(),
  place: text({ mode: "json" }).$type<[table: string, ...key: (string | number)[]]>().notNull(),
});

export const file_texts = keyedTable("file_texts", ["owner", "file_id", "page"], {
  owner: integer().notNull(),
  file_id: text().notNull(),
  page: integer().notNull(),
  text: text().notNull(),
});

/** Files whose words have not been indexed yet. */
export const file_words = keyedTable("file_words", ["owner", "file_id"], {
  owner: integer().notNull(),
  file_id: text().notNull(),
  tries: integer().notNull().default(0),
  due_at: text().notNull(),
});
