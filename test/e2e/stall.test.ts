import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, type TestContext, test } from "vitest";
import { waitUntilHung } from "../../scripts/start/hang.ts";
import { waitUntilStarted } from "../../scripts/start/health.ts";
import { ADA, asUser } from "./accounts.ts";
import { create, titles } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { processTree } from "./processes.ts";
import { register, type Service, startService, temporaryFolder, until } from "./service.ts";

// What happens to people's requests when the runtime is busy, hangs or is killed. Most of the time these tests wait,
// so they do it at the same time.

/** Longer than an idle connection is kept open, and than a health check waits. */
const BUSY_MS = 40_000;

/** A copy of the service for this test alone. */
async function start({ onTestFinished }: TestContext): Promise<Service> {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const service = await startService(folder.path);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

const runtimesOf = ({ pid }: Service) =>
  processTree(pid).filter(({ command }) => command.includes("workerd serve"));

/** A program that answers requests with what this code does. */
async function program({ onTestFinished }: Pick<TestContext, "onTestFinished">, code: string) {
  const serve = `require("node:http").createServer((_, response) => { ${code} })
    .listen(0, function () { console.log(this.address().port) })`;
  const child = spawn(process.execPath, ["-e", serve], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = await once(child.stdout, "data");
  return { child, url: `http://localhost:${String(port).trim()}/` };
}

describe.concurrent("a runtime", () => {
  test("a busy Worker is waited for: requests that arrive meanwhile are answered, reads and writes", {
    timeout: 300_000,
  }, async (context) => {
    const service = await start(context);
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

  nightly("a process that hangs is distinguished from one that is computing", async (context) => {
    const compute = "for (const until = Date.now() + 60_000; Date.now() < until; ); response.end();";
    const { child, url } = await program(context, compute);
    // A probe takes a second, so ten unanswered ones fit into the time limit.
    const hung = waitUntilHung({ url, pid: () => child.pid, probeMs: 500 }).then(() => "hung");
    const patience = once(AbortSignal.timeout(15_000), "abort").then(() => "waited for");
    expect(await Promise.race([hung, patience])).toBe("waited for");
    child.kill("SIGSTOP");
    expect(await hung).toBe("hung");
  });

  test("one that hangs from its start is ended, so that a new one takes its place", async (context) => {
    const { child, url } = await program(context, "response.end()");
    const isStarted = () => waitUntilStarted({ apiUrl: url, mcpUrl: url }, { runtimePid: child.pid });
    expect(await isStarted()).toBe(true);
    const ended = once(child, "exit");
    child.kill("SIGSTOP");
    expect(await isStarted()).toBe(false);
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  test("a killed runtime is back within seconds, with all data", async (context) => {
    const service = await start(context);
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
      expect(service.output()).toContain("Starting a new one");
    }
    expect(await titles(service.apiUrl, token)).toEqual(["first", "second"]);
  });
});
