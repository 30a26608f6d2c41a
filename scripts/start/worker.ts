import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import { unstable_startWorker } from "wrangler";
import { BUNDLE } from "./bundle.ts";

// The process that runs the Worker: `wrangler dev` without its command line, because only here can the inspector be
// switched off. That one stands open on a port that asks nobody who they are, and gives away the signing key.

/** What `npm start` sends to this process, once. */
export type Assignment = { stateDir: string; vars: Record<string, string>; secret: string };

/** What this process answers: the port when it serves, and that a runtime behind it has ended. */
export type Report = { port: number } | { ended: true };

const report = (message: Report) => process.send?.(message);

/** wrangler starts the user's runtime anew when it ends, but a new proxy in front of it never learns where that is. */
function reportEndedRuntimes(): void {
  subscribe("child_process", (message) => {
    const { process: child } = message as { process: ChildProcess };
    child.once("exit", () => child.spawnfile?.includes("workerd") && report({ ended: true }));
  });
}

/** esbuild's process and most of wrangler's garbage are of no use once the Worker runs: 250 MB. */
async function letGo(): Promise<void> {
  await createRequire(import.meta.resolve("wrangler"))("esbuild").stop();
  globalThis.gc?.();
}

async function serve({ stateDir, vars, secret }: Assignment): Promise<void> {
  reportEndedRuntimes();
  const texts = Object.entries(vars).map(([name, value]) => [name, { type: "plain_text", value }] as const);
  const worker = await unstable_startWorker({
    config: "wrangler.toml",
    entrypoint: BUNDLE,
    build: { bundle: false },
    bindings: { ...Object.fromEntries(texts), FRONT_SECRET: { type: "secret_text", value: secret } },
    dev: {
      server: { hostname: "127.0.0.1", port: 0 },
      inspector: false,
      remote: false,
      watch: false,
      persist: stateDir,
      logLevel: "error",
    },
  });
  const { port } = await worker.url;
  report({ port: Number(port) });
  await letGo();
}

process.once("message", (assignment: Assignment) =>
  serve(assignment).catch((problem: Error) => {
    console.error(problem);
    process.exit(1);
  }),
);
