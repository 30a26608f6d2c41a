import { sql } from "drizzle-orm";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { BaseCtx } from "../core/ctx.ts";

// In the first shard: which account each Stripe customer is, and which events of Stripe have been handled.

/** Stripe resends an event for three days; its list of events goes back thirty. */
const KEPT_DAYS = 31;

/** Prefix of a customer that Stripe has deleted, so that the account gets a new one. */
const GONE = "gone ";

const customerStatement = (first: BaseCtx, userId: string) =>
  first.db.all<{ customer_id: string }>(sql`SELECT customer_id FROM customer_book WHERE user_id = ${userId}`);

/** Stores an account's customer unless it has one. Returns the one that is stored. */
export async function storeCustomer(first: BaseCtx, userId: string, customer_id: string): Promise<string> {
  const [, [row]] = await first.db.batch([
    first.db.run(sql`INSERT INTO customer_book (customer_id, user_id) VALUES (${customer_id}, ${userId})
      ON CONFLICT (user_id) DO UPDATE SET customer_id = excluded.customer_id
      WHERE substr(customer_id, 1, ${GONE.length}) = ${GONE}`),
    customerStatement(first, userId),
  ]);
  return row?.customer_id ?? customer_id;
}

/** The stored customer of an account, or `former` if Stripe has deleted that. */
export async function findStoredCustomer(
  first: BaseCtx,
  userId: string,
): Promise<{ customer?: string; former?: string }> {
  const [row] = await customerStatement(first, userId);
  if (!row) return {};
  const { customer_id } = row;
  return customer_id.startsWith(GONE) ? { former: customer_id } : { customer: customer_id };
}

export async function markCustomerDeleted(first: BaseCtx, customer_id: string): Promise<void> {
  await first.db.run(
    sql`UPDATE customer_book SET customer_id = ${GONE + customer_id} WHERE customer_id = ${customer_id}`,
  );
}

/** The shard of a customer's account, and whether an event has been handled; undefined for an unknown customer. */
export async function findCustomerShard(
  first: BaseCtx,
  customer_id: string,
  event: string,
): Promise<{ home: number; isSeen: boolean } | undefined> {
  const [row] = await first.db.all<{ home: number | null; is_seen: number }>(sql`
    SELECT (SELECT home FROM address_book WHERE address_book.user_id = c.user_id LIMIT 1) AS home,
      EXISTS (SELECT 1 FROM stripe_events WHERE id = ${event}) AS is_seen
    FROM customer_book AS c WHERE customer_id = ${customer_id}`);
  return row && { home: row.home ?? FIRST_SHARD, isSeen: row.is_seen === 1 };
}

export async function recordStripeEvent(first: BaseCtx, event: string): Promise<void> {
  await first.db.run(sql`INSERT INTO stripe_events (id, at) VALUES (${event}, ${first.now.toISOString()})
    ON CONFLICT DO NOTHING`);
}

export async function deleteStoredCustomer(first: BaseCtx, userId: string): Promise<void> {
  await first.db.run(sql`DELETE FROM customer_book WHERE user_id = ${userId}`);
}

const RECONCILED = "stripe_reconciled";

/** Unix time in seconds up to which Stripe's list of events has been read. */
export async function readReconciledUntil(first: BaseCtx): Promise<number | undefined> {
  const [row] = await first.db.all<{ value: string }>(
    sql`SELECT value FROM settings WHERE name = ${RECONCILED}`,
  );
  return row && Number(row.value);
}

export async function recordReconciledUntil(first: BaseCtx, until: number): Promise<void> {
  const oldest = new Date(first.now.getTime() - KEPT_DAYS * 86_400_000).toISOString();
  await first.db.batch([
    first.db.run(sql`INSERT INTO settings (name, value) VALUES (${RECONCILED}, ${String(until)})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`),
    first.db.run(sql`DELETE FROM stripe_events WHERE id IN (
      SELECT id FROM stripe_events WHERE at < ${oldest} LIMIT 1000)`),
  ]);
}
