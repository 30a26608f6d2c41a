import { Command } from "commander";
import { addCommand } from "./homes/add.ts";
import { closeCommand, openCommand } from "./homes/doors.ts";
import { listCommand } from "./homes/list.ts";
import { moveCommand } from "./homes/move.ts";
import { restrictNewFiles } from "./start/private.ts";

// `npm run homes`: the shards of a service, on this machine (running or stopped) or on Cloudflare. The commands are in
// scripts/shards.

const program = new Command("npm run homes --").description("The databases of the service, for its operator");
const commands = [listCommand, addCommand, openCommand, closeCommand, moveCommand];
for (const command of commands) program.addCommand(command);

restrictNewFiles();
program.parseAsync().catch((problem: Error) => {
  console.error(problem.message);
  process.exit(1);
});
