import { eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { PlanTier } from "../../contract/billing.ts";
import { FIRST_HOME } from "../../contract/home.ts";
import { type BaseCtx, type CtxUser, ctxFor } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { customers, subscriptions, users } from "../../platform/db/tables.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { startPasswordReset } from "../auth/email/link-store.ts";
import { NOBODY } from "../auth/password-cost.ts";
import { getSecondFactor, removeSecondFactor } from "../auth/second-factor/store.ts";
import { createUser } from "../auth/user-store.ts";
import { isSubscribed } from "../billing/subscribed.ts";
import { closeAccount } from "../erasure/store.ts";

export type Account = {
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

export const listAccounts = (ctx: BaseCtx): Promise<Account[]> =>
  ctx.db.all<Account>(sql`
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
export async function accountOf(ctx: BaseCtx, email: string) {
  const user = await findAccount(ctx, email);
  if (!user) throw notFound(email);
  return user;
}

const RESET_MINUTES = 1440;

/** A code with which the account's owner sets a password, once and within a day. */
export async function resetPassword(ctx: BaseCtx, email: string): Promise<string> {
  const code = await startPasswordReset(ctx, email, RESET_MINUTES);
  if (code === undefined) throw notFound(email);
  return code;
}

/** Creates a member's account, and a code with which its owner sets the password. Throws 400 if the email is taken. */
export async function createAccount(ctx: BaseCtx, email: string, planTier: PlanTier): Promise<string> {
  await createUser(ctx, uuid(), {
    email,
    password_hash: NOBODY,
    planTier,
    mode: "open",
    isVouchedFor: true,
    firstIsAdmin: false,
  });
  return resetPassword(ctx, email);
}

/** An admin who can sign in, in SQL; the admins' accounts are in the first home. */
const ADMIN = sql.raw("role = 'admin' AND deleted_at IS NULL AND closed_at IS NULL");

const isLast = (number: number) => sql`EXISTS (SELECT 1 FROM users WHERE number = ${number} AND ${ADMIN})
  AND NOT EXISTS (SELECT 1 FROM users WHERE number <> ${number} AND ${ADMIN})`;

export async function isLastAdmin(ctx: BaseCtx, email: string): Promise<boolean> {
  const { number } = await accountOf(ctx, email);
  const [row] = await ctx.db.all<{ is_last: number }>(sql`SELECT ${isLast(number)} AS is_last`);
  return row?.is_last === 1;
}

/** Changes an account. Throws 400 if it is the last admin's, unless it may be. */
async function changeAccount(
  ctx: BaseCtx,
  email: string,
  change: Partial<typeof users.$inferInsert>,
  mayBeLastAdmin: boolean,
): Promise<void> {
  const { number } = await accountOf(ctx, email);
  const update = ctx.db.update(users).set(change).where(eq(users.number, number));
  if (mayBeLastAdmin) await update;
  else await ctx.db.batch([assertInBatch(ctx, sql`NOT (${isLast(number)})`, "last-admin"), update]);
}

type EvenLast = { evenLastAdmin?: boolean | undefined };

/** Throws 400 for an account whose home is not the first, and if it is the last admin's. */
export async function setRole(
  ctx: BaseCtx,
  email: string,
  role: CtxUser["role"],
  { evenLastAdmin = false }: EvenLast = {},
): Promise<void> {
  const isAdmin = role === "admin";
  if (isAdmin && ctx.home !== FIRST_HOME)
    throw badRequest(`An admin's account is in the first home: npm run homes -- move ${email} --to DB`);
  await changeAccount(ctx, email, { role }, isAdmin || evenLastAdmin);
}

/** What an account pays for at Stripe; undefined for nothing. */
export type Paid = { customer_id: string; subscription_id: string; status: string; plan_tier: PlanTier };

/** A live subscription, which decides the plan. */
export async function findPaid(ctx: BaseCtx, email: string): Promise<Paid | undefined> {
  const { number } = await accountOf(ctx, email);
  const { status, plan_tier } = subscriptions;
  const [row] = await ctx.db
    .select({
      customer_id: customers.customer_id,
      subscription_id: customers.subscription_id,
      status,
      plan_tier,
    })
    .from(customers)
    .innerJoin(subscriptions, eq(subscriptions.owner, customers.owner))
    .where(eq(customers.owner, number));
  const { subscription_id = null } = row ?? {};
  return row && subscription_id && isSubscribed(subscription_id, row.status)
    ? { ...row, subscription_id }
    : undefined;
}

/** The account's customer at Stripe, whatever it has paid for. */
export async function findCustomerId(ctx: BaseCtx, email: string): Promise<string | undefined> {
  const { number } = await accountOf(ctx, email);
  const [row] = await ctx.db
    .select({ id: customers.customer_id })
    .from(customers)
    .where(eq(customers.owner, number));
  return row?.id;
}

/** Gives an account a plan. Returns the subscription until whose end another one applies, if there is one. */
export async function setPlan(ctx: BaseCtx, email: string, plan_tier: PlanTier): Promise<Paid | undefined> {
  const { number } = await accountOf(ctx, email);
  const paid = await findPaid(ctx, email);
  const otherwise = ctx.db
    .update(customers)
    .set({ plan_otherwise: plan_tier })
    .where(eq(customers.owner, number));
  const now = ctx.db.update(subscriptions).set({ plan_tier }).where(eq(subscriptions.owner, number));
  await (paid ? otherwise : ctx.db.batch([otherwise, now]));
  return paid;
}

/** Closes an account: credentials are refused until it is opened again. Throws 400 if it is the last admin's. */
export async function setClosed(
  ctx: BaseCtx,
  email: string,
  isClosed: boolean,
  { evenLastAdmin = false }: EvenLast = {},
): Promise<void> {
  const closed_at = isClosed ? ctx.now.toISOString() : null;
  await changeAccount(ctx, email, { closed_at }, !isClosed || evenLastAdmin);
}

export async function dropSecondFactor(ctx: BaseCtx, email: string): Promise<void> {
  const own = ctxFor(ctx, await accountOf(ctx, email));
  if (!(await getSecondFactor(own)).enabled) throw badRequest(`${email} has no second factor`);
  await removeSecondFactor(own);
}

/** Deletes an account. Its email is free at once; the cron handler erases what it owned. */
export async function deleteAccount(ctx: BaseCtx, email: string): Promise<void> {
  await closeAccount(ctxFor(ctx, await accountOf(ctx, email)));
}
