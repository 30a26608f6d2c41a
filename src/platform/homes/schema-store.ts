import { sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";

export const SCHEMA = "0079_title_keys.sql";

/** The latest migration of a home; null for one without any, and for one that cannot be asked. */
export async function readSchema(home: BaseCtx): Promise<string | null> {
  const latest = home.db.all<{ name: string | null }>(sql`SELECT max(name) AS name FROM d1_migrations`);
  const [row] = await latest.catch(() => []);
  return row?.name ?? null;
}

export const isCurrent = async (home: BaseCtx): Promise<boolean> =>
  ((await readSchema(home)) ?? "") >= SCHEMA;

export async function measureHome(home: BaseCtx): Promise<{ users: number; bytes: number }> {
  const [row] = await home.db.all<{ users: number }>(
    sql`SELECT count(*) AS users FROM users WHERE deleted_at IS NULL`,
  );
  const { meta } = await home.db.run(sql`SELECT 1`);
  return { users: row?.users ?? 0, bytes: meta.size_after };
}
