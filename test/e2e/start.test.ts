import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import getPort from "get-port";
import { expect, onTestFinished, test } from "vitest";
import { install } from "../front-door/upgrade/installation.ts";
import { ADA } from "./accounts.ts";
import { create, failedStart, folder, start, titles } from "./instances.ts";
import { processTree } from "./processes.ts";
import { register, type Service } from "./service.ts";

/** Owns nothing on every Linux. */
const NOBODY = 65_534;

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

test("a copy whose code another user owns keeps its secrets with its data", async () => {
  const code = await folder();
  install(".", code, {});
  rmSync(join(code, ".dev.vars"));
  chmodSync(code, 0o555);
  const stateDir = await folder();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    // Root may write everything, so another user starts it, who has to get there.
    chmodSync(dirname(code), 0o711);
    chownSync(stateDir, NOBODY, NOBODY);
  }
  const settings: Record<string, string> = isRoot ? { HOME: stateDir, TMPDIR: stateDir } : {};
  const how = { cwd: code, ...(isRoot && { user: NOBODY }) };
  const first = await start(stateDir, settings, undefined, how);
  expect(existsSync(join(code, ".dev.vars"))).toBe(false);
  const secrets = join(stateDir, "secrets");
  expect(statSync(secrets).mode & 0o077).toBe(0);
  const [kept, token] = [readFileSync(secrets, "utf8"), await register(first.apiUrl, ADA)];
  await create(first.apiUrl, token, "Kept");
  await first.stop();
  const again = await start(stateDir, settings, undefined, how);
  expect(readFileSync(secrets, "utf8")).toBe(kept);
  expect(await titles(again.apiUrl, token)).toEqual(["Kept"]);
});

test("the service ends with a reason when the process that runs the runtime is killed", async () => {
  const service = await start(await folder());
  const [keeper] = processTree(service.pid).filter(({ command }) => command.includes("start/worker.js"));
  process.kill(keeper?.pid ?? 0, "SIGKILL");
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain("The Worker ended unexpectedly");
  await expect(fetch(`${service.apiUrl}/health`)).rejects.toThrow();
});

test("settings come from the environment, and a client address in a header counts only if they say so", async () => {
  const settings = {
    REGISTRATION: "closed",
    RATE_LIMIT_LOGIN: "1/60",
    CORS_ORIGINS: "https://a.example,https://b.example",
  };
  const [careful, trusting] = await Promise.all([
    start(await folder(), settings),
    start(await folder(), { ...settings, TRUST_CLIENT_IP: "true" }),
  ]);
  const post = ({ apiUrl }: Service, path: string, address = "203.0.113.1") =>
    fetch(`${apiUrl}/api/auth/${path}`, {
      method: "POST",
      body: JSON.stringify(ADA),
      headers: {
        ...{ "Content-Type": "application/json", Origin: "https://b.example" },
        ...{ "CF-Connecting-IP": address, "X-Forwarded-For": address },
      },
    });
  const closed = await post(careful, "register");
  expect(closed.status).toBe(403);
  expect(closed.headers.get("Access-Control-Allow-Origin")).toBe("https://b.example");
  const statuses = [];
  for (const service of [careful, trusting])
    for (const address of ["203.0.113.1", "203.0.113.2"])
      statuses.push((await post(service, "login", address)).status);
  expect(statuses).toEqual([401, 429, 401, 401]);
});

/** A name that does not exist (RFC 2606), and an address that is for documentation only (RFC 5737). */
test.for([
  ["nowhere.example", "There is no host nowhere.example"],
  ["192.0.2.1", "This machine does not have the address 192.0.2.1"],
] as const)(
  "a HOST where nothing can listen is named, and no port is called taken: %s",
  async ([HOST, why]) => {
    const { code, output } = await failedStart({ STATE_DIR: await folder(), HOST });
    expect(code).toBe(1);
    expect(output).toContain(why);
    expect(output).not.toContain("taken");
  },
);

test("invalid settings are reported before anything starts", async () => {
  const taken = createServer().listen(await getPort(), "localhost");
  await once(taken, "listening");
  onTestFinished(async () => void taken.close());
  const { port } = taken.address() as { port: number };
  const STATE_DIR = await folder();
  const onTakenPort = await failedStart({ STATE_DIR, MCP_PORT: String(port) });
  expect(onTakenPort).toMatchObject({ code: 1, output: expect.stringContaining(`Port ${port} is in use`) });
  expect(onTakenPort.output).toContain("MCP_PORT=");
  expect(await failedStart({ STATE_DIR, RATE_LIMIT_LOGIN: "lots" })).toMatchObject({
    code: 1,
    output: expect.stringContaining("RATE_LIMIT_LOGIN must match"),
  });

  const stateDir = await folder();
  const running = await start(stateDir);
  expect(await failedStart({ STATE_DIR: stateDir })).toMatchObject({
    code: 1,
    output: expect.stringContaining(`A copy at ${running.apiUrl} already uses`),
  });
});
