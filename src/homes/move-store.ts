import { sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";
import type { Place } from "../core/moved.ts";

// What a home knows of accounts that are being moved, or were: moving/ moves them.

/** Where the account with this number here went; undefined if it was not moved. */
export async function findPlace(home: BaseCtx, owner: number): Promise<Place | undefined> {
  const [place] = await home.db.all<Place>(
    sql`SELECT home, number AS owner FROM moves WHERE moves.owner = ${owner} AND state = 'left'`,
  );
  return place;
}

/** Whether the account with this number here is being moved. */
export async function isMoving(home: BaseCtx, owner: number): Promise<boolean> {
  const moving = await home.db.all(
    sql`SELECT 1 FROM moves WHERE moves.owner = ${owner} AND is_fenced AND state <> 'left'`,
  );
  return moving.length > 0;
}

/** Where the account went that a secret with this hash belonged to here; undefined for any other secret. */
export async function findPlaceOfSecret(home: BaseCtx, hash: string): Promise<Place | undefined> {
  const [place] = await home.db.all<Place>(sql`SELECT home, number AS owner FROM moves
    WHERE state = 'left' AND owner = (SELECT owner FROM moved_secrets WHERE hash = ${hash})`);
  return place;
}
