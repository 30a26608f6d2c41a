import { realpath, stat } from "node:fs/promises";
import pLimit from "p-limit";
import { type Account, connect, Refused } from "./client.ts";
import { folderFinder } from "./folders.ts";
import { readImported } from "./imported.ts";
import type { Found, Refusal, Target } from "./item.ts";
import { readJsonLines } from "./json-lines.ts";
import { readFolder } from "./markdown.ts";
import { planImport } from "./plan.ts";
import { progressOf } from "./progress.ts";
import { type Outcome, write } from "./write.ts";

const REQUESTS_AT_ONCE = 8;

export type Result = Record<Outcome, number> & {
  refused: Refusal[];
  /** Why the import ended before its end. */
  stopped?: string;
};

async function openSource(source: string, target: Target): Promise<AsyncIterable<Found>> {
  const path = await realpath(source).catch(() => {
    throw new Error(`${source} does not exist`);
  });
  if ((await stat(path)).isDirectory()) return readFolder(path, target);
  if (/\.(jsonl|ndjson)$/i.test(path)) return readJsonLines(path, target);
  throw new Error(`${source} is neither a folder nor a .jsonl file`);
}

/** Reads a folder of Markdown files or a file of JSON lines. Throws when the source is neither. */
async function readSource(source: string, target: Target): Promise<Found[]> {
  const found: Found[] = [];
  for await (const item of await openSource(source, target)) found.push(item);
  return found;
}

/** Imports a source into an account. Repeating it is safe: what is there already is skipped. */
export async function runImport(source: string, account: Account, target: Target): Promise<Result> {
  const found = await readSource(source, target);
  const client = await connect(account);
  const limit = pLimit(REQUESTS_AT_ONCE);

  const reading = progressOf("Looking for what is there");
  const imported = await readImported(client, limit, reading.show).finally(reading.end);
  const { steps, refused } = planImport(found, imported);

  const result: Result = { created: 0, updated: 0, skipped: 0, refused };
  const folderOf = folderFinder(client);
  const writing = progressOf("Importing");
  let done = 0;
  await limit
    .map(steps, async (step) => {
      try {
        result[await write(client, step, folderOf)]++;
      } catch (problem) {
        if (!(problem instanceof Refused)) throw problem;
        refused.push({ where: step.item.where, why: problem.message });
      }
      writing.show(++done, steps.length);
    })
    .catch((problem: Error) => {
      limit.clearQueue();
      result.stopped = problem.message;
    })
    .finally(writing.end);
  return result;
}
