import { afterEach, describe, expect, test, vi } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import { createApiKeyRoute, listApiKeysRoute } from "../../src/features/api-keys/routes.ts";
import { loginRoute, logoutAllRoute } from "../../src/features/auth/routes.ts";
import { listConnectionsRoute } from "../../src/features/connections/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { createFolderRoute, getFolderRoute, updateFolderRoute } from "../../src/features/folders/routes.ts";
import { getHealthRoute } from "../../src/features/health/routes.ts";
import { supersedeMemoryRoute } from "../../src/features/memories/action-routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { CALL_MS, callWithRetries, faultCounts, type RepeatEffect } from "../../src/platform/core/faults.ts";
import { findD1Fault } from "../../src/platform/db/call.ts";
import { answerOf } from "../kit/actions.ts";
import { type Client, PASSWORD, person, visitor } from "../kit/client.ts";
import { type Course, courses, withFaults } from "../kit/d1-faults.ts";
import { hookOf } from "../kit/hooks.ts";
import { ask, initialize, stateless, use } from "../kit/mcp.ts";
import { authorize, bearer, connect, exchange, registerClient } from "../kit/oauth.ts";
import { type Draw, onPart, type Part, withPlatformFaults } from "../kit/platform-faults.ts";

// What people see of a database, and of other parts of the platform, that fail in passing, and of ones that do not recover.

afterEach(() => void vi.useRealTimers());

const DOCUMENT = { title: "Plan", content: { format: "markdown", text: "Buy a tent" } };
const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" };
const keyed = (key: string) => ({ headers: { "Idempotency-Key": key } });
const UNKNOWN = "outcome_unknown";

const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get("Error-Code"),
  headers.has("Retry-After"),
];

test("a read is answered although the connection is lost, again and again", async () => {
  const ada = await person();
  await ada.ok(documents.createDocumentRoute, { json: DOCUMENT });
  const draw = courses("before", "after", "before", "after", "queued");
  const { total } = await withFaults(draw, () => ada.ok(documents.listDocumentsRoute));
  expect(total).toBe(1);
});

test("a change whose answer is lost may have been made, and the refusal says so", async () => {
  const ada = await person();
  const asked = { json: { name: "Sync", scopes: ["docs:read"] } };
  const lost = await withFaults(courses("after"), () => ada.call(createApiKeyRoute, asked));
  expect(codeOf(lost)).toEqual([503, UNKNOWN, true]);
  expect(lost.text).toContain("unknown whether this was done");
  expect((await ada.ok(listApiKeysRoute)).total).toBe(1);
  // A sign-out everywhere may have ended the caller's own session.
  const signOut = await withFaults(courses("after"), () => ada.call(logoutAllRoute));
  expect(codeOf(signOut)).toEqual([503, UNKNOWN, true]);
  expect((await ada.refusal(logoutAllRoute)).status).toBe(401);
});

/** Fails the first two calls that write to the activity. */
function losing(course: Course) {
  let left = 2;
  return (texts: string[]): Course =>
    texts.some((text) => text.includes("INSERT INTO activity")) && left-- > 0 ? course : "well";
}

const activityOf = async (ada: Client) =>
  (await ada.ok(listActivityRoute, { query: { limit: 100 } })).items.map(({ id, verb }) => [id, verb]);

