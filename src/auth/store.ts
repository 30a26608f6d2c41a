import { eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { BaseCtx, Ctx, CtxUser } from "../core/ctx.ts";
import { badRequest, forbidden, notFound, unauthorized } from "../core/errors.ts";
import { untilWritten } from "../core/retry.ts";
import { unless } from "../db/call.ts";
import { type subscriptions, users } from "../db/tables.ts";
import { ctxUserColumns, userColumns } from "../db/user-columns.ts";
import { moveToZoneStatements } from "../memories/wake-store.ts";
import { hashPassword, isOutdated, verifyPassword } from "./password.ts";
import { spendCode } from "./registration-store.ts";
import type { RegistrationMode, SessionKind, User, UserUpdateRequest } from "./schema.ts";
import { type NewSession, openSession, revokeAll } from "./session-store.ts";

/** How a person signs in: with what kind of session, and from which program. */
export type SignIn = { session: SessionKind; userAgent: string | undefined };

export type Registration = SignIn & {
  email: string;
  password: string;
  name?: string | undefined;
  timezone?: string | undefined;
  planTier: (typeof subscriptions.$inferInsert)["plan_tier"];
  /** Of an invitation, or of the link that sets up the admin's account. */
  code?: string | undefined;
  mode: RegistrationMode;
  /** Whether the first account becomes the admin's even without a link. */
  firstIsAdmin: boolean;
};

/** Somebody who has just signed in: the account, and the session with its secret. */
export type SignedIn = NewSession & { owner: number; user: User };

/** The role of somebody who registers without a link. */
const roleOf = (firstIsAdmin: boolean) =>
  firstIsAdmin ? sql`CASE WHEN EXISTS (SELECT 1 FROM users) THEN 'member' ELSE 'admin' END` : sql`'member'`;

/**
 * Creates a user, the subscription and a session in one transaction. Throws 400 when the e-mail is taken, and 403 when
 * the code is not valid.
 */
export async function register(ctx: BaseCtx, input: Registration): Promise<SignedIn> {
  const id = uuid();
  const now = ctx.now.toISOString();
  const hash = await hashPassword(input.password);
  const { statements, ...session } = await openSession(ctx, id, input);
  const stale_after_days = { commitment: 14, blocker: 7 };
  const fields = {
    name: input.name ?? null,
    timezone: input.timezone ?? "UTC",
    stale_after_days,
    created_at: now,
  };
  const used =
    input.code === undefined ? undefined : await spendCode(ctx, { ...input, code: input.code, userId: id });
  const [[inserted]] = await ctx.db.batch([
    ctx.db.all<{
      number: number;
      role: User["role"];
    }>(sql`INSERT INTO users (id, email, password_hash, name, role, timezone, stale_after_days, created_at)
      SELECT ${id}, ${input.email}, ${hash}, ${fields.name},
        ${used?.role ?? roleOf(input.firstIsAdmin)},
        ${fields.timezone}, ${JSON.stringify(stale_after_days)}, ${now}
      WHERE true ON CONFLICT (email) DO NOTHING RETURNING number, role`),
    ctx.db.run(sql`INSERT INTO subscriptions (id, owner, plan_tier, status, created_at)
      SELECT ${uuid()}, number, ${input.planTier}, 'active', ${now} FROM users WHERE id = ${id}`),
    ...statements,
    ...(used?.statements ?? []),
  ]);
  if (!inserted) throw badRequest("This e-mail address is already registered: sign in instead");
  const { number: owner, role } = inserted;
  return { ...session, owner, user: { id, email: input.email, role, ...fields } };
}

export type Login = SignIn & { email: string; password: string };

/** Checks an e-mail and password. Throws the same 401, after the same time, for an unknown e-mail and a wrong password. */
async function identify(ctx: BaseCtx, { email, password }: Login): Promise<CtxUser> {
  const [found] = await ctx.db
    .select({ ...ctxUserColumns, password_hash: users.password_hash, closed_at: users.closed_at })
    .from(users)
    .where(eq(users.email, email));
  const matches = await verifyPassword(password, found?.password_hash);
  if (!found || !matches) throw unauthorized("E-mail or password is wrong");
  const { password_hash: stored, closed_at, ...user } = found;
  if (closed_at) throw forbidden("This account is closed: ask the operator of this service");
  if (isOutdated(stored)) {
    const password_hash = await hashPassword(password);
    await ctx.db.update(users).set({ password_hash }).where(eq(users.number, user.number));
  }
  return user;
}

/**
 * Signs in with a new session. Throws the same 401, after the same time, for an unknown e-mail and a wrong password.
 */
export async function login(ctx: BaseCtx, input: Login): Promise<SignedIn> {
  const { number: owner, active_webhooks: _, ...user } = await identify(ctx, input);
  const { statements, ...session } = await openSession(ctx, user.id, input);
  await ctx.db.batch(statements);
  return { ...session, owner, user };
}

/** Starts a new epoch, which invalidates all existing grants of MCP clients. */
const nextEpoch = sql`sign_in_epoch + 1`;

/** Ends every session, including this one, every connection and the calendar feed of the caller. */
export async function logoutAll(ctx: Ctx): Promise<void> {
  await ctx.db.batch([
    ctx.db.update(users).set({ sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAll(ctx),
  ]);
}

/** Throws 403 when this is not the caller's password. */
export async function checkPassword(ctx: Ctx, password: string): Promise<void> {
  const [user] = await ctx.db
    .select({ password_hash: users.password_hash })
    .from(users)
    .where(eq(users.number, ctx.owner));
  if (!(await verifyPassword(password, user?.password_hash)))
    throw forbidden("The current password is wrong");
}

export type PasswordChange = { current: string; next: string };

/**
 * Changes the password and ends every session and connection. Throws 403 when the current one is wrong.
 *
 * @param signIn opens a new session in the same transaction; without it, the caller has to sign in again
 */
export async function changePassword(
  ctx: Ctx,
  { current, next }: PasswordChange,
  signIn?: SignIn,
): Promise<(NewSession & { owner: number }) | undefined> {
  await checkPassword(ctx, current);
  const password_hash = await hashPassword(next);
  const opened = signIn && (await openSession(ctx, (await ctx.user()).id, signIn));
  await ctx.db.batch([
    ctx.db.update(users).set({ password_hash, sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAll(ctx),
    ...(opened?.statements ?? []),
  ]);
  return opened && { id: opened.id, secret: opened.secret, owner: ctx.owner };
}

/** The caller's account as currently stored. */
export async function getMe(ctx: Ctx): Promise<User> {
  const { number: _, active_webhooks: __, ...user } = await ctx.user();
  return user;
}

/** Changes the given fields of the caller; the others stay. Sleeping records follow a new time zone. */
export async function updateMe(ctx: Ctx, input: UserUpdateRequest): Promise<User> {
  const { stale_after_days: days, ...fields } = input;
  const update = ctx.db
    .update(users)
    .set({
      number: ctx.owner,
      ...fields,
      ...(days && { stale_after_days: sql`json_patch(stale_after_days, ${JSON.stringify(days)})` }),
    })
    .where(eq(users.number, ctx.owner))
    .returning(userColumns);
  const [user] = await untilWritten("account", async () => {
    const moved = input.timezone ? await moveToZoneStatements(ctx, input.timezone) : [];
    const { answer } = await unless(ctx.db.batch([update, ...moved]), "stale");
    return answer?.[0];
  });
  if (!user) throw notFound();
  return user;
}
