import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { WRANGLER, wranglerEnvironment } from "../common/wrangler.ts";
import { rebuild, replaceFolder } from "./rebuild.ts";

const FOLDER = join("dist", "worker");

/** The Worker as one file, next to the WebAssembly that it loads. */
export const BUNDLE = join(FOLDER, "index.js");

/** Miniflare's options for it: see options.ts. */
export const OPTIONS = join(FOLDER, "options.json");

const OPTIONS_SCRIPT = join("scripts", "start", "options.ts");

async function runWrangler(folder: string): Promise<void> {
  // Not minified: nothing here translates the stacks of errors back.
  const command = [WRANGLER, "deploy", "--dry-run", "--no-minify", "--outdir", folder];
  const options = [OPTIONS_SCRIPT, join(folder, basename(OPTIONS))];
  for (const args of [command, options])
    await promisify(execFile)(process.execPath, args, { env: wranglerEnvironment() });
  rmSync(join(folder, "index.js.map"), { force: true });
}

/** Bundles the Worker, unless the bundle is newer than its sources. */
export const bundleWorker = (): Promise<void> =>
  rebuild({
    name: "The Worker",
    sources: ["src", "wrangler.toml", "package-lock.json", "tsconfig.json", OPTIONS_SCRIPT],
    results: [BUNDLE, OPTIONS],
    build: runWrangler,
    place: (folder) => replaceFolder(FOLDER, folder),
  });
