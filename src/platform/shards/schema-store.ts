import { sql } from "drizzle-orm";
import type { BaseCtx } from "../core/ctx.ts";

export const LATEST_MIGRATION = "0084_first_versions.sql";

/** Name of a shard's latest migration; null if it has none or cannot be reached. */
export async function readLatestMigration(shard: BaseCtx): Promise<string | null> {
  const latest = shard.db.all<{ name: string | null }>(sql`SELECT max(name) AS name FROM d1_migrations`);
  const [row] = await latest.catch(() => []);
  return row?.name ?? null;
}

export const isSchemaCurrent = async (shard: BaseCtx): Promise<boolean> =>
  ((await readLatestMigration(shard)) ?? "") >= LATEST_MIGRATION;

/** Throws if the database does not answer. */
export async function pingDatabase(shard: BaseCtx): Promise<void> {
  await shard.db.all(sql`SELECT 1`);
}

export async function measureShard(shard: BaseCtx): Promise<{ users: number; bytes: number }> {
  const [row] = await shard.db.all<{ users: number }>(
    sql`SELECT count(*) AS users FROM users WHERE deleted_at IS NULL`,
  );
  const { meta } = await shard.db.run(sql`SELECT 1`, { effect: "none" });
  return { users: row?.users ?? 0, bytes: meta.size_after };
}
