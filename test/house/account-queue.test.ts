import { describe, expect, test } from "vitest";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import { createCalendarTokenRoute, getCalendarRoute } from "../../src/features/dashboard/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../src/features/documents/routes.ts";
import { getJobRoute } from "../../src/features/jobs/routes.ts";
import {
  MAX_CONCURRENT,
  MAX_QUEUED,
  runInQueue,
  runInUploadQueue,
  runStartedPart,
} from "../../src/platform/queue/account-queue.ts";
import { createQueue } from "../../src/platform/queue/queue.ts";
import { Client, person } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { begin, STORIES, type Story } from "../kit/jobs.ts";
import { initialize, stateless } from "../kit/mcp.ts";
import { nameOf, operations, pathOf } from "../kit/operations.ts";

// A few requests of an account run at a time, whatever they ask for, so that they do not keep others waiting.

/** Does something while as many requests of an account, or uploads, are under way and waiting as may be. */
async function whileBusy<Result>(
  client: Client,
  work: () => Promise<Result>,
  enqueue: typeof runInUploadQueue = (who, answer) => runInQueue(who, "change", answer),
): Promise<Result> {
  const who = { shard: FIRST_SHARD, owner: await numberOf(client) };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: MAX_CONCURRENT.change + MAX_QUEUED }, () => enqueue(who, () => ended));
  const settled = Promise.allSettled(waiting);
  return work().finally(() => {
    end();
    return settled;
  });
}

const WAITING = "You have 150 requests queued";

const list = (client: Client) => client.call(listDocumentsRoute, { query: { limit: 1 } });
const many = <Result>(count: number, send: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, send));
const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))].sort();

describe("behind as many as may wait", () => {
  test("each operation that needs a sign-in and is not streamed is told when to try again", async () => {
    const ada = await person();
    const waiting = operations.filter(({ rules }) => rules.access !== "anyone");
    for (let from = 0; from < waiting.length; from += 30)
      await whileBusy(ada, async () => {
        for (const route of waiting.slice(from, from + 30)) {
          const isStreamed = "body" in route.rules && route.rules.body === "streamed";
          const answer = await ada.fetch(pathOf(route), { method: route.method.toUpperCase() });
          const isToWait = answer.status === 429 && (await answer.text()).includes(WAITING);
          expect(isToWait, nameOf(route)).toBe(!isStreamed);
          if (isToWait) expect(answer.headers.get("Retry-After"), nameOf(route)).toMatch(/^[1-9]/);
        }
      });
    // They have done nothing: she is still signed in.
    expect((await list(ada)).status).toBe(200);
  });

  test("what is streamed waits for other uploads, and nothing else does", async () => {
    const ada = await person();
    const streamed = operations.filter(({ rules }) => "body" in rules && rules.body === "streamed");
    const send = () =>
      Promise.all(
        streamed.map(async (route) => {
          const answer = await ada.fetch(pathOf(route), { method: route.method.toUpperCase(), body: "x" });
          return { status: answer.status, text: await answer.text() };
        }),
      );
    const refused = await whileBusy(ada, send, runInUploadQueue);
    for (const { status, text } of refused) {
      expect(status).toBe(429);
      expect(text).toContain("You have 150 uploads queued");
    }
    await whileBusy(ada, async () => expect((await list(ada)).status).toBe(200), runInUploadQueue);
    expect(statuses(await send())).not.toContain(429);
  });

  test("so are an assistant's calls, in both generations, and requests for the calendar", async () => {
    const ada = await person();
    const { url } = await ada.ok(createCalendarTokenRoute, {});
    const assistants = [stateless(ada), await initialize(ada)];
    await whileBusy(ada, async () => {
      for (const assistant of assistants)
        for (const method of ["tools/list", "tools/call"]) {
          const { status, headers } = await assistant.ask(method, { name: "whoami", arguments: {} });
          expect([status, headers.get("Error-Code")]).toEqual([429, "too_many_requests"]);
          expect(headers.get("Retry-After")).toMatch(/^[1-9]/);
        }
      const token = new URL(url).searchParams.get("token") ?? "";
      const { status, headers } = await new Client().call(getCalendarRoute, { query: { token } });
      expect([status, headers.get("Retry-After")]).toEqual([429, expect.stringMatching(/^[1-9]/)]);
    });
    for (const assistant of assistants) expect((await assistant.ask("tools/list", {})).status).toBe(200);
  });

  test("keys and sessions of the account count together; another account does not wait", async () => {
    const [ada, eve] = [await person(), await person()];
    const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Key", scopes: ["docs:read"] } });
    const program = new Client({ access_token: key } as never);
    // The first request shows that a key is good.
    expect((await list(program)).status).toBe(200);
    await whileBusy(ada, async () => {
      expect((await list(program)).status).toBe(429);
      expect((await list(eve)).status).toBe(200);
    });
  });

  test("a forged key that names the account takes none of its places", async () => {
    const ada = await person();
    const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Key", scopes: ["docs:read"] } });
    const forged = new Client({ access_token: `${key.slice(0, -4)}AAAA` } as never);
    await whileBusy(ada, async () => expect(statuses(await many(30, () => list(forged)))).toEqual([401]));
    const noisy = many(MAX_QUEUED, () => list(forged));
    expect(statuses(await many(6, () => list(ada)))).toEqual([200]);
    expect(statuses(await noisy)).toEqual([401]);
  });

  test("an export that has begun goes on", async () => {
    const ada = await person();
    for (let n = 0; n < 3; n++)
      await ada.ok(createDocumentRoute, { json: { title: "T", content: { text: "word ".repeat(40_000) } } });
    const answer = await ada.fetch("/api/export");
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    const pieces = [first.value?.length ?? 0];
    const rest = await whileBusy(ada, async () => {
      const reading = (async () => {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read())
          pieces.push(piece.value.length);
      })();
      expect((await list(ada)).status).toBe(429);
      return () => reading;
    });
    await rest();
    expect(pieces.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(600_000);
  });
});

