import { join } from "node:path";
import getPort, { portNumbers } from "get-port";
import { failStart } from "./common/fail.ts";
import { readSettings, type ServiceSettings } from "./common/settings.ts";
import { claimState } from "./common/state.ts";
import { forwardPort } from "./dev/forward-port.ts";
import type { DevAssignment } from "./dev/server.ts";
import { buildApp } from "./start/app.ts";
import { runCronHourly } from "./start/cron.ts";
import { restrictNewFiles } from "./start/file-permissions.ts";
import { listenAddresses } from "./start/front.ts";
import { waitUntilReady } from "./start/health.ts";
import { createStopper, prepareStart, stopOnExit } from "./start/life-cycle.ts";
import { startWorker } from "./start/processes.ts";

// `npm run dev`: serves the data of `npm start` on the same two ports with `wrangler dev`, which reloads the Worker when a
// source changes, and the app with Vite.

const COMMAND = "npm run dev";
const LOOPBACK = "127.0.0.1";
const VITE_PORTS = portNumbers(5173, 5273);

/** Reads the settings. Throws if other machines may connect: only `npm start` has the proxy for that. */
function devSettings(environment: NodeJS.ProcessEnv): ServiceSettings {
  const settings = readSettings(environment);
  if (!settings.isLocal)
    throw new Error(
      `\`${COMMAND}\` serves only this machine: unset HOST, API_URL, MCP_URL and ALLOWED_HOSTS, or use \`npm start\``,
    );
  return settings;
}

/** The Worker's variables. Without a front, the Worker itself must check the Host (DNS rebinding). */
const workerVars = ({ vars }: ServiceSettings) => ({
  ...vars,
  ALLOWED_HOSTS: vars.ALLOWED_HOSTS || "localhost",
});

/** Serves the app with hot reloading, as a proxy of the API. Returns its address. */
async function serveApp(apiUrl: string): Promise<string> {
  process.env.API_URL = apiUrl;
  const { createServer } = await import("vite");
  const port = await getPort({ port: VITE_PORTS });
  const server = await createServer({ configFile: join("web", "vite.config.ts"), server: { port } });
  await server.listen();
  return `http://localhost:${port}`;
}

/** Opens the addresses on which `wrangler dev` does not listen. */
async function openPorts({ apiPort, mcpPort }: ServiceSettings): Promise<void> {
  const endpoints = [apiPort, mcpPort].flatMap((port) =>
    listenAddresses("localhost").map((host) => ({ host, port })),
  );
  const api = { host: LOOPBACK, port: apiPort };
  for (const endpoint of endpoints)
    if (endpoint.host !== api.host || endpoint.port !== api.port) await forwardPort(endpoint, api);
}

function printWelcome({ apiUrl, vars, stateDir }: ServiceSettings, app: string): void {
  console.log(`
  Commonplace is running, with \`wrangler dev\`.

    API   ${apiUrl}          reloads when a source changes
    MCP   ${vars.MCP_URL}
    App   ${app}          shows changes immediately; ${apiUrl} follows some seconds later

  Your data is in ${stateDir}, as with \`npm start\`. The clean-up runs every hour; to run it now:
  curl ${apiUrl}/cdn-cgi/local/scheduled. Ctrl-C stops everything.
`);
}

async function main(): Promise<void> {
  restrictNewFiles();
  const settings = devSettings(process.env);
  const state = claimState(settings, COMMAND);
  await prepareStart(settings, state, COMMAND);
  await buildApp();

  const { apiPort, stateDir, apiUrl, mcpUrl } = settings;
  const assignment: DevAssignment = { stateDir, vars: workerVars(settings), port: apiPort };
  const file = join(import.meta.dirname, "dev", "server.ts");
  const worker = startWorker({ file, environment: { DEV_STATE: stateDir } }, assignment);
  const stop = createStopper(worker, state);
  stopOnExit(worker, stop);
  const start = async () => {
    await openPorts(settings);
    const target = { ...(await worker.ports), secret: "" };
    await waitUntilReady([apiUrl, mcpUrl], Number.POSITIVE_INFINITY);
    printWelcome(settings, await serveApp(apiUrl));
    runCronHourly(target);
  };
  await start().catch(({ message }: Error) => stop(message));
}

main().catch(failStart);
