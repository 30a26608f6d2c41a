import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { rebuildIfStale, replaceFolder } from "./rebuild.ts";

const FOLDER = join("dist", "start");

const PROGRAMS = [join("scripts", "start.ts"), join("scripts", "start", "worker.ts")];
const RESULTS = ["start.js", "worker.js"].map((name) => join(FOLDER, name));

/** Bundles programs into a folder, each as one file besides what they share. */
export async function runEsbuild(entryPoints: string[], outdir: string, more?: BuildOptions): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    entryPoints,
    entryNames: "[name]",
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["miniflare"],
    logLevel: "silent",
    ...more,
  });
}

/** Bundles the programs of the service if a source has changed. Stripping types would cost each of them 50 MB. */
export const bundlePrograms = (): Promise<void> =>
  rebuildIfStale({
    name: "The service",
    sources: ["src", "scripts", "package-lock.json"],
    results: RESULTS,
    build: (folder) => runEsbuild(PROGRAMS, folder),
    place: (folder) => replaceFolder(FOLDER, folder),
  });
