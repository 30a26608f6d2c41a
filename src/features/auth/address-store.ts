import { sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { accountName } from "../../contract/home.ts";
import { unfenced } from "../../db/fence.ts";

// Where people have signed in from. An address group is stored as a keyed digest.

const KEPT_DAYS = 180;
const PURGED_AT_ONCE = 1000;

/** Whose failed sign-ins are counted together: those of an account, or of an e-mail that nobody has. */
export type Counted = { key: string; isKnown: boolean };

/**
 * How the failures of somebody who signs in are counted: by the account's number, because its e-mail can be changed, and
 * whether anybody has signed in to it from this address group before.
 */
export async function findCounted(ctx: BaseCtx, email: string, digest: string | undefined): Promise<Counted> {
  const [account] = await ctx.db.all<{ number: number; is_known: number }>(sql`SELECT number, EXISTS (
      SELECT 1 FROM sign_in_addresses WHERE address = ${digest ?? null} AND owner = number) AS is_known
    FROM users WHERE email = ${email}`);
  return account
    ? {
        key: `account:${accountName({ home: ctx.home, owner: account.number })}`,
        isKnown: account.is_known === 1,
      }
    : { key: email, isKnown: false };
}

/** A sign-in to the account of this e-mail, from this address group. */
export type Origin = { email: string; digest: string };

/** Records a successful sign-in to the account from this address group. */
export async function rememberAddress(ctx: BaseCtx, { email, digest }: Origin): Promise<void> {
  await ctx.db.run(sql`INSERT INTO sign_in_addresses (owner, address, last_used_at)
    SELECT number, ${digest}, ${ctx.now.toISOString()} FROM users WHERE email = ${email}
    ON CONFLICT (owner, address) DO UPDATE SET last_used_at = excluded.last_used_at`);
}

/** Deletes addresses that have not been used to sign in for half a year. */
export async function purgeAddresses(ctx: BaseCtx): Promise<void> {
  const before = new Date(ctx.now.getTime() - KEPT_DAYS * 86_400_000).toISOString();
  await ctx.db.run(sql`DELETE FROM sign_in_addresses WHERE (owner, address) IN (
    SELECT owner, address FROM sign_in_addresses WHERE last_used_at < ${before} AND ${unfenced("sign_in_addresses.owner")}
    LIMIT ${PURGED_AT_ONCE})`);
}
