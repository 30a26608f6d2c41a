import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { SOURCE_TYPES } from "../../../contract/record-words.ts";
import { keyedTable } from "./keyed-table.ts";

export const folders = sqliteTable("folders", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  parent_id: text(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  activity: integer(),
  /** From `folderPathKey`; null until the cron handler has written it for folders of an earlier version. */
  key: text(),
});

export const documents = sqliteTable("documents", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  title: text().notNull(),
  content: text({ mode: "json" }).$type<Record<string, unknown>>(),
  tags: text({ mode: "json" }).$type<string[]>().notNull(),
  folder_id: text(),
  source_type: text({ enum: SOURCE_TYPES }).notNull(),
  version: integer().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  writer_source_type: text({ enum: SOURCE_TYPES }),
  writer_client_name: text(),
  trashed_at: text(),
  activity: integer(),
  /** Numbers of tasks in its text; null until the cron handler has counted them for documents of an earlier version. */
  open_tasks: integer(),
  done_tasks: integer(),
  /** From `documentExcerpt`; null until the cron handler has written it for documents of an earlier version. */
  excerpt: text(),
  /** When its title or content was last changed; filing it (tags, folder) does not count. */
  changed_at: text().notNull(),
  /** From `titleKey`, which is null for plain ASCII titles; also null until the cron handler has written it. */
  title_key: text(),
});

export const document_versions = keyedTable("document_versions", ["document_id", "version"], {
  document_id: text().notNull(),
  version: integer().notNull(),
  owner: integer().notNull(),
  title: text().notNull(),
  content: text({ mode: "json" }).$type<Record<string, unknown>>(),
  tags: text({ mode: "json" }).$type<string[]>().notNull(),
  folder_id: text(),
  source_type: text({ enum: SOURCE_TYPES }).notNull(),
  client_name: text(),
  created_at: text().notNull(),
  /** The document's `changed_at` at that time; null in versions of earlier releases. */
  changed_at: text(),
  /** The next change only filed the document (tags, folder). False in versions of earlier releases. */
  next_has_same_text: integer({ mode: "boolean" }).notNull().default(false),
});

export const document_tags = keyedTable("document_tags", ["owner", "tag", "document_id"], {
  owner: integer().notNull(),
  tag: text().notNull(),
  document_id: text().notNull(),
});

/** Links of documents to others; see features/documents/link-store.ts. */
export const document_links = keyedTable("document_links", ["owner", "from_id", "target_key"], {
  owner: integer().notNull(),
  from_id: text().notNull(),
  target_key: text().notNull(),
  name_key: text().notNull(),
  file_key: integer().notNull(),
  target: text().notNull(),
  to_id: text(),
  place: integer().notNull(),
  context: text().notNull(),
});

export const document_aliases = keyedTable("document_aliases", ["owner", "key", "document_id"], {
  owner: integer().notNull(),
  key: text().notNull(),
  document_id: text().notNull(),
});

// folder_totals and tag_totals are maintained by triggers.
export const folder_totals = sqliteTable("folder_totals", {
  folder_id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  documents: integer().notNull(),
});

export const tag_totals = keyedTable("tag_totals", ["owner", "tag"], {
  owner: integer().notNull(),
  tag: text().notNull(),
  documents: integer().notNull(),
});
