import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { ADA } from "./accounts.ts";
import { askWith } from "./ask.ts";
import { allow, launch } from "./browser.ts";
import { folder, sharedService } from "./instances.ts";
import { type Loopback, tokenProxy } from "./loopback.ts";
import { begin } from "./script.ts";
import { register } from "./service.ts";

// @modelcontextprotocol/conformance against `npm start`: every server scenario that needs no tools made for it, in
// three revisions, and its test of authorization servers.

/** npx fetches it, and keeps it: installed with the service, it would be 45 packages that nothing else needs. */
const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

const ALL = ["tools-list", "resources-list", "prompts-list"];
const SESSIONS = ["server-initialize", "server-session-lifecycle", "ping", ...ALL];
const SCENARIOS: Record<string, string[]> = {
  "2025-06-18": SESSIONS,
  "2025-11-25": [...SESSIONS, "server-sse-multiple-streams", "dns-rebinding-protection"],
  "2026-07-28": [
    ...[...ALL, "server-stateless", "server-sse-multiple-streams", "dns-rebinding-protection"],
    ...["sep-2164-resource-not-found", "caching", "http-header-validation"],
    ...["missing-input-response", "unsupported-methods", "ignore-extra-params", "validate-input"].map(
      (one) => `input-required-result-${one}`,
    ),
  ],
};

type Check = { id: string; status: string; errorMessage?: string; details?: { untestable?: boolean } };

let proxy: Loopback;
/** The suite's program. */
let cli: string;

const shared = sharedService({}, async ({ service }) => {
  const where = ["--yes", `--package=${SUITE}`, "--call", "command -v conformance"];
  cli = (await promisify(execFile)("npx", where)).stdout.trim();
  proxy = await tokenProxy(service.mcpUrl, await register(service.apiUrl, ADA));
});

afterAll(() => proxy?.close());

const run = (args: string[]) => begin([process.execPath, cli, ...args]);

/** What the suite has found, a folder for each scenario. */
async function checksIn(output: string): Promise<Check[]> {
  const names = await readdir(output);
  const files = names.map((name) => readFile(join(output, name, "checks.json"), "utf8"));
  return (await Promise.all(files)).flatMap((file) => JSON.parse(file) as Check[]);
}

describe.for(Object.entries(SCENARIOS))("MCP %s", ([version, scenarios]) => {
  test.for(scenarios)("%s", async (scenario) => {
    const output = await folder();
    const args = ["--url", `${proxy.url}/mcp`, "--scenario", scenario, "--spec-version", version];
    await run(["server", ...args, "-o", output]).ended;
    const checks = await checksIn(output);
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
  const { mcpUrl } = shared.service;
  const { client_id } = await askWith(mcpUrl, "")<{ client_id: string }>("POST", "/oauth/register", {
    client_name: "Conformance",
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    token_endpoint_auth_method: "none",
  });
  const output = await folder();
  const { output: said, ended } = run([
    ...["authorization", "--url", mcpUrl, "--client-id", client_id],
    ...["--resource", `${mcpUrl}/mcp`, "-p", String(port), "-o", output],
  ]);
  const asks = /^http\S+\/authorize\?\S+$/m;
  await expect.poll(() => asks.test(said())).toBe(true);
  const browser = await launch();
  onTestFinished(() => browser.close());
  await allow(browser, asks.exec(said())?.[0] ?? "", ADA);
  expect(await ended).toMatchObject({ code: 0 });
  const all = await checksIn(output);
  expect(all.length).toBeGreaterThan(1);
  expect(all.filter(({ status }) => status === "FAILURE")).toEqual([]);
});
