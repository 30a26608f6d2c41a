import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule, TestSpecification } from "vitest/node";

/** What the last run on this machine took. */
type Run = { files: number; seconds: number };

const FILE = "node_modules/.cache/commonplace/last-test-run.json";

/** Two cores, both for the tests alone or shared with other work: 4 and 8 minutes for 212 files. */
const SECONDS_PER_FILE = { quiet: 1.2, busy: 2.3 };

/** Runs of fewer files are over soon, and say little about longer ones. */
const MANY = 20;

function lastRun(): Run | undefined {
  try {
    return JSON.parse(readFileSync(FILE, "utf8")) as Run;
  } catch {
    return undefined;
  }
}

const inMinutes = (seconds: number) => {
  const minutes = Math.max(1, Math.round(seconds / 60));
  return minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
};

/** How long tests will take: as long as the last ones here, or as they took where they were measured. */
export function estimate(files: number, last: Run | undefined): string {
  if (last) return `${inMinutes((files * last.seconds) / last.files)}, judging by the last run here`;
  const { quiet, busy } = SECONDS_PER_FILE;
  return `${inMinutes(files * quiet)} on two quiet cores, ${inMinutes(files * busy)} on busy ones`;
}

/** Says at the start of a long run how long it will take. */
export class HowLong implements Reporter {
  #start = 0;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#start = performance.now();
    const files = specifications.length;
    if (files >= MANY) console.log(`${files} files of tests: ${estimate(files, lastRun())}.\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], _: unknown, reason: string): void {
    if (modules.length < MANY || reason === "interrupted") return;
    const run: Run = { files: modules.length, seconds: (performance.now() - this.#start) / 1000 };
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, JSON.stringify(run));
  }
}
