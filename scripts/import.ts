import { Command, Option } from "commander";
import type { AccountExport } from "../src/shared/import/account.ts";
import { errorMessage } from "../src/shared/import/item.ts";
import type { ImportPlan } from "../src/shared/import/plan.ts";
import { mayBeTaskFile } from "../src/shared/import/records/task-files.ts";
import { promptUser } from "./common/prompt.ts";
import { type AccountOptions, accountFromOptions, withAccountOptions } from "./import/account.ts";
import { describeAccount, describePlan, describeResult, describeTasks } from "./import/report.ts";
import { type ImportResult, importAccountFiles, importTaskFile, runImport } from "./import/run.ts";
import { findSource, type ImportSource, readWholeAccount } from "./import/source.ts";

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
    .description(
      "Imports a folder or zip of texts with the files they link to, an export of Commonplace as a zip, a file of JSON lines, or tasks from Todoist or a calendar. You can run it again at any time.",
    )
    .argument(
      "<source>",
      "a folder or .zip of .md, .mdx, .markdown and .txt files, a .jex file from Joplin, a .jsonl file, or tasks: .csv or .json from Todoist, a .csv table from Notion, .ics",
    ),
)
  .option("--folder <path>", "folder to put everything into; slashes separate nested folders")
  .addOption(
    new Option("--tag <tag>", "tag for every document; may be repeated")
      .argParser(collect)
      .default([], "none"),
  )
  .option("--mirror", "make the account's folder match the one on disk; shows the changes first", false)
  .option("--dry-run", "with --mirror or tasks: only show what would change", false)
  .option("--yes", "with --mirror: do not ask for confirmation", false);

async function confirm(plan: ImportPlan, { dryRun, yes }: Options): Promise<boolean> {
  console.log(describePlan(plan));
  if (dryRun) return false;
  if (yes) return true;
  const noTerminalHint = "add --yes to make the changes, or --dry-run to only show them";
  return /^y(es)?$/i.test(await promptUser("Continue? [y/N]", { noTerminalHint }));
}

function report(result: ImportResult, mirror: boolean): void {
  // After a dry run or a "no", the plan has been shown already.
  console.log(result.declined ? "Nothing was changed." : describeResult(result, mirror));
  if (result.stopped)
    console.error(`Stopped early: ${result.stopped}. Run the command again to continue from here.`);
}

const PROGRAM = "Commonplace import";

async function importTasks(path: string, options: Options): Promise<void> {
  const { folder, tag, mirror, yes, dryRun } = options;
  if (folder || tag.length > 0 || mirror || yes)
    throw new Error(
      "--folder, --tag, --mirror and --yes are for texts: tasks keep their own projects and tags",
    );
  const result = await importTaskFile(path, await accountFromOptions(options, PROGRAM), { dryRun });
  console.log(describeTasks(result, dryRun));
  if (result.read.refused.length + result.done.not_stored.total > 0) process.exitCode = 1;
}

async function main(): Promise<void> {
  const [argument = ""] = command.parse().args;
  const options = command.opts<Options>();
  const source = await findSource(argument);
  if (!source.isFolder && mayBeTaskFile(source.path)) return importTasks(source.path, options);
  const accountFiles = await readWholeAccount(source);
  return accountFiles ? importWholeAccount(accountFiles, options) : importTexts(source, options);
}

async function importWholeAccount(accountFiles: AccountExport, options: Options): Promise<void> {
  const { folder, tag, mirror, yes, dryRun } = options;
  if (folder || tag.length > 0 || mirror || yes || dryRun)
    throw new Error(
      "--folder, --tag, --mirror, --yes and --dry-run are for texts: a whole account is imported as it was exported",
    );
  const result = await importAccountFiles(accountFiles, await accountFromOptions(options, PROGRAM));
  console.log(describeAccount(result));
  if (result.refused.length + result.done.not_stored.total > 0) process.exitCode = 1;
}

async function importTexts(source: ImportSource, options: Options): Promise<void> {
  const { folder = "", tag, mirror } = options;
  if (!mirror && (options.dryRun || options.yes))
    throw new Error("--dry-run and --yes work only with --mirror");
  const account = await accountFromOptions(options, PROGRAM);
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
  if (result.refused.length > 0 || result.tasks?.read.refused.length || result.stopped) process.exitCode = 1;
}

main().catch((problem: unknown) => {
  console.error(errorMessage(problem));
  process.exitCode = 1;
});
