import { formatShards, type Shard } from "../../src/contract/shards.ts";
import type { Databases } from "../common/databases.ts";
import { configHomes } from "../common/settings.ts";
import { type WranglerTomlChange, writeWranglerToml } from "./wrangler-toml.ts";

/**
 * Sets HOMES in wrangler.toml. If the service gets HOMES from its environment, prints the new value instead. Also prints
 * how the change takes effect.
 */
export function writeHomesSetting(
  { setting, isRemote }: Databases,
  shards: Shard[],
  database?: WranglerTomlChange["database"],
): void {
  const value = formatShards(shards);
  const isWritten = setting === configHomes();
  if (isWritten) {
    writeWranglerToml({ homes: value, ...(database && { database }) });
    console.log(`wrangler.toml now has HOMES = "${value}"`);
  } else console.log(`The service gets HOMES from its environment. Set it to: HOMES="${value}"`);
  const command = isRemote ? "`npm run deploy`" : "the next `npm start`";
  console.log(`It takes effect with ${command}.`);
}
