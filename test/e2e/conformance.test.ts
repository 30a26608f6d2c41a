import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Account, allow, launch } from "./browser.ts";
import { type Loopback, tokenProxy } from "./loopback.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// @modelcontextprotocol/conformance against `npm start`: every server scenario that needs no tools made for it, in
// three revisions, and its test of authorization servers.

/** npx fetches it, and keeps it: installed with the service, it would be 45 packages that nothing else needs. */
const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const ADA: Account = { email: "ada@example.com", password: "correct horse battery staple" };

const SCENARIOS: Record<string, string[]> = {
  "2025-06-18": [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
  ],
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "server-stateless",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "sep-2164-resource-not-found",
    "prompts-list",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "input-required-result-missing-input-response",
    "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
  ],
};

type Check = { id: string; status: string; errorMessage?: string; details?: { untestable?: boolean } };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let proxy: Loopback;
/** The suite's program. */
let cli: string;

beforeAll(async () => {
  const where = ["--yes", `--package=${SUITE}`, "--call", "command -v conformance"];
  cli = (await promisify(execFile)("npx", where)).stdout.trim();
  folder = await temporaryFolder();
  service = await startService(folder.path);
  proxy = await tokenProxy(service.mcpUrl, await register(service.apiUrl, ADA));
});

afterAll(async () => {
  await proxy?.close();
  await service?.stop();
  await folder?.remove();
});

/** Starts the suite; `said` is its output so far. */
function run(args: string[]): { child: ChildProcess; said: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => printed.push(String(chunk)));
  const ended = new Promise<number | null>((done) => child.once("close", done));
  return { child, said: () => printed.join(""), ended };
}

/** What a scenario found. */
async function checksOf(version: string, scenario: string): Promise<Check[]> {
  const output = await temporaryFolder();
  const args = ["--url", `${proxy.url}/mcp`, "--scenario", scenario, "--spec-version", version];
  await run(["server", ...args, "-o", output.path]).ended;
  const [folderName = ""] = await readdir(output.path);
  const checks = JSON.parse(await readFile(join(output.path, folderName, "checks.json"), "utf8")) as Check[];
  await output.remove();
  return checks;
}

describe.for(Object.entries(SCENARIOS))("MCP %s", ([version, scenarios]) => {
  test.for(scenarios)("%s", async (scenario) => {
    const checks = await checksOf(version, scenario);
    expect(checks.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThan(0);
    // Four checks of server-stateless require special tools, and report that.
    const failed = checks.filter(({ status, details }) => status === "FAILURE" && !details?.untestable);
    expect(failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)).toEqual([]);
    expect(checks.filter(({ details }) => details?.untestable).length).toBe(
      scenario === "server-stateless" ? 4 : 0,
    );
  });
});

test("the authorization server", async () => {
  const port = await getPort();
  const registered = await fetch(`${service.mcpUrl}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: "Conformance",
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: "none",
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const output = await temporaryFolder();
  const { said, ended } = run([
    ...["authorization", "--url", service.mcpUrl, "--client-id", client_id],
    ...["--resource", `${service.mcpUrl}/mcp`, "-p", String(port), "-o", output.path],
  ]);
  const asks = /^http\S+\/authorize\?\S+$/m;
  await expect.poll(() => asks.test(said())).toBe(true);
  const browser = await launch();
  await allow(browser, asks.exec(said())?.[0] ?? "", ADA);
  expect(await ended, said()).toBe(0);
  const folders = await readdir(output.path);
  const checks = await Promise.all(
    folders.map(async (name) => JSON.parse(await readFile(join(output.path, name, "checks.json"), "utf8"))),
  );
  const all = checks.flat() as Check[];
  expect(all.length).toBeGreaterThan(1);
  expect(all.filter(({ status }) => status === "FAILURE")).toEqual([]);
  await browser.close();
  await output.remove();
});
