import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { CloudflareClient } from "./cloudflare.ts";
import type { ReadableDatabase } from "./local-database.ts";
import { stoppedRuntime } from "./stopped-runtime.ts";

// The OAuth server's clients, grants and tokens, which are stored in a KV namespace.

const BINDING = "OAUTH_KV";

/** A key with its value. `expiration` is in seconds since 1970. */
export type KvEntry = { key: string; value: string; expiration?: number; metadata?: unknown };

export type KvNamespace = {
  /** Every entry, ordered by key. */
  read: () => Promise<KvEntry[]>;
  /** Writes the entries whose keys do not exist yet. */
  add: (entries: KvEntry[]) => Promise<void>;
};

/** Reads only the entries of a database's users, and every client. */
export const entriesOfUsers = (
  { read }: KvNamespace,
  database: ReadableDatabase,
): Pick<KvNamespace, "read"> => ({
  read: async () => {
    const entries = await read();
    const users = new Set((await database.query("SELECT id FROM users")).map(({ id }) => id));
    return entries.filter(({ key }) => key.startsWith("client:") || users.has(key.split(":")[1] ?? ""));
  },
});

/** Whether an entry belongs to a connection, unlike the clean-up's cursor. */
const isConnectionEntry = ({ key }: { key: string }) => /^(client|grant|token):/.test(key);

const byKey = (a: KvEntry, b: KvEntry) => (a.key < b.key ? -1 : 1);

/**
 * KV rejects entries that expire within a minute: https://developers.cloudflare.com/kv/api/write-key-value-pairs/
 * Another minute may pass before a batch is written, and a single rejected entry fails the whole batch.
 */
const MIN_LIFETIME_SECONDS = 120;
const isStorable = ({ expiration }: KvEntry) =>
  expiration === undefined || expiration > Date.now() / 1000 + MIN_LIFETIME_SECONDS;

const LIST_PAGE_SIZE = "1000";
const READ_BATCH_SIZE = 100;
const WRITE_BATCH_SIZE = 1000;
const LOCAL_WRITE_CONCURRENCY = 50;

const chunk = <Value>(values: Value[], size: number): Value[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, n) => values.slice(n * size, (n + 1) * size));

type StoredRow = { key: string; blob_id: string; expiration: number | null; metadata: string | null };

