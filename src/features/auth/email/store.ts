import { eq, sql } from "drizzle-orm";
import type { BaseCtx, Ctx, OwnerCtx } from "../../../platform/core/ctx.ts";
import { badRequest } from "../../../platform/core/errors.ts";
import { hashSecret } from "../../../platform/core/secret.ts";
import { assertInBatch } from "../../../platform/db/call.ts";
import { retention } from "../../../platform/db/delete-in-steps.ts";
import { users } from "../../../platform/db/tables.ts";
import { callerEventStatement, eventStatement } from "../../../platform/security-events/store.ts";
import { isAddressInOtherShard } from "../../../platform/shards/address-directory-store.ts";
import { hashPassword } from "../password.ts";
import { UNMATCHABLE_HASH } from "../password-cost.ts";
import { assertSignedIn, nextEpoch, revokeAllSessionsStatements } from "../session-store.ts";
import { accountKey } from "../sign-in-address-store.ts";
import { type EmailLinkPurpose, isAddressReserved, minutesAfter, newEmailLink } from "./link-store.ts";

const UNDO_DAYS = 7;

type EmailLink = {
  owner: number;
  user_id: string;
  email: string;
  old: string;
  created_at: string;
  verified: string | null;
  closed_at: string | null;
};

const NEXT_STEPS: Record<EmailLinkPurpose, string> = {
  reset: "request a new one",
  verify: "request a new one in the settings",
  change: "request the change again",
  undo: "ask the operator of this service for help",
};

/** The link of a code. Throws 400 if it was used, has expired, or the account no longer has the address. */
async function findLink(ctx: BaseCtx, purpose: EmailLinkPurpose, hash: string): Promise<EmailLink> {
  const [link] =
    await ctx.db.all<EmailLink>(sql`SELECT l.owner, l.email, l.created_at, u.id AS user_id, u.email AS old,
      u.email_verified_at AS verified, u.closed_at
    FROM email_links AS l JOIN users AS u ON u.number = l.owner AND u.deleted_at IS NULL
    WHERE l.hash = ${hash} AND l.purpose = ${purpose} AND l.expires_at > ${ctx.now.toISOString()}
      AND (l.purpose IN ('change', 'undo') OR l.email = u.email)`);
  if (!link) throw badRequest(`This link has already been used, or has expired: ${NEXT_STEPS[purpose]}`);
  return link;
}

/** Statements that use up a link. Of parallel requests, only one succeeds. */
const consumeLinkStatements = (ctx: BaseCtx, hash: string) =>
  [
    assertInBatch(ctx, sql`EXISTS (SELECT 1 FROM email_links WHERE hash = ${hash})`, "link-used"),
    ctx.db.run(sql`DELETE FROM email_links WHERE hash = ${hash}`),
  ] as const;

/** Deletes what may have given others access to an account, or sent them its data, since a time. */
const revokeAccessSince = (ctx: OwnerCtx, since: string) =>
  [
    ctx.db.run(sql`DELETE FROM api_keys WHERE owner = ${ctx.owner} AND created_at >= ${since}`),
    ctx.db.run(sql`DELETE FROM webhook_deliveries WHERE owner = ${ctx.owner}
      AND webhook_id IN (SELECT id FROM webhooks WHERE owner = ${ctx.owner} AND updated_at >= ${since})`),
    ctx.db.run(sql`DELETE FROM webhooks WHERE owner = ${ctx.owner} AND updated_at >= ${since}`),
    ctx.db.run(sql`DELETE FROM passkeys WHERE owner = ${ctx.owner} AND created_at >= ${since}`),
    ctx.db.run(sql`DELETE FROM second_factors WHERE owner = ${ctx.owner}
      AND (confirmed_at IS NULL OR confirmed_at >= ${since})`),
    ctx.db.run(sql`DELETE FROM recovery_codes WHERE owner = ${ctx.owner}
      AND NOT EXISTS (SELECT 1 FROM second_factors WHERE owner = ${ctx.owner})`),
  ] as const;

/** Sets a new password and ends sessions; for an unconfirmed account also keys, passkeys and two-factor. Throws 400. */
export async function finishPasswordReset(ctx: BaseCtx, code: string, password: string) {
  const hash = await hashSecret(code);
  const { owner, user_id, email, verified, closed_at } = await findLink(ctx, "reset", hash);
  const ownerCtx = { ...ctx, owner };
  const password_hash = await hashPassword(password, { queueKey: accountKey(ownerCtx) });
  const email_verified_at = verified ?? ctx.now.toISOString();
  await ctx.db.batch([
    ...consumeLinkStatements(ctx, hash),
    ctx.db
      .update(users)
      .set({ password_hash, email_verified_at, sign_in_epoch: nextEpoch })
      .where(eq(users.number, owner)),
    ...revokeAllSessionsStatements(ownerCtx),
    ...(verified === null ? revokeAccessSince(ownerCtx, "") : []),
    callerEventStatement(ownerCtx, "password_reset"),
  ]);
  return { user_id, email, isOpen: closed_at === null };
}

