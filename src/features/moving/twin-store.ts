import { sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { findUser, releaseAccount, startLeaving } from "./side-store.ts";

export type Present = { id: string; number: number; entries: number };

export const listPresent = (home: BaseCtx): Promise<Present[]> =>
  home.db.all<Present>(sql`SELECT id, number,
      coalesce((SELECT max(number) FROM activity WHERE owner = users.number), 0) AS entries
    FROM users WHERE deleted_at IS NULL`);

/** Marks the older of two counterparts as migrated and redirects its credentials to the newer one in another shard. */
export async function leaveFor(from: BaseCtx, { id }: Present, there: { home: number; number: number }) {
  const user = await findUser(from, id);
  if (!user) return;
  await startLeaving(from, user, there.home);
  await releaseAccount(from, user.number, there, []);
}
