import { eq, type SQL, sql } from "drizzle-orm";
import { omit } from "../../contract/omit.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { assertInBatch, catchRefusal } from "../../platform/db/call.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { customers, subscriptions } from "../../platform/db/tables.ts";
import type { SubscriptionValues } from "./subscription-state.ts";

export type Customer = typeof customers.$inferSelect;

const isoNow = ({ now }: BaseCtx) => now.toISOString();

/** The caller's customer at Stripe; undefined for an account that has never started a checkout. */
export async function findCustomer(ctx: Ctx): Promise<Customer | undefined> {
  const [customer] = await ctx.db.select().from(customers).where(eq(customers.owner, ctx.owner));
  return customer;
}

/** The caller's plan and customer, as stored. Throws 404. */
export async function readSubscriptionAndCustomer(ctx: Ctx) {
  const { plan_tier, status, billing_interval, trial_ends_at, current_period_end } = subscriptions;
  const columns = { plan_tier, status, billing_interval, trial_ends_at, current_period_end };
  const [[row], [customer]] = await ctx.db.batch([
    ctx.db.select(columns).from(subscriptions).where(eq(subscriptions.owner, ctx.owner)),
    ctx.db.select().from(customers).where(eq(customers.owner, ctx.owner)),
  ]);
  if (!row) throw notFound();
  return { ...row, customer };
}

/** Makes the account a customer, whose plan without a subscription is the current one. Does nothing if it is one. */
export async function addCustomer(ctx: Ctx, customer_id: string): Promise<void> {
  await ctx.db.run(sql`INSERT INTO customers (owner, customer_id, plan_otherwise, sync_at)
    SELECT owner, ${customer_id}, plan_tier, ${isoNow(ctx)} FROM subscriptions WHERE owner = ${ctx.owner}
    ON CONFLICT (owner) DO NOTHING`);
}

/** Requests a sync of a customer, also if one is running. Returns the owner; undefined if no account has the customer. */
export async function requestSync(base: BaseCtx, customer_id: string): Promise<number | undefined> {
  const [row] = await base.db.returning<{
    owner: number;
  }>(sql`UPDATE customers SET sync_at = ${isoNow(base)}, syncs = syncs + 1
    WHERE customer_id = ${customer_id} RETURNING owner`);
  return row?.owner;
}

/** Starts a sync of the caller's customer; undefined if there is none. Results of earlier syncs are discarded. */
export async function startSync(ctx: Ctx): Promise<Customer | undefined> {
  const [customer] = await ctx.db.returning<Customer>(
    sql`UPDATE customers SET syncs = syncs + 1 WHERE owner = ${ctx.owner} RETURNING *`,
  );
  return customer;
}

const assertLatestSync = (ctx: Ctx, { syncs }: Customer) => {
  const isLatest = sql`EXISTS (SELECT 1 FROM customers WHERE owner = ${ctx.owner} AND syncs = ${syncs})`;
  return assertInBatch(ctx, isLatest, "overtaken");
};

type SyncResult = { subscribed: SubscriptionValues; hadTrial: boolean };

/** Stores the result of a sync. False if another one was started or requested since. */
export async function storeSync(
  ctx: Ctx,
  customer: Customer,
  { subscribed, hadTrial }: SyncResult,
): Promise<boolean> {
  const { subscription_id, ends_at, past_due_since, sync_at, ...row } = subscribed;
  const had_trial = Number(hadTrial || customer.had_trial);
  const written = ctx.db.batch([
    assertLatestSync(ctx, customer),
    ctx.db.update(subscriptions).set(row).where(eq(subscriptions.owner, ctx.owner)),
    ctx.db
      .update(customers)
      .set({ subscription_id, ends_at, past_due_since, sync_at, had_trial })
      .where(eq(customers.owner, ctx.owner)),
  ]);
  return (await catchRefusal(written, "overtaken")).refusal === undefined;
}

/** Deletes a customer that Stripe no longer has: the account falls back to its plan without a subscription. */
export async function forgetCustomer(
  ctx: Ctx,
  customer: Customer,
  subscribed: SubscriptionValues,
): Promise<void> {
  const row = omit(subscribed, "subscription_id", "ends_at", "past_due_since", "sync_at");
  const forgotten = ctx.db.batch([
    assertLatestSync(ctx, customer),
    ctx.db.update(subscriptions).set(row).where(eq(subscriptions.owner, ctx.owner)),
    ctx.db.delete(customers).where(eq(customers.owner, ctx.owner)),
  ]);
  await catchRefusal(forgotten, "overtaken");
}

/** Claims an email, by its key; false if it has already been sent. */
export async function claimEmail(ctx: Ctx, mail: string): Promise<boolean> {
  const claimed = await ctx.db.returning(sql`UPDATE customers SET mailed = ${mail}
    WHERE owner = ${ctx.owner} AND mailed IS NOT ${mail} RETURNING 1`);
  return claimed.length > 0;
}

export async function releaseEmail(ctx: Ctx): Promise<void> {
  await ctx.db.run(
    sql`UPDATE customers SET mailed = NULL, sync_at = ${isoNow(ctx)} WHERE owner = ${ctx.owner}`,
  );
}

/** When the account (its number in SQL) is due for a sync. */
export const nextSyncAt = (owner: SQL): SQL =>
  sql`(SELECT sync_at FROM customers WHERE customers.owner = ${owner})`;

export const ownersDueForSync = (base: BaseCtx): SQL =>
  sql`SELECT owner FROM customers INDEXED BY customers_sync_at_idx
    WHERE sync_at IS NOT NULL AND sync_at <= ${isoNow(base)} AND ${notFenced("customers.owner")}`;
