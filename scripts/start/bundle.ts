import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { WRANGLER, wranglerEnvironment } from "../common/wrangler.ts";
import { rebuild, replaceFolder } from "./rebuild.ts";

const FOLDER = join("dist", "worker");

/** The Worker as one file, next to its WebAssembly. */
export const BUNDLE = join(FOLDER, "index.js");

/** Miniflare's options for the Worker, written by options.ts. */
export const OPTIONS = join(FOLDER, "options.json");

const OPTIONS_SCRIPT = join("scripts", "start", "options.ts");

async function runWrangler(folder: string): Promise<void> {
  // Not minified, because nothing maps stack traces back.
  const command = [WRANGLER, "deploy", "--dry-run", "--no-minify", "--outdir", folder];
  const options = [OPTIONS_SCRIPT, join(folder, basename(OPTIONS))];
  for (const args of [command, options])
    await promisify(execFile)(process.execPath, args, { env: wranglerEnvironment() });
  rmSync(join(folder, "index.js.map"), { force: true });
}

/** Bundles the Worker if a source has changed. */
export const bundleWorker = (): Promise<void> =>
  rebuild({
    name: "The Worker",
    sources: ["src", "wrangler.toml", "package-lock.json", "tsconfig.json", OPTIONS_SCRIPT],
    results: [BUNDLE, OPTIONS],
    build: runWrangler,
    place: (folder) => replaceFolder(FOLDER, folder),
  });
