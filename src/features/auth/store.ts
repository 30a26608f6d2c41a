import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { v7 as uuid } from "uuid";
import type { BaseCtx, Ctx, CtxUser } from "../../platform/core/ctx.ts";
import { forbidden, notFound, unauthorized } from "../../platform/core/errors.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { must, unless } from "../../platform/db/call.ts";
import { second_factors, users } from "../../db/tables.ts";
import { ctxUserColumns, userColumns } from "../../platform/db/user-columns.ts";
import { moveToZoneStatements } from "../memories/wake-store.ts";
import { moveRemindersStatements } from "../reminders/store.ts";
import { noteFailure, ownEvent } from "../../platform/security-events/store.ts";
import { hashPassword, isOutdated, verifyPassword } from "../../auth/password.ts";
import type { SessionKind, User, UserUpdateRequest } from "../../contract/auth.ts";
import { acceptCode } from "./second-factor/store.ts";
import type { FirstStep } from "./second-factor/ticket.ts";
import { mustBeSignedIn, type NewSession, nextEpoch, openSession, revokeAll } from "./session-store.ts";
import type { SigningKeys } from "./token.ts";
import { createUser, type NewUser } from "./user-store.ts";

/** How a person signs in: with what kind of session, and from which program. */
export type SignIn = { session: SessionKind; userAgent: string | undefined };

export type Registration = SignIn & Omit<NewUser, "password_hash"> & { password: string };

/** Somebody who has just signed in: the account, and the session with its secret. */
export type SignedIn = NewSession & { owner: number; user: User };

/** The row of somebody who registers. */
const userOf = async ({ password, ...input }: Registration): Promise<NewUser> => ({
  ...input,
  password_hash: await hashPassword(password),
});

/**
 * Creates a user, the subscription and a session in one transaction. Throws 400 when the e-mail is taken, and 403 when
 * the code is not valid.
 */
export async function register(ctx: BaseCtx, input: Registration): Promise<SignedIn> {
  const id = uuid();
  const { statements, ...session } = await openSession(ctx, id, input);
  return { ...session, ...(await createUser(ctx, id, await userOf(input), statements)) };
}

/** Creates a user who has to confirm the address before signing in. Throws 400 when the e-mail is taken. */
export const registerPending = async (ctx: BaseCtx, input: Registration): Promise<{ user: User }> =>
  createUser(ctx, uuid(), await userOf(input));

export type Login = SignIn & {
  email: string;
  password: string;
  /** A code of the second factor, or a recovery code. */
  code?: string | undefined;
  /** Whether only people may sign in who have confirmed their address. */
  onlyVerified: boolean;
};

/** The password was right, and a code of the second factor is missing. */
export type CodeMissing = { codeMissing: FirstStep };

const UNVERIFIED =
  "Confirm your e-mail address first: open the link that we have sent you. If it has expired, use “Forgot password?”";

/** Throws 403 for an account that waits for its address to be confirmed. */
export function requireVerified(user: { email_verified_at: string | null }, onlyVerified: boolean): void {
  if (onlyVerified && user.email_verified_at === null) throw forbidden(UNVERIFIED);
}

/** An account as it was when somebody proved to be its owner. */
type Proved = CtxUser & { epoch: number };

/** Somebody whose password was right, and the sealed secret of the second factor, if there is one. */
type Identified = { user: Proved; factor: string | null };

const withFactor = (ctx: BaseCtx) =>
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

/** Throws 403 for an account that the operator has closed. */
function requireOpen(closed_at: string | null): void {
  if (closed_at) throw forbidden("This account is closed: ask the operator of this service");
}

/** Checks an e-mail and password. Throws the same 401, after the same time, for an unknown e-mail and a wrong password. */
async function identify(ctx: BaseCtx, { email, password, onlyVerified }: Login): Promise<Identified> {
  const [found] = await withFactor(ctx).where(eq(users.email, email));
  const matches = await verifyPassword(password, found?.password_hash);
  if (!found || !matches) {
    await noteFailure(ctx, email);
    throw unauthorized("E-mail or password is wrong");
  }
  const { password_hash: stored, closed_at, factor, ...user } = found;
  requireOpen(closed_at);
  requireVerified(user, onlyVerified);
  if (isOutdated(stored)) {
    const password_hash = await hashPassword(password);
    const unchanged = and(eq(users.number, user.number), eq(users.password_hash, stored));
    await ctx.db.update(users).set({ password_hash }).where(unchanged);
  }
  return { user, factor };
}

/** Throws 401 for a code that is wrong or has been used. */
async function requireCode(ctx: BaseCtx, keys: SigningKeys, { user, factor }: Identified, code: string) {
  if (factor === null || (await acceptCode({ ...ctx, owner: user.number }, keys, factor, code))) return;
  await noteFailure(ctx, user.email);
  throw unauthorized("The code is wrong, or has been used already: wait for the next one");
}

