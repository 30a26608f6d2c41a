#!/usr/bin/env node
import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";

// The file that npm links as `commonplace`. A Node without SQLite, such as 20, runs the program with a newer Node from
// npx.

const NODE = "node@24.9.0";
const program = join(import.meta.dirname, "..", "dist", "start", "cli.js");
const args = process.argv.slice(2);
const QUIET = "--disable-warning=ExperimentalWarning";

const [major, minor] = process.versions.node.split(".").map(Number);
const isNewEnough = major >= 24 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
const [file, ...all] = isNewEnough
  ? [process.execPath, QUIET, program, ...args]
  : ["npx", "--yes", `--package=${NODE}`, "--", "node", QUIET, program, ...args];

const child = spawn(file, all, { stdio: "inherit", shell: !isNewEnough && process.platform === "win32" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.once("error", ({ message }) => {
  console.error(message);
  process.exit(1);
});
child.once("exit", (code) => process.exit(code ?? 1));
