import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { afterEach, expect, test, vi } from "vitest";
import { undoActivityRoute } from "../../src/features/activity/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { type Course, withFaults } from "../kit/d1-faults.ts";
import { ClientOf } from "../kit/database.ts";

// What is kept for an Idempotency-Key: enough to answer again, and never a copy of what people wrote.

const [migration = ""] = Object.values(
  import.meta.glob<string>("../../migrations/0046_*.sql", { query: "?raw", import: "default", eager: true }),
);

afterEach(() => void vi.useRealTimers());

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" };
const headers = { "Idempotency-Key": "k" };

/** Everything that is kept for a person's keys. */
async function keptFor(client: Client): Promise<string> {
  const { results } = await env.DB.prepare("SELECT answer FROM idempotency_keys WHERE owner = ?")
    .bind(await numberOf(client))
    .all<{ answer: string }>();
  return results.map(({ answer }) => answer).join("\n");
}

const textOf = (text: string) => ({ format: "markdown", text });

test("what is kept of large documents that are erased is next to nothing", async () => {
  const ada = await person();
  const content = textOf(`SECRET ${"word ".repeat(180_000)}`);
  for (const key of ["1", "2", "3"]) {
    const asked = { headers: { "Idempotency-Key": key }, json: { title: "Long", content } };
    const { id } = await ada.ok(documents.createDocumentRoute, asked);
    await ada.call(documents.deleteDocumentRoute, {
      params: { document_id: id },
      query: { permanent: "true" },
    });
    expect(await ada.refusal(documents.createDocumentRoute, asked)).toEqual({
      status: 410,
      detail: expect.stringContaining("erased since"),
    });
  }
  const kept = await keptFor(ada);
  expect(kept).not.toContain("SECRET");
  expect(kept.length).toBeLessThan(500);
});

test("what was erased does not come back by a repetition, whatever had been asked", async () => {
  const ada = await person();
  const again = async (route: RouteConfig, parts: Parts) =>
    (await ada.call(route, { headers, ...parts })).status;
  const made: [RouteConfig, Parts][] = [[memories.createMemoryRoute, { json: RECORD }]];
  await ada.ok(memories.createMemoryRoute, { headers, json: RECORD });
  const params = { memory_id: "1" };
  made.push([memories.resolveMemoryRoute, { params, json: { resolution_note: "done" } }]);
  made.push([memories.supersedeMemoryRoute, { params, json: { content: "To Alan" } }]);
  await ada.ok(memories.supersedeMemoryRoute, { headers, params, json: { content: "To Alan" } });
  const successor = { memory_id: "2" };
  made[1] = [memories.resolveMemoryRoute, { params: successor, json: { resolution_note: "done" } }];
  await ada.ok(memories.resolveMemoryRoute, {
    headers,
    params: successor,
    json: { resolution_note: "done" },
  });
  await ada.call(memories.deleteMemoryRoute, { params: successor });
  expect(await Promise.all(made.map(([route, parts]) => again(route, parts)))).toEqual([201, 200, 200]);
  for (const memory_id of ["1", "2"])
    await ada.call(memories.deleteMemoryRoute, { params: { memory_id }, query: { permanent: "true" } });
  expect(await Promise.all(made.map(([route, parts]) => again(route, parts)))).toEqual([410, 410, 410]);

  const json = { name: "Journeys" };
  const { id } = await ada.ok(folders.createFolderRoute, { headers, json });
  await ada.call(folders.deleteFolderRoute, { params: { folder_id: id } });
  expect(await again(folders.createFolderRoute, { json })).toBe(410);
  expect(await keptFor(ada)).not.toMatch(/Grace|Alan|done|Journeys/);
});

