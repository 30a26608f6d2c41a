import { type SQL, sql } from "drizzle-orm";
import { accountName } from "../../contract/home.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { unfenced } from "../../platform/db/fence.ts";
import { hasBefore } from "../../platform/db/in-steps.ts";

// Where people have signed in from. An address group is stored as a keyed digest.

const RETENTION_DAYS = 180;
const PURGED_AT_ONCE = 1000;

/** What is counted of an account, or waits for it: by its number, because its email can be changed. */
export const accountKey = (of: { home: number; owner: number }) => `account:${accountName(of)}`;

/** Whose failed sign-ins are counted together: those of an account, or of an email that nobody has. */
export type Counted = { key: string; isKnown: boolean };

/** Whose failures count: those of the account, and whether anybody signed in to it from this address group before. */
export async function findCounted(ctx: BaseCtx, email: string, digest: string | undefined): Promise<Counted> {
  const [account] = await ctx.db.all<{ number: number; is_known: number }>(sql`SELECT number, EXISTS (
      SELECT 1 FROM sign_in_addresses WHERE address = ${digest ?? null} AND owner = number) AS is_known
    FROM users WHERE email = ${email}`);
  return account
    ? { key: accountKey({ home: ctx.home, owner: account.number }), isKnown: account.is_known === 1 }
    : { key: email, isKnown: false };
}

export type Origin = { email: string; digest: string };

export async function rememberAddress(ctx: BaseCtx, { email, digest }: Origin): Promise<void> {
  await ctx.db.run(sql`INSERT INTO sign_in_addresses (owner, address, last_used_at)
    SELECT number, ${digest}, ${ctx.now.toISOString()} FROM users WHERE email = ${email}
    ON CONFLICT (owner, address) DO UPDATE SET last_used_at = excluded.last_used_at`);
}

const cutoff = ({ now }: BaseCtx) => new Date(now.getTime() - RETENTION_DAYS * 86_400_000).toISOString();

export const hasOldAddresses = (ctx: BaseCtx): SQL =>
  hasBefore("sign_in_addresses", "last_used_at", cutoff(ctx));

export async function purgeAddresses(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM sign_in_addresses WHERE (owner, address) IN (
    SELECT owner, address FROM sign_in_addresses WHERE last_used_at < ${cutoff(ctx)} AND ${unfenced("sign_in_addresses.owner")}
    LIMIT ${PURGED_AT_ONCE})`);
}