/** Reads Miniflare's files. Returns undefined if an entry was replaced in the meantime. */
function readFiles(folder: string): KvEntry[] | undefined {
  const objects = join(folder, "miniflare-KVNamespaceObject");
  const names = existsSync(objects) ? readdirSync(objects) : [];
  const file = names.find((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
  if (!file) return [];
  const database = new DatabaseSync(join(objects, file), { readOnly: true });
  try {
    const rows = database.prepare("SELECT key, blob_id, expiration, metadata FROM _mf_entries").all();
    return (rows as StoredRow[]).map(({ key, blob_id, expiration, metadata }) => ({
      key,
      value: readFileSync(join(folder, BINDING, "blobs", blob_id), "utf8"),
      ...(expiration !== null && { expiration: Math.floor(expiration / 1000) }),
      ...(metadata !== null && { metadata: JSON.parse(metadata) }),
    }));
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem;
  } finally {
    database.close();
  }
}

const ATTEMPTS = 10;

function readLocal(stateDir: string): KvEntry[] {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entries = readFiles(join(stateDir, "v3", "kv"));
    if (entries) return entries.filter(isConnectionEntry).sort(byKey);
  }
  throw new Error("The connections of MCP clients kept changing while they were read: try again");
}

async function writeLocal(stateDir: string, entries: KvEntry[]): Promise<void> {
  const runtime = stoppedRuntime(stateDir, { kvNamespaces: { [BINDING]: BINDING } });
  try {
    const namespace = await runtime.getKVNamespace(BINDING);
    for (const group of chunk(entries, LOCAL_WRITE_CONCURRENCY))
      await Promise.all(
        group.filter(isStorable).map(({ key, value, ...options }) => namespace.put(key, value, options)),
      );
  } finally {
    await runtime.dispose();
  }
}

/** The namespace of a copy on this machine. Write only while the service is stopped. */
export const localNamespace = (stateDir: string): KvNamespace => ({
  read: async () => readLocal(stateDir),
  add: async (entries) => {
    const existingKeys = new Set(readLocal(stateDir).map(({ key }) => key));
    const missing = entries.filter((entry) => isStorable(entry) && !existingKeys.has(entry.key));
    if (missing.length > 0) await writeLocal(stateDir, missing);
  },
});

/** The title that wrangler gives to a Worker's namespace when it creates one. */
export const namespaceTitle = (worker: string) => `${worker}-${BINDING.toLowerCase().replaceAll("_", "-")}`;

/** The id of the namespace with this title, if it exists. */
export async function findNamespaceId(
  { call, account }: CloudflareClient,
  title: string,
): Promise<string | undefined> {
  const path = `/accounts/${account}/storage/kv/namespaces?per_page=1000`;
  return (await call<{ id: string; title: string }[]>(path)).find((one) => one.title === title)?.id;
}

/** The namespace's id from wrangler.toml, or the id of the one that the first deployment created. */
async function requireNamespaceId(cloudflare: CloudflareClient): Promise<string> {
  const { config } = cloudflare;
  const title = namespaceTitle(config.name);
  const id =
    config.kv_namespaces.find(({ binding }) => binding === BINDING)?.id ??
    (await findNamespaceId(cloudflare, title));
  if (id) return id;
  const createCommand = `npx wrangler kv namespace create ${title} --binding ${BINDING} --update-config`;
  throw new Error(
    `The account has no KV namespace ${title}. Create it with ${createCommand}, or name another with --namespace`,
  );
}

type ListedKey = { name: string; expiration?: number; metadata?: unknown };

/**
 * The namespace of the deployment on Cloudflare, through KV's HTTP API:
 * https://developers.cloudflare.com/api/resources/kv/subresources/namespaces/
 *
 * @param namespaceIdOverride the id of a namespace to use instead of the deployment's own
 */
export async function remoteNamespace(
  cloudflare: CloudflareClient,
  namespaceIdOverride?: string,
): Promise<KvNamespace> {
  const { call, pages, account } = cloudflare;
  const path = `/accounts/${account}/storage/kv/namespaces/${namespaceIdOverride ?? (await requireNamespaceId(cloudflare))}`;
  const list = async (): Promise<ListedKey[]> => {
    const keys: ListedKey[] = [];
    for await (const page of pages<ListedKey>(`${path}/keys`, { limit: LIST_PAGE_SIZE })) keys.push(...page);
    return keys.filter(({ name }) => isConnectionEntry({ key: name }));
  };
  const readValues = async (keys: ListedKey[]): Promise<KvEntry[]> => {
    const body = { keys: keys.map(({ name }) => name), type: "text" };
    const { values } = await call<{ values: Record<string, string | null> }>(`${path}/bulk/get`, body);
    return keys.flatMap(({ name: key, ...options }) => {
      const value = values[key];
      return typeof value === "string" ? [{ key, value, ...options }] : [];
    });
  };
  return {
    read: async () => {
      const entries: KvEntry[] = [];
      for (const keys of chunk(await list(), READ_BATCH_SIZE)) entries.push(...(await readValues(keys)));
      return entries.sort(byKey);
    },
    add: async (entries) => {
      const existingKeys = new Set((await list()).map(({ name }) => name));
      const missing = entries.filter((entry) => !existingKeys.has(entry.key));
      for (const candidates of chunk(missing, WRITE_BATCH_SIZE)) {
        const group = candidates.filter(isStorable);
        if (group.length === 0) continue;
        const result = await call<{ unsuccessful_keys?: string[] } | null>(`${path}/bulk`, group, "PUT");
        const failed = result?.unsuccessful_keys?.length;
        if (failed) throw new Error(`${failed} connections were not written: repeat the command`);
      }
    },
  };
}
