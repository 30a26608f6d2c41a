import { scheduler } from "node:timers/promises";
import { Argument, Option } from "commander";
import { Email } from "../../src/auth/schema.ts";
import { moveAccount } from "../../src/moving/store.ts";
import { onDatabases } from "./command.ts";
import { homeNamed } from "./databases.ts";

// Long work of the service lets others have a turn with this, which is a global of Workers.
Object.assign(globalThis, { scheduler });

/** Shows what a move is doing, on one line of a terminal. */
function progress() {
  const isShown = process.stdout.isTTY;
  return {
    show: (stage: string) => {
      if (isShown) process.stdout.write(`\r\x1b[K${stage}`);
    },
    end: () => {
      if (isShown) process.stdout.write("\r\x1b[K");
    },
  };
}

export const moveCommand = onDatabases(
  "move",
  "moves an account to another home while it is in use; can be stopped and repeated",
  async (databases, command) => {
    const [given] = command.processedArgs as [string];
    const { to: binding } = command.opts<{ to: string }>();
    const to = homeNamed(databases, binding);
    const { data: email } = Email.safeParse(given);
    if (email === undefined) throw new Error(`${given}: must be an e-mail address`);
    const { show, end } = progress();
    const isMoved = await moveAccount(databases.base, { email, to }, show).finally(end);
    console.log(isMoved ? `${email} is in ${binding} now.` : `${email} is in ${binding} already.`);
  },
)
  .addArgument(new Argument("<e-mail>"))
  .addOption(new Option("--to <home>", "the home, such as DB_2").makeOptionMandatory());
