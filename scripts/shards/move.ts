import { scheduler } from "node:timers/promises";
import { Argument, Option } from "commander";
import { Email } from "../../src/contract/auth.ts";
import { leavesEu } from "../../src/contract/placement.ts";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { shardBinding } from "../../src/contract/shards.ts";
import { migrateAccount } from "../../src/features/shard-migration/store.ts";
import { findShardOfAddress } from "../../src/platform/shards/address-directory-store.ts";
import { type Databases, shardNumberOf } from "../common/databases.ts";
import { createDatabasesCommand } from "./command.ts";

// A global of Workers, with which long work of the service yields to other requests.
Object.assign(globalThis, { scheduler });

/** Replaces the current line of the terminal, if there is one. */
const showLine = (text: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`);
};

/** Throws if the account would leave the European Union's jurisdiction, because its user chose it. */
async function requireStayInEu({ shards, base }: Databases, email: string, to: number): Promise<void> {
  const from = await findShardOfAddress(await base(FIRST_SHARD), email);
  if (from === undefined || !leavesEu(shards, from, to)) return;
  throw new Error(
    `${email} is in ${shardBinding(from)}, in the jurisdiction of the European Union, and ${shardBinding(to)} is not: ` +
      "add --out-of-eu if the user has agreed to that",
  );
}

export const moveCommand = createDatabasesCommand(
  "move",
  "moves an account to another home while it is in use; can be interrupted and run again",
  async (databases, command) => {
    const [emailArgument] = command.processedArgs as [string];
    const { to: binding, outOfEu } = command.opts<{ to: string; outOfEu?: true }>();
    const to = shardNumberOf(databases, binding);
    const { data: email } = Email.safeParse(emailArgument);
    if (email === undefined) throw new Error(`${emailArgument} is not an email address`);
    if (!outOfEu) await requireStayInEu(databases, email, to);
    const moving = migrateAccount(databases.base, { email, to }, showLine);
    const isMoved = await moving.finally(() => showLine(""));
    console.log(`${email} is in ${binding} ${isMoved ? "now" : "already"}.`);
  },
)
  .addArgument(new Argument("<email>"))
  .addOption(new Option("--to <home>", "the home, such as DB_2").makeOptionMandatory())
  .option("--out-of-eu", "also if the account leaves the European Union's jurisdiction");
