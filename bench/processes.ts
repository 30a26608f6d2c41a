import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import getPort from "get-port";
import { ensureSecrets } from "../scripts/start/secrets.ts";
import { WRANGLER, wranglerEnvironment } from "../scripts/start/wrangler.ts";
import { until } from "../test/e2e/service.ts";

/** A Worker of this folder, running. */
export type BareWorker = { url: string; stop: () => Promise<void> };

/** Runs `wrangler dev` for one script with the bindings of a configuration file, on a free port. */
export async function startScript(
  script: string,
  config: string,
  stateDir: string,
  vars: Record<string, string> = {},
): Promise<BareWorker> {
  ensureSecrets(resolve(".dev.vars"));
  const port = await getPort();
  const options = [
    "--port",
    String(port),
    "--inspector-port",
    "0",
    "--persist-to",
    stateDir,
    "--log-level",
    "error",
    ...Object.entries({ RATE_LIMIT_USER: "off", ...vars }).flatMap(([name, value]) => [
      "--var",
      `${name}:${value}`,
    ]),
  ];
  const child = spawn(
    process.execPath,
    [WRANGLER, "dev", script, "--config", config, ...options, "--show-interactive-dev-session=false"],
    {
      env: wranglerEnvironment(),
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const url = `http://localhost:${port}`;
  const answers = () =>
    fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until(answers, () => `${script} did not get ready`);
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
