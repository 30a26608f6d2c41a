import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import getPort from "get-port";
import { afterEach, expect, test } from "vitest";
import { untilHung } from "../../scripts/start/hang.ts";
import { listeningPorts, processTree } from "./processes.ts";
import { freePorts, register, type Service, startService, temporaryFolder, until } from "./service.ts";

const ADA = { email: "ada@example.com", password: "correct horse battery" };

/** Longer than an idle connection is kept open, and than a health check waits. */
const BUSY_MS = 40_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  cleanups.push(remove);
  return path;
}

async function start(...options: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...options);
  cleanups.push(service.stop);
  return service;
}

const asUser = (token: string) => ({ Authorization: `Bearer ${token}`, "Content-Type": "application/json" });

const create = (apiUrl: string, token: string, title: string) =>
  fetch(`${apiUrl}/api/documents`, {
    method: "POST",
    headers: asUser(token),
    body: JSON.stringify({ title }),
  });

async function titles(apiUrl: string, token: string): Promise<string[]> {
  const answer = await fetch(`${apiUrl}/api/documents?sort=title&limit=100`, { headers: asUser(token) });
  const { items } = (await answer.json()) as { items: { title: string }[] };
  return items.map(({ title }) => title);
}

/** Runs an `npm start` that is expected to fail, and returns its output. */
async function failedStart(
  environment: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const child = spawn("npm", ["start"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = text(child.stderr);
  const code = await new Promise<number | null>((ended) => child.once("exit", ended));
  return { code, said: await said };
}

test("both ports serve the same data, each under its own address, and Ctrl-C closes both", async () => {
  const stateDir = await folder();
  const service = await start(stateDir);
  expect(service.output()).toContain(service.apiUrl);
  expect(service.output()).toContain(`${service.mcpUrl}/mcp`);
  const token = await register(service.apiUrl, ADA);
  expect((await create(service.mcpUrl, token, "through the other port")).status).toBe(201);
  expect(await titles(service.apiUrl, token)).toEqual(["through the other port"]);
  const status = await fetch(`${service.apiUrl}/api/billing/status`, { headers: asUser(token) });
  expect(await status.json()).toMatchObject({ plan_tier: "self_hosted", status: "active" });
  // Without a mail server, a forgotten password is reset with a link in the terminal.
  await fetch(`${service.apiUrl}/api/auth/password-reset`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: ADA.email }),
  });
  await until(
    () => service.output().includes(`${service.apiUrl}/sign-in/new-password#`),
    () => `no mail was printed:\n${service.output()}`,
  );

  expect(await service.stop()).toBe(0);
  for (const url of [service.apiUrl, service.mcpUrl]) await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect(existsSync(join(stateDir, "running"))).toBe(false);
});

test("two instances run side by side independently", async () => {
  const [one, two] = await Promise.all([start(await folder()), start(await folder())]);
  const [first, second] = [await register(one.apiUrl, ADA), await register(two.apiUrl, ADA)];
  await create(one.mcpUrl, first, "in the first");
  await create(two.mcpUrl, second, "in the second");
  expect(await titles(one.apiUrl, first)).toEqual(["in the first"]);
  expect(await titles(two.apiUrl, second)).toEqual(["in the second"]);
});

test("120 concurrent writes through both ports are kept and searchable after kill -9", async () => {
  const stateDir = await folder();
  const ports = await freePorts();
  const service = await start(stateDir, {}, ports);
  const token = await register(service.apiUrl, ADA);
  const numbers = Array.from({ length: 120 }, (_, index) => String(1000 + index));
  const answers = await Promise.all(
    numbers.map((title, index) => create(index % 2 ? service.apiUrl : service.mcpUrl, token, title)),
  );
  await service.kill();
  expect(answers.map(({ status }) => status)).toEqual(Array(120).fill(201));

  const again = await start(stateDir, {}, ports);
  const found = await Promise.all(
    numbers.map(async (title) => {
      const answer = await fetch(`${again.apiUrl}/api/search?q=${title}`, { headers: asUser(token) });
      return ((await answer.json()) as { total: number }).total;
    }),
  );
  expect(found).toEqual(Array(120).fill(1));
});