test("a repetition shows the document as the request had left it, also from the trash, and on its own route only", async () => {
  const ada = await person();
  const asked = { headers, json: { title: "First", content: textOf("one"), tags: ["b", "a"] } };
  const first = await ada.call(documents.createDocumentRoute, asked);
  const params = { document_id: first.body.id };
  const edit = { headers, params, json: { operation: "append", text: "two" } };
  const edited = await ada.call(documents.editDocumentRoute, edit);
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Third", tags: [], content: null } });
  await ada.call(documents.deleteDocumentRoute, { params });
  for (const [answer, again] of [
    [first, await ada.call(documents.createDocumentRoute, asked)],
    [edited, await ada.call(documents.editDocumentRoute, edit)],
  ] as const) {
    expect([again.status, again.text]).toEqual([answer.status, answer.text]);
    for (const name of ["ETag", "Location", "Change-Id"])
      expect(again.headers.get(name)).toBe(answer.headers.get(name));
  }
  const other = { ...edit, json: { operation: "append", text: "three" } };
  expect((await ada.call(documents.editDocumentRoute, other)).status).toBe(422);
});

test("the largest answers are kept in a few lines: an undo with both states of each, a bulk request full of mistakes", async () => {
  const ada = await person();
  const content = "x".repeat(9_900);
  const create = (operations: object[]) => ada.call(memories.changeMemoriesRoute, { json: { operations } });
  const all = Array.from({ length: 100 }, (_, n) => n + 1);
  await create(all.map(() => ({ operation: "create", ...RECORD, content })));
  const ids = numbersOf(
    (await create(all.map((id) => ({ operation: "update", id, content: `y${content}` })))).headers,
  );
  await create(all.map((id) => ({ operation: "update", id, content: `z${content}` })));
  const undo = () => ada.call(undoActivityRoute, { headers, json: { ids } });
  const first = await undo();
  expect(first.text.length).toBeGreaterThan(1_900_000);
  expect(first.body).toMatchObject({ undone: 0, not_undone: 100 });
  const kept = await keptFor(ada);
  expect(kept).not.toContain("xxx");
  expect(kept.length).toBeLessThan(50_000);
  const again = await undo();
  expect([again.status, again.body]).toEqual([first.status, first.body]);

  const bad = {
    operation: "update",
    id: "?".repeat(500),
    ...Object.fromEntries(all.map((n) => ["字".repeat(90) + n, n])),
  };
  const json = { operations: all.map(() => bad).slice(0, 30) };
  const answer = await ada.call(documents.bulkDocumentsRoute, { headers, json });
  expect(answer.status).toBe(200);
  expect((await ada.call(documents.bulkDocumentsRoute, { headers, json })).text).toBe(answer.text);
  expect((await keptFor(ada)).length).toBeLessThan(100_000);
});

const numbersOf = (headers: Headers) => {
  const [first = 0, last = 0] = (headers.get("Change-Id") ?? "").split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
};

/** A database that holds a person's second call until `release`, and lets all others through. */
function holding(d1: D1Database) {
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  let last: Promise<unknown> = Promise.resolve();
  const withSession = (constraint?: string) => {
    const session = d1.withSession(constraint);
    const batch = async (statements: D1PreparedStatement[]) => {
      if (++calls === 2) {
        reached.resolve();
        await held.promise;
      }
      const answer = session.batch(statements);
      last = answer.catch(() => undefined);
      return answer;
    };
    return { prepare: session.prepare.bind(session), batch, getBookmark: () => session.getBookmark() };
  };
  const db = { ...d1, prepare: d1.prepare.bind(d1), withSession } as unknown as D1Database;
  return { db, reached: reached.promise, release: held.resolve, settled: () => last };
}

/** Every other renewal fails, also when it is sent again. */
function everyOtherRenewal(): (texts: string[]) => Course {
  let time = 0;
  let renewals = 0;
  return (texts) => {
    if (!texts.some((text) => text.includes("idempotency_keys SET created_at"))) return "well";
    renewals += Date.now() === time ? 0 : 1;
    time = Date.now();
    return renewals % 2 === 0 ? "well" : "too much";
  };
}

