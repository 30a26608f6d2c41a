import { Command, Option } from "commander";
import { ask } from "./import/ask.ts";
import { messageOf } from "./import/item.ts";
import { type Result, runImport } from "./import/run.ts";

// `npm run import -- <source>`: brings texts into an account, as an ordinary client of the API.

type Options = { url: string; email?: string; password?: string; folder?: string; tag: string[] };

const collect = (value: string, earlier: string[]) => [...earlier, value];

const command = new Command("npm run import --")
  .description("Imports a folder of Markdown files, or a file of JSON lines. Repeat it whenever you like.")
  .argument("<source>", "a folder of Markdown files, or a .jsonl file")
  .addOption(
    new Option("--url <url>", "address of the API").env("COMMONPLACE_URL").default("http://localhost:8000"),
  )
  .addOption(new Option("--email <email>", "your account").env("COMMONPLACE_EMAIL"))
  .addOption(new Option("--password <password>", "its password").env("COMMONPLACE_PASSWORD"))
  .option("--folder <path>", "folder to put everything into; slashes make folders in folders")
  .addOption(
    new Option("--tag <tag>", "tag for every document; may be repeated")
      .argParser(collect)
      .default([], "none"),
  );

function report({ created, updated, skipped, refused, stopped }: Result): void {
  console.log(`${created} created, ${updated} updated, ${skipped} skipped, ${refused.length} refused`);
  if (skipped > 0) console.log("Skipped: already there and unchanged.");
  for (const { where, why } of refused) console.log(`Refused: ${where}: ${why}`);
  if (stopped) console.error(`Stopped before the end: ${stopped}. Repeat the command: it goes on from here.`);
}

async function main(): Promise<void> {
  const [source = ""] = command.parse().args;
  const { url, folder = "", tag, ...given } = command.opts<Options>();
  const email = given.email ?? (await ask("E-mail"));
  const password = given.password ?? (await ask("Password", true));
  const folders = folder.split("/").filter((name) => name.trim() !== "");
  const result = await runImport(source, { url, email, password }, { folders, tags: tag });
  report(result);
  // A stopped import may still be waiting for answers; each of them may be lost.
  process.exit(result.refused.length > 0 || result.stopped ? 1 : 0);
}

main().catch((problem: unknown) => {
  console.error(messageOf(problem));
  process.exitCode = 1;
});
