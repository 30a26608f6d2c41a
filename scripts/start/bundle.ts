import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { WRANGLER_CLI, wranglerEnvironment } from "../common/wrangler.ts";
import { rebuildIfStale, replaceFolder } from "./rebuild.ts";

const FOLDER = join("dist", "worker");

/** The Worker as one file, next to its WebAssembly. */
export const BUNDLE = join(FOLDER, "index.js");

/** Miniflare's options for the Worker, written by options.ts. */
export const BUNDLE_OPTIONS = join(FOLDER, "options.json");

const OPTIONS_SCRIPT = join("scripts", "start", "options.ts");

async function runWrangler(folder: string): Promise<void> {
  // Not minified, because nothing maps stack traces back.
  const command = [WRANGLER_CLI, "deploy", "--dry-run", "--no-minify", "--outdir", folder];
  const options = [OPTIONS_SCRIPT, join(folder, basename(BUNDLE_OPTIONS))];
  for (const args of [command, options])
    await promisify(execFile)(process.execPath, args, { env: wranglerEnvironment() });
  rmSync(join(folder, "index.js.map"), { force: true });
}

/** Bundles the Worker if a source has changed. */
export const bundleWorker = (): Promise<void> =>
  rebuildIfStale({
    name: "The Worker",
    sources: ["src", "wrangler.toml", "package-lock.json", "tsconfig.json", OPTIONS_SCRIPT],
    results: [BUNDLE, BUNDLE_OPTIONS],
    build: runWrangler,
    place: (folder) => replaceFolder(FOLDER, folder),
  });
