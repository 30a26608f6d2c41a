import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ACTIVITY_VERBS, ACTOR_KINDS, RECORD_KINDS, SILENT_VERBS } from "../../../contract/activity-words.ts";
import { JOB_KINDS } from "../../../contract/jobs.ts";
import { SOURCE_TYPES } from "../../../contract/record-words.ts";
import type { Actor } from "../../core/ctx.ts";
import { keyedTable } from "./keyed-table.ts";

export const activity = keyedTable("activity", ["owner", "number"], {
  owner: integer().notNull(),
  number: integer().notNull(),
  at: text().notNull(),
  actor: text({ enum: ACTOR_KINDS }).notNull(),
  actor_id: text(),
  client_name: text(),
  source_type: text({ enum: SOURCE_TYPES }),
  verb: text({ enum: [...ACTIVITY_VERBS, ...SILENT_VERBS] }).notNull(),
  kind: text({ enum: RECORD_KINDS }).notNull(),
  record: text().notNull(),
  version_before: integer(),
  version_after: integer(),
  title: text(),
  state: text({ mode: "json" }).$type<Record<string, unknown>>(),
  has_event: integer({ mode: "boolean" }).notNull(),
  undoes: integer(),
  undone_by: integer(),
  previous: integer(),
  nonce: integer(),
  /** The edit session (`X-Sitting`) of the change, and when it began. */
  sitting: text(),
  began: text(),
  reason: text(),
});

export const idempotency_keys = keyedTable("idempotency_keys", ["owner", "route", "key"], {
  owner: integer().notNull(),
  route: text().notNull(),
  key: text().notNull(),
  request_hash: text().notNull(),
  answer: text().notNull(),
  created_at: text().notNull(),
});

export const imports = sqliteTable("imports", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  mode: text({ enum: ["skip", "overwrite", "copy"] }).notNull(),
  dry_run: integer({ mode: "boolean" }).notNull(),
  status: text({ enum: ["uploading", "applying", "done"] }).notNull(),
  received: integer().notNull(),
  pieces: integer().notNull(),
  piece: integer().notNull(),
  line: integer().notNull(),
  state: text().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

export const import_pieces = keyedTable("import_pieces", ["import_id", "number"], {
  import_id: text().notNull(),
  number: integer().notNull(),
  owner: integer().notNull(),
  text: text().notNull(),
});

export const later = keyedTable("later", ["owner", "kind", "key"], {
  owner: integer().notNull(),
  kind: text({ enum: JOB_KINDS }).notNull(),
  key: text().notNull(),
  id: text().notNull(),
  state: text({ enum: ["waiting", "done", "failed", "cancelled"] }).notNull(),
  due_at: text(),
  tries: integer().notNull().default(0),
  title: text().notNull(),
  payload: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  actor: text({ mode: "json" })
    .$type<{ actor?: Actor | undefined; client_name?: string | undefined }>()
    .notNull(),
  done: integer().notNull().default(0),
  total: integer(),
  result: text({ mode: "json" }).$type<Record<string, unknown>>(),
  detail: text(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});