describe.each(["before", "after"] as const)("without a key, when the call fails %s it", (course) => {
  const lose = <Result>(run: () => Promise<Result>) => withFaults(losing(course), run);

  test("a document is written, changed, deleted and restored once, and each is named", async () => {
    const ada = await person();
    const made = await lose(() => ada.call(documents.createDocumentRoute, { json: DOCUMENT }));
    const params = { document_id: made.body.id };
    const json = { title: "Trip" };
    const changed = await lose(() => ada.call(documents.updateDocumentRoute, { params, json }));
    const deleted = await lose(() => ada.call(documents.deleteDocumentRoute, { params }));
    const restored = await lose(() => ada.call(documents.restoreDocumentRoute, { params }));
    const all = [made, changed, deleted, restored];
    expect(all.map(({ status }) => status)).toEqual([201, 200, 204, 200]);
    expect([changed.body.version, restored.body.version]).toEqual([2, 2]);
    expect(all.map(({ headers }) => Number(headers.get("Change-Id")))).toEqual(
      (await activityOf(ada)).map(([id]) => id).reverse(),
    );
  });

  test("a record is written, replaced and deleted once, with its number", async () => {
    const ada = await person();
    const { id } = await lose(() => ada.ok(memories.createMemoryRoute, { json: RECORD }));
    const json = { ...RECORD, topic: "Send the new slides" };
    const params = { memory_id: String(id) };
    const { superseded_by_id } = await lose(() => ada.ok(supersedeMemoryRoute, { params, json }));
    expect(superseded_by_id).toBe(id + 1);
    const gone = { memory_id: String(superseded_by_id) };
    await lose(() => ada.ok(memories.deleteMemoryRoute, { params: gone }));
    const verbs = (await activityOf(ada)).map(([, verb]) => verb);
    expect(verbs).toEqual(["deleted", "created", "superseded", "created"]);
  });

  test("an assistant remembers several records once, with their numbers", async () => {
    const ada = await person();
    const records = ["Slides", "Tickets"].map((topic) => ({ ...RECORD, topic }));
    const answer = await lose(() => use(stateless(ada), "remember", { records }));
    expect(answer.refused).toBeUndefined();
    const { items } = await ada.ok(memories.listMemoriesRoute);
    expect(items.map(({ topic }) => topic).sort()).toEqual(["Slides", "Tickets"]);
    for (const { id } of items) expect(JSON.stringify(answer)).toContain(`mem:${id}`);
  });

  test("a folder is renamed, and that undone, once", async () => {
    const ada = await person();
    const { id } = await lose(() => ada.ok(createFolderRoute, { json: { name: "Travel" } }));
    const params = { folder_id: id };
    const renamed = await lose(() => ada.call(updateFolderRoute, { params, json: { name: "Trips" } }));
    expect(renamed.body.name).toBe("Trips");
    const change_id = renamed.headers.get("Change-Id");
    await lose(() => ada.ok(undoActivityRoute, { json: { change_id } }));
    expect((await ada.ok(getFolderRoute, { params })).name).toBe("Travel");
    expect(await activityOf(ada)).toHaveLength(3);
  });
});

