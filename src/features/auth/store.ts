import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { SessionKind, User, UserUpdateRequest } from "../../contract/auth.ts";
import { omit } from "../../contract/omit.ts";
import type { BaseCtx, Ctx, CtxUser } from "../../platform/core/ctx.ts";
import { forbidden, notFound, unauthorized } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal } from "../../platform/db/call.ts";
import { second_factors, users } from "../../platform/db/tables.ts";
import { ctxUserColumns, userColumns } from "../../platform/db/user-columns.ts";
import { callerEventStatement, logFailedSignIn } from "../../platform/security-events/store.ts";
import { hashPassword, isOutdatedHash, type PasswordCheck, verifyPassword } from "./password.ts";
import { consumeCode } from "./second-factor/store.ts";
import type { SignInTicket } from "./second-factor/ticket.ts";
import {
  assertSignedIn,
  type NewSession,
  nextEpoch,
  openSession,
  revokeAllSessionsStatements,
} from "./session-store.ts";
import { accountKey } from "./sign-in-address-store.ts";
import type { SigningKeys } from "./token.ts";
import { createUser, type NewUser } from "./user-store.ts";
import { timeZoneChangeStatements } from "./zone-store.ts";

export type SessionRequest = { session: SessionKind; userAgent: string | undefined };

export type Registration = SessionRequest &
  Omit<NewUser, "password_hash"> & {
    password: string;
    /** The code of an invitation or set-up link, if it is valid. */
    invitation: string | undefined;
  };

export type SignInResult = NewSession & { owner: number; user: User };

const newUserOf = async ({ password, invitation, ...input }: Registration): Promise<NewUser> => ({
  ...input,
  password_hash: await hashPassword(password, { queueKey: invitation }),
});

/** Creates a user and a session in one transaction. Throws 400 when the email is taken, 403 for an invalid code. */
export async function register(ctx: BaseCtx, input: Registration): Promise<SignInResult> {
  const id = uuid();
  const { statements, ...session } = await openSession(ctx, id, input);
  return { ...session, ...(await createUser(ctx, id, await newUserOf(input), statements)) };
}

/** Creates a user who must confirm the email address before signing in. Throws 400 when the email is taken. */
export const registerPending = async (ctx: BaseCtx, input: Registration): Promise<{ user: User }> =>
  createUser(ctx, uuid(), await newUserOf(input));

export type LoginInput = SessionRequest & {
  /** How the password is checked, as decided in attempts.ts. */
  check: PasswordCheck;
  email: string;
  password: string;
  code?: string | undefined;
  onlyVerified: boolean;
};

export type CodeRequired = { ticket: SignInTicket };

const UNVERIFIED =
  "Confirm your email address first: open the link we sent you. If it has expired, use “Forgot password?”";

export function requireVerified(user: { email_verified_at: string | null }, onlyVerified: boolean): void {
  if (onlyVerified && user.email_verified_at === null) throw forbidden(UNVERIFIED);
}

type AuthenticatedUser = CtxUser & { epoch: number };

type CheckedCredentials = { user: AuthenticatedUser; sealedFactor: string | null };

const userWithFactorQuery = (ctx: BaseCtx) =>
  ctx.db
    .select({
      ...ctxUserColumns,
      epoch: users.sign_in_epoch,
      password_hash: users.password_hash,
      closed_at: users.closed_at,
      factor: second_factors.secret,
    })
    .from(users)
    .leftJoin(
      second_factors,
      and(eq(second_factors.owner, users.number), isNotNull(second_factors.confirmed_at)),
    );

function requireNotClosed(closed_at: string | null): void {
  if (closed_at) throw forbidden("This account is closed: ask the operator of this service");
}

/** Checks an email and password. An unknown email and a wrong password give the same 401 after the same time. */
async function checkCredentials(
  ctx: BaseCtx,
  { check, email, password, onlyVerified }: LoginInput,
): Promise<CheckedCredentials> {
  const [row] = await userWithFactorQuery(ctx).where(eq(users.email, email));
  const matches = await verifyPassword(password, row?.password_hash, check);
  if (!row || !matches) {
    await logFailedSignIn(ctx, email);
    throw unauthorized("Email or password is wrong", "wrong_credentials");
  }
  const { password_hash: stored, closed_at, factor, ...user } = row;
  requireNotClosed(closed_at);
  requireVerified(user, onlyVerified);
  if (isOutdatedHash(stored)) {
    const password_hash = await hashPassword(password, {
      queueKey: accountKey({ ...ctx, owner: user.number }),
    });
    const unchanged = and(eq(users.number, user.number), eq(users.password_hash, stored));
    await ctx.db.update(users).set({ password_hash }).where(unchanged);
  }
  return { user, sealedFactor: factor };
}

