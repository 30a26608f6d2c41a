import { Command } from "commander";
import { failCommand } from "./common/fail.ts";
import { addCommand } from "./shards/add.ts";
import { listCommand } from "./shards/list.ts";
import { moveCommand } from "./shards/move.ts";
import { closeCommand, openCommand } from "./shards/open-close.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";

// `npm run homes`: the shards of a service, on this machine (running or stopped) or on Cloudflare. The commands are in
// scripts/shards.

const program = new Command("npm run homes --").description("The databases of the service, for its operator");
const commands = [listCommand, addCommand, openCommand, closeCommand, moveCommand];
for (const command of commands) program.addCommand(command);

restrictNewFiles();
program.parseAsync().catch(failCommand);