test("a request that takes many minutes keeps its key although renewals fail, and is not run a second time", async () => {
  const ada = await person();
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  const { db, reached, release, settled } = holding(env.DB);
  const json = { operations: [{ operation: "create", ...RECORD }] };
  const running = new ClientOf(ada, db).call(memories.changeMemoriesRoute, { headers, json });
  await reached;
  await withFaults(everyOtherRenewal(), async () => {
    for (let minute = 0; minute < 10; minute++) {
      for (let sixth = 0; sixth < 6; sixth++) {
        vi.advanceTimersByTime(10_000);
        await settled();
      }
      const claimed = await env.DB.prepare(
        "SELECT created_at FROM idempotency_keys WHERE answer LIKE 'running:%'",
      ).first<string>("created_at");
      // One that is not renewed for a minute is presumed abandoned.
      expect(Date.now() - Date.parse(claimed ?? "")).toBeLessThan(60_000);
    }
  });
  // It runs alone, so the same request waits for its turn, in vain.
  expect((await ada.call(memories.changeMemoriesRoute, { headers, json })).status).toBe(429);
  release();
  const first = await running;
  expect(first.status).toBe(200);
  expect((await ada.call(memories.changeMemoriesRoute, { headers, json })).text).toBe(first.text);
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(1);
});

test("answers that an older version kept whole become leads to their records, and go on being repeated", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const put = (route: string, answer: unknown) =>
    env.DB.prepare("UPDATE idempotency_keys SET answer = ? WHERE owner = ? AND route = ?")
      .bind(JSON.stringify(answer), owner, `POST ${route}`)
      .run();
  const document = { headers, json: { title: "First", content: textOf("SECRET") } };
  const made = await ada.call(documents.createDocumentRoute, document);
  const record = await ada.call(memories.createMemoryRoute, { headers, json: RECORD });
  const params = { memory_id: "1" };
  const replacing = { headers, params, json: { content: "To Alan" } };
  const replaced = await ada.call(memories.supersedeMemoryRoute, replacing);
  const successor = await ada.ok(memories.getMemoryRoute, { params: { memory_id: "2" } });
  const undoing = { headers, json: { ids: [1] } };
  await ada.ok(documents.updateDocumentRoute, {
    params: { document_id: made.body.id },
    json: { title: "Second" },
  });
  const undone = await ada.call(undoActivityRoute, undoing);
  expect(undone.body.results).toMatchObject([{ outcome: "changed_since", current: { title: "Second" } }]);

  await put("/api/documents", made.body);
  await put("/api/memories", record.body);
  await put("/api/memories/1/supersede", { memory: replaced.body, successor });
  const { status, text: body } = undone;
  await put("/api/activity/undo", { status, headers: { "Content-Type": "application/json" }, body });
  await env.DB.prepare(
    "INSERT INTO idempotency_keys SELECT owner, 'POST /x', 'other', request_hash, 'running:x', created_at FROM idempotency_keys WHERE owner = ? LIMIT 1",
  )
    .bind(owner)
    .run();
  const repeated = async () => [
    (await ada.call(documents.createDocumentRoute, document)).text,
    (await ada.call(memories.createMemoryRoute, { headers, json: RECORD })).text,
    (await ada.call(memories.supersedeMemoryRoute, replacing)).headers.get("Location"),
    (await ada.call(undoActivityRoute, undoing)).body,
  ];
  const before = await repeated();
  await env.DB.prepare(migration).run();
  expect(await keptFor(ada)).not.toMatch(/SECRET|First|Second|Grace|Alan/);
  expect(await keptFor(ada)).toContain("running:x");
  expect(await repeated()).toEqual(before);
  // Links are as they are now.
  const linked = { ...record.body, superseded_by_id: 2 };
  expect(before.slice(0, 3)).toEqual([made.text, expect.any(String), "/api/memories/2"]);
  expect(JSON.parse(String(before[1]))).toEqual(linked);
});
