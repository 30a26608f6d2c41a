import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ADA, asUser } from "./accounts.ts";
import { launch, signIn } from "./browser.ts";
import { create, folder, start, titles } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { listeningPorts, processTree } from "./processes.ts";
import { raw } from "./raw.ts";
import { begin } from "./script.ts";
import { freePorts, register, type Service, until } from "./service.ts";

// `npm run dev`, and `npx wrangler dev` alone. `SERVICE=dev` runs other tests against the first.

const DEV = { command: "dev" } as const;
const HEALTH = "src/features/health/routes.ts";

/** Each start bundles the Worker, and a fresh copy also builds the app. */
vi.setConfig({ testTimeout: 300_000 });

/** Copies the files that are checked in, with the packages that `npm ci` would install, into an empty folder. */
function copyRepository(folder: string): void {
  const names = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const name of names.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(name, join(folder, name));
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
}

const TOO_SHORT = { code: 1, output: expect.stringContaining("must have at least 32 bytes") };

const search = async (url: string, token: string, query: string) => {
  const answer = await fetch(`${url}/api/search?q=${query}`, { headers: asUser(token) });
  return ((await answer.json()) as { total: number }).total;
};

/** Ends a service, and waits until nothing of it is left. */
async function goneAfter({ pid }: Service, end: () => Promise<unknown>): Promise<void> {
  const pids = processTree(pid).map((one) => one.pid);
  await end();
  const left = () => processTree(1).filter((one) => pids.includes(one.pid));
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

/** Replaces words in a file of a copy of the repository. */
function edit(file: string, words: string, others: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(words, others));
}

nightly(
  "npm run dev serves the data of npm start on both ports, and the other way round, one at a time",
  async () => {
    const stateDir = await folder();
    const dev = await start(stateDir, {}, undefined, DEV);
    const token = await register(dev.apiUrl, ADA);
    expect((await create(dev.mcpUrl, token, "written by one")).status).toBe(201);
    expect(await search(dev.apiUrl, token, "written")).toBe(1);
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
    for (const command of ["start", "dev"]) {
      const { code, output } = await begin(["npm", "run", command], { env: other }).ended;
      expect(code).toBe(1);
      expect(output).toContain(`A copy at ${dev.apiUrl} already uses ${stateDir}: "npm run dev", process `);
      expect(output).toContain("STATE_DIR=");
    }
    await goneAfter(dev, dev.stop);

    const again = await start(stateDir, {}, undefined, { command: "start" });
    expect(await titles(again.apiUrl, token)).toEqual(["written by one"]);
    expect((await create(again.apiUrl, token, "written by the other")).status).toBe(201);
    await again.stop();

    const last = await start(stateDir, {}, undefined, DEV);
    expect(await titles(last.mcpUrl, token)).toEqual(["written by one", "written by the other"]);
    await goneAfter(last, last.kill);
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

    edit(bars, "may be out of date", "is perhaps out of date");
    await until(async () => (await shown()).includes("is perhaps out of date"), service.output);
    const built = async () => {
      const html = await (await fetch(service.apiUrl, { headers: { Accept: "text/html" } })).text();
      const scripts = html.match(/\/app\/[^"]+\.js/g) ?? [];
      const texts = scripts.map(async (script) => (await fetch(service.apiUrl + script)).text());
      return (await Promise.all(texts)).join("\n");
    };
    await until(async () => (await built()).includes("is perhaps out of date"), service.output);

    edit(join(cwd, HEALTH), 'status: "ok"', 'status: "ok again"');
    const health = async () => (await fetch(`${service.mcpUrl}/health`)).text();
    await until(async () => (await health()).includes("ok again"), service.output);
  },
);

test("npx wrangler dev alone serves a fresh copy, and loads what changes", async () => {
  const cwd = await folder();
  copyRepository(cwd);
  const { api } = await freePorts();
  const url = `http://localhost:${api}`;
  const command = ["npx", "wrangler", "dev", "--port", String(api)];
  const env = { CI: "1", WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };
  const { output, signal, ended } = begin(command, { cwd, env });
  onTestFinished(async () => {
    signal("SIGKILL");
    await ended;
  });
  const health = () =>
    fetch(`${url}/health`).then(
      (answer) => answer.text(),
      () => "",
    );
  const answers = (text: string) => until(async () => (await health()).includes(text), output);

  await answers("ok");
  const token = await register(url, ADA);
  expect((await create(url, token, "a packing list")).status).toBe(201);
  expect(await search(url, token, "packing")).toBe(1);
  expect(await (await fetch(url)).text()).toContain("/app/index-");
  expect(statSync(join(cwd, ".dev.vars")).mode & 0o077).toBe(0);
  const secrets = readFileSync(join(cwd, ".dev.vars"), "utf8");

  edit(join(cwd, HEALTH), 'status: "ok"', 'status: "ok again"');
  await answers("ok again");
  expect(await search(url, token, "packing")).toBe(1);
  expect(readFileSync(join(cwd, ".dev.vars"), "utf8")).toBe(secrets);
});

test("a signing key that is too short is a sentence at the start, and other commands of wrangler make nothing", async () => {
  const cwd = await folder();
  copyRepository(cwd);
  writeFileSync(join(cwd, ".dev.vars"), "JWT_SECRET=short\n");
  const [, command = ""] = /^command = "(.*)"$/m.exec(readFileSync("wrangler.toml", "utf8")) ?? [];
  const build = (WRANGLER_COMMAND: string) =>
    begin(["sh", "-c", command.replaceAll('\\"', '"')], { cwd, env: { WRANGLER_COMMAND } }).ended;
  expect(await build("dev")).toEqual(TOO_SHORT);
  const env = { STATE_DIR: join(cwd, "state") };
  expect(await begin(["npm", "run", "dev"], { cwd, env }).ended).toEqual(TOO_SHORT);

  expect((await build("deploy")).code).toBe(0);
  expect(existsSync(join(cwd, ".wrangler"))).toBe(false);
  expect(readFileSync(join(cwd, ".dev.vars"), "utf8")).toBe("JWT_SECRET=short\n");
});
