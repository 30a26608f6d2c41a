import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { retryUntilAnswered, TransientError } from "../../scripts/common/retry.ts";
import { DEMO_DOCUMENTS, DEMO_FOLDERS } from "../../src/shared/demo/documents.ts";
import { DEMO_RECORDS } from "../../src/shared/demo/records.ts";
import { askWith } from "./ask.ts";
import { listen } from "./loopback.ts";
import { runScript } from "./script.ts";
import { freePorts, register, type Service, startService, temporaryFolder, until } from "./service.ts";

// The commands of the terminal go on by themselves when the service was away, or its answers were lost.

const PASSWORD = "a long password";
const SETTINGS = { RATE_LIMIT_REGISTER: "1000/60", RATE_LIMIT_LOGIN: "1000/60" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ports: Awaited<ReturnType<typeof freePorts>>;
let service: Service;
let admin: Awaited<ReturnType<typeof somebody>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  ports = await freePorts();
  service = await startService(folder.path, SETTINGS, ports);
  // The first account is an admin's.
  admin = await somebody("admin");
});

afterAll(async () => {
  await service?.stop();
  await folder?.remove();
});

async function somebody(name: string) {
  const email = `${name}@example.com`;
  const ask = askWith(service.apiUrl, await register(service.apiUrl, { email, password: PASSWORD }));
  const total = async (kind: string) => (await ask<{ total: number }>("GET", `/api/${kind}?limit=1`)).total;
  return { ask, total, options: ["--email", email, "--password", PASSWORD] };
}

/** Hands requests on to the service; the answers of some are lost, and some are turned away. */
async function unreliable() {
  let number = 0;
  const { hostname, port } = new URL(service.apiUrl);
  const turnAway = (response: ServerResponse, status: number) =>
    response.writeHead(status, { "Retry-After": "0" }).end('{"detail": "Later"}');
  const handOn = (incoming: IncomingMessage, response: ServerResponse, isLost: boolean) => {
    const { url: path, method, headers } = incoming;
    const outgoing = request({ hostname, port, path, method, headers }, (answer) => {
      if (isLost) return answer.resume().on("end", () => response.destroy());
      return answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    incoming.pipe(outgoing);
  };
  const proxy = createServer((incoming, response) => {
    number += incoming.url === "/health" ? 0 : 1;
    if (number % 5 === 0) turnAway(response, number % 2 === 0 ? 500 : 503);
    else handOn(incoming, response, number % 3 === 0);
  });
  return listen(proxy);
}

const REPLACED = DEMO_RECORDS.flatMap(({ steps = [] }) => steps.filter(({ step }) => step === "supersede"));
const COUNTS = [
  Object.keys(DEMO_FOLDERS).length,
  DEMO_DOCUMENTS.length,
  DEMO_RECORDS.length + REPLACED.length,
];

test("the demo is complete, and nothing in it is there twice, although answers were lost", async () => {
  const { total, options } = await somebody("lossy");
  const { url, close } = await unreliable();
  const { code, output } = await runScript("demo", ["--url", url, ...options], {});
  await close();
  expect([code, output]).toEqual([0, expect.stringContaining("waiting for the service to answer")]);
  expect(await Promise.all(["folders", "documents", "memories"].map(total))).toEqual(COUNTS);
});

test("the demo goes on when the service was killed and started again", async () => {
  const { total, options } = await somebody("killed");
  const demo = runScript("demo", ["--url", service.apiUrl, ...options], {});
  await until(
    async () => (await total("documents")) > 0,
    () => "The demo has not begun",
  );
  await service.kill();
  service = await startService(folder.path, SETTINGS, ports);
  const { code, output } = await demo;
  expect([code, output]).toEqual([0, expect.stringContaining("waiting for the service to answer")]);
  expect(await Promise.all(["folders", "documents", "memories"].map(total))).toEqual(COUNTS);
});

test("the index is rebuilt to its end although answers were lost", async () => {
  const { url, close } = await unreliable();
  const { code, output } = await runScript("reindex", ["--all", "--url", url, ...admin.options], {});
  await close();
  expect(output).toContain("none left");
  expect(code).toBe(0);
});

test("a wait of ten minutes is given up with a text that says so", async () => {
  const waits: unknown[] = [];
  const send = async () => {
    throw new TransientError("waiting for the service to answer");
  };
  const options = { who: "http://localhost:8000", onWait: (why?: string) => waits.push(why) };
  await expect(retryUntilAnswered(send, { ...options, timeoutMs: 500 })).rejects.toThrow(
    "http://localhost:8000 has not answered for 1 minute",
  );
  expect(waits).toContain("waiting for the service to answer");
  const asked = async () => {
    throw new TransientError("waiting 3600 s because of the rate limit", 3_600_000);
  };
  await expect(retryUntilAnswered(asked, options)).rejects.toThrow("accepts no more requests for 60 minutes");
});
