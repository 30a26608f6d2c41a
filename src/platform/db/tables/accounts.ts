import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { KeyScope } from "../../../contract/access.ts";
import type { PlanTier, Subscription } from "../../../contract/billing.ts";
import { keyedTable } from "./keyed-table.ts";

export const users = sqliteTable("users", {
  number: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  email: text().notNull(),
  password_hash: text().notNull(),
  name: text(),
  role: text({ enum: ["admin", "member"] }).notNull(),
  timezone: text().notNull(),
  stale_after_days: text({ mode: "json" }).$type<{ commitment: number; blocker: number }>().notNull(),
  created_at: text().notNull(),
  deleted_at: text(),
  sign_in_epoch: integer().notNull().default(0),
  last_memory_id: integer().notNull().default(0),
  email_verified_at: text(),
  closed_at: text(),
  purge_at: text(),
  excerpts_after: text(),
  remind_before: text(),
  names_at: text(),
  links_after: text(),
  has_unread_properties: integer(),
});

export const registration_links = sqliteTable("registration_links", {
  hash: text().notNull().primaryKey(),
  role: text({ enum: ["admin", "member"] }).notNull(),
  email: text(),
  created_at: text().notNull(),
  expires_at: text().notNull(),
});

export const settings = sqliteTable("settings", {
  name: text().notNull().primaryKey(),
  value: text().notNull(),
});

export const subscriptions = sqliteTable("subscriptions", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  plan_tier: text().$type<PlanTier>().notNull(),
  status: text().$type<Subscription["status"]>().notNull(),
  created_at: text().notNull(),
  billing_interval: text({ enum: ["month", "year"] }),
  trial_ends_at: text(),
  current_period_end: text(),
  canceled_at: text(),
});

export const sessions = sqliteTable("sessions", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  user_agent: text(),
  created_at: text().notNull(),
  last_used_at: text().notNull(),
  expires_at: text().notNull(),
  revoked_at: text(),
  cookie_hash: text(),
  client_name: text(),
});

export const refresh_tokens = sqliteTable("refresh_tokens", {
  hash: text().notNull().primaryKey(),
  session_id: text().notNull(),
  expires_at: text().notNull(),
  rotated_at: text(),
});

// Maintained by triggers.
export const usage = sqliteTable("usage", {
  owner: integer().notNull().primaryKey(),
  documents: integer().notNull(),
  records: integer().notNull(),
  bytes: integer().notNull(),
});

export const sign_in_addresses = keyedTable("sign_in_addresses", ["owner", "address"], {
  owner: integer().notNull(),
  address: text().notNull(),
  last_used_at: text().notNull(),
});

export const api_keys = sqliteTable("api_keys", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  hint: text().notNull(),
  hash: text().notNull(),
  scopes: text({ mode: "json" }).$type<KeyScope[]>().notNull(),
  created_at: text().notNull(),
  expires_at: text(),
  last_used_at: text(),
});

export const connection_uses = keyedTable("connection_uses", ["owner", "grant_id"], {
  owner: integer().notNull(),
  grant_id: text().notNull(),
  last_used_at: text().notNull(),
});

export const email_links = sqliteTable("email_links", {
  hash: text().notNull().primaryKey(),
  owner: integer().notNull(),
  purpose: text({ enum: ["reset", "verify", "change", "undo"] }).notNull(),
  email: text().notNull(),
  created_at: text().notNull(),
  expires_at: text().notNull(),
});

export const security_events = sqliteTable("security_events", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  event: text().notNull(),
  detail: text(),
  client_name: text(),
  created_at: text().notNull(),
});

export const second_factors = sqliteTable("second_factors", {
  owner: integer().notNull().primaryKey(),
  secret: text().notNull(),
  created_at: text().notNull(),
  confirmed_at: text(),
  last_step: integer().notNull().default(0),
});

export const recovery_codes = keyedTable("recovery_codes", ["owner", "hash"], {
  owner: integer().notNull(),
  hash: text().notNull(),
});

export const passkeys = sqliteTable("passkeys", {
  id: text().notNull().primaryKey(),
  owner: integer().notNull(),
  name: text().notNull(),
  credential_id: text().notNull(),
  public_key: text().notNull(),
  counter: integer().notNull(),
  transports: text({ mode: "json" }).$type<string[]>().notNull(),
  created_at: text().notNull(),
  last_used_at: text(),
});

export const passkey_challenges = sqliteTable("passkey_challenges", {
  hash: text().notNull().primaryKey(),
  owner: integer(),
  expires_at: text().notNull(),
});
