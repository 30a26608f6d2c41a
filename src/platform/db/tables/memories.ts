import { integer, text } from "drizzle-orm/sqlite-core";
import { STATUSES } from "../../../contract/life-cycle.ts";
import type { NextValues } from "../../../contract/memory-fields.ts";
import {
  MEMORY_EVENTS,
  MEMORY_SCOPES,
  MEMORY_TYPES,
  OWED_DIRECTIONS,
  PRIORITIES,
  REPEATS_FROM,
  SOURCE_TYPES,
} from "../../../contract/record-words.ts";
import type { ReminderList } from "../../../contract/remind.ts";
import { keyedTable } from "./keyed-table.ts";

export const memories = keyedTable("memories", ["owner", "id"], {
  owner: integer().notNull(),
  id: integer().notNull(),
  memory_type: text({ enum: MEMORY_TYPES }).notNull(),
  topic: text().notNull(),
  content: text().notNull(),
  status: text({ enum: STATUSES }).notNull(),
  scope: text({ enum: MEMORY_SCOPES }),
  project: text(),
  tags: text({ mode: "json" }).$type<string[]>().notNull(),
  due_date: text(),
  deferred_until: text(),
  document_id: text(),
  supersedes_id: integer(),
  superseded_by_id: integer(),
  resolved_at: text(),
  resolution_note: text(),
  last_confirmed_at: text(),
  source_type: text({ enum: SOURCE_TYPES }).notNull(),
  client_name: text(),
  version: integer().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  closed_at: text(),
  touched_at: text().notNull(),
  trashed_at: text(),
  note: text(),
  activity: integer(),
  renewed_at: text(),
  happened_on: text(),
  due_time: text(),
  remind: text({ mode: "json" }).$type<ReminderList>(),
  remind_until_done: integer({ mode: "boolean" }),
  repeat: text(),
  repeat_from: text({ enum: REPEATS_FROM }),
  repeat_start: text(),
  next_values: text({ mode: "json" }).$type<NextValues>(),
  series_id: integer(),
  remind_at: text(),
  priority: text({ enum: PRIORITIES }),
  owed: text({ enum: OWED_DIRECTIONS }),
});

export const memory_events = keyedTable("memory_events", ["owner", "memory_id", "id"], {
  owner: integer().notNull(),
  memory_id: integer().notNull(),
  id: integer().notNull(),
  event: text({ enum: MEMORY_EVENTS }).notNull(),
  from_status: text({ enum: STATUSES }),
  to_status: text({ enum: STATUSES }).notNull(),
  note: text(),
  source_type: text({ enum: SOURCE_TYPES }),
  client_name: text(),
  at: text().notNull(),
  state: text({ mode: "json" }).$type<Record<string, unknown>>(),
  activity: integer(),
});

// memory_tags and memory_totals are maintained by triggers.
export const memory_tags = keyedTable("memory_tags", ["owner", "tag", "memory_id"], {
  owner: integer().notNull(),
  tag: text().notNull(),
  memory_id: integer().notNull(),
});

export const memory_totals = keyedTable("memory_totals", ["owner", "project", "scope", "memory_type"], {
  owner: integer().notNull(),
  project: text().notNull(),
  scope: text().notNull(),
  memory_type: text().notNull(),
  active: integer().notNull(),
  deferred: integer().notNull(),
  resolved: integer().notNull(),
  archived: integer().notNull(),
  resolved_seconds: integer().notNull(),
});
