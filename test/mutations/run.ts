import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { MUTATIONS, type Mutation } from "./mutations.ts";

// `npm run test:mutations [-- <words>]`: breaks a copy of the product in one place at a time and counts how often the tests
// notice. Takes an hour; with words, only the mutations whose description has them.

const ROOT = resolve(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "commonplace-mutations-"));
const report = join(copy, "report.json");

process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const isCopied = (path: string) => !/^(node_modules|\.state|\.wrangler)$/.test(relative(ROOT, path));
cpSync(ROOT, copy, { recursive: true, filter: isCopied });
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
// It compares the mutations with the code, so it would find every one.
rmSync(join(copy, "test/scripts/mutations.test.ts"));

type Report = {
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
};

/** Without the longer forms of `npm run test:all`, which take hours fifty times. */
const { NIGHTLY: _, ...env } = process.env;

/** The first test that fails, or undefined. Runs the given files or, without any, all. Throws if the run itself fails. */
function findFailure(files: readonly string[]): string | undefined {
  rmSync(report, { force: true });
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  const { status } = spawnSync("npx", ["vitest", "run", "--bail=1", ...reporting, ...files], {
    cwd: copy,
    env,
  });
  if (status === 0) return undefined;
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find((one) => one.status === "failed");
    if (failed || message) return `${relative(copy, name)}: ${failed?.fullName ?? message.split("\n")[0]}`;
  }
  throw new Error("The run failed without a failed test");
}

/** The tests of the broken feature or district, and those that the mutation names. If they miss it, all others run. */
const likelyTests = ({ path, tests = [] }: Mutation) => [
  path.replace(/^web\/src\/.*/, "web/test").replace(/^src\/((features\/)?[^/]+)\/.*/, "test/$1"),
  ...tests,
];

/** The first test that fails while the mutation is applied, or undefined. Throws if the mutation does not fit the file. */
function findMutation(mutation: Mutation): string | undefined {
  const { path, from, to } = mutation;
  const file = join(copy, path);
  const text = readFileSync(file, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${path} does not contain this once: ${from}`);
  writeFileSync(
    file,
    text.replace(from, () => to),
  );
  try {
    return findFailure(likelyTests(mutation)) ?? findFailure([]);
  } finally {
    writeFileSync(file, text);
  }
}

const words = process.argv.slice(2).join(" ");
const chosen = MUTATIONS.filter(({ breaks }) => breaks.includes(words));
const missed: string[] = [];
const failure = findFailure([]);
if (failure) throw new Error(`The tests fail without a mutation: ${failure}`);
for (const mutation of chosen) {
  const started = performance.now();
  const found = findMutation(mutation);
  const seconds = Math.round((performance.now() - started) / 1000);
  if (!found) missed.push(mutation.breaks);
  console.log(`${found ? "found " : "MISSED"}  ${mutation.breaks} (${seconds} s)\n        ${found ?? ""}`);
}
console.log(`\n${chosen.length - missed.length} of ${chosen.length} found.`);
for (const one of missed) console.log(`Missed: ${one}`);
if (missed.length > 0) process.exitCode = 1;
