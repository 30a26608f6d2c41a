import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DocumentBulkAnswer } from "../../src/contract/document-bulk.ts";
import { Memory } from "../../src/contract/memory.ts";
import { RequestRejectedError } from "../../src/shared/import/client.ts";
import { account } from "../src/api/account.ts";
import { setAccount } from "../src/api/current-account.ts";
import { documentsApi } from "../src/api/documents.ts";
import { filesApi } from "../src/api/files.ts";
import { ApiError } from "../src/api/request.ts";
import { retryUntilAnswered, setUnansweredListener } from "../src/api/retry.ts";
import { DocumentEditor } from "../src/features/document/document-editor.ts";
import { sendChanges } from "../src/features/things/send-changes.ts";
import { clientFor } from "../src/features/transfer/client.ts";
import { sendFiles } from "../src/features/uploads/send-files.ts";
import { captures, sendCaptures } from "../src/state/captures.ts";
import { deleteDraft, readDraft } from "../src/state/document-drafts.ts";
import type { OutboxEntry } from "../src/state/outbox.ts";
import { pendingChanges } from "../src/state/pending-changes.ts";
import { pendingFiles } from "../src/state/pending-files.ts";
import { pendingSteps } from "../src/state/pending-steps.ts";
import { sendPendingSteps } from "../src/state/send-steps.ts";
import { ADA, allDone, answer, connect, listedDocument, record, type Sent, written } from "./kit/wire.ts";

// Which errors leave a change waiting, the same for every kind, and what happens to entries while one is sent. With IndexedDB and
// the service it is in test/e2e/web-unsent.test.ts, web-outage.test.ts and web-changes.test.ts.

connect();

const entry = (key: string) => ({ key, account: ADA.id, at: Date.now() + key.charCodeAt(0) });

const capture = (key: string) => ({
  ...entry(key),
  record: { memory_type: "commitment" as const, topic: key, content: key },
  text: key,
});
const step = (key: string) => ({
  ...{ ...entry(key), text: key, rows: [{ id: 1 }], shown: { status: "resolved" as const } },
  operations: [{ operation: "resolve" as const, id: 1 }],
});

/** Each kind: the request that it sends, an entry, and how all of them are sent. */
const KINDS = {
  capture: {
    path: "POST /api/memories",
    wait: () => captures.write([capture("a")]),
    send: sendCaptures,
    left: (): readonly OutboxEntry[] => captures.get(),
  },
  step: {
    path: "POST /api/memories/bulk",
    wait: () => pendingSteps.write([step("a")]),
    send: sendPendingSteps,
    left: () => pendingSteps.get(),
  },
  change: {
    path: "POST /api/documents/bulk",
    wait: () =>
      pendingChanges.write([
        {
          ...{ ...entry("a"), step: "a", change: { kind: "tag", tag: "x" } },
          ...{ documents: [listedDocument("one")], isGuarded: false },
        },
      ]),
    send: sendChanges,
    left: () => pendingChanges.get(),
  },
  file: {
    path: "POST /api/files",
    wait: () => pendingFiles.write([{ ...entry("a"), name: "a.txt", bytes: new Blob(["a"]), to: {} }]),
    send: sendFiles,
    left: () => pendingFiles.get(),
  },
};

/** 0: no answer. 409: the first attempt under the same key is still running. */
const WAITING = [0, 408, 409, 429, 500, 502, 503, 504];
const FINAL = [400, 403, 404, 410, 412, 413, 422, 501];

const failing = (status: number) => () => {
  if (status === 0) throw new TypeError("Failed to fetch");
  return { schema: Memory, body: { detail: "No" }, status };
};

const outcome = (sent: Promise<unknown>) =>
  sent.then(
    () => "answered",
    (problem: ApiError) => problem.status,
  );

const clear = () =>
  Promise.all([captures, pendingSteps, pendingChanges, pendingFiles].map((outbox) => outbox.forget(ADA.id)));

beforeEach(() => setAccount(ADA));
afterEach(clear);

const table = (statuses: number[]) =>
  Object.keys(KINDS).flatMap((kind) =>
    statuses.map((status) => [kind as keyof typeof KINDS, status] as const),
  );

