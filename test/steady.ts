import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

// `npm run test:steady -- <file> [-g <title>]`: a story enters the gate (test/front-door) after it has passed thirty times
// in a row beside a load of twice the processor's cores. The first failure ends it.

const LOAD = 2 * availableParallelism();
const RUNS = ["--repeat-each=30", "--retries=0", "--max-failures=1"];

for (let n = 0; n < LOAD; n++) new Worker("for (;;);", { eval: true });
const args = ["playwright", "test", "--config", "test/front-door"];
const child = spawn("npx", [...args, ...RUNS, ...process.argv.slice(2)], { stdio: "inherit" });
child.once("exit", (code) => process.exit(code ?? 1));
