import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A build step. A folder among the sources and results stands for everything in it. */
export type BuildStep = {
  /** The subject of an error message, such as "The Worker". */
  name: string;
  sources: string[];
  results: string[];
  build: (scratch: string) => Promise<unknown>;
  place: (scratch: string) => void;
};

/** Replaces a folder by another one. */
export function replaceFolder(old: string, folder: string): void {
  rmSync(old, { recursive: true, force: true });
  renameSync(folder, old);
}

const statIfExists = (path: string) => statSync(path, { throwIfNoEntry: false });
const modifiedAt = (path: string) => statIfExists(path)?.mtimeMs ?? 0;

const withContents = (path: string) =>
  statIfExists(path)?.isDirectory()
    ? [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))]
    : [path];

function isUpToDate({ sources, results }: BuildStep): boolean {
  const built = Math.min(...results.map(modifiedAt));
  return sources.flatMap(withContents).every((path) => modifiedAt(path) <= built);
}

/** How long another process that builds the same sources may take to move its results into place. */
const PLACING_MS = 5000;
const POLL_MS = 250;

async function isUpToDateSoon(step: BuildStep): Promise<boolean> {
  for (let waited = 0; waited < PLACING_MS && !isUpToDate(step); waited += POLL_MS) await sleep(POLL_MS);
  return isUpToDate(step);
}

/** Builds if the results are older than the sources. Throws with the tool's output. */
export async function rebuildIfStale(step: BuildStep): Promise<void> {
  if (isUpToDate(step)) return;
  mkdirSync("dist", { recursive: true });
  const scratch = mkdtempSync(join("dist", "building-"));
  // Another user may run the result.
  chmodSync(scratch, 0o777 & ~process.umask());
  try {
    await step.build(scratch);
    step.place(scratch);
  } catch (problem) {
    if (!(await isUpToDateSoon(step))) throw new Error(`${step.name} could not be built:\n${problem}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
