import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../../../platform/core/ctx.ts";
import { hashSecret, newSecretForShard } from "../../../platform/core/secret.ts";
import type { email_links } from "../../../platform/db/tables.ts";
import { eventStatement } from "../../../platform/security-events/store.ts";

// Must not import password hashing: the operator's commands load this file outside of a Worker.

export type EmailLinkPurpose = (typeof email_links.$inferSelect)["purpose"];

const MINUTES: Record<EmailLinkPurpose, number> = {
  reset: 30,
  verify: 7 * 1440,
  change: 1440,
  undo: 8 * 1440,
};

export const minutesAfter = (now: Date, minutes: number) =>
  new Date(now.getTime() + minutes * 60_000).toISOString();

/** Whether another account than `owner` can still get this address back by undoing a change. */
export const isAddressReserved = (
  ctx: BaseCtx,
  email: string,
  owner = 0,
) => sql`EXISTS (SELECT 1 FROM email_links
  WHERE purpose = 'undo' AND email_links.email = ${email} AND email_links.owner <> ${owner}
    AND email_links.expires_at > ${ctx.now.toISOString()})`;

/** A new link for the account that matches, and the statement that stores it. `minutes`: until it expires. */
export async function newEmailLink(
  ctx: BaseCtx,
  purpose: EmailLinkPurpose,
  account: SQL,
  { email, minutes = MINUTES[purpose] }: { email?: string; minutes?: number } = {},
) {
  const code = newSecretForShard(ctx.shard);
  const statement = ctx.db.returning<{ email: string }>(sql`INSERT INTO email_links
    (hash, owner, purpose, email, created_at, expires_at)
    SELECT ${await hashSecret(code)}, number, ${purpose}, ${email ?? sql`email`}, ${ctx.now.toISOString()},
      ${minutesAfter(ctx.now, minutes)}
    FROM users WHERE deleted_at IS NULL AND ${account} RETURNING email`);
  return { code, statement };
}

/** A code for setting a new password; undefined for an unknown email. With `minutes`, it is the operator's. */
export async function startPasswordReset(
  ctx: BaseCtx,
  email: string,
  minutes?: number,
): Promise<string | undefined> {
  const isByEmail = minutes === undefined;
  const account = sql`users.email = ${email} AND (NOT ${isByEmail} OR users.closed_at IS NULL)`;
  const { code, statement } = await newEmailLink(ctx, "reset", account, isByEmail ? {} : { minutes });
  const [created] = await ctx.db.batch([
    statement,
    eventStatement(ctx, { event: "password_reset_requested" }, account),
  ]);
  return created.length > 0 ? code : undefined;
}
