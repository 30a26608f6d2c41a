import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PlanTier } from "../../../contract/billing.ts";

export const customers = sqliteTable("customers", {
  owner: integer().notNull().primaryKey(),
  customer_id: text().notNull(),
  plan_otherwise: text().$type<PlanTier>().notNull(),
  subscription_id: text(),
  ends_at: text(),
  past_due_since: text(),
  had_trial: integer().notNull().default(0),
  mailed: text(),
  syncs: integer().notNull().default(0),
  sync_at: text(),
});

export const customer_book = sqliteTable("customer_book", {
  customer_id: text().notNull().primaryKey(),
  user_id: text().notNull(),
});

export const stripe_events = sqliteTable("stripe_events", {
  id: text().notNull().primaryKey(),
  at: text().notNull(),
});
