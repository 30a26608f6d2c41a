import { existsSync, readdirSync } from "node:fs";
import { Command } from "commander";
import { remoteDatabase } from "./backup/cloudflare.ts";
import { dump } from "./backup/dump.ts";
import { localFile, localSource, stateDirOf } from "./backup/source.ts";
import { createPrivately } from "./start/private.ts";

// `npm run backup -- --all <folder>`: every account of a deployment, for the one who runs it.

const command = new Command("npm run backup --")
  .description("Writes every account into a folder. The service may go on running.")
  .requiredOption("--all", "every account (one's own comes from GET /api/export)")
  .option("--remote", "the deployment on Cloudflare instead of the copy on this machine")
  .option("--database <id>", "with --remote: another database than the one of wrangler.toml")
  .argument("<folder>", "a folder that is empty or not there yet");

async function main(): Promise<void> {
  createPrivately();
  const [folder = ""] = command.parse().args;
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const { remote, database } = command.opts<{ remote?: true; database?: string }>();
  const source = remote
    ? await remoteDatabase(process.env, database)
    : localSource(localFile(stateDirOf(process.env)));
  const { tables } = await dump(source, folder, new Date());
  source.close();
  for (const [table, { count }] of Object.entries(tables)) console.log(`${table}: ${count}`);
  console.log(`Written to ${folder}. It holds password hashes: keep it as safe as the database.`);
}

main().catch((problem: Error) => {
  console.error(problem.message);
  process.exit(1);
});
