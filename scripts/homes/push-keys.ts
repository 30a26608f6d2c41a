import { newVapidKeys } from "../../src/features/push/keys.ts";
import type { Target } from "../common/source.ts";

const INSERT =
  "INSERT OR IGNORE INTO push_keys (id, public_key, private_key, created_at) VALUES (1, ?, ?, ?)";

/**
 * Gives other homes the first one's key for push services. Each has a copy, so that a request still asks one database; and
 * as it is the same, the browsers of somebody who is moved go on being reached.
 */
export async function sharePushKeys(first: Target, others: Target[]): Promise<void> {
  const { public_key, private_key } = await newVapidKeys();
  const now = new Date().toISOString();
  await first.batch([{ sql: INSERT, params: [public_key, private_key, now] }]);
  const [keys] = await first.query("SELECT public_key, private_key, created_at FROM push_keys");
  const params = [keys?.public_key, keys?.private_key, keys?.created_at].map(String);
  for (const other of others) await other.batch([{ sql: INSERT, params }]);
}
