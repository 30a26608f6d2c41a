import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as memories from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";

const RECORD = { memory_type: "commitment", topic: "Send the slides", content: "To Grace" };

test("a repeated POST on a record gets the same answer as the first one", async () => {
  const ada = await person();
  const bob = await person();
  const headers = { "Idempotency-Key": "k" };
  const create = (json: Record<string, unknown> = RECORD, client = ada) =>
    client.call(memories.createMemoryRoute, { json, headers });
  const [first, second] = [await create(), await create()];
  expect([second.status, second.text]).toEqual([201, first.text]);
  expect(second.headers.get("Location")).toBe(first.headers.get("Location"));
  expect(second.headers.get("ETag")).toBe(first.headers.get("ETag"));
  expect((await create({ ...RECORD, topic: "Other" })).status).toBe(422);
  expect((await create({ ...RECORD, topic: "Other" }, bob)).status).toBe(201);
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(1);

  const params = { memory_id: String(first.body.id) };
  const resolve = () =>
    ada.call(memories.resolveMemoryRoute, { params, headers, json: { resolution_note: "done" } });
  const resolved = await resolve();
  await ada.ok(memories.reopenMemoryRoute, { params });
  const again = await resolve();
  expect([again.status, again.text]).toEqual([200, resolved.text]);
  expect((await ada.ok(memories.getMemoryRoute, { params })).status).toBe("active");
});

test("ten concurrent requests take effect once, and all get the same answer", async () => {
  const ada = await person();
  const headers = { "Idempotency-Key": "k" };
  const tenTimes = (ask: () => Promise<{ status: number; text: string }>) =>
    Promise.all(Array.from({ length: 10 }, ask)).then((answers) => [
      ...new Set(answers.map(({ status, text }) => `${status} ${text}`)),
    ]);
  const made = await tenTimes(() => ada.call(memories.createMemoryRoute, { json: RECORD, headers }));
  expect(made).toEqual([expect.stringMatching(/^201 {"id":1,/)]);
  const params = { memory_id: "1" };
  const json = { content: "To Alan" };
  const replaced = await tenTimes(() => ada.call(memories.supersedeMemoryRoute, { params, json, headers }));
  expect(replaced).toEqual([expect.stringContaining('"superseded_by_id":2')]);
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(2);
});

test("ten concurrent bulk requests take effect once; while it runs, the others are told to wait", async () => {
  const ada = await person();
  const json = { operations: [{ operation: "create", ...RECORD }] };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      ada.call(memories.changeMemoriesRoute, { json, headers: { "Idempotency-Key": "k" } }),
    ),
  );
  const made = answers.filter(({ status }) => status === 200);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect((await ada.ok(memories.listMemoriesRoute)).total).toBe(1);
});

test("a refusal does not use up the key, and a crashed request is presumed abandoned after a minute", async () => {
  const ada = await person();
  const headers = { "Idempotency-Key": "k" };
  const absent = { params: { memory_id: "999" }, headers };
  expect((await ada.call(memories.reopenMemoryRoute, absent)).status).toBe(404);
  expect((await ada.call(memories.reopenMemoryRoute, absent)).status).toBe(404);

  const json = { operations: [{ operation: "create", ...RECORD }] };
  const create = () => ada.call(memories.changeMemoriesRoute, { json, headers });
  await create();
  const died = (seconds: number) =>
    env.DB.prepare("UPDATE idempotency_keys SET answer = 'running:x', created_at = ?")
      .bind(new Date(Date.now() - seconds * 1000).toISOString())
      .run();
  await died(5);
  expect((await create()).status).toBe(409);
  await died(90);
  expect((await create()).status).toBe(200);
});
