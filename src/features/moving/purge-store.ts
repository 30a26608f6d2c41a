import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { hasBefore } from "../../platform/db/in-steps.ts";
import { moves } from "../../platform/db/tables.ts";
import { type Open, settleCopy, settleMove } from "./store.ts";

/** A move that has not gone on for this long was given up. */
const GIVEN_UP_MS = 3_600_000;
/** Requests that began before a move have ended after this long, and nothing writes to the old rows any more. */
const FENCED_MS = 600_000;
const AT_ONCE = 100;

const ago = ({ now }: BaseCtx, milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();

export const hasOldMoves = (home: BaseCtx): SQL => sql`(
  EXISTS (SELECT 1 FROM moves WHERE is_fenced AND at < ${ago(home, FENCED_MS)})
  OR ${hasBefore("moved_secrets", "expires_at", home.now.toISOString())})`;

/** Ends moves that nobody has continued since `before`, lets old rows be erased, and forgets expired secrets. */
export async function settleMoves(home: BaseCtx, open: Open, before = ago(home, GIVEN_UP_MS)): Promise<void> {
  await home.db.batch([
    home.db.run(sql`UPDATE moves SET is_fenced = 0
      WHERE state = 'left' AND is_fenced AND at < ${ago(home, FENCED_MS)}`),
    home.db.run(sql`DELETE FROM moved_secrets WHERE expires_at < ${home.now.toISOString()}`),
  ]);
  const interrupted = await home.db
    .select()
    .from(moves)
    .where(sql`is_fenced AND state IN ('leaving', 'arriving') AND at < ${before}`)
    .limit(AT_ONCE);
  for (const row of interrupted) {
    if (row.state === "leaving") await settleMove(open, home.home, row, before);
    else await settleCopy(open, home.home, row);
  }
}