/** Sends exactly these bytes, which no client library would. Returns the status and body. */
async function raw(url: string, head: string): Promise<{ status: number; body: string }> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "localhost");
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  return { status: Number(answer.split(" ")[1]), body: answer.slice(answer.indexOf("\r\n\r\n") + 4) };
}

test("neither port serves wrangler's developer endpoints, however the path is spelled", async () => {
  const { apiUrl, mcpUrl } = await start(await folder());
  const prefixes = [
    "/cdn-cgi",
    "//cdn-cgi",
    "/%63dn-cgi",
    "/CDN-CGI",
    "/x/../cdn-cgi",
    "/\\cdn-cgi",
    "/./cdn%2Dcgi",
  ];
  const tools = [
    "handler/scheduled",
    "mf/scheduled",
    "local/scheduled",
    "local/email",
    "explorer",
    "local/explorer",
  ];
  for (const url of [apiUrl, mcpUrl]) {
    for (const path of prefixes.flatMap((prefix) => tools.map((tool) => `${prefix}/${tool}`))) {
      const answer = await raw(url, `GET ${path} HTTP/1.1\r\nHost: localhost`);
      expect(answer, path).toMatchObject({
        status: 404,
        body: expect.stringContaining('{"detail":"Not found"}'),
      });
    }
    const absolute = await raw(url, `GET ${url}/cdn-cgi/local/scheduled HTTP/1.1\r\nHost: localhost`);
    expect(absolute.status).toBe(400);
  }
});

test("a body that is too large is answered, not cut off", async () => {
  const { apiUrl, mcpUrl } = await start(await folder());
  const token = await register(apiUrl, { email: "ada@example.com", password: "correct horse battery" });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  for (const url of [`${apiUrl}/api/documents`, `${mcpUrl}/mcp`]) {
    for (const megabytes of [1.2, 5, 20]) {
      const body = JSON.stringify({ title: "x".repeat(megabytes * 1_000_000) });
      const answer = await fetch(url, { method: "POST", headers, body });
      expect([answer.status, await answer.json()], url).toEqual([
        413,
        { detail: "The request body is larger than 1 MiB" },
      ]);
    }
  }
});

test("a client's own MF- headers change nothing", async () => {
  const { apiUrl, mcpUrl } = await start(await folder());
  const names = [
    "CF-Blob",
    "Original-URL",
    "Original-Hostname",
    "Proxy-Shared-Secret",
    "Route-Override",
    "Op",
  ];
  const values = ["x", "http://evil.example/openapi.json", "{}"];
  for (const url of [apiUrl, mcpUrl]) {
    for (const [name, value] of names.flatMap((name) => values.map((value) => [name, value] as const))) {
      const answer = await fetch(`${url}/health`, { headers: { [`MF-${name}`]: value } });
      expect([answer.status, await answer.json()], `${name}: ${value}`).toEqual([200, { status: "ok" }]);
    }
  }
});

test("an unknown Host is refused (DNS rebinding), and a configured one is served", async () => {
  const settings = { API_URL: "https://notes.example", ALLOWED_HOSTS: "box.local, other.example" };
  const { apiUrl, mcpUrl } = await start(await folder(), settings);
  const ask = async (url: string, host: string, path = "/health") =>
    (await raw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}`)).status;
  const served = [
    "localhost",
    "LOCALHOST:1",
    "127.0.0.1",
    "192.168.1.7:80",
    "[::1]",
    "notes.example",
    "box.local:8000",
  ];
  const strange = [
    "evil.example",
    "localhost.evil.example",
    "evil.example@localhost",
    "127.0.0.1.evil.example",
    "x y",
  ];
  for (const url of [apiUrl, mcpUrl]) {
    for (const host of served) expect(await ask(url, host), host).toBe(200);
    for (const host of [...strange, "", "localhost, evil.example"]) {
      for (const path of ["/health", "/pages/style.css"]) expect(await ask(url, host, path), host).toBe(421);
    }
    const { body } = await raw(url, "GET / HTTP/1.1\r\nHost: evil.example");
    expect(body).toContain("ALLOWED_HOSTS");
  }
});

test("no other socket of the instance serves anything", async () => {
  const service = await start(await folder());
  const own = [service.apiUrl, service.mcpUrl].map((url) => Number(new URL(url).port));
  const ports = listeningPorts(service.pid);
  expect(ports).toEqual(expect.arrayContaining(own));
  const paths = [
    "/",
    "/health",
    "/docs",
    "/json",
    "/json/version",
    "/openapi.json",
    "/api/auth/me",
    "/core/public-url",
    "/documents/1",
    "/pages/style.css",
    "/docs/docs.css",
  ];
  const tools = [
    "handler/scheduled",
    "mf/scheduled",
    "local/scheduled",
    "local/scheduled?cron=x",
    "local/platform-proxy",
    "explorer",
  ];
  for (const port of ports.filter((port) => !own.includes(port))) {
    for (const path of [...paths, ...tools.map((tool) => `/cdn-cgi/${tool}`)]) {
      const url = `http://127.0.0.1:${port}${path}`;
      const answer = await fetch(url, { headers: { "X-Front-Secret": "guess" } });
      expect(answer.status, `${url}: ${await answer.text()}`).toBeGreaterThanOrEqual(400);
    }
  }
});

