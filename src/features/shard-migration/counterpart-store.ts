import { sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { fenceAccount, findUser, markMigrated } from "./shard-store.ts";

export type PresentAccount = { id: string; number: number; activityEntries: number };

export const listPresentAccounts = (home: BaseCtx): Promise<PresentAccount[]> =>
  home.db.all<PresentAccount>(sql`SELECT id, number,
      coalesce((SELECT max(number) FROM activity WHERE owner = users.number), 0) AS activityEntries
    FROM users WHERE deleted_at IS NULL`);

/** Marks one of two counterparts as migrated and redirects its credentials to the other, in another shard. */
export async function redirectToCounterpart(
  from: BaseCtx,
  { id }: PresentAccount,
  there: { home: number; number: number },
) {
  const user = await findUser(from, id);
  if (!user) return;
  await fenceAccount(from, user, there.home);
  await markMigrated(from, user.number, there, []);
}
