import { sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";
import type { Place } from "../core/moved.ts";

export async function findPlace(home: BaseCtx, owner: number): Promise<Place | undefined> {
  const [place] = await home.db.all<Place>(
    sql`SELECT home, number AS owner FROM moves WHERE moves.owner = ${owner} AND state = 'left'`,
  );
  return place;
}

export async function isMoving(home: BaseCtx, owner: number): Promise<boolean> {
  const moving = await home.db.all(
    sql`SELECT 1 FROM moves WHERE moves.owner = ${owner} AND is_fenced AND state <> 'left'`,
  );
  return moving.length > 0;
}

export async function findPlaceOfSecret(home: BaseCtx, hash: string): Promise<Place | undefined> {
  const [place] = await home.db.all<Place>(sql`SELECT home, number AS owner FROM moves
    WHERE state = 'left' AND owner = (SELECT owner FROM moved_secrets WHERE hash = ${hash})`);
  return place;
}

/** Forgets where an account's credentials are led on to, and lets what a move has left here be erased. */
export async function forgetAccount(home: BaseCtx, userId: string): Promise<void> {
  const numbers = sql`SELECT owner FROM moves WHERE user_id = ${userId}`;
  await home.db.batch([
    home.db.run(sql`UPDATE moves SET is_fenced = 0 WHERE user_id = ${userId}`),
    home.db.run(
      sql`DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE owner IN (${numbers}))`,
    ),
    home.db.run(sql`DELETE FROM sessions WHERE owner IN (${numbers})`),
    home.db.run(sql`UPDATE users SET email = 'erased:' || number, password_hash = '', name = NULL,
      deleted_at = ${home.now.toISOString()} WHERE number IN (${numbers})`),
    home.db.run(sql`DELETE FROM moved_secrets WHERE owner IN (${numbers})`),
    home.db.run(sql`DELETE FROM moves WHERE user_id = ${userId}`),
  ]);
}
