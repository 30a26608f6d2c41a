import { globSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { register, startService } from "../test/e2e/service.ts";
import { type Import, importsIn, isUpwards, roomOf } from "../test/kit/districts.ts";
import { tokensOf } from "../test/kit/tokens.ts";
import { bundleSize } from "./bundle.ts";
import { listTools } from "./mcp.ts";
import { printTable } from "./table.ts";

// What the code is like, in figures: each with the most that it may be.

const ARCHITECTURE = "test/house/architecture.test.ts";

/** Its exceptions are in lists of one source a line. */
const EXCEPTION = /^ {2}"((?:src|web|scripts)\/[^"]+)",/gm;

/** What is only comment, in TypeScript as Biome formats it. */
const COMMENT = /^\s*(\/\/|\/\*|\*)/;

type Source = { path: string; text: string };

const sourcesOf = (...patterns: string[]): Source[] =>
  globSync(patterns)
    .filter((path) => !path.includes("node_modules"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const linesOf = (text: string) => text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);

const longer = (sources: Source[], most: number) =>
  sources.filter(({ text }) => linesOf(text).length > most).length;

/** The share of lines that are only comment, of all that are not empty, in percent. */
function commentShare(sources: Source[]): number {
  const lines = sources.flatMap(({ text }) => linesOf(text)).filter((line) => line.trim() !== "");
  return (100 * lines.filter((line) => COMMENT.test(line)).length) / lines.length;
}

/** Every import from one source to another, types included. */
function importsBetween(sources: Source[]): Import[] {
  const named = sources.map(({ path, text }) => ({ name: path.replace(/\.tsx?$/, ""), text }));
  const names = new Set(named.map(({ name }) => name));
  return named
    .flatMap(({ name, text }) => importsIn(name, text).map((to) => ({ from: name, to })))
    .filter(({ to }) => names.has(to));
}

/** How many pairs of folders import each other. */
function mutualPairs(imports: Import[]): number {
  const arrows = imports
    .map(({ from, to }) => [roomOf(from), roomOf(to)] as const)
    .filter(([from, to]) => from !== to);
  const known = new Set(arrows.map((arrow) => arrow.join(" ")));
  const mutual = [...known].filter((arrow) => known.has(arrow.split(" ").reverse().join(" ")));
  return mutual.length / 2;
}

/** How many product files of at most `most` lines have a single product file that imports them. */
function smallWithOneImporter(sources: Source[], most: number): number {
  const importers = Map.groupBy(importsBetween(sources), ({ to }) => to);
  const importersOf = (path: string) =>
    new Set(importers.get(path.replace(/\.tsx?$/, ""))?.map(({ from }) => from)).size;
  return sources.filter(({ path, text }) => linesOf(text).length <= most && importersOf(path) === 1).length;
}

/** How many packages `overrides` of package.json replaces. */
function overrideCount(): number {
  const { overrides } = JSON.parse(readFileSync("package.json", "utf8")) as {
    overrides: Record<string, Record<string, string>>;
  };
  return Object.values(overrides).reduce((sum, of) => sum + Object.keys(of).length, 0);
}

const lineCount = (sources: Source[]) => sources.reduce((sum, { text }) => sum + linesOf(text).length, 0);

/** About how many tokens the definitions of the tools are, as the service sends them. */
async function toolTokens(stateDir: string): Promise<number> {
  mkdirSync(stateDir, { recursive: true });
  const service = await startService(stateDir);
  try {
    const token = await register(service.apiUrl, {
      email: "house@example.com",
      password: "a password for the bench",
    });
    return tokensOf(await listTools(service.mcpUrl, token));
  } finally {
    await service.stop();
  }
}

/** A figure, and the most that it may be. */
type Figure = [name: string, value: number, most: number, unit?: string];

function figuresOfSources(): Figure[] {
  const code = sourcesOf("{src,web,scripts}/**/*.{ts,tsx}");
  const product = code.filter(({ path }) => /^(src|web\/src|scripts)\//.test(path));
  const service = code.filter(({ path }) => path.startsWith("src/") && path.endsWith(".ts"));
  const imports = importsBetween(code.filter(({ path }) => isInDistrict(path)));
  const exceptions = [...readFileSync(ARCHITECTURE, "utf8").matchAll(EXCEPTION)].map(([, name]) => name);
  const upwards = imports.filter((one) => isUpwards(one) && !exceptions.includes(one.to));
  const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [
    ["districts of src", folders.length, 8],
    ["exceptions in the test of the architecture", exceptions.length, 15],
    ["other imports upwards", upwards.length, 0],
    ["pairs of folders in web that import each other", mutualPairs(imports.filter(inWeb)), 0],
    ["lines of src, web/src and scripts", lineCount(product), 70_000],
    ["lines of test", lineCount(sourcesOf("test/**/*.{ts,tsx}")), 36_000],
    ["lines of bench", lineCount(sourcesOf("bench/**/*.ts")), 2500],
    ["files over 500 lines in src, web and scripts", longer(code, 500), 0],
    ["product files of 20 lines with one importer", smallWithOneImporter(product, 20), 12],
    ["lines of src that are only comments", commentShare(service), 6, "%"],
    ["bytes of CONTRIBUTING.md", readFileSync("CONTRIBUTING.md").length, 12_000],
    ["overrides", overrideCount(), 2],
    ["lines of README.md", linesOf(readFileSync("README.md", "utf8")).length, 250],
  ];
}

/** What builds and what tests the app is in web/ too, and in none of its districts. */
const isInDistrict = (path: string) => !/^web\/(test\/|[^/]+$)/.test(path);

const inWeb = ({ from, to }: Import) => from.startsWith("web/src/") && to.startsWith("web/src/");

const shown = (value: number, unit?: string) =>
  `${Number.isInteger(value) ? value : value.toFixed(unit === "%" ? 1 : 0)}${unit ? ` ${unit}` : ""}`;

/** Prints the figures of the code, each beside its goal. */
export async function benchHouse(stateDir: string): Promise<void> {
  mkdirSync(stateDir, { recursive: true });
  const figures: Figure[] = [
    ...figuresOfSources(),
    ["bundle of the Worker, gzip", bundleSize(stateDir).gzip, 700, "KiB"],
    ["tokens of the definitions of tools", await toolTokens(join(stateDir, "service")), 4000],
  ];
  printTable(
    "The code",
    ["", "now", "at most", ""],
    figures.map(([name, value, most, unit]) => [
      name,
      shown(value, unit),
      shown(most, unit),
      value <= most ? "ok" : "over",
    ]),
  );
}
