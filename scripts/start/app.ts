import { execFile } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { rebuildIfStale } from "./rebuild.ts";

const VITE = join("node_modules", "vite", "bin", "vite.js");
const PUBLIC_FOLDER = "public";

/** The results of a build, in the order of moving them into place: the page comes last, because it loads the others. */
const RESULTS = ["app", "sw.js", "index.html"];

const SOURCE_FILES = ["package-lock.json", join("public", "pages", "tokens.css")];
const SOURCE_FOLDERS = ["web", "src", "scripts"];

function moveIntoPlace(folder: string): void {
  for (const name of RESULTS) {
    rmSync(join(PUBLIC_FOLDER, name), { recursive: true, force: true });
    renameSync(join(folder, name), join(PUBLIC_FOLDER, name));
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
export const buildApp = (folders = SOURCE_FOLDERS): Promise<void> =>
  rebuildIfStale({
    name: "The web app",
    sources: [...SOURCE_FILES, ...folders],
    results: RESULTS.map((name) => join(PUBLIC_FOLDER, name)),
    build: runVite,
    place: moveIntoPlace,
  });
