import { Command } from "commander";
import { signInToCloudflare } from "../common/cloudflare.ts";
import { type Databases, localDatabases, remoteDatabases } from "../common/databases.ts";

type Action = (databases: Databases, command: Command) => Promise<void>;

/** A command on the databases of a service, which are closed when it ends. */
export function createDatabasesCommand(usage: string, description: string, action: Action): Command {
  return new Command(usage)
    .description(description)
    .option("--remote", "the deployment on Cloudflare instead of the copy on this machine")
    .action(async (...commandArguments: unknown[]) => {
      const command = commandArguments.at(-1) as Command;
      const { remote } = command.opts<{ remote?: true }>();
      const databases = remote
        ? await remoteDatabases(await signInToCloudflare(process.env))
        : await localDatabases(process.env);
      await action(databases, command).finally(databases.close);
    });
}
