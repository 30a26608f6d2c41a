import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const VITE = join("node_modules", "vite", "bin", "vite.js");
const TARGET = "public";

/** What a build writes, in the order in which it is moved into place: the page comes last, as it names the others. */
const BUILT = ["app", "sw.js", "index.html"];

/** What goes into the app, besides its own sources and those of the Worker that it shares. */
const INPUTS = ["package-lock.json", join("public", "pages", "tokens.css")];
const FOLDERS = ["web", "src", "scripts"];

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

function isUpToDate(): boolean {
  const built = Math.min(...BUILT.map((name) => changedAt(join(TARGET, name))));
  return [...INPUTS, ...FOLDERS, ...FOLDERS.flatMap(filesIn)].every((path) => changedAt(path) <= built);
}

function moveIntoPlace(folder: string): void {
  for (const name of BUILT) {
    rmSync(join(TARGET, name), { recursive: true, force: true });
    renameSync(join(folder, name), join(TARGET, name));
  }
}

/**
 * Builds the web app into the Worker's static files, unless that has been done since a source changed. In a process of
 * its own, so that `npm start` does not keep the memory that it takes. Throws with Vite's own words.
 */
export async function buildApp(): Promise<void> {
  if (isUpToDate()) return;
  mkdirSync("dist", { recursive: true });
  const scratch = mkdtempSync(join("dist", "app-"));
  try {
    const command = [
      VITE,
      "build",
      "web",
      "--outDir",
      resolve(scratch),
      "--emptyOutDir",
      "--logLevel",
      "warn",
    ];
    // With another NODE_ENV around, Vite would build the development version, which has no service worker.
    await promisify(execFile)(process.execPath, command, { env: { ...process.env, NODE_ENV: "production" } });
    moveIntoPlace(scratch);
  } catch (problem) {
    // Another copy may have built the same sources in the meantime.
    if (!isUpToDate()) throw new Error(`The web app could not be built:\n${problem}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildApp();
