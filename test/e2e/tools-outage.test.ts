import { expect, test } from "vitest";
import { retryUntilAnswered, TransientError } from "../../scripts/common/retry.ts";
import { DEMO_DOCUMENTS, DEMO_FOLDERS } from "../../src/shared/demo/documents.ts";
import { DEMO_RECORDS } from "../../src/shared/demo/records.ts";
import { askWith } from "./ask.ts";
import { sharedService } from "./instances.ts";
import { checkIntegrity } from "./integrity.ts";
import { proxyTo } from "./loopback.ts";
import { createDocuments } from "./many.ts";
import { runScript } from "./script.ts";
import { register, until } from "./service.ts";
import { openState } from "./state.ts";

// The commands of the terminal go on by themselves when the service was away, or its answers were lost.

const PASSWORD = "a long password";

let admin: Awaited<ReturnType<typeof newPerson>>;

const shared = sharedService({ RATE_LIMIT_REGISTER: "1000/60", RATE_LIMIT_LOGIN: "1000/60" }, async () => {
  // The first account is an admin's.
  admin = await newPerson("admin");
});

async function newPerson(name: string) {
  const email = `${name}@example.com`;
  const token = await register(shared.service.apiUrl, { email, password: PASSWORD });
  const ask = askWith(shared.service.apiUrl, token);
  const total = async (path: string) => (await ask<{ total: number }>("GET", `/api/${path}`)).total;
  return { ask, token, total, options: ["--email", email, "--password", PASSWORD] };
}

/** Hands requests on to the service; the answers of some are lost, and some are turned away. */
function unreliable() {
  let number = 0;
  return proxyTo(shared.service.apiUrl, (incoming, response) => {
    number += incoming.url === "/health" ? 0 : 1;
    if (number % 5 !== 0) return { isLost: number % 3 === 0 };
    response.writeHead(number % 2 === 0 ? 500 : 503, { "Retry-After": "0" }).end('{"detail": "Later"}');
    return "answered";
  });
}

const REPLACED = DEMO_RECORDS.flatMap(({ steps = [] }) => steps.filter(({ step }) => step === "supersede"));
const KINDS = ["folders?limit=1", "documents?limit=1", "memories?limit=1"];
const COUNTS = [
  Object.keys(DEMO_FOLDERS).length,
  DEMO_DOCUMENTS.length,
  DEMO_RECORDS.length + REPLACED.length,
];

test("the demo is complete, and nothing in it is there twice, although answers were lost", async () => {
  const { total, options } = await newPerson("lossy");
  const { url, close } = await unreliable();
  const { code, output } = await runScript("demo", ["--url", url, ...options], {});
  await close();
  expect([code, output]).toEqual([0, expect.stringContaining("waiting for the service to answer")]);
  expect(await Promise.all(KINDS.map(total))).toEqual(COUNTS);
});

test("the demo goes on when the service was killed and started again", async () => {
  const { total, options } = await newPerson("killed");
  const demo = runScript("demo", ["--url", shared.service.apiUrl, ...options], {});
  await until(
    async () => (await total("documents?limit=1")) > 0,
    () => "The demo has not begun",
  );
  await shared.restart();
  const { code, output } = await demo;
  expect([code, output]).toEqual([0, expect.stringContaining("waiting for the service to answer")]);
  expect(await Promise.all(KINDS.map(total))).toEqual(COUNTS);
});

test("the index is rebuilt to its end although the service was killed and answers were lost", async () => {
  const count = 300;
  const numbers = Array.from({ length: count }, (_, number) => number);
  const texts = numbers.map((number) => ({ title: `Note ${number}`, text: `shared word${number}` }));
  await createDocuments(shared.service.apiUrl, admin.token, texts);
  const found = (word: string) => admin.total(`search?q=${word}&limit=1`);
  await admin.ask("POST", "/api/search/reindex", { all: true });
  expect(await found("shared")).toBe(count);
  const cutOff = admin.ask("POST", "/api/search/reindex", {}).catch(() => undefined);
  expect(await found("shared")).toBe(count);
  await shared.restart(() => {
    const stopped = openState(shared.stateDir);
    checkIntegrity(stopped);
    const due = stopped.prepare("SELECT count(*) AS n FROM search_entries WHERE index_version = 0").get();
    stopped.close();
    expect(Number(due?.n)).toBeGreaterThan(0);
  });
  await cutOff;

  const { url, close } = await unreliable();
  const { code, output } = await runScript("reindex", ["--url", url, ...admin.options], {});
  await close();
  expect([code, output]).toEqual([0, expect.stringContaining("none left")]);
  expect(await found("shared")).toBe(count);
  for (let number = 0; number < count; number += 25) expect(await found(`word${number}`)).toBe(1);
});

test("a wait is reported and ended, and one of ten minutes is given up with a text that says so", async () => {
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
  waits.length = 0;
  const back = () => (waits.length === 0 ? send() : Promise.resolve("answered"));
  expect(await retryUntilAnswered(back, options)).toBe("answered");
  expect(waits).toEqual(["waiting for the service to answer", undefined]);
});
