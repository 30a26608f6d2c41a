import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { errorMessage } from "../src/shared/import/item.ts";
import { findAllFindings } from "../src/shared/tidy/find.ts";
import { readMemoryFile } from "./tidy/read-memory-file.ts";
import { describeFindings } from "./tidy/report.ts";
import { unpackText } from "./tidy/unpack.ts";

// `npm run tidy -- <file>`: finds what could be tidied up in a file of memories of another program, offline.

const DEFAULT_LIMIT = 10;

const command = new Command("npm run tidy --")
  .description(
    "Finds duplicates, contradictions and secrets in a file of memories. Nothing is changed or sent.",
  )
  .argument(
    "<file>",
    "memory.jsonl of server-memory, an export of Mem0 or OpenMemory, or an export of Commonplace",
  )
  .option("--all", `show all findings, not just ${DEFAULT_LIMIT} of each kind`, false);

async function main(): Promise<void> {
  const [file = ""] = command.parse().args;
  const { all } = command.opts<{ all: boolean }>();
  const source = readMemoryFile(unpackText(await readFile(file)));
  const today = new Date().toISOString().slice(0, 10);
  console.log(
    describeFindings(
      source,
      findAllFindings(source.things, today),
      all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT,
    ),
  );
}

main().catch((problem: unknown) => {
  console.error(errorMessage(problem));
  process.exitCode = 1;
});
