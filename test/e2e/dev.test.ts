import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ADA, asUser } from "./accounts.ts";
import { launch, signIn } from "./browser.ts";
import { copyRepository } from "./fresh.ts";
import { create, folder, start, titles } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { listeningPorts, processTree } from "./processes.ts";
import { raw } from "./raw.ts";
import { freePorts, register, type Service, until } from "./service.ts";

// `npm run dev`, and `npx wrangler dev` alone. `SERVICE=dev` runs other tests against the first.

const DEV = { command: "dev" } as const;

/** Each start bundles the Worker, and a fresh copy also builds the app. */
vi.setConfig({ testTimeout: 300_000 });

/** What a command prints that is expected to fail. */
async function failure(command: string[], environment: Record<string, string>, cwd = "."): Promise<string> {
  const child = spawn("npm", command, { cwd, env: { ...process.env, ...environment } });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => printed.push(String(chunk)));
  const [code] = await once(child, "close");
  expect(code, printed.join("")).toBe(1);
  return printed.join("");
}

const search = async (url: string, token: string, query: string) => {
  const answer = await fetch(`${url}/api/search?q=${query}`, { headers: asUser(token) });
  return ((await answer.json()) as { total: number }).total;
};

/** Stops a service, and waits until nothing of it is left. */
async function stopWhole(service: Service): Promise<void> {
  const pids = processTree(service.pid).map(({ pid }) => pid);
  await service.stop();
  const left = () => processTree(1).filter(({ pid }) => pids.includes(pid));
  await until(
    () => left().length === 0,
    () => `still running: ${JSON.stringify(left())}`,
  );
}

/** Whether a port is an inspector, through which a page could read the Worker's variables. */
const isInspector = (port: number) =>
  fetch(`http://127.0.0.1:${port}/json`, { signal: AbortSignal.timeout(5000) }).then(
    async (answer) => (await answer.text()).includes("webSocketDebuggerUrl"),
    () => false,
  );

