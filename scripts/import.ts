import { Command, Option } from "commander";
import { messageOf } from "../src/contract/import/item.ts";
import type { Plan } from "../src/contract/import/plan.ts";
import { ask } from "./common/ask.ts";
import { type AccountOptions, accountOf, withAccountOptions } from "./import/account.ts";
import { describePlan, describeResult } from "./import/report.ts";
import { type Result, runImport } from "./import/run.ts";

// `npm run import -- <source>`: imports texts into an account, as an ordinary client of the API.

type Options = AccountOptions & {
  folder?: string;
  tag: string[];
  mirror: boolean;
  dryRun: boolean;
  yes: boolean;
};

const collect = (value: string, earlier: string[]) => [...earlier, value];

const command = withAccountOptions(
  new Command("npm run import --")
    .description("Imports a folder of texts, or a file of JSON lines. You can repeat it at any time.")
    .argument("<source>", "a folder of .md, .mdx, .markdown and .txt files, or a .jsonl file"),
)
  .option("--folder <path>", "folder to put everything into; slashes separate nested folders")
  .addOption(
    new Option("--tag <tag>", "tag for every document; may be repeated")
      .argParser(collect)
      .default([], "none"),
  )
  .option("--mirror", "make the account's folder match the one on the disk; shows its changes first", false)
  .option("--dry-run", "with --mirror: only show what would change", false)
  .option("--yes", "with --mirror: do not ask for confirmation", false);

async function confirm(plan: Plan, { dryRun, yes }: Options): Promise<boolean> {
  console.log(describePlan(plan));
  if (dryRun) return false;
  if (yes) return true;
  const otherwise = "add --yes to carry it out, or --dry-run to only show it";
  return /^y(es)?$/i.test(await ask("Continue? [y/N]", { otherwise }));
}

function report(result: Result, mirror: boolean): void {
  // After a dry run or a "no", the plan has already been shown.
  console.log(result.declined ? "Nothing was changed." : describeResult(result, mirror));
  if (result.stopped)
    console.error(`Stopped before the end: ${result.stopped}. Repeat the command to continue from here.`);
}

async function main(): Promise<void> {
  const [source = ""] = command.parse().args;
  const options = command.opts<Options>();
  const { folder = "", tag, mirror } = options;
  if (!mirror && (options.dryRun || options.yes))
    throw new Error("--dry-run and --yes work only with --mirror");
  const account = await accountOf(options, "Commonplace import");
  const folders = folder
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const result = await runImport(source, account, {
    target: { folders, tags: tag },
    mirror,
    confirm: (plan) => confirm(plan, options),
  });
  report(result, mirror);
  if (result.refused.length > 0 || result.stopped) process.exitCode = 1;
}

main().catch((problem: unknown) => {
  console.error(messageOf(problem));
  process.exitCode = 1;
});
