import { newVapidKeys } from "../../src/features/push/keys.ts";
import type { WritableDatabase } from "../common/local-database.ts";

const INSERT =
  "INSERT OR IGNORE INTO push_keys (id, public_key, private_key, created_at) VALUES (1, ?, ?, ?)";

/**
 * Copies the first shard's key for push services to the others. Each has a copy, so that a request reads one database.
 * The key is the same, so that push subscriptions still work after an account has been moved.
 */
export async function sharePushKeys(first: WritableDatabase, others: WritableDatabase[]): Promise<void> {
  const { public_key, private_key } = await newVapidKeys();
  const now = new Date().toISOString();
  await first.batch([{ sql: INSERT, params: [public_key, private_key, now] }]);
  const [keys] = await first.query("SELECT public_key, private_key, created_at FROM push_keys");
  const params = [keys?.public_key, keys?.private_key, keys?.created_at].map(String);
  for (const other of others) await other.batch([{ sql: INSERT, params }]);
}
