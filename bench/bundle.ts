import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { WRANGLER_CLI, wranglerEnvironment } from "../scripts/common/wrangler.ts";
import { median, printTable } from "./table.ts";

const PROFILES = 3;

function wrangler(...command: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [WRANGLER_CLI, ...command], {
    env: wranglerEnvironment(),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`wrangler ${command.join(" ")} failed:\n${stderr}`);
}

type Profile = {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  timeDeltas: number[];
};

/** Milliseconds of a start-up profile that were spent in the Worker's own code. */
function busyTime(file: string): number {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as Profile;
  const idle = new Set(
    nodes
      .filter(({ callFrame }) => /^\((idle|program|root)\)$/.test(callFrame.functionName))
      .map(({ id }) => id),
  );
  return (
    samples.reduce((sum, node, index) => (idle.has(node) ? sum : sum + (timeDeltas[index] ?? 0)), 0) / 1000
  );
}

/** Builds the bundle as it is deployed, and returns its size in KiB. */
export function bundleSize(stateDir: string): { plain: number; gzip: number } {
  const out = join(stateDir, "bundle");
  wrangler("deploy", "--dry-run", "--outdir", out);
  const modules = readdirSync(out)
    .filter((name) => /\.(js|wasm)$/.test(name))
    .map((name) => readFileSync(join(out, name)));
  const kib = (sizes: number[]) => sizes.reduce((sum, bytes) => sum + bytes, 0) / 1024;
  return {
    plain: kib(modules.map(({ length }) => length)),
    gzip: kib(modules.map((bytes) => gzipSync(bytes, { level: 9 }).length)),
  };
}

/** Measures the size of the deployed bundle and how long it takes to start. */
export function benchBundle(stateDir: string): void {
  const { plain, gzip } = bundleSize(stateDir);
  const starts = Array.from({ length: PROFILES }, (_, index) => {
    const file = join(stateDir, `startup-${index}.cpuprofile`);
    wrangler("check", "startup", "--outfile", file);
    return busyTime(file);
  });
  printTable(
    "The Worker",
    ["", ""],
    [
      ["bundle", `${plain.toFixed(0)} KiB`],
      ["bundle, gzip", `${gzip.toFixed(0)} KiB`],
      ["start-up, median", `${median(starts).toFixed(1)} ms`],
    ],
  );
}