async function requireCode(
  ctx: BaseCtx,
  keys: SigningKeys,
  { user, sealedFactor }: CheckedCredentials,
  code: string,
) {
  if (sealedFactor === null || (await consumeCode({ ...ctx, owner: user.number }, keys, sealedFactor, code)))
    return;
  await logFailedSignIn(ctx, user.email);
  throw unauthorized("The code is wrong or has already been used: wait for the next one", "wrong_code");
}

/** Opens a session, unless the account was closed or signed out while its password was checked. Throws 401. */
export async function signInAs(
  ctx: BaseCtx,
  account: AuthenticatedUser,
  input: SessionRequest,
  more: BatchItem[] = [],
): Promise<SignInResult> {
  const { number: owner, epoch, ...user } = omit(account, "has_webhooks", "remind_before");
  const { statements, ...session } = await openSession(ctx, user.id, input);
  const isUnchanged = sql`EXISTS (SELECT 1 FROM users WHERE number = ${owner} AND sign_in_epoch = ${epoch}
    AND deleted_at IS NULL AND closed_at IS NULL)`;
  await ctx.db.batch([
    assertInBatch(ctx, isUnchanged, "account-changed"),
    ...more,
    ...statements,
    callerEventStatement({ ...ctx, owner }, "signed_in"),
  ]);
  return { ...session, owner, user };
}

/** Signs in, or reports that a code is required. An unknown email gives the same 401 after the same time. */
export async function login(
  ctx: BaseCtx,
  keys: SigningKeys,
  input: LoginInput,
): Promise<SignInResult | CodeRequired> {
  const identified = await checkCredentials(ctx, input);
  const { user, sealedFactor } = identified;
  if (sealedFactor !== null && input.code === undefined)
    return { ticket: { shard: ctx.shard, owner: user.number, email: user.email, epoch: user.epoch } };
  await requireCode(ctx, keys, identified, input.code ?? "");
  return signInAs(ctx, user, input);
}

/** Second step of a sign-in on a page: checks the code. Throws 401, and 403 for a closed account. */
export async function finishLogin(
  ctx: BaseCtx,
  keys: SigningKeys,
  { owner, epoch, ...input }: SignInTicket & SessionRequest & { code: string },
): Promise<SignInResult> {
  const current = and(eq(users.number, owner), eq(users.sign_in_epoch, epoch), isNull(users.deleted_at));
  const [row] = await userWithFactorQuery(ctx).where(current);
  if (!row) throw unauthorized("Your account was just changed: sign in again");
  const { password_hash: _, closed_at, factor, ...user } = row;
  requireNotClosed(closed_at);
  await requireCode(ctx, keys, { user, sealedFactor: factor }, input.code);
  return signInAs(ctx, user, input);
}

export async function logoutAll(ctx: Ctx): Promise<void> {
  await ctx.db.batch([
    ctx.db.update(users).set({ sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAllSessionsStatements(ctx),
    callerEventStatement(ctx, "signed_out_everywhere"),
  ]);
}

/** Throws 403 for a wrong password. Returns the sealed secret of the second factor, or null. */
export async function checkPassword(ctx: Ctx, password: string): Promise<{ factor: string | null }> {
  const [user] = await userWithFactorQuery(ctx).where(eq(users.number, ctx.owner));
  if (!(await verifyPassword(password, user?.password_hash, { queueKey: accountKey(ctx) })))
    throw forbidden("The current password is wrong");
  return { factor: user?.factor ?? null };
}

/** Changes the password and ends every session and connection; `signIn` opens a new one in the same transaction. */
export async function changePassword(
  ctx: Ctx,
  next: string,
  signIn?: SessionRequest,
): Promise<(NewSession & { owner: number }) | undefined> {
  const password_hash = await hashPassword(next, { queueKey: accountKey(ctx) });
  const opened = signIn && (await openSession(ctx, (await ctx.user()).id, signIn));
  await ctx.db.batch([
    // If the session was ended meanwhile, the password is not changed.
    assertSignedIn(ctx, await ctx.sessionId()),
    ctx.db.update(users).set({ password_hash, sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAllSessionsStatements(ctx),
    ...(opened?.statements ?? []),
    callerEventStatement(ctx, "password_changed"),
  ]);
  return opened && { id: opened.id, shard: opened.shard, secret: opened.secret, owner: ctx.owner };
}

export const getMe = async (ctx: Ctx): Promise<User> =>
  omit(await ctx.user(), "number", "has_webhooks", "remind_before");

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
  const [user] = await retryUntilWritten("account", async () => {
    const { timezone: to } = input;
    const moved = to ? await timeZoneChangeStatements(ctx, { from: (await ctx.user()).timezone, to }) : [];
    const { answer } = await catchRefusal(ctx.db.batch([update, ...moved]), "stale");
    return answer?.[0];
  });
  if (!user) throw notFound();
  return user;
}
