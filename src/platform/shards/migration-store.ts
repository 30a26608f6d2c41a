import { sql } from "drizzle-orm";
import type { AccountLocation } from "../core/account-location.ts";
import type { BaseCtx } from "../core/ctx.ts";

export async function findNewLocation(shard: BaseCtx, owner: number): Promise<AccountLocation | undefined> {
  const [place] = await shard.db.all<AccountLocation>(
    sql`SELECT home AS shard, number AS owner FROM moves WHERE moves.owner = ${owner} AND state = 'left'`,
  );
  return place;
}

export async function isMigrating(shard: BaseCtx, owner: number): Promise<boolean> {
  const moving = await shard.db.all(
    sql`SELECT 1 FROM moves WHERE moves.owner = ${owner} AND is_fenced AND state <> 'left'`,
  );
  return moving.length > 0;
}

export async function findNewLocationOfSecret(
  shard: BaseCtx,
  hash: string,
): Promise<AccountLocation | undefined> {
  const [place] = await shard.db.all<AccountLocation>(sql`SELECT home AS shard, number AS owner FROM moves
    WHERE state = 'left' AND owner = (SELECT owner FROM moved_secrets WHERE hash = ${hash})`);
  return place;
}

/** Stops redirecting an account's credentials, and lets the rows that a migration has left in this shard be erased. */
export async function forgetMigratedAccount(shard: BaseCtx, userId: string): Promise<void> {
  const numbers = sql`SELECT owner FROM moves WHERE user_id = ${userId}`;
  await shard.db.batch([
    shard.db.run(sql`UPDATE moves SET is_fenced = 0 WHERE user_id = ${userId}`),
    shard.db.run(
      sql`DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE owner IN (${numbers}))`,
    ),
    shard.db.run(sql`DELETE FROM sessions WHERE owner IN (${numbers})`),
    shard.db.run(sql`UPDATE users SET email = 'erased:' || number, password_hash = '', name = NULL,
      deleted_at = ${shard.now.toISOString()} WHERE number IN (${numbers})`),
    shard.db.run(sql`DELETE FROM moved_secrets WHERE owner IN (${numbers})`),
    shard.db.run(sql`DELETE FROM moves WHERE user_id = ${userId}`),
  ]);
}