test.each(table(WAITING))("a %s that gets %i waits", async (kind, status) => {
  const { path, wait, send, left } = KINDS[kind];
  answer({ [path]: failing(status) });
  await wait();
  expect(await outcome(send())).toBe(status);
  expect(left().map(({ key, refused }) => [key, refused])).toEqual([["a", undefined]]);
  expect(new Set(written().map(({ headers }) => headers.get("X-Account")))).toEqual(new Set([ADA.id]));
});

test.each(table(FINAL))(
  "a %s that gets %i is rejected, and stays until the user decides",
  async (kind, status) => {
    const { path, wait, send, left } = KINDS[kind];
    answer({ [path]: failing(status) });
    await wait();
    expect(await outcome(send())).toBe("answered");
    expect(left().map(({ refused }) => refused)).toEqual(["No"]);
    const { length } = written();
    await send();
    expect(written()).toHaveLength(length);
  },
);

/** Whether a request waits for another attempt. */
async function waits(send: (signal: AbortSignal, onWait: () => void) => Promise<unknown>): Promise<boolean> {
  const end = new AbortController();
  let isWaiting = false;
  const onWait = (why?: string) => {
    if (why === undefined) return;
    isWaiting = true;
    end.abort(new ApiError(0, "Stopped"));
  };
  await send(end.signal, onWait).catch(() => undefined);
  return isWaiting;
}

const IMPORTED = {
  method: "POST",
  path: "/api/documents/bulk",
  headers: { "Idempotency-Key": "a" },
} as const;

test.each([...WAITING, ...FINAL])(
  "an import and a change made on a screen treat %i alike",
  async (status) => {
    answer({ "POST /api/documents/bulk": failing(status) });
    const isTransient = WAITING.includes(status);
    expect(await waits((signal, onWait) => clientFor({ signal, onWait }).send(IMPORTED))).toBe(isTransient);
    const once = async () => {
      throw new ApiError(status, "No");
    };
    const isRetried = await waits(async (_, onWait) => {
      setUnansweredListener((all) => {
        if (all.length === 0) return;
        (onWait as (why: string) => void)("waits");
        for (const one of all) one.stop();
      });
      await retryUntilAnswered(once);
    });
    expect(isRetried).toBe(isTransient);
  },
);

test.each([202, 204])("an empty %i is an answer, also without its length", async (status) => {
  answer({ "POST /api/auth/email/verification": () => ({ status }) });
  expect(await outcome(account.sendVerification())).toBe("answered");
});

test("without a key, 409 is an answer", async () => {
  answer({ "GET /api/folders": failing(409) });
  const { signal } = new AbortController();
  const sent = clientFor({ signal }).send({ method: "GET", path: "/api/folders" });
  await expect(sent).rejects.toBeInstanceOf(RequestRejectedError);
});

const keyOf = ({ headers }: Sent) => headers.get("Idempotency-Key");

test.each(["capture", "step", "change"] as const)(
  "a %s whose answer was lost is sent again with the same key and body",
  async (kind) => {
    const { path, wait, send } = KINDS[kind];
    answer({ [path]: failing(0) });
    await wait();
    await outcome(send());
    await outcome(send());
    const [first, again, ...more] = written();
    expect(first && again && [keyOf(first), first.body]).toEqual(again && [keyOf(again), again.body]);
    expect(keyOf(first as Sent)).toMatch(/^a/);
    expect(more).toEqual([]);
  },
);

test("a step that is never answered is sent again after a minute, and holds up none", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const keys: (string | null)[] = [];
  const answered = globalThis.fetch;
  const hang = (_: string, { signal, headers }: RequestInit) => {
    keys.push(new Headers(headers).get("Idempotency-Key"));
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
  await pendingSteps.write([step("a"), step("b")]);
  vi.stubGlobal("fetch", hang);
  const sent = outcome(sendPendingSteps());
  await vi.waitFor(() => expect(keys).toHaveLength(1));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await sent).toBe(0);
  vi.useRealTimers();
  vi.stubGlobal("fetch", answered);
  answer({ "POST /api/memories/bulk": () => allDone([1]) });
  await sendPendingSteps();
  expect([...keys, ...written().map(keyOf)]).toEqual(["a:0", "a:0", "b:0"]);
});

