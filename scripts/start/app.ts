import { execFile } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { rebuild } from "./rebuild.ts";

const VITE = join("node_modules", "vite", "bin", "vite.js");
const TARGET = "public";

/** What a build writes, in the order in which it is moved into place: the page comes last, as it names the others. */
const BUILT = ["app", "sw.js", "index.html"];

/** What goes into the app, besides its own sources and those of the Worker that it shares. */
const INPUTS = ["package-lock.json", join("public", "pages", "tokens.css")];
const FOLDERS = ["web", "src", "scripts"];

function moveIntoPlace(folder: string): void {
  for (const name of BUILT) {
    rmSync(join(TARGET, name), { recursive: true, force: true });
    renameSync(join(folder, name), join(TARGET, name));
  }
}

function runVite(folder: string) {
  const options = ["--outDir", resolve(folder), "--emptyOutDir", "--logLevel", "warn"];
  // With another NODE_ENV around, Vite would build the development version, which has no service worker.
  const env = { ...process.env, NODE_ENV: "production" };
  return promisify(execFile)(process.execPath, [VITE, "build", "web", ...options], { env });
}

/**
 * Builds the web app into the Worker's static files, unless that has been done since a source changed.
 *
 * @param folders those whose changes count
 */
export const buildApp = (folders = FOLDERS): Promise<void> =>
  rebuild({
    name: "The web app",
    sources: [...INPUTS, ...folders],
    results: BUILT.map((name) => join(TARGET, name)),
    build: runVite,
    place: moveIntoPlace,
  });
