import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { WRANGLER_CLI, wranglerEnvironment } from "../scripts/common/wrangler.ts";
import { importsIn } from "../test/kit/districts.ts";
import { type Checked, median, printChecked, printTable } from "./figures.ts";

// Figures of the code with their limits, and of the Worker's bundle.

/** A line with only a comment, as Biome formats it. */
const COMMENT = /^\s*(\/\/|\/\*|\*)/;

type Source = { path: string; text: string };

const sourcesOf = (...patterns: string[]): Source[] =>
  globSync(patterns)
    .filter((path) => !path.includes("node_modules"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const linesOf = (text: string) => text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);

const lineCount = (sources: Source[]) => sources.reduce((sum, { text }) => sum + linesOf(text).length, 0);

/** The percentage of non-empty lines that are only a comment. */
function commentShare(sources: Source[]): number {
  const lines = sources.flatMap(({ text }) => linesOf(text)).filter((line) => line.trim() !== "");
  return (100 * lines.filter((line) => COMMENT.test(line)).length) / lines.length;
}

/** The number of files with at most `most` lines that a single other file imports, types included. */
function smallWithOneImporter(sources: Source[], most: number): number {
  const nameOf = (path: string) => path.replace(/\.tsx?$/, "");
  const imports = sources.flatMap(({ path, text }) => [...new Set(importsIn(nameOf(path), text))]);
  const importers = Map.groupBy(imports, (name) => name);
  return sources.filter(
    ({ path, text }) => linesOf(text).length <= most && importers.get(nameOf(path))?.length === 1,
  ).length;
}

/** The number of packages that `overrides` in package.json replaces. */
function overrideCount(): number {
  const { overrides }: { overrides: Record<string, object> } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  return Object.values(overrides).reduce((sum, of) => sum + Object.keys(of).length, 0);
}

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

/** The milliseconds of a start-up profile that the Worker's own code took. */
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

/** Builds the bundle as for a deployment. Returns its size in KiB. */
function bundleSize(stateDir: string): { plain: number; gzip: number } {
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

/** Measures the bundle's size and start time. */
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

/** Prints the figures of the code with their limits. */
export function benchHouse(stateDir: string): void {
  mkdirSync(stateDir, { recursive: true });
  const product = sourcesOf("src/**/*.{ts,tsx}", "web/src/**/*.{ts,tsx}", "scripts/**/*.{ts,tsx}");
  const figures: [name: string, value: number, most: number, unit?: string][] = [
    ["lines of src, web/src and scripts", lineCount(product), 70_000],
    ["lines of test", lineCount(sourcesOf("test/**/*.{ts,tsx}")), 36_000],
    ["lines of bench", lineCount(sourcesOf("bench/**/*.ts")), 2500],
    [
      "files over 500 lines in src, web and scripts",
      product.filter(({ text }) => linesOf(text).length > 500).length,
      0,
    ],
    ["product files of 20 lines with one importer", smallWithOneImporter(product, 20), 12],
    ["lines of src that are only comments", commentShare(sourcesOf("src/**/*.ts")), 6, "%"],
    ["bytes of CONTRIBUTING.md", readFileSync("CONTRIBUTING.md").length, 12_000],
    ["overrides", overrideCount(), 2],
    ["lines of README.md", linesOf(readFileSync("README.md", "utf8")).length, 250],
    ["bundle of the Worker, gzip", bundleSize(stateDir).gzip, 700, "KiB"],
  ];
  const checked = figures.map(([name, value, most, unit = ""]): Checked => {
    const shown = (number: number) => `${number.toFixed(unit === "%" ? 1 : 0)} ${unit}`.trim();
    return [name, shown(value), shown(most), value <= most];
  });
  printChecked("The code", ["now", "at most"], checked);
}