test("a file, and a long text that has begun to arrive, have no time limit, and one that is sent has time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const signals: AbortSignal[] = [];
  vi.stubGlobal("fetch", async (_: string, { signal, method }: RequestInit) => {
    if (signal) signals.push(signal);
    return method === "GET" ? Response.json({}) : new Promise(() => {});
  });
  await documentsApi.get("one");
  void filesApi.send(new Blob(["a"]), "a.txt", {}, {});
  void documentsApi.create({ title: "Long", content: { text: "a".repeat(1_000_000) } }, "key");
  await vi.advanceTimersByTimeAsync(600_000);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  vi.useRealTimers();
});

test("an answer that stops halfway is none after a minute, one that arrives slowly is read", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let send = (_: string) => {};
  const body = () =>
    new ReadableStream({
      start: (stream) => {
        send = (text) => stream.enqueue(new TextEncoder().encode(text));
      },
    });
  vi.stubGlobal(
    "fetch",
    async () => new Response(body(), { headers: { "Content-Type": "application/json" } }),
  );
  const stopped = outcome(documentsApi.get("one"));
  await vi.advanceTimersByTimeAsync(59_000);
  send('{"id":');
  await vi.advanceTimersByTimeAsync(59_000);
  send('"one"');
  expect(await Promise.race([stopped, Promise.resolve("waits")])).toBe("waits");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await stopped).toBe(0);
  vi.useRealTimers();
});

test("the newest bookmark of a database is sent, in whatever order the answers arrive", async () => {
  const known: (string | null)[] = [];
  let next = "";
  vi.stubGlobal("fetch", async (_: string, { headers }: RequestInit) => {
    known.push(new Headers(headers).get("X-D1-Bookmark"));
    return Response.json({}, { headers: { "X-D1-Bookmark": next } });
  });
  for (next of ["1:0000002a", "1:00000029", "1:0000002b", "2:00000001", "2:00000002"])
    await documentsApi.get("one");
  await documentsApi.get("one");
  expect(known.slice(1)).toEqual(["1:0000002a", "1:0000002a", "1:0000002b", "2:00000001", "2:00000002"]);
});

test("what is discarded while an earlier entry is sent is not sent", async () => {
  answer({
    "POST /api/memories": async (sent) => {
      if (keyOf(sent) === "a") await captures.remove("b");
      return { schema: Memory, body: record() };
    },
  });
  await captures.write([capture("a"), capture("b"), capture("c")]);
  await sendCaptures();
  expect(written().map(keyOf)).toEqual(["a", "c"]);
  expect(captures.get()).toEqual([]);
});

test("a step that is withdrawn while it is sent is undone", async () => {
  answer({
    "POST /api/memories/bulk": async () => {
      await pendingSteps.update("a", { isWithdrawn: true });
      return allDone([1]);
    },
    "POST /api/activity/undo": () => ({ schema: DocumentBulkAnswer, body: { detail: "Gone" }, status: 410 }),
  });
  await pendingSteps.write([step("a")]);
  await sendPendingSteps();
  expect(written().map(({ method, path }) => `${method} ${path}`)).toContain("POST /api/activity/undo");
  expect(pendingSteps.get()).toEqual([]);
});

test("an update does not bring a discarded entry back", async () => {
  await captures.write([capture("a")]);
  await captures.remove("a");
  expect(await captures.update("a", { refused: "No" })).toBeUndefined();
  expect(await captures.read()).toEqual([]);
});

test("another account's entries are neither shown nor sent", async () => {
  const other = { ...capture("b"), account: "another" };
  await captures.write([capture("a"), other]);
  expect((await captures.read()).map(({ key }) => key)).toEqual(["a"]);
  answer({ "POST /api/memories": () => ({ schema: Memory, body: record() }) });
  await sendCaptures();
  expect(written().map(keyOf)).toEqual(["a"]);
  await captures.forget("another");
});

test("reading unchanged entries rerenders nothing", async () => {
  await captures.write([capture("a")]);
  const before = captures.get();
  expect(await captures.read()).toBe(before);
});

test.each(["[1, 2]", "null", "{"])(
  "a new document whose JSON is %s is kept when it is left",
  async (text) => {
    const place = { owner: ADA.id, id: "new", writer: "w" };
    const editor = new DocumentEditor(place, { base: undefined, title: "", text: "", kind: "json" });
    const leave = editor.open();
    editor.edit({ text });
    leave();
    expect(await readDraft(place)).toMatchObject({ text });
    await deleteDraft(place);
  },
);