test("what may have been changed is never said to be unchanged, however it goes on", async () => {
  const ada = await person();
  for (const [key, last] of Object.entries({ k1: "before", k2: "queued", k3: "too much" } as const)) {
    let isLost = false;
    const draw = (texts: string[]): Course => {
      if (isLost) return last;
      isLost = texts.some((text) => /insert into "?documents/i.test(text));
      return isLost ? "after" : "well";
    };
    const asked = { ...keyed(key), json: { ...DOCUMENT, title: key } };
    const refused = await withFaults(draw, () => ada.call(documents.createDocumentRoute, asked));
    expect(codeOf(refused)).toEqual([503, UNKNOWN, true]);
    expect((await ada.call(documents.createDocumentRoute, asked)).status).toBe(201);
  }
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(3);
});

test.for(["before", "queued", "too much", "spent"] as const)(
  "nor to an assistant who cannot be admitted any more afterwards: %s",
  async (last) => {
    const ada = await person();
    let isLost = false;
    const draw = (texts: string[]): Course => {
      if (isLost) return last;
      isLost = texts.some((text) => /insert into "?memories/i.test(text));
      return isLost ? "late" : "well";
    };
    const records = [{ memory_type: "decision", topic: "Stay", content: "We stay." }];
    const params = { name: "remember", arguments: { records } };
    const told = await withFaults(draw, async () => answerOf(await ask(ada, "tools/call", params)));
    expect([told.code, told.text]).toEqual([UNKNOWN, expect.stringContaining("before you try again")]);
    expect(told.text).toMatch(/unknown[\s\S]*list_changes/);
    expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(1);
  },
);

test("an overloaded database gets a pause, and then nothing was changed", async () => {
  const ada = await person();
  const asked = { json: DOCUMENT };
  const made = await withFaults(courses("queued"), () => ada.call(documents.createDocumentRoute, asked));
  expect(made.status).toBe(201);
  const always = () => "queued" as const;
  const refused = await withFaults(always, () => ada.call(documents.createDocumentRoute, asked));
  expect(codeOf(refused)).toEqual([503, "unavailable", true]);
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(1);
});

test("what would fail again is not repeated, and the limit of a day says when it ends", async () => {
  const ada = await person();
  const refused = (course: Course) =>
    withFaults(
      () => course,
      () => ada.call(documents.listDocumentsRoute),
    );
  const before = structuredClone(faultCounts.repeated);
  const [tooMuch, spent] = [await refused("too much"), await refused("spent")];
  for (const answer of [tooMuch, spent]) expect(codeOf(answer)).toEqual([503, "unavailable", true]);
  expect(tooMuch.text).toContain("request less");
  expect(spent.text).toContain("after midnight UTC");
  const seconds = Number(spent.headers.get("Retry-After"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(86_400);
  expect(faultCounts.repeated).toEqual(before);
});

test("a call that never ends is given up in time, and sent once more if it changes nothing", async () => {
  vi.useFakeTimers();
  let calls = 0;
  const stalled = (effect: RepeatEffect) =>
    callWithRetries({ what: "The database", effectOf: () => effect, faultOf: findD1Fault }, () => {
      calls += 1;
      return new Promise<never>(() => {});
    }).catch((problem: Error) => problem.message);
  // The one that stalls may still be carried out, after the next.
  for (const effect of ["any", "recognized"] as const) {
    calls = 0;
    const write = stalled(effect);
    await vi.advanceTimersByTimeAsync(CALL_MS);
    expect(await write).toContain("unknown whether this was done");
    expect(calls).toBe(1);
  }
  calls = 0;
  const read = stalled("none");
  await vi.advanceTimersByTimeAsync(3 * CALL_MS);
  expect(await read).toContain("nothing was changed");
  expect(calls).toBe(2);
});

test("a fault of ours stays one", async () => {
  const ours = new Error("D1_ERROR: no such column: x: SQLITE_ERROR");
  const course = { what: "The database", effectOf: () => "none" as const, faultOf: findD1Fault };
  await expect(callWithRetries(course, () => Promise.reject(ours))).rejects.toBe(ours);
});

test("the health of the service says what was repeated, and what failed", async () => {
  const ada = await person();
  const before = (await ada.ok(getHealthRoute, { query: { deep: "true" } })).faults;
  await withFaults(courses("before"), () => ada.ok(documents.listDocumentsRoute));
  const after = (await ada.ok(getHealthRoute, { query: { deep: "true" } })).faults;
  expect((after?.repeated["connection lost"] ?? 0) - (before?.repeated["connection lost"] ?? 0)).toBe(1);
});

test("what is answered under a key is so at once again after a refusal, and its answer is not lost", async () => {
  const ada = await person();
  const asked = { ...keyed("k"), json: { name: "Sync", scopes: ["docs:read"] } };
  const create = () => ada.call(createApiKeyRoute, asked);
  const when = (part: RegExp, course: Course) => (texts: string[]) =>
    texts.some((text) => part.test(text)) ? course : "well";
  const refused = await withFaults(when(/insert into "?api_keys/i, "queued"), create);
  expect(codeOf(refused)).toEqual([503, "unavailable", true]);
  const made = await withFaults(when(/UPDATE idempotency_keys SET answer/, "before"), create);
  expect(made.status).toBe(201);
  expect((await ada.ok(listApiKeysRoute)).total).toBe(1);
});

// KV, Durable Objects and rate limiters that fail in passing, and ones that do not recover.

const ADA = "ada@example.com";
const login = () => visitor().call(loginRoute, { json: { email: ADA, password: PASSWORD } });

const always =
  (part: Part, course: Course, names = /./): Draw =>
  (of, name) =>
    of === part && names.test(name) ? course : "well";

/** Every other call to a part fails so. */
function everyOther(part: Part, course: Course): Draw {
  let calls = 0;
  return (of) => (of === part && ++calls % 2 === 1 ? course : "well");
}

test.each(["before", "after", "queued"] as const)(
  "an assistant is connected, used and listed while every other call to KV fails: %s",
  async (course) => {
    const ada = await person({ email: ADA });
    await withPlatformFaults(everyOther("kv", course), async () => {
      const { mcp } = await connect(ADA);
      expect((await use(stateless(mcp), "list_documents")).refused).toBeUndefined();
      expect((await ada.ok(listConnectionsRoute)).total).toBe(1);
    });
  },
);

test("a KV that does not recover is a 503, for people, assistants and the token endpoint", async () => {
  const ada = await person({ email: ADA });
  const { mcp } = await connect(ADA);
  const { client_id } = await registerClient();
  const code = (await authorize(ADA, client_id)).searchParams.get("code");
  await withPlatformFaults(always("kv", "before"), async () => {
    expect(codeOf(await ada.call(listConnectionsRoute))).toEqual([503, "unavailable", true]);
    expect((await ask(mcp, "tools/list")).status).toBe(503);
    expect((await exchange(client_id, code)).status).toBe(503);
  });
  expect((await exchange(client_id, code)).status).toBe(200);
});

test("a limiter that loses its answer still lets people in, and one that is gone guards their passwords", async () => {
  await person({ email: ADA });
  for (const course of ["before", "after"] as const)
    expect((await withPlatformFaults(onPart("object", [course, course], /^take$/), login)).status).toBe(200);
  const refused = await withPlatformFaults(always("object", "queued", /^take$/), login);
  expect(codeOf(refused)).toEqual([503, "unavailable", true]);
  // The attempt of a right password cannot be taken back.
  const draw = always("object", "before", /^(?:clear|release)$/);
  expect((await withPlatformFaults(draw, login)).status).toBe(200);
});

test("while the limit of requests cannot be asked, there is none", async () => {
  const ada = await person();
  const answer = await withPlatformFaults(always("limit", "before"), () =>
    ada.call(documents.listDocumentsRoute),
  );
  expect(answer.status).toBe(200);
});

test("a session goes on while its object does not answer, and one whose end failed says so", async () => {
  await person({ email: ADA });
  const { mcp } = await connect(ADA);
  const session = await initialize(bearer(mcp.tokens?.access_token ?? ""));
  const call = () => session.ask("tools/call", { name: "list_documents", arguments: {} });
  expect((await withPlatformFaults(always("object", "before", /^(?:open|keep)$/), call)).status).toBe(200);
  const end = () => session.client.fetch("/mcp", { method: "DELETE", headers: session.headers });
  const refused = await withPlatformFaults(always("object", "queued", /^end$/), end);
  expect(codeOf(refused)).toEqual([503, "unavailable", true]);
  expect((await call()).status).toBe(200);
  const unknown = await withPlatformFaults(onPart("object", ["after"], /^end$/), end);
  expect(codeOf(unknown)).toEqual([503, "outcome_unknown", true]);
  expect((await call()).status).toBe(404);
});

test("a code whose exchange never began can be exchanged afterwards", async () => {
  await person({ email: ADA });
  const { client_id } = await registerClient();
  const code = (await authorize(ADA, client_id)).searchParams.get("code");
  const trade = () => exchange(client_id, code);
  const refused = await withPlatformFaults(onPart("object", ["queued"], /^fetch$/), trade);
  expect(refused.status).toBe(503);
  expect((await trade()).status).toBe(200);
});

test("a document is written although the sender of its event cannot be woken", async () => {
  const ada = await person();
  await hookOf(ada);
  const draw = always("object", "queued", /^wake$/);
  const made = await withPlatformFaults(draw, () =>
    ada.call(documents.createDocumentRoute, { json: DOCUMENT }),
  );
  expect(made.status).toBe(201);
});
