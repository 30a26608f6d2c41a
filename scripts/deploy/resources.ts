import { readdirSync } from "node:fs";
import { parseShards, type Region } from "../../src/contract/shards.ts";
import { listAppliedMigrations } from "../common/backup-folder.ts";
import {
  type CloudflareClient,
  findDatabaseId,
  remoteDatabase,
  requireDatabaseEntry,
  undefinedIfMissing,
} from "../common/cloudflare.ts";
import { findNamespaceId, namespaceTitle } from "../common/kv.ts";
import { createBucket, deleteBucket, hasBucket } from "./bucket.ts";

// What a deployment needs in a Cloudflare account besides the Worker: a database for each shard, a KV namespace and an R2
// bucket.

/** The ids of the databases by binding, the id of the namespace, and the name of the bucket, if any. */
export type Resources = { databases: Record<string, string>; namespace: string; bucket?: string };

/** The resources that exist. */
export type FoundResources = { databases: Resources["databases"]; namespace?: string; bucket?: string };

type DatabaseName = { binding: string; name: string; region: Region | undefined };

/** The names of the resources in the account, and the regions of the databases. */
export type ResourceNames = { databases: DatabaseName[]; namespace: string; bucket?: string };

/** The resources that the deployment needs. Throws if a database in HOMES is missing in wrangler.toml. */
export function resourceNames({ config }: CloudflareClient): ResourceNames {
  const databases = parseShards(config.vars.HOMES ?? "").map(({ binding, region }) => ({
    binding,
    name: requireDatabaseEntry(config, binding).database_name,
    region,
  }));
  const bucket = config.r2_buckets?.[0]?.bucket_name;
  return { databases, namespace: namespaceTitle(config.name), ...(bucket && { bucket }) };
}

/** The resources that exist. Ids in wrangler.toml take precedence: Cloudflare's Deploy button writes them there. */
export async function findDeployedResources(
  cloudflare: CloudflareClient,
  names = resourceNames(cloudflare),
): Promise<FoundResources> {
  const { config } = cloudflare;
  const found = await findResources(cloudflare, names);
  for (const { binding, database_id } of config.d1_databases)
    if (database_id) found.databases[binding] = database_id;
  const namespace = config.kv_namespaces[0]?.id;
  return { ...found, ...(namespace && { namespace }) };
}

/** Finds resources by name. */
export async function findResources(
  cloudflare: CloudflareClient,
  names: ResourceNames,
): Promise<FoundResources> {
  const databases: FoundResources["databases"] = {};
  for (const { binding, name } of names.databases) {
    const id = await findDatabaseId(cloudflare, name);
    if (id) databases[binding] = id;
  }
  const namespace = await findNamespaceId(cloudflare, names.namespace);
  const bucket = names.bucket && (await hasBucket(cloudflare, names.bucket)) ? names.bucket : undefined;
  return { databases, ...(namespace && { namespace }), ...(bucket && { bucket }) };
}

/** The location of a D1 database: https://developers.cloudflare.com/d1/configuration/data-location/ */
const locationOptions = (region: Region | undefined) =>
  region === "eu" ? { jurisdiction: region } : region && { primary_location_hint: region };

/** Creates a database, or finds the one that an earlier attempt created. Returns its id. */
export const createDatabase = (
  { call, account, ...rest }: CloudflareClient,
  { name, region }: DatabaseName,
) =>
  createOrFind(
    async () => {
      const body = { name, ...locationOptions(region) };
      return (await call<{ uuid: string }>(`/accounts/${account}/d1/database`, body)).uuid;
    },
    () => findDatabaseId({ call, account, ...rest }, name),
  );

/** Creates the missing resources. An interrupted run can be repeated. */
export async function createResources(
  cloudflare: CloudflareClient,
  names: ResourceNames,
  found: FoundResources,
): Promise<Resources> {
  const { call, account } = cloudflare;
  const databases: Resources["databases"] = {};
  for (const database of names.databases)
    databases[database.binding] =
      found.databases[database.binding] ?? (await createDatabase(cloudflare, database));
  const path = `/accounts/${account}/storage/kv/namespaces`;
  const namespace =
    found.namespace ??
    (await createOrFind(
      async () => (await call<{ id: string }>(path, { title: names.namespace })).id,
      () => findNamespaceId(cloudflare, names.namespace),
    ));
  const bucket = found.bucket ?? (names.bucket && (await createBucket(cloudflare, names.bucket)));
  return { databases, namespace, ...(bucket && { bucket }) };
}

/** Creates a resource. If that fails because an earlier attempt succeeded without an answer, finds it. */
async function createOrFind(create: () => Promise<string>, find: () => Promise<string | undefined>) {
  return create().catch(async (problem: unknown) => {
    const found = await find();
    if (found) return found;
    throw problem;
  });
}

/** Deletes resources. Ignores those that do not exist. */
export async function deleteResources(
  cloudflare: CloudflareClient,
  { databases, namespace, bucket }: FoundResources,
): Promise<void> {
  const { call, account } = cloudflare;
  const remove = (path: string) =>
    undefinedIfMissing(call(`/accounts/${account}${path}`, undefined, "DELETE"));
  for (const id of Object.values(databases)) await remove(`/d1/database/${id}`);
  if (namespace) await remove(`/storage/kv/namespaces/${namespace}`);
  if (bucket) await deleteBucket(cloudflare, bucket);
}

/** The migrations that a database lacks. Throws if it has migrations of a later version. */
export async function findMissingMigrations(
  cloudflare: CloudflareClient,
  database: string | undefined,
): Promise<string[]> {
  const known = readdirSync("migrations").sort();
  const applied = database ? await listAppliedMigrations(remoteDatabase(cloudflare, database)) : [];
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `The deployment is from a later version: its database has ${unknown.join(", ")}. Update this copy first`,
    );
  return known.filter((name) => !applied.includes(name));
}