test("the state folder is readable only by its owner, including files of an earlier version", async () => {
  const stateDir = await folder();
  const first = await start(stateDir);
  await register(first.apiUrl, ADA);
  await first.stop();
  const paths = () =>
    readdirSync(stateDir, { recursive: true, encoding: "utf8" }).map((name) => join(stateDir, name));
  const readableByOthers = () =>
    [stateDir, ...paths(), ".dev.vars"].filter((path) => statSync(path).mode & 0o077);
  expect(readableByOthers()).toEqual([]);
  for (const path of paths()) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  chmodSync(".dev.vars", 0o644);
  const again = await start(stateDir);
  expect(readableByOthers()).toEqual([]);
  expect((await fetch(`${again.apiUrl}/health`)).status).toBe(200);
});

const runtimesOf = ({ pid }: Service) =>
  processTree(pid).filter(({ command }) => command.includes("workerd serve"));

test("a busy Worker is waited for: requests that arrive meanwhile are answered, reads and writes", {
  timeout: 300_000,
}, async () => {
  const service = await start(await folder());
  const token = await register(service.apiUrl, ADA);
  const writeAndRead = () => [
    create(service.apiUrl, token, "x"),
    fetch(`${service.mcpUrl}/api/documents`, { headers: asUser(token) }),
  ];
  const many = () => Promise.all(Array.from({ length: 10 }, writeAndRead).flat());
  // All connections to the Worker that are kept are open now.
  await many();
  // A stopped process behaves like one that is computing: it accepts connections and does not answer.
  for (const { pid } of runtimesOf(service)) process.kill(pid, "SIGSTOP");
  const waiting = many();
  const silent = await Promise.race([
    waiting,
    once(AbortSignal.timeout(BUSY_MS), "abort").then(() => "silent"),
  ]);
  expect(silent).toBe("silent");
  for (const { pid } of runtimesOf(service)) process.kill(pid, "SIGCONT");
  const statuses = (await waiting).map(({ status }) => status);
  expect(statuses).toEqual(Array(10).fill([201, 200]).flat());
});

test("a process that hangs is distinguished from one that is computing", async () => {
  const serve = `require("node:http").createServer((_, response) => {
    for (const until = Date.now() + 60_000; Date.now() < until; );
    response.end();
  }).listen(0, function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ["-e", serve], { stdio: ["ignore", "pipe", "inherit"] });
  cleanups.push(async () => child.kill("SIGKILL"));
  const [port] = await once(child.stdout, "data");
  const url = `http://localhost:${String(port).trim()}/`;
  // A probe takes a second, so ten unanswered ones fit into the time limit.
  const hung = untilHung({ url, pid: () => child.pid, probeMs: 500 }).then(() => "hung");
  const patience = once(AbortSignal.timeout(15_000), "abort").then(() => "waited for");
  expect(await Promise.race([hung, patience])).toBe("waited for");
  child.kill("SIGSTOP");
  expect(await hung).toBe("hung");
});

