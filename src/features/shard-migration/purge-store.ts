import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { hasRowBefore } from "../../platform/db/delete-in-steps.ts";
import { moves } from "../../platform/db/tables.ts";
import { dropAbandonedCopy, endAbandonedMigration, type OpenShard } from "./store.ts";

/** A migration without progress for this long is presumed abandoned. */
const ABANDONED_MS = 3_600_000;
/** All requests that began before a migration have ended after this long, so nothing writes to the old rows any more. */
const FENCED_MS = 600_000;
const MIGRATIONS_PER_RUN = 100;

const ago = ({ now }: BaseCtx, milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();

export const hasOldMigrations = (home: BaseCtx): SQL => sql`(
  EXISTS (SELECT 1 FROM moves WHERE is_fenced AND at < ${ago(home, FENCED_MS)})
  OR ${hasRowBefore("moved_secrets", "expires_at", home.now.toISOString())})`;

/** Finishes or abandons migrations without progress since `before`, lets old rows be erased, and deletes expired secrets. */
export async function endAbandonedMigrations(
  home: BaseCtx,
  open: OpenShard,
  before = ago(home, ABANDONED_MS),
): Promise<void> {
  await home.db.batch([
    home.db.run(sql`UPDATE moves SET is_fenced = 0
      WHERE state = 'left' AND is_fenced AND at < ${ago(home, FENCED_MS)}`),
    home.db.run(sql`DELETE FROM moved_secrets WHERE expires_at < ${home.now.toISOString()}`),
  ]);
  const interrupted = await home.db
    .select()
    .from(moves)
    .where(sql`is_fenced AND state IN ('leaving', 'arriving') AND at < ${before}`)
    .limit(MIGRATIONS_PER_RUN);
  for (const row of interrupted) {
    if (row.state === "leaving") await endAbandonedMigration(open, home.shard, row, before);
    else await dropAbandonedCopy(open, home.shard, row);
  }
}
