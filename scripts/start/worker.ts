import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseShards } from "../../src/contract/shards.ts";
import { localDatabaseName } from "../common/local-database.ts";
import { openOperatorEndpoint } from "../common/operator.ts";
import { configuredVars } from "../common/settings.ts";
import { BUNDLE, BUNDLE_OPTIONS } from "./bundle.ts";
import type { DiskReport } from "./disk.ts";
import type { WorkerOptions } from "./options.ts";

// The process that runs the Worker in Miniflare. `wrangler dev` would put a second runtime in front of it, which loses
// requests while the first one is busy, and would open an inspector that reveals the signing key to anyone who finds it.

/** Required, not imported: importing a CommonJS module keeps its source, 12 MB, a second time and parses all of it. */
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = createRequire(import.meta.url)(
  "miniflare",
) as typeof import("miniflare");

/** What `npm start` sends to this process, once. */
export type WorkerAssignment = {
  stateDir: string;
  vars: Record<string, string>;
  secret: string;
  address: string;
};

/** The runtime's sockets: see forward.ts. */
export type RuntimePorts = { worker: number; miniflare: number };

/**
 * The messages of this process: the ports once it serves, the runtime's process id whenever it starts (undefined when it
 * ends), and lines of the runtime about the disk.
 */
export type WorkerReport = { ports: RuntimePorts } | { runtime: number | undefined } | { disk: DiskReport };

const sendReport = (message: WorkerReport) => process.send?.(message);

/** Miniflare silently starts a new runtime on the same port when one ends. */
function reportRuntimes(): void {
  subscribe("child_process", (message) => {
    const { process: child } = message as { process: ChildProcess };
    child.once("spawn", () => {
      if (!child.spawnfile.includes("workerd")) return;
      sendReport({ runtime: child.pid });
      child.once("exit", () => sendReport({ runtime: undefined }));
    });
  });
}

/** A disk error, as the runtime itself or faults.ts prints it. Other lines of the Worker may quote a request. */
const DISK_LINE = /^(?:[^{\n]|\{"fault":).*?SQLITE_(FULL|IOERR|CORRUPT|NOTADB)/;
/** The line that workerd prints after such an error. */
const STACK_LINE = /^stack: \S*workerd@/;
let isStackNext = false;

/** Reports a line about the disk to the parent process, which prints a summary. Returns whether it was one. */
function reportIfDiskLine(printed: string): boolean {
  const [, code] = DISK_LINE.exec(printed) ?? [];
  const isStack = isStackNext && STACK_LINE.test(printed);
  isStackNext = code !== undefined;
  if (code) sendReport({ disk: { code, line: printed.split("\n", 1)[0]?.slice(0, 300) ?? "" } });
  return isStack || code !== undefined;
}

/** Prints the Worker's log: errors, and emails if they go to the terminal. */
function printLog({ level, message }: { level: string; message: string }): void {
  if (reportIfDiskLine(message)) return;
  if (level === "error") console.error(message);
  if (level === "info") console.log(message);
}

const WORKER_NAME = "commonplace";

/** Public addresses, except IPv6 forms of IPv4 addresses, which may be private (RFC 4291, RFC 6052, RFC 8215). */
const PUBLIC_NETWORK = { allow: ["public"], deny: ["::/96", "64:ff9b::/96", "64:ff9b:1::/48"] };

/**
 * A second entry point of the Worker. Requests to the default one pass through two Workers of Miniflare, its entry and
 * the asset router, which take as long as a short request of ours.
 */
const DIRECT_ENTRY = "direct";
const ENTRY_MODULE = {
  type: "ESModule" as const,
  path: join(dirname(BUNDLE), "entry.js"),
  contents: `export * from "./index.js"; export { default, default as ${DIRECT_ENTRY} } from "./index.js";`,
};

/** The modules of the bundle, the main one first. */
function bundledModules() {
  const wasmFiles = readdirSync(dirname(BUNDLE)).filter((name) => name.endsWith(".wasm"));
  return [
    ENTRY_MODULE,
    { type: "ESModule" as const, path: BUNDLE },
    ...wasmFiles.map((name) => ({ type: "CompiledWasm" as const, path: join(dirname(BUNDLE), name) })),
  ];
}

/** The databases in HOMES besides the first, which may be missing in wrangler.toml. */
const extraDatabases = (homes = "") =>
  Object.fromEntries(
    parseShards(homes)
      .slice(1)
      .map(({ number, binding }) => [binding, { id: localDatabaseName(number) }]),
  );

async function serve({ stateDir, vars, secret, address }: WorkerAssignment): Promise<void> {
  reportRuntimes();
  const workerOptions = JSON.parse(readFileSync(BUNDLE_OPTIONS, "utf8")) as WorkerOptions;
  const bindings: Record<string, string> = { ...configuredVars(), ...vars, FRONT_SECRET: secret };
  const options = convertV4MiniflareOptions({
    ...workerOptions,
    name: WORKER_NAME,
    // Resolved here, because the repository may have moved since the build.
    assets: { ...(workerOptions.assets as object), directory: resolve("public") },
    modules: bundledModules(),
    modulesRoot: dirname(BUNDLE),
    // The runtime rejects private addresses after it has resolved a name, which platform/http/outbound.ts cannot see.
    serviceBindings: { OUTBOUND: { network: { ...PUBLIC_NETWORK, tlsOptions: { trustBrowserCas: true } } } },
    bindings,
    d1Databases: { ...(workerOptions.d1Databases as object), ...extraDatabases(bindings.HOMES) },
    host: "127.0.0.1",
    port: 0,
    cf: false,
    logRequests: false,
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, entrypoint: DIRECT_ENTRY, proxy: true }],
    unsafeTriggerHandlers: true,
    unsafeProxySharedSecret: secret,
    // The same place as `wrangler dev --persist-to`, so that wrangler's other commands find the data.
    resourcePersistencePath: join(stateDir, "v3"),
    log: new Log(LogLevel.ERROR),
    handleStructuredLogs: printLog,
  });
  const runtime = new Miniflare(options);
  const miniflare = await runtime.ready;
  const worker = await runtime.unsafeGetDirectURL(WORKER_NAME, DIRECT_ENTRY);
  const database = (binding: string) => runtime.getD1Database(binding, WORKER_NAME);
  const bucket = async () => (await runtime.getR2Bucket("FILES", WORKER_NAME)) as unknown as R2Bucket;
  await openOperatorEndpoint(database, bucket, {
    stateDir,
    address,
    homes: bindings.HOMES ?? "",
    mcp_url: vars.MCP_URL,
  });
  sendReport({ ports: { worker: Number(worker.port), miniflare: Number(miniflare.port) } });
}

process.once("message", (assignment: WorkerAssignment) =>
  serve(assignment).catch((problem: Error) => {
    console.error(problem);
    process.exit(1);
  }),
);
