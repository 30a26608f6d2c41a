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
  const [first, second] = [{ memory_id: "1" }, { memory_id: "2" }];
  const made: [RouteConfig, Parts][] = [
    [memories.createMemoryRoute, { json: RECORD }],
    [memories.supersedeMemoryRoute, { params: first, json: { content: "To Alan" } }],
    [memories.resolveMemoryRoute, { params: second, json: { resolution_note: "done" } }],
  ];
  const statuses = async () => {
    const answers: number[] = [];
    for (const [route, parts] of made) answers.push((await ada.call(route, { headers, ...parts })).status);
    return answers;
  };
  expect(await statuses()).toEqual([201, 200, 200]);
  await ada.call(memories.deleteMemoryRoute, { params: second });
  expect(await statuses()).toEqual([201, 200, 200]);
  for (const params of [first, second])
    await ada.call(memories.deleteMemoryRoute, { params, query: { permanent: "true" } });
  expect(await statuses()).toEqual([410, 410, 410]);
  const folder = { headers, json: { name: "Journeys" } };
  const { id } = await ada.ok(folders.createFolderRoute, folder);
  await ada.call(folders.deleteFolderRoute, { params: { folder_id: id } });
  expect((await ada.call(folders.createFolderRoute, folder)).status).toBe(410);
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
  const all = Array.from({ length: 100 }, (_, n) => n + 1);
  const change = (operation: (id: number) => object) =>
    ada.call(memories.changeMemoriesRoute, { json: { operations: all.map(operation) } });
  await change(() => ({ operation: "create", ...RECORD, content }));
  const changed = await change((id) => ({ operation: "update", id, content: `y${content}` }));
  const ids = [changed.headers.get("Change-Id")];
  await change((id) => ({ operation: "update", id, content: `z${content}` }));
  const undo = () => ada.call(undoActivityRoute, { headers, json: { ids } });
  const first = await undo();
  expect(first.text.length).toBeGreaterThan(1_900_000);
  expect(first.body).toMatchObject({ undone: 0, not_undone: 100 });
  const kept = await keptFor(ada);
  expect(kept).not.toContain("xxx");
  expect(kept.length).toBeLessThan(50_000);
  const again = await undo();
  expect([again.status, again.body]).toEqual([first.status, first.body]);

  const unknown = Object.fromEntries(all.map((n) => ["字".repeat(90) + n, n]));
  const bad = { operation: "update", id: "?".repeat(500), ...unknown };
  const json = { operations: Array(30).fill(bad) };
  const answer = await ada.call(documents.bulkDocumentsRoute, { headers, json });
  expect(answer.status).toBe(200);
  expect((await ada.call(documents.bulkDocumentsRoute, { headers, json })).text).toBe(answer.text);
  expect((await keptFor(ada)).length).toBeLessThan(100_000);
});

/** A database that holds a person's second call until `release`, and passes on all others. */
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
  // It runs alone, so the same request waits in the queue, in vain.
  expect((await ada.call(memories.changeMemoriesRoute, { headers, json })).status).toBe(429);
  release();
  const first = await running;
  expect(first.status).toBe(200);
  expect((await ada.call(memories.changeMemoriesRoute, { headers, json })).text).toBe(first.text);
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(1);
});
