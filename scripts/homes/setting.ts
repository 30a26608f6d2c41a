import { type Home, writeHomes } from "../../src/contract/homes.ts";
import type { Databases } from "../common/databases.ts";
import { configHomes } from "../common/settings.ts";
import { type Change, changeConfig } from "./toml.ts";

/**
 * Sets HOMES in wrangler.toml. If the service gets HOMES from its environment, prints the new value instead. Also prints
 * how the change takes effect.
 */
export function setHomes(
  { setting, isRemote }: Databases,
  homes: Home[],
  database?: Change["database"],
): void {
  const next = writeHomes(homes);
  const isWritten = setting === configHomes();
  if (isWritten) {
    changeConfig({ homes: next, ...(database && { database }) });
    console.log(`wrangler.toml now has HOMES = "${next}"`);
  } else console.log(`The service gets HOMES from its environment. Set it to: HOMES="${next}"`);
  const way = isRemote ? "`npm run deploy`" : "the next `npm start`";
  console.log(`It takes effect with ${way}.`);
}
