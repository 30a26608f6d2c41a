import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { ensureOwnAccount, readOwnAccount } from "./cli/account.ts";
import { Bridge } from "./cli/bridge.ts";
import { openBrowser } from "./cli/browser.ts";
import { ensureRunningCopy, findRunningCopy } from "./cli/copy.ts";
import { createBrowserSignIn } from "./cli/sign-in.ts";
import { failCommand } from "./common/fail.ts";
import { findCopyUsing } from "./common/state.ts";

// The installed `commonplace` command: the service with everything built, and a bridge for MCP clients that use standard
// input and output.

const PACKAGE_FOLDER = join(import.meta.dirname, "..", "..");
const PROGRAM = join(import.meta.dirname, "cli.js");
const stateDir = resolve(process.env.STATE_DIR ?? join(homedir(), ".commonplace"));

/** The repository's commands expect the package as their working directory, and the data in these variables. */
function enterPackage(): void {
  process.env.STATE_DIR = stateDir;
  process.env.SECRETS_FILE = join(stateDir, "secrets");
  process.chdir(PACKAGE_FOLDER);
}

async function start(): Promise<void> {
  enterPackage();
  await import("./start.ts");
}

async function mcp(options: { url?: string }): Promise<void> {
  const url = options.url || process.env.COMMONPLACE_ADDRESS;
  if (url) return new Bridge(url, { signIn: await createBrowserSignIn(url, stateDir) }).run(process.stdin);
  const copy = await ensureRunningCopy(stateDir, PROGRAM);
  const address = copy.mcp_url ?? "";
  const account = await ensureOwnAccount(stateDir, copy);
  const access = account ? { key: account.key } : { signIn: await createBrowserSignIn(address, stateDir) };
  return new Bridge(address, access).run(process.stdin);
}

async function open(): Promise<void> {
  const copy = await ensureRunningCopy(stateDir, PROGRAM);
  const account = await ensureOwnAccount(stateDir, copy);
  if (account) console.log(`Sign in as ${account.email} with the password ${account.password}`);
  openBrowser(copy.address, "Commonplace");
}

async function stop(): Promise<void> {
  const running = findCopyUsing(stateDir);
  if (!running) throw new Error(`No copy is running with the data in ${stateDir}`);
  process.kill(Number(running.pid), "SIGTERM");
  console.log(`Stopped the copy at ${running.address}`);
}

/** Imports into the account that this machine created, unless options or the environment name another. */
async function importNotes(args: string[]): Promise<void> {
  const copy = await findRunningCopy(stateDir);
  const account = readOwnAccount(stateDir);
  if (copy) process.env.COMMONPLACE_URL ??= copy.address;
  const hasChosenAccount =
    args.some((one) => /^--(email|key|password)/.test(one)) || process.env.COMMONPLACE_EMAIL;
  if (account && !hasChosenAccount) process.env.COMMONPLACE_KEY ??= account.key;
  process.argv = [...process.argv.slice(0, 2), ...args];
  await import("./import.ts");
}

/** Works offline: it only reads the file. */
async function tidy(args: string[]): Promise<void> {
  process.argv = [...process.argv.slice(0, 2), ...args];
  await import("./tidy.ts");
}

async function backup(folder: string): Promise<void> {
  process.argv = [...process.argv.slice(0, 2), "--all", resolve(folder)];
  enterPackage();
  await import("./backup.ts");
}

async function restore(folder: string): Promise<void> {
  process.argv = [...process.argv.slice(0, 2), resolve(folder)];
  enterPackage();
  await import("./restore.ts");
}

const program = new Command("commonplace")
  .description(`A memory for you and your assistants. Data: ${stateDir}, or the folder in STATE_DIR.`)
  .version(manifest.version);
program.command("start").description("Serves the app, the API and MCP until Ctrl-C").action(start);
program
  .command("mcp")
  .description("Speaks MCP on standard input and output; starts a copy in the background if none is running")
  .option(
    "--url <url>",
    "the address, ending in /mcp, of a copy elsewhere (or COMMONPLACE_ADDRESS); signs in once with the browser",
  )
  .action(mcp);
program.command("open").description("Opens the app in the browser").action(open);
program.command("stop").description("Stops the copy that runs in the background").action(stop);
program
  .command("import")
  .description("Imports notes; --help has its options")
  .argument("[args...]", "what npm run import takes")
  .helpOption(false)
  .allowUnknownOption()
  .action(importNotes);
program
  .command("tidy")
  .description("Finds duplicates, contradictions and secrets in a file of memories, offline")
  .argument("[args...]", "what npm run tidy takes")
  .helpOption(false)
  .allowUnknownOption()
  .action(tidy);
program
  .command("backup")
  .description("Writes every account into a folder; the service may keep running")
  .argument("<folder>", "a folder that is empty or does not exist yet")
  .action(backup);
program
  .command("restore")
  .description("Restores a backup into a data folder without accounts; stop the service first")
  .argument("<folder>", "a folder written by a backup")
  .action(restore);

program.parseAsync().catch(failCommand);
