import { eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { PlanTier } from "../../contract/billing.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import { type BaseCtx, type CtxUser, ctxFor } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { customers, subscriptions, users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { startPasswordReset } from "../auth/email/link-store.ts";
import { UNMATCHABLE_HASH } from "../auth/password-cost.ts";
import { getSecondFactor, removeSecondFactor } from "../auth/second-factor/store.ts";
import { createUser } from "../auth/user-store.ts";
import { isSubscribed } from "../billing/subscription-state.ts";
import { markAccountDeleted } from "../erasure/store.ts";

export type AccountSummary = {
  email: string;
  name: string | null;
  role: "admin" | "member";
  plan_tier: PlanTier;
  created_at: string;
  closed_at: string | null;
  documents: number;
  records: number;
  bytes: number;
  last_used_at: string | null;
};

export const listAccounts = (ctx: BaseCtx): Promise<AccountSummary[]> =>
  ctx.db.all<AccountSummary>(sql`
    WITH uses AS (
      SELECT owner, max(last_used_at) AS last_used_at FROM (
        SELECT owner, last_used_at FROM sessions UNION ALL SELECT owner, last_used_at FROM api_keys
        UNION ALL SELECT owner, last_used_at FROM connection_uses)
      GROUP BY owner)
    SELECT u.email, u.name, u.role, s.plan_tier, u.created_at, u.closed_at, coalesce(z.documents, 0) AS documents,
      coalesce(z.records, 0) AS records, coalesce(z.bytes, 0) AS bytes, l.last_used_at
    FROM users AS u JOIN subscriptions AS s ON s.owner = u.number
    LEFT JOIN usage AS z ON z.owner = u.number LEFT JOIN uses AS l ON l.owner = u.number
    WHERE u.deleted_at IS NULL ORDER BY u.number`);

export async function findAccount(ctx: BaseCtx, email: string) {
  const [user] = await ctx.db
    .select({ ...ctxUserColumns, closed_at: users.closed_at })
    .from(users)
    .where(sql`email = ${email} AND deleted_at IS NULL`);
  return user;
}

/** Throws 404 for an unknown address, as all functions here do. */
export async function requireAccount(ctx: BaseCtx, email: string) {
  const user = await findAccount(ctx, email);
  if (!user) throw notFound(email);
  return user;
}

const RESET_MINUTES = 1440;

/** Returns a code for setting a new password, valid once and for a day. */
export async function resetPassword(ctx: BaseCtx, email: string): Promise<string> {
  const code = await startPasswordReset(ctx, email, RESET_MINUTES);
  if (code === undefined) throw notFound(email);
  return code;
}

/** Creates a member's account. Returns a code for setting its password. Throws 400 if the email address is taken. */
export async function createAccount(ctx: BaseCtx, email: string, planTier: PlanTier): Promise<string> {
  await createUser(ctx, uuid(), {
    email,
    password_hash: UNMATCHABLE_HASH,
    planTier,
    mode: "open",
    isVouchedFor: true,
    firstIsAdmin: false,
  });
  return resetPassword(ctx, email);
}

/** True in SQL for an admin who can sign in. All admins are in the first shard. */
const ADMIN = sql.raw("role = 'admin' AND deleted_at IS NULL AND closed_at IS NULL");

const isLast = (number: number) => sql`EXISTS (SELECT 1 FROM users WHERE number = ${number} AND ${ADMIN})
  AND NOT EXISTS (SELECT 1 FROM users WHERE number <> ${number} AND ${ADMIN})`;

export async function isLastAdmin(ctx: BaseCtx, email: string): Promise<boolean> {
  const { number } = await requireAccount(ctx, email);
  const [row] = await ctx.db.all<{ is_last: number }>(sql`SELECT ${isLast(number)} AS is_last`);
  return row?.is_last === 1;
}

/** Throws 400 for the last admin's account unless `mayBeLastAdmin`. */
async function changeAccount(
  ctx: BaseCtx,
  email: string,
  change: Partial<typeof users.$inferInsert>,
  mayBeLastAdmin: boolean,
): Promise<void> {
  const { number } = await requireAccount(ctx, email);
  const update = ctx.db.update(users).set(change).where(eq(users.number, number));
  if (mayBeLastAdmin) await update;
  else await ctx.db.batch([assertInBatch(ctx, sql`NOT (${isLast(number)})`, "last-admin"), update]);
}

type LastAdminOption = { evenLastAdmin?: boolean | undefined };

/** Throws 400 for a new admin outside the first shard, and for the last admin's account. */
export async function setRole(
  ctx: BaseCtx,
  email: string,
  role: CtxUser["role"],
  { evenLastAdmin = false }: LastAdminOption = {},
): Promise<void> {
  const isAdmin = role === "admin";
  if (isAdmin && ctx.shard !== FIRST_SHARD)
    throw badRequest(
      `An admin's account must be in the first database: npm run homes -- move ${email} --to DB`,
    );
  await changeAccount(ctx, email, { role }, isAdmin || evenLastAdmin);
}

export type PaidSubscription = {
  customer_id: string;
  subscription_id: string;
  status: string;
  plan_tier: PlanTier;
};

/** The account's active subscription, which determines its plan; undefined without one. */
export async function findPaidSubscription(
  ctx: BaseCtx,
  email: string,
): Promise<PaidSubscription | undefined> {
  const { number } = await requireAccount(ctx, email);
  const { status, plan_tier } = subscriptions;
  const { customer_id, subscription_id } = customers;
  const [row] = await ctx.db
    .select({ customer_id, subscription_id, status, plan_tier })
    .from(customers)
    .innerJoin(subscriptions, eq(subscriptions.owner, customers.owner))
    .where(eq(customers.owner, number));
  if (!row?.subscription_id || !isSubscribed(row.subscription_id, row.status)) return undefined;
  return { ...row, subscription_id: row.subscription_id };
}

/** The account's customer at Stripe, with or without a subscription. */
export async function findCustomerId(ctx: BaseCtx, email: string): Promise<string | undefined> {
  const { number } = await requireAccount(ctx, email);
  const { customer_id } = customers;
  const [row] = await ctx.db.select({ customer_id }).from(customers).where(eq(customers.owner, number));
  return row?.customer_id;
}

/** Sets an account's plan. If it has a subscription, returns that: the new plan applies after its end. */
export async function setPlan(
  ctx: BaseCtx,
  email: string,
  plan_tier: PlanTier,
): Promise<PaidSubscription | undefined> {
  const { number } = await requireAccount(ctx, email);
  const paid = await findPaidSubscription(ctx, email);
  const fallback = ctx.db
    .update(customers)
    .set({ plan_otherwise: plan_tier })
    .where(eq(customers.owner, number));
  const now = ctx.db.update(subscriptions).set({ plan_tier }).where(eq(subscriptions.owner, number));
  await (paid ? fallback : ctx.db.batch([fallback, now]));
  return paid;
}

/** Closes or reopens an account. Credentials of a closed one are rejected. Throws 400 for the last admin's account. */
export async function setClosed(
  ctx: BaseCtx,
  email: string,
  isClosed: boolean,
  { evenLastAdmin = false }: LastAdminOption = {},
): Promise<void> {
  const closed_at = isClosed ? ctx.now.toISOString() : null;
  await changeAccount(ctx, email, { closed_at }, !isClosed || evenLastAdmin);
}

export async function dropSecondFactor(ctx: BaseCtx, email: string): Promise<void> {
  const userCtx = ctxFor(ctx, await requireAccount(ctx, email));
  if (!(await getSecondFactor(userCtx)).enabled) throw badRequest(`${email} has no second factor`);
  await removeSecondFactor(userCtx);
}

/** Deletes an account. Its email address becomes available immediately; its rows are erased in the background. */
export async function deleteAccount(ctx: BaseCtx, email: string): Promise<void> {
  await markAccountDeleted(ctxFor(ctx, await requireAccount(ctx, email)));
}
