import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { messageOf } from "../src/contract/import/item.ts";
import { findAll } from "../src/contract/tidy/find.ts";
import { describe } from "./tidy/report.ts";
import { readSource } from "./tidy/sources.ts";
import { textIn } from "./tidy/unpack.ts";

// `npm run tidy -- <file>`: says what could be tidied up in a memory that is not here, and asks nobody.

const FEW = 10;

const command = new Command("npm run tidy --")
  .description(
    "Finds doubles, contradictions and secrets in the file of a memory. Nothing is changed or sent.",
  )
  .argument(
    "<file>",
    "memory.jsonl of server-memory, what Mem0 or OpenMemory exports, or an export of Commonplace",
  )
  .option("--all", `all findings, instead of ${FEW} of each kind`, false);

async function main(): Promise<void> {
  const [file = ""] = command.parse().args;
  const { all } = command.opts<{ all: boolean }>();
  const source = readSource(textIn(await readFile(file)));
  const today = new Date().toISOString().slice(0, 10);
  console.log(describe(source, findAll(source.things, today), all ? Number.POSITIVE_INFINITY : FEW));
}

main().catch((problem: unknown) => {
  console.error(messageOf(problem));
  process.exitCode = 1;
});
