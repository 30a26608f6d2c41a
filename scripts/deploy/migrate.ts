import { type CloudflareClient, remoteDatabase } from "../common/cloudflare.ts";
import { requireAllShards } from "../common/require-all-shards.ts";
import { type FoundResources, findMissingMigrations, type ResourceNames } from "./resources.ts";
import { applyMigrations } from "./wrangler.ts";

// Migrates a deployment's databases, one after another. Each records its migrations, so an interrupted run can be
// repeated.

/** A database and the migrations that it lacks. Without an id, it does not exist yet. */
export type PendingMigrations = { binding: string; name: string; id: string | undefined; missing: string[] };

/** The databases that lack migrations. Throws if HOMES leaves out one with users, or if one is from a later version. */
export async function findPendingMigrations(
  cloudflare: CloudflareClient,
  names: ResourceNames,
  found: FoundResources,
): Promise<PendingMigrations[]> {
  const all: PendingMigrations[] = [];
  for (const { binding, name } of names.databases) {
    const id = found.databases[binding];
    all.push({ binding, name, id, missing: await findMissingMigrations(cloudflare, id) });
  }
  const { DB } = found.databases;
  if (DB) await requireAllShards(remoteDatabase(cloudflare, DB), names.databases);
  return all.filter(({ missing }) => missing.length > 0);
}

export const describeMigrationStep = ({ name, missing }: PendingMigrations) =>
  `apply to ${name} the migrations ${missing.join(", ")}`;

/** Prints how to return the existing databases to this moment. */
export async function showBookmarks(
  { call, account }: CloudflareClient,
  pending: PendingMigrations[],
): Promise<void> {
  const existing = pending.filter(({ id }) => id !== undefined);
  if (existing.length === 0) return;
  console.log(
    "Migrations cannot be undone one by one. To return a whole database to this moment, within 30 days:",
  );
  for (const { id, name } of existing) {
    const path = `/accounts/${account}/d1/database/${id}/time_travel/bookmark`;
    const { bookmark } = await call<{ bookmark: string }>(path);
    console.log(`  npx wrangler d1 time-travel restore ${name} --bookmark=${bookmark}`);
  }
}

/** Applies the missing migrations. `config` is the path of the configuration that names the databases. */
export async function migrateAll(
  cloudflare: CloudflareClient,
  pending: PendingMigrations[],
  config: string,
): Promise<void> {
  for (const { binding, name, missing } of pending) {
    await applyMigrations(cloudflare, { config, binding });
    console.log(`${name}: ${missing.length === 1 ? "1 migration" : `${missing.length} migrations`} applied`);
  }
}
