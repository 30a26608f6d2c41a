import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../../../platform/core/ctx.ts";
import { newSecretOf } from "../../../contract/home.ts";
import { hashSecret } from "../../../platform/core/secret.ts";
import type { email_links } from "../../../db/tables.ts";
import { eventStatement } from "../../../platform/security-events/store.ts";

// New links for mails. What they do is in store.ts; this file hashes no passwords, so that the operator's commands can
// load it outside of a Worker.

export type Purpose = (typeof email_links.$inferSelect)["purpose"];

const MINUTES: Record<Purpose, number> = { reset: 30, verify: 7 * 1440, change: 1440, undo: 8 * 1440 };

export const after = (now: Date, minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString();

/**
 * Whether an account that gave up an address can still take it back, by undoing the change.
 *
 * @param owner the account that asks, whose own claim does not count; without it, all count
 */
export const isReserved = (ctx: BaseCtx, email: string, owner = 0) => sql`EXISTS (SELECT 1 FROM email_links
  WHERE purpose = 'undo' AND email_links.email = ${email} AND email_links.owner <> ${owner}
    AND email_links.expires_at > ${ctx.now.toISOString()})`;

/**
 * A new link, and the statement that stores it; the code is what the mail contains.
 *
 * @param account a condition on `users` that finds the account
 * @param how `email` is the address that the link is for if not the account's own, `minutes` how long it is good
 */
export async function newLink(
  ctx: BaseCtx,
  purpose: Purpose,
  account: SQL,
  { email, minutes = MINUTES[purpose] }: { email?: string; minutes?: number } = {},
) {
  const code = newSecretOf(ctx.home);
  const statement = ctx.db.all<{ email: string }>(sql`INSERT INTO email_links
    (hash, owner, purpose, email, created_at, expires_at)
    SELECT ${await hashSecret(code)}, number, ${purpose}, ${email ?? sql`email`}, ${ctx.now.toISOString()},
      ${after(ctx.now, minutes)}
    FROM users WHERE deleted_at IS NULL AND ${account} RETURNING email`);
  return { code, statement };
}

/**
 * A code that sets the password of the account with this e-mail; undefined when nobody has it.
 *
 * @param minutes how long it is good, if not as long as a mailed one
 */
export async function startPasswordReset(
  ctx: BaseCtx,
  email: string,
  minutes?: number,
): Promise<string | undefined> {
  const account = sql`users.email = ${email}`;
  const { code, statement } = await newLink(ctx, "reset", account, minutes === undefined ? {} : { minutes });
  const [created] = await ctx.db.batch([
    statement,
    eventStatement(ctx, { event: "password_reset_requested" }, account),
  ]);
  return created.length > 0 ? code : undefined;
}
