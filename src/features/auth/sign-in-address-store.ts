import { sql } from "drizzle-orm";
import { globalAccountId } from "../../contract/shard.ts";
import type { AccountLocation } from "../../platform/core/account-location.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { retention } from "../../platform/db/delete-in-steps.ts";

// Address groups from which people have signed in, stored as keyed digests.

/** Key of an account for rate limits and queues: by its number, because the email can change. */
export const accountKey = (account: AccountLocation) => `account:${globalAccountId(account)}`;

/** `key`: failed sign-ins are counted by account, or by email if no account has it. `isKnown`: see `findFailureKey`. */
export type FailureKey = { key: string; isKnown: boolean };

/** The key for counting failures, and whether the account was signed in to from this address group before. */
export async function findFailureKey(
  ctx: BaseCtx,
  email: string,
  digest: string | undefined,
): Promise<FailureKey> {
  const [account] = await ctx.db.all<{ number: number; is_known: number }>(sql`SELECT number, EXISTS (
      SELECT 1 FROM sign_in_addresses WHERE address = ${digest ?? null} AND owner = number) AS is_known
    FROM users WHERE email = ${email}`);
  return account
    ? { key: accountKey({ shard: ctx.shard, owner: account.number }), isKnown: account.is_known === 1 }
    : { key: email, isKnown: false };
}

export type SignInAddress = { email: string; digest: string };

export async function rememberSignInAddress(ctx: BaseCtx, { email, digest }: SignInAddress): Promise<void> {
  await ctx.db.run(sql`INSERT INTO sign_in_addresses (owner, address, last_used_at)
    SELECT number, ${digest}, ${ctx.now.toISOString()} FROM users WHERE email = ${email}
    ON CONFLICT (owner, address) DO UPDATE SET last_used_at = excluded.last_used_at`);
}

export const signInAddressRetention = retention("sign_in_addresses", {
  key: "owner, address",
  column: "last_used_at",
  days: 180,
});
