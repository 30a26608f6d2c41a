import { join } from "node:path";
import { rebuildIfStale, replaceFolder } from "./rebuild.ts";

const FOLDER = join("dist", "start");

/** The programs that `npm start` runs; each becomes one file. */
const PROGRAMS = [join("scripts", "start.ts"), join("scripts", "start", "worker.ts")];
const RESULTS = ["start.js", "worker.js"].map((name) => join(FOLDER, name));

async function runEsbuild(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    entryPoints: PROGRAMS,
    entryNames: "[name]",
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["miniflare"],
    logLevel: "silent",
  });
}

/** Bundles the programs of the service if a source has changed. Stripping types would cost each of them 50 MB. */
export const bundlePrograms = (): Promise<void> =>
  rebuildIfStale({
    name: "The service",
    sources: ["src", "scripts", "package-lock.json"],
    results: RESULTS,
    build: runEsbuild,
    place: (folder) => replaceFolder(FOLDER, folder),
  });
