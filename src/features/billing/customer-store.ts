import { eq, type SQL, sql } from "drizzle-orm";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { assertInBatch, unless } from "../../platform/db/call.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { customers, subscriptions } from "../../platform/db/tables.ts";
import type { Subscribed } from "./subscribed.ts";

export type Customer = typeof customers.$inferSelect;

const iso = ({ now }: BaseCtx) => now.toISOString();

/** The caller's customer at Stripe; undefined for an account that has never been at the till. */
export async function findCustomer(ctx: Ctx): Promise<Customer | undefined> {
  const [customer] = await ctx.db.select().from(customers).where(eq(customers.owner, ctx.owner));
  return customer;
}

const stateColumns = {
  plan_tier: subscriptions.plan_tier,
  status: subscriptions.status,
  billing_interval: subscriptions.billing_interval,
  trial_ends_at: subscriptions.trial_ends_at,
  current_period_end: subscriptions.current_period_end,
};

/** The caller's plan, and what is known of its customer. Throws 404. */
export async function readState(ctx: Ctx) {
  const [[row], [customer]] = await ctx.db.batch([
    ctx.db.select(stateColumns).from(subscriptions).where(eq(subscriptions.owner, ctx.owner)),
    ctx.db.select().from(customers).where(eq(customers.owner, ctx.owner)),
  ]);
  if (!row) throw notFound();
  return { ...row, customer };
}

/** Makes the account a customer, whose plan without a subscription is the present one. Nothing if it is one. */
export async function addCustomer(ctx: Ctx, customer_id: string): Promise<void> {
  await ctx.db.run(sql`INSERT INTO customers (owner, customer_id, plan_otherwise, sync_at)
    SELECT owner, ${customer_id}, plan_tier, ${iso(ctx)} FROM subscriptions WHERE owner = ${ctx.owner}
    ON CONFLICT (owner) DO NOTHING`);
}

/** Lets Stripe be asked about a customer, also if it is being asked now. Returns the owner; undefined for nobody's. */
export async function markDue(home: BaseCtx, customer_id: string): Promise<number | undefined> {
  const [row] = await home.db.all<{
    owner: number;
  }>(sql`UPDATE customers SET sync_at = ${iso(home)}, syncs = syncs + 1
    WHERE customer_id = ${customer_id} RETURNING owner`);
  return row?.owner;
}

/** Begins to ask Stripe about the caller's customer; undefined for none. What began before is not written any more. */
export async function beginSync(ctx: Ctx): Promise<Customer | undefined> {
  const [customer] = await ctx.db.all<Customer>(
    sql`UPDATE customers SET syncs = syncs + 1 WHERE owner = ${ctx.owner} RETURNING *`,
  );
  return customer;
}

const begunLast = (ctx: Ctx, { syncs }: Customer) =>
  assertInBatch(
    ctx,
    sql`EXISTS (SELECT 1 FROM customers WHERE owner = ${ctx.owner} AND syncs = ${syncs})`,
    "overtaken",
  );

type Synced = { subscribed: Subscribed; hadTrial: boolean };

/** Writes what Stripe has answered. False if it has been asked again, or has said that something has changed. */
export async function endSync(ctx: Ctx, asked: Customer, { subscribed, hadTrial }: Synced): Promise<boolean> {
  const { subscription_id, ends_at, past_due_since, sync_at, ...row } = subscribed;
  const written = ctx.db.batch([
    begunLast(ctx, asked),
    ctx.db.update(subscriptions).set(row).where(eq(subscriptions.owner, ctx.owner)),
    ctx.db
      .update(customers)
      .set({
        subscription_id,
        ends_at,
        past_due_since,
        sync_at,
        had_trial: Number(hadTrial || asked.had_trial),
      })
      .where(eq(customers.owner, ctx.owner)),
  ]);
  return (await unless(written, "overtaken")).refusal === undefined;
}

/** Forgets a customer that Stripe does not have any longer: the account has the plan that it has without one. */
export async function forgetCustomer(ctx: Ctx, asked: Customer, subscribed: Subscribed): Promise<void> {
  const { subscription_id: _, ends_at: __, past_due_since: ___, sync_at: ____, ...row } = subscribed;
  const forgotten = ctx.db.batch([
    begunLast(ctx, asked),
    ctx.db.update(subscriptions).set(row).where(eq(subscriptions.owner, ctx.owner)),
    ctx.db.delete(customers).where(eq(customers.owner, ctx.owner)),
  ]);
  await unless(forgotten, "overtaken");
}

/** Takes a mail upon itself; false if somebody else has sent it. */
export async function claimMail(ctx: Ctx, mail: string): Promise<boolean> {
  const claimed = await ctx.db.all(sql`UPDATE customers SET mailed = ${mail}
    WHERE owner = ${ctx.owner} AND mailed IS NOT ${mail} RETURNING 1`);
  return claimed.length > 0;
}

export async function releaseMail(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`UPDATE customers SET mailed = NULL, sync_at = ${iso(ctx)} WHERE owner = ${ctx.owner}`);
}

/** When the account (a number in SQL) asks Stripe next. */
export const syncMoment = (owner: SQL): SQL =>
  sql`(SELECT sync_at FROM customers WHERE customers.owner = ${owner})`;

export const ownersToSync = (base: BaseCtx): SQL =>
  sql`SELECT owner FROM customers INDEXED BY customers_sync_at_idx
    WHERE sync_at IS NOT NULL AND sync_at <= ${iso(base)} AND ${unfenced("customers.owner")}`;