export async function startVerification(ctx: BaseCtx, userId: string): Promise<string> {
  const { code, statement } = await newEmailLink(ctx, "verify", sql`id = ${userId}`);
  await statement;
  return code;
}

/** Confirms an account's address, if it has not changed since. Throws 400. */
export async function finishVerification(ctx: BaseCtx, code: string): Promise<void> {
  const hash = await hashSecret(code);
  const { owner, email } = await findLink(ctx, "verify", hash);
  const verified = sql`number = ${owner} AND users.email = ${email}`;
  await ctx.db.batch([
    ...consumeLinkStatements(ctx, hash),
    ctx.db.run(sql`UPDATE users SET email_verified_at = ${ctx.now.toISOString()} WHERE ${verified}`),
    eventStatement(ctx, { event: "email_verified", detail: email }, verified),
  ]);
}

/** Whether no other account has an address or can still get it back, in SQL. */
const isAddressFree = (ctx: OwnerCtx, email: string) => sql`NOT EXISTS (
  SELECT 1 FROM users WHERE email = ${email} AND number <> ${ctx.owner}) AND NOT ${isAddressReserved(ctx, email, ctx.owner)}
  AND NOT ${isAddressInOtherShard(ctx, email)}`;

/** Codes that confirm the new address, and that stop or undo the change. Throws 400 when the new address is taken. */
export async function startEmailChange(ctx: Ctx, email: string) {
  const { email: old } = await ctx.user();
  if (email === old) throw badRequest("This is already your email address");
  const isCaller = sql`number = ${ctx.owner}`;
  const sessionId = await ctx.sessionId();
  const change = await newEmailLink(ctx, "change", isCaller, { email });
  const undo = await newEmailLink(ctx, "undo", isCaller);
  await ctx.db.batch([
    assertSignedIn(ctx, sessionId),
    assertInBatch(ctx, isAddressFree(ctx, email), "email-taken"),
    ctx.db.run(sql`DELETE FROM email_links WHERE owner = ${ctx.owner} AND purpose = 'change'`),
    change.statement,
    undo.statement,
    callerEventStatement(ctx, "email_change_requested", email),
  ]);
  return { old, change: change.code, undo: undo.code };
}

export type EmailChange = { user_id: string; email: string };

export type ClaimEmail = (changing: EmailChange) => Promise<void>;

/** Changes the account's address to the one that the link was sent to. Can be undone for 7 days. Throws 400. */
export async function finishEmailChange(ctx: BaseCtx, code: string, claim: ClaimEmail): Promise<EmailChange> {
  const hash = await hashSecret(code);
  const { owner, user_id, email, old } = await findLink(ctx, "change", hash);
  await claim({ user_id, email });
  const ownerCtx = { ...ctx, owner };
  await ctx.db.batch([
    ...consumeLinkStatements(ctx, hash),
    assertInBatch(ctx, isAddressFree(ownerCtx, email), "email-taken"),
    ctx.db.run(sql`UPDATE users SET email = ${email}, email_verified_at = ${ctx.now.toISOString()}
      WHERE number = ${owner}`),
    ctx.db.run(sql`UPDATE email_links SET expires_at = ${minutesAfter(ctx.now, UNDO_DAYS * 1440)}
      WHERE owner = ${owner} AND purpose = 'undo' AND email = ${old}`),
    ctx.db.run(sql`DELETE FROM email_links WHERE owner = ${owner} AND purpose IN ('reset', 'change')`),
    callerEventStatement(ownerCtx, "email_changed", email),
  ]);
  return { user_id, email };
}

/** Restores the old address. The change was requested with the password, so all credentials since then end. Throws 400. */
export async function undoEmailChange(ctx: BaseCtx, code: string, claim: ClaimEmail) {
  const hash = await hashSecret(code);
  const { owner, user_id, email, created_at } = await findLink(ctx, "undo", hash);
  await claim({ user_id, email });
  const ownerCtx = { ...ctx, owner };
  const reset = await newEmailLink(ctx, "reset", sql`number = ${owner}`);
  await ctx.db.batch([
    ...consumeLinkStatements(ctx, hash),
    assertInBatch(ctx, isAddressFree(ownerCtx, email), "email-taken"),
    // Later links may be in the hands of the one who made the change: they must not undo this.
    ctx.db.run(sql`DELETE FROM email_links
      WHERE owner = ${owner} AND purpose = 'undo' AND created_at >= ${created_at}`),
    ctx.db
      .update(users)
      .set({
        email,
        email_verified_at: ctx.now.toISOString(),
        password_hash: UNMATCHABLE_HASH,
        sign_in_epoch: nextEpoch,
      })
      .where(eq(users.number, owner)),
    ...revokeAllSessionsStatements(ownerCtx),
    ...revokeAccessSince(ownerCtx, created_at),
    reset.statement,
    callerEventStatement(ownerCtx, "email_change_undone", email),
  ]);
  return { user_id, email, reset: reset.code };
}

export const emailLinkRetention = retention("email_links", { key: "hash", column: "expires_at" });
