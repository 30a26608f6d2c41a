import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import getPort from "get-port";
import { WRANGLER_CLI, wranglerEnvironment } from "../scripts/common/wrangler.ts";
import { ensureSecrets } from "../scripts/start/secrets.ts";
import { until } from "../test/e2e/service.ts";
import { atEnd } from "./at-end.ts";

/** A server that the benchmark has started. */
export type Serving = { url: string; stop: () => Promise<void> };

/** A script to serve, and the configuration with its bindings; `root` is the folder of the copy that has both. */
export type Script = {
  script: string;
  config: string;
  stateDir: string;
  root?: string;
  port?: number;
  vars?: Record<string, string>;
};

/** Waits until a started process answers at `url`. It is stopped at the end of the benchmark. */
async function serving(child: ChildProcess, url: string): Promise<Serving> {
  const gone = once(child, "exit");
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  const failed = (problem: string) => `${child.spawnargs.join(" ")} ${problem}:\n${output}`;
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  atEnd(stop);
  const answers = () =>
    fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(failed("ended"));
      return answers();
    },
    () => failed("did not get ready"),
  );
  return { url, stop };
}

/** Runs `wrangler dev` for one script, on a free port or the given one. */
export async function startScript({
  script,
  config,
  stateDir,
  root = ".",
  ...given
}: Script): Promise<Serving> {
  ensureSecrets(resolve(root, ".dev.vars"));
  const port = given.port ?? (await getPort());
  const vars = Object.entries({ RATE_LIMIT_USER: "off", ...given.vars });
  const options = [
    ...["--config", config, "--persist-to", stateDir, "--log-level", "error"],
    ...["--port", String(port), "--inspector-port", "0", "--show-interactive-dev-session=false"],
    ...vars.flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ];
  const child = spawn(process.execPath, [WRANGLER_CLI, "dev", script, ...options], {
    cwd: root,
    env: wranglerEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  return serving(child, `http://localhost:${port}`);
}

/** Runs a script without bindings as `npm start` runs the service: in Miniflare, behind the front. */
export async function startFront(script: string): Promise<Serving> {
  const port = await getPort();
  const program = join(import.meta.dirname, "front.ts");
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", program, String(port), script],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  return serving(child, `http://localhost:${port}`);
}
