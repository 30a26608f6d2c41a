import { spawnSync } from "node:child_process";

// `npm run test:all`: everything that there is to try, with examples that nobody has seen. It goes on after what failed, and
// says at the end what that was.

const STEPS = ["check", "test", "test:front-door", "test:e2e", "test:dev", "test:mutations"];

const minutes = (ms: number) => `${(ms / 60_000).toFixed(1)} min`;

function run(step: string): { step: string; isGreen: boolean; took: string } {
  console.log(`\n── npm run ${step}`);
  const started = performance.now();
  const env = { ...process.env, NIGHTLY: "1" };
  const { status } = spawnSync("npm", ["run", "--silent", step], { env, stdio: "inherit" });
  return { step, isGreen: status === 0, took: minutes(performance.now() - started) };
}

const done = STEPS.map(run);
console.log("\n── in all");
for (const { step, isGreen, took } of done) console.log(`${isGreen ? "passed" : "FAILED"}  ${step}, ${took}`);
if (done.some(({ isGreen }) => !isGreen)) process.exitCode = 1;
