import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const calendar_tokens = sqliteTable("calendar_tokens", {
  owner: integer().notNull().primaryKey(),
  hash: text().notNull(),
  created_at: text().notNull(),
});

export const webhooks = sqliteTable("webhooks", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  url: text().notNull(),
  events: text({ mode: "json" }).$type<string[]>().notNull(),
  include_content: integer({ mode: "boolean" }).notNull(),
  status: text({ enum: ["active", "paused", "switched_off"] }).notNull(),
  notice: text(),
  secret: text().notNull(),
  previous_secret: text(),
  previous_until: text(),
  cursor: integer().notNull(),
  due_day: text().notNull(),
  due_at: text(),
  failures: integer().notNull(),
  resume_at: text(),
  last_delivered_at: text(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

export const webhook_deliveries = sqliteTable("webhook_deliveries", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  webhook_id: text().notNull(),
  event: text().notNull(),
  data: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  occurred_at: text().notNull(),
  status: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
  attempts: integer().notNull(),
  next_attempt_at: text(),
  last_attempt_at: text(),
  response_status: integer(),
  error: text(),
  created_at: text().notNull(),
});

export const push_subscriptions = sqliteTable("push_subscriptions", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  session_id: text().notNull(),
  endpoint: text().notNull(),
  p256dh: text().notNull(),
  auth: text().notNull(),
  created_at: text().notNull(),
});

export const push_keys = sqliteTable("push_keys", {
  id: integer().notNull().primaryKey(),
  public_key: text().notNull(),
  private_key: text().notNull(),
  created_at: text().notNull(),
});

export const reminders = sqliteTable("reminders", {
  owner: integer().notNull().primaryKey(),
  mail_hour: integer(),
  push_hour: integer().notNull(),
  mail_at: text(),
  push_at: text(),
  mail_reminders: integer({ mode: "boolean" }).notNull().default(false),
});
