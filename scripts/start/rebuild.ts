import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Something that is built from sources. A folder stands for everything in it. */
export type Build = {
  /** For an error, such as "The Worker". */
  name: string;
  sources: string[];
  results: string[];
  /** Builds it into an empty folder. */
  build: (scratch: string) => Promise<unknown>;
  /** Moves the results from there to where they belong. */
  place: (scratch: string) => void;
};

/** Puts a folder in the place of another one. */
export function replaceFolder(old: string, folder: string): void {
  rmSync(old, { recursive: true, force: true });
  renameSync(folder, old);
}

const found = (path: string) => statSync(path, { throwIfNoEntry: false });
const changedAt = (path: string) => found(path)?.mtimeMs ?? 0;

const withContents = (path: string) =>
  found(path)?.isDirectory()
    ? [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))]
    : [path];

function isUpToDate({ sources, results }: Build): boolean {
  const built = Math.min(...results.map(changedAt));
  return sources.flatMap(withContents).every((path) => changedAt(path) <= built);
}

/** Another copy that builds the same sources moves its results into place one after the other. */
const PLACING_MS = 5000;
const LOOK_MS = 250;

async function isUpToDateSoon(one: Build): Promise<boolean> {
  for (let waited = 0; waited < PLACING_MS && !isUpToDate(one); waited += LOOK_MS) await sleep(LOOK_MS);
  return isUpToDate(one);
}

/** Builds what is older than its sources. Throws with the tool's own words. */
export async function rebuild(one: Build): Promise<void> {
  if (isUpToDate(one)) return;
  mkdirSync("dist", { recursive: true });
  const scratch = mkdtempSync(join("dist", "building-"));
  // Somebody else may run what was built.
  chmodSync(scratch, 0o777 & ~process.umask());
  try {
    await one.build(scratch);
    one.place(scratch);
  } catch (problem) {
    if (!(await isUpToDateSoon(one))) throw new Error(`${one.name} could not be built:\n${problem}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