test("so many run at a time, in the order in which they came, and parts of answers before the others", async () => {
  const who = { shard: 1, owner: await numberOf(await person()) };
  const ran: string[] = [];
  let running = 0;
  let most = 0;
  const task = (name: string) => async () => {
    ran.push(name);
    most = Math.max(most, ++running);
    await scheduler.wait(1);
    running -= 1;
  };
  const names = Array.from({ length: 12 }, (_, number) => String(number));
  const requests = names.map((name) => runInQueue(who, "change", task(name)));
  const parts = ["a", "b"].map((name) => runStartedPart(who, task(name)));
  await Promise.all([...requests, ...parts]);
  expect(most).toBe(MAX_CONCURRENT.change);
  expect(ran.filter((name) => /\d/.test(name))).toEqual(names);
  // At least every second one is a part.
  expect(ran.slice(0, 7).filter((name) => /[ab]/.test(name))).toEqual(["a", "b"]);
});

test("what runs alone does so, and keeps its place", async () => {
  const who = { shard: 1, owner: await numberOf(await person()) };
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} begins`);
    await scheduler.wait(2);
    log.push(`${name} ends`);
  };
  await Promise.all([
    ...["a", "b"].map((name) => runInQueue(who, "read", task(name))),
    runInQueue(who, "alone", task("alone")),
    ...["c", "d"].map((name) => runInQueue(who, "change", task(name))),
  ]);
  const at = log.indexOf("alone begins");
  expect(log[at + 1]).toBe("alone ends");
  expect(log.slice(0, at).toSorted()).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  expect(log.slice(at + 2)).toHaveLength(4);
});

test("waiting for the end of a job does not hold up the account's other requests", async () => {
  const ada = await person();
  const job = await begin(ada, Object.values(STORIES)[0] as Story);
  const order: string[] = [];
  const wait = async () => {
    await ada.ok(getJobRoute, { params: { job_id: job.id }, query: { wait: "1" } });
    order.push("waited");
  };
  const waiting = many(MAX_CONCURRENT.read + 1, wait);
  await list(ada);
  order.push("list");
  await waiting;
  expect(order.indexOf("list")).toBe(0);
});

test("whatever a request ends with, the next one follows", async () => {
  const ada = await person();
  const missing = await many(20, () => ada.fetch("/api/documents/0190a0c0-0000-7000-8000-000000000000"));
  expect(statuses(missing)).toEqual([404]);
  expect(statuses(await many(MAX_QUEUED, () => list(ada)))).toEqual([200]);
});

test("a request that waits too long is told so, and not that many are waiting", async () => {
  const queue = createQueue({ most: 5, refusal: (reason) => new Error(reason) });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const first = queue(() => ended);
  await expect(queue(async () => {}, { patience: 5 })).rejects.toThrow("late");
  end();
  await first;
});