/**
 * Opens a session for somebody who has proved who they are, unless the account has been closed or everybody signed out
 * since then: to check a password takes long enough for that. Throws 401.
 *
 * @param more statements of the same transaction
 */
export async function signInAs(
  ctx: BaseCtx,
  { number: owner, epoch, has_webhooks: _, ...user }: Proved,
  input: SignIn,
  more: BatchItem<"sqlite">[] = [],
): Promise<SignedIn> {
  const { statements, ...session } = await openSession(ctx, user.id, input);
  const isUnchanged = sql`EXISTS (SELECT 1 FROM users WHERE number = ${owner} AND sign_in_epoch = ${epoch}
    AND deleted_at IS NULL AND closed_at IS NULL)`;
  await ctx.db.batch([
    must(ctx, isUnchanged, "account-changed"),
    ...more,
    ...statements,
    ownEvent({ ...ctx, owner }, "signed_in"),
  ]);
  return { ...session, owner, user };
}

/**
 * Signs in with a new session, or says that a code is missing. Throws the same 401, after the same time, for an unknown
 * e-mail and a wrong password.
 */
export async function login(ctx: BaseCtx, keys: SigningKeys, input: Login): Promise<SignedIn | CodeMissing> {
  const identified = await identify(ctx, input);
  const { user, factor } = identified;
  if (factor !== null && input.code === undefined)
    return { codeMissing: { home: ctx.home, owner: user.number, email: user.email, epoch: user.epoch } };
  await requireCode(ctx, keys, identified, input.code ?? "");
  return signInAs(ctx, user, input);
}

/** Signs in somebody whose password was right a moment ago. Throws 401, and 403 for a closed account. */
export async function finishLogin(
  ctx: BaseCtx,
  keys: SigningKeys,
  { owner, epoch, ...input }: FirstStep & SignIn & { code: string },
): Promise<SignedIn> {
  const current = and(eq(users.number, owner), eq(users.sign_in_epoch, epoch), isNull(users.deleted_at));
  const [found] = await withFactor(ctx).where(current);
  if (!found) throw unauthorized("Your password has been changed: sign in again");
  const { password_hash: _, closed_at, factor, ...user } = found;
  requireOpen(closed_at);
  await requireCode(ctx, keys, { user, factor }, input.code);
  return signInAs(ctx, user, input);
}

/** Ends every session, including this one, every connection and the calendar feed of the caller. */
export async function logoutAll(ctx: Ctx): Promise<void> {
  await ctx.db.batch([
    ctx.db.update(users).set({ sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAll(ctx),
    ownEvent(ctx, "signed_out_everywhere"),
  ]);
}

/** Throws 403 when this is not the caller's password. Returns the sealed secret of the second factor, if there is one. */
export async function checkPassword(ctx: Ctx, password: string): Promise<{ factor: string | null }> {
  const [user] = await withFactor(ctx).where(eq(users.number, ctx.owner));
  if (!(await verifyPassword(password, user?.password_hash)))
    throw forbidden("The current password is wrong");
  return { factor: user?.factor ?? null };
}

/**
 * Changes the password and ends every session and connection.
 *
 * @param signIn opens a new session in the same transaction; without it, the caller has to sign in again
 */
export async function changePassword(
  ctx: Ctx,
  next: string,
  signIn?: SignIn,
): Promise<(NewSession & { owner: number }) | undefined> {
  const password_hash = await hashPassword(next);
  const opened = signIn && (await openSession(ctx, (await ctx.user()).id, signIn));
  await ctx.db.batch([
    // Whoever ended the session meanwhile has the last word about the password.
    mustBeSignedIn(ctx, await ctx.sessionId()),
    ctx.db.update(users).set({ password_hash, sign_in_epoch: nextEpoch }).where(eq(users.number, ctx.owner)),
    ...revokeAll(ctx),
    ...(opened?.statements ?? []),
    ownEvent(ctx, "password_changed"),
  ]);
  return opened && { id: opened.id, home: opened.home, secret: opened.secret, owner: ctx.owner };
}

/** The caller's account as currently stored. */
export async function getMe(ctx: Ctx): Promise<User> {
  const { number: _, has_webhooks: __, ...user } = await ctx.user();
  return user;
}

/** What follows a new time zone: sleeping records and reminders. */
const movedTo = async (ctx: Ctx, timezone: string) => [
  ...(await moveToZoneStatements(ctx, timezone)),
  ...(await moveRemindersStatements(ctx, timezone)),
];

/** Changes the given fields of the caller; the others stay. */
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
    const moved = input.timezone ? await movedTo(ctx, input.timezone) : [];
    const { answer } = await unless(ctx.db.batch([update, ...moved]), "stale");
    return answer?.[0];
  });
  if (!user) throw notFound();
  return user;
}