test("a killed runtime is back within seconds, with all data", async () => {
  const service = await start(await folder());
  const token = await register(service.apiUrl, ADA);
  for (const title of ["first", "second"]) {
    expect((await create(service.apiUrl, token, title)).status).toBe(201);
    const runtimes = runtimesOf(service);
    expect(runtimes).toHaveLength(1);
    for (const { pid } of runtimes) process.kill(pid, "SIGKILL");
    await until(
      () => fetch(`${service.apiUrl}/health`).then(({ ok }) => ok),
      () => `not back:\n${service.output()}`,
    );
    expect(service.output()).toContain("starting a new one");
  }
  expect(await titles(service.apiUrl, token)).toEqual(["first", "second"]);
});

test("the service ends with a reason when the process that runs the runtime is killed", async () => {
  const service = await start(await folder());
  const [keeper] = processTree(service.pid).filter(({ command }) => command.includes("start/worker.ts"));
  process.kill(keeper?.pid ?? 0, "SIGKILL");
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain("The Worker ended unexpectedly");
  await expect(fetch(`${service.apiUrl}/health`)).rejects.toThrow();
});

test("settings come from the environment", async () => {
  const settings = {
    REGISTRATION: "closed",
    RATE_LIMIT_LOGIN: "2/60",
    CORS_ORIGINS: "https://a.example,https://b.example",
  };
  const { apiUrl } = await start(await folder(), settings);
  const post = (path: string) =>
    fetch(`${apiUrl}${path}`, {
      method: "POST",
      body: JSON.stringify(ADA),
      headers: { "Content-Type": "application/json", Origin: "https://b.example" },
    });
  const closed = await post("/api/auth/register");
  expect(closed.status).toBe(403);
  expect(closed.headers.get("Access-Control-Allow-Origin")).toBe("https://b.example");
  const statuses = [];
  for (let attempt = 0; attempt < 3; attempt++) statuses.push((await post("/api/auth/login")).status);
  expect(statuses).toEqual([401, 401, 429]);
});

test("a client address in a header is trusted only if the operator says so", async () => {
  const claim = (apiUrl: string, address: string) =>
    fetch(`${apiUrl}/api/auth/login`, {
      method: "POST",
      body: JSON.stringify(ADA),
      headers: {
        "Content-Type": "application/json",
        "CF-Connecting-IP": address,
        "X-Forwarded-For": address,
      },
    });
  const limit = { RATE_LIMIT_LOGIN: "1/60" };
  const [careful, trusting] = await Promise.all([
    start(await folder(), limit),
    start(await folder(), { ...limit, TRUST_CLIENT_IP: "true" }),
  ]);
  expect((await claim(careful.apiUrl, "203.0.113.1")).status).toBe(401);
  expect((await claim(careful.apiUrl, "203.0.113.2")).status).toBe(429);
  expect((await claim(trusting.apiUrl, "203.0.113.1")).status).toBe(401);
  expect((await claim(trusting.apiUrl, "203.0.113.2")).status).toBe(401);
});

test("invalid settings are reported before anything starts", async () => {
  const taken = createServer().listen(await getPort(), "localhost");
  await once(taken, "listening");
  cleanups.push(async () => taken.close());
  const { port } = taken.address() as { port: number };
  const free = {
    API_PORT: String(await getPort()),
    MCP_PORT: String(await getPort()),
    STATE_DIR: await folder(),
  };
  const onTakenPort = await failedStart({ ...free, MCP_PORT: String(port) });
  expect(onTakenPort).toMatchObject({ code: 1, said: expect.stringContaining(`Port ${port} is taken`) });
  expect(onTakenPort.said).toContain("MCP_PORT=");
  expect(await failedStart({ ...free, RATE_LIMIT_LOGIN: "lots" })).toMatchObject({
    code: 1,
    said: expect.stringContaining("RATE_LIMIT_LOGIN must match"),
  });

  const stateDir = await folder();
  const running = await start(stateDir);
  const twice = await failedStart({ ...free, STATE_DIR: stateDir });
  expect(twice).toMatchObject({
    code: 1,
    said: expect.stringContaining(`A copy at ${running.apiUrl} already uses`),
  });
});
