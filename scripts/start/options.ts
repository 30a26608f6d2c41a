import { writeFileSync } from "node:fs";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { omit } from "../../src/contract/omit.ts";

// Writes wrangler.toml as Miniflare's options, as wrangler reads it, to the file named on the command line. It runs when
// the Worker is bundled, because wrangler takes 180 MB of memory that the running service should not use.

const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml");

/** Without `bindings`, which contain secrets and depend on the settings, and without rules for unbundled modules. */
const options = omit(workerOptions, "bindings", "modulesRules");

export type WorkerOptions = typeof options;

writeFileSync(process.argv[2] as string, JSON.stringify(options));
