import { execFile } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { rebuild } from "./rebuild.ts";

const VITE = join("node_modules", "vite", "bin", "vite.js");
const TARGET = "public";

/** The results of a build, in the order of moving them into place: the page comes last, because it loads the others. */
const BUILT = ["app", "sw.js", "index.html"];

/** The sources of the app outside of `FOLDERS`. */
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
  // With another NODE_ENV, Vite builds the development version, which has no service worker.
  const env = { ...process.env, NODE_ENV: "production" };
  return promisify(execFile)(process.execPath, [VITE, "build", "web", ...options], { env });
}

/**
 * Builds the web app into the Worker's static files if a source has changed.
 *
 * @param folders the folders whose changes count
 */
export const buildApp = (folders = FOLDERS): Promise<void> =>
  rebuild({
    name: "The web app",
    sources: [...INPUTS, ...folders],
    results: BUILT.map((name) => join(TARGET, name)),
    build: runVite,
    place: moveIntoPlace,
  });
