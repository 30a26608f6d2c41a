import { unstable_startWorker } from "wrangler";
import { parseShards } from "../../src/contract/shards.ts";
import { localDatabaseName } from "../common/local-database.ts";

// The process that runs `wrangler dev` for `npm run dev`. It uses wrangler's API, because the command always opens an
// inspector, which reveals the signing key to every page that finds its port.

/** The first message to this process. */
export type DevAssignment = { stateDir: string; vars: Record<string, string>; port: number };

const varBindings = (vars: Record<string, string>) =>
  Object.entries(vars).map(([name, value]) => [name, { type: "plain_text" as const, value }] as const);

/** The databases in HOMES besides the first, which may be missing in wrangler.toml. */
const databaseBindings = (homes = "") =>
  parseShards(homes)
    .slice(1)
    .map(({ number, binding }) => [binding, { type: "d1" as const, id: localDatabaseName(number) }] as const);

async function serve({ stateDir, vars, port }: DevAssignment): Promise<void> {
  const worker = await unstable_startWorker({
    config: "wrangler.toml",
    bindings: Object.fromEntries([...varBindings(vars), ...databaseBindings(vars.HOMES)]),
    dev: {
      server: { hostname: "127.0.0.1", port },
      inspector: false,
      persist: stateDir,
      watch: true,
    },
  });
  process.once("SIGTERM", () => worker.dispose().finally(() => process.exit()));
  await worker.ready;
  process.send?.({ ports: { worker: port, miniflare: port } });
}

process.once("message", (assignment: DevAssignment) =>
  serve(assignment).catch((problem: Error) => {
    console.error(problem);
    process.exit(1);
  }),
);