/** Registers a client of the OAuth server, which KV keeps. */
const registerClient = async (mcpUrl: string): Promise<string> => {
  const answer = await fetch(`${mcpUrl}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      redirect_uris: ["http://localhost:1/callback"],
      token_endpoint_auth_method: "none",
    }),
  });
  return ((await answer.json()) as { client_id: string }).client_id;
};

const isKnownClient = async (mcpUrl: string, client: string) => {
  const query = new URLSearchParams({
    client_id: client,
    response_type: "code",
    redirect_uri: "http://localhost:1/callback",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  });
  const answer = await fetch(`${mcpUrl}/authorize?${query}`, { redirect: "manual" });
  return answer.status < 400;
};

nightly(
  "npm run dev serves the data of npm start on both ports, and the other way round, one at a time",
  async () => {
    const stateDir = await folder();
    const dev = await start(stateDir, {}, undefined, DEV);
    const token = await register(dev.apiUrl, ADA);
    expect((await create(dev.mcpUrl, token, "written by one")).status).toBe(201);
    expect(await search(dev.apiUrl, token, "written")).toBe(1);
    const client = await registerClient(dev.mcpUrl);
    expect(await isKnownClient(dev.mcpUrl, client)).toBe(true);
    expect(await isKnownClient(dev.mcpUrl, "nobody")).toBe(false);
    const metadata = await fetch(`${dev.mcpUrl}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toMatchObject({ resource: `${dev.mcpUrl}/mcp` });

    // The Worker itself checks what the front of `npm start` checks.
    expect((await raw(dev.apiUrl, "GET /health HTTP/1.1\r\nHost: stranger.example")).status).toBe(421);
    const chunks = "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0";
    for (const path of ["/health", "/", "/api/documents", "/mcp"])
      expect(
        (await raw(dev.apiUrl, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${chunks}`)).status,
      ).toBeLessThan(500);
    const inspectors = await Promise.all(listeningPorts(dev.pid).map(isInspector));
    expect(inspectors).not.toContain(true);

    const { api, mcp } = await freePorts();
    const other = { STATE_DIR: stateDir, API_PORT: String(api), MCP_PORT: String(mcp) };
    for (const command of [["start"], ["run", "dev"]]) {
      const said = await failure(command, other);
      expect(said).toContain(`A copy at ${dev.apiUrl} already uses ${stateDir}: "npm run dev", process `);
      expect(said).toContain("STATE_DIR=");
    }
    await stopWhole(dev);

    const again = await start(stateDir, {}, undefined, { command: "start" });
    expect(await titles(again.apiUrl, token)).toEqual(["written by one"]);
    expect(await isKnownClient(again.mcpUrl, client)).toBe(true);
    expect((await create(again.apiUrl, token, "written by the other")).status).toBe(201);
    await again.stop();

    const last = await start(stateDir, {}, undefined, DEV);
    expect(await titles(last.mcpUrl, token)).toEqual(["written by one", "written by the other"]);
    const pids = processTree(last.pid).map(({ pid }) => pid);
    await last.kill();
    await until(
      () => processTree(1).every(({ pid }) => !pids.includes(pid)),
      () => "something outlived kill -9",
    );
  },
);

nightly(
  "npm run dev loads what changes: the Worker, the app as Vite serves it, and the app that was built",
  async () => {
    const cwd = await folder();
    copyRepository(cwd);
    const service = await start(join(cwd, "state"), {}, undefined, { ...DEV, cwd });
    const [app = ""] = /http:\/\/localhost:5\d+/.exec(service.output()) ?? [];
    await register(service.apiUrl, ADA);
    const browser = await launch();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(app);
    await signIn(page, ADA);
    await page.waitForURL(`${app}/`);
    const bars = join(cwd, "web", "src", "shell", "bars.tsx");
    const shown = async () => (await fetch(`${app}/src/shell/bars.tsx`)).text();
    expect(await shown()).toContain("may be out of date");

    writeFileSync(bars, readFileSync(bars, "utf8").replace("may be out of date", "is perhaps out of date"));
    await until(async () => (await shown()).includes("is perhaps out of date"), service.output);
    const built = async () => {
      const html = await (await fetch(service.apiUrl, { headers: { Accept: "text/html" } })).text();
      const scripts = html.match(/\/app\/[^"]+\.js/g) ?? [];
      const texts = scripts.map(async (script) => (await fetch(service.apiUrl + script)).text());
      return (await Promise.all(texts)).join("\n");
    };
    await until(async () => (await built()).includes("is perhaps out of date"), service.output);

    const source = join(cwd, "src", "features", "health", "routes.ts");
    writeFileSync(source, readFileSync(source, "utf8").replace('status: "ok"', 'status: "ok again"'));
    const health = async () => (await fetch(`${service.mcpUrl}/health`)).text();
    await until(async () => (await health()).includes("ok again"), service.output);
  },
);

test("npx wrangler dev alone serves a fresh copy, and loads what changes", async () => {
  const cwd = await folder();
  copyRepository(cwd);
  const { api } = await freePorts();
  const url = `http://localhost:${api}`;
  const child = spawn("npx", ["wrangler", "dev", "--port", String(api)], {
    cwd,
    detached: true,
    env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, "SIGKILL");
    await gone;
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => printed.push(String(chunk)));
  const health = () =>
    fetch(`${url}/health`).then(
      (answer) => answer.text(),
      () => "",
    );
  const said = (text: string) =>
    until(
      async () => (await health()).includes(text),
      () => printed.join(""),
    );

  await said("ok");
  const token = await register(url, ADA);
  expect((await create(url, token, "a packing list")).status).toBe(201);
  expect(await search(url, token, "packing")).toBe(1);
  expect(await (await fetch(url)).text()).toContain("/app/index-");
  expect(statSync(join(cwd, ".dev.vars")).mode & 0o077).toBe(0);
  const secrets = readFileSync(join(cwd, ".dev.vars"), "utf8");

  const source = join(cwd, "src", "features", "health", "routes.ts");
  writeFileSync(source, readFileSync(source, "utf8").replace('status: "ok"', 'status: "ok again"'));
  await said("ok again");
  expect(await search(url, token, "packing")).toBe(1);
  expect(readFileSync(join(cwd, ".dev.vars"), "utf8")).toBe(secrets);
});

test("a signing key that is too short is a sentence at the start, and other commands of wrangler make nothing", async () => {
  const cwd = await folder();
  copyRepository(cwd);
  writeFileSync(join(cwd, ".dev.vars"), "JWT_SECRET=short\n");
  const ready = { env: { ...process.env, WRANGLER_COMMAND: "dev" } };
  const [, command = ""] = /^command = "(.*)"$/m.exec(readFileSync("wrangler.toml", "utf8")) ?? [];
  const build = (options: object) => {
    const child = spawn("sh", ["-c", command.replaceAll('\\"', '"')], {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      ...options,
    });
    const errors: string[] = [];
    child.stderr?.on("data", (chunk) => errors.push(String(chunk)));
    return once(child, "close").then(([code]) => ({ code, errors: errors.join("") }));
  };
  expect(await build(ready)).toEqual({
    code: 1,
    errors: expect.stringContaining("must have at least 32 bytes"),
  });
  const state = { STATE_DIR: join(cwd, "state") };
  expect(await failure(["run", "dev"], state, cwd)).toContain("must have at least 32 bytes");

  expect(await build({ env: { ...process.env, WRANGLER_COMMAND: "deploy" } })).toEqual({
    code: 0,
    errors: "",
  });
  expect(existsSync(join(cwd, ".wrangler"))).toBe(false);
  expect(readFileSync(join(cwd, ".dev.vars"), "utf8")).toBe("JWT_SECRET=short\n");
});
