import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { isThorough } from "../../kit/time-limits.ts";

const create = (client: Client, json: Record<string, unknown> = {}) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Plan", ...json } });
const read = (client: Client, id: string) =>
  client.ok(documents.getDocumentRoute, { params: { document_id: id } });
const bulk = (client: Client, operations: unknown[], more: Record<string, unknown> = {}) =>
  client.ok(documents.bulkDocumentsRoute, { json: { operations, ...more } });
const RANDOM = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";

/** The contents of all document tables, to check that nothing has changed. */
async function everything() {
  const tables = [
    "documents",
    "document_versions",
    "document_tags",
    "search_entries",
    "search_totals",
    "idempotency_keys",
  ];
  const results = await env.DB.batch(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table}`)));
  return JSON.stringify(results.map((result) => result.results));
}

test("each operation has its own result, and a bad one does not undo the good ones", async () => {
  const ada = await person();
  const bob = await person();
  const folder = await ada.ok(createFolderRoute, { json: { name: "Trips" } });
  const bobs = await create(bob);
  const [a, b, c, d] = [
    await create(ada, { tags: ["x"] }),
    await create(ada, { tags: ["x", "y"] }),
    await create(ada),
    await create(ada),
  ];
  const operations = [
    { operation: "create", title: "New", content: { text: "walrus" }, tags: ["n"], folder_id: folder.id },
    { operation: "update", id: a.id, title: "Changed", expected_version: 1 },
    { operation: "update", id: a.id, title: "Again", expected_version: 1 },
    { operation: "add_tags", id: a.id, tags: ["z"] },
    { operation: "remove_tags", id: b.id, tags: ["x"] },
    { operation: "move", id: b.id, folder_id: folder.id },
    { operation: "move", id: c.id, folder_id: RANDOM },
    { operation: "delete", id: d.id },
    { operation: "update", id: d.id, title: "Too late" },
    { operation: "delete", id: bobs.id },
    { operation: "delete", id: RANDOM },
    { operation: "create", title: "" },
    { operation: "explode", id: a.id },
    { operation: "update", id: "no uuid", title: "x" },
    { operation: "update", id: c.id },
    { operation: "add_tags", id: c.id, tags: Array.from({ length: 50 }, (_, n) => `t${n}`) },
    { operation: "add_tags", id: c.id, tags: ["one too many"] },
    "nonsense",
  ];
  const before = await everything();
  const dry = await bulk(ada, operations, { dry_run: true });
  expect(await everything()).toBe(before);

  const answer = await bulk(ada, operations);
  expect(answer).toMatchObject({ succeeded: 8, failed: 10, dry_run: false });
  const [created] = answer.results;
  expect({
    ...answer,
    results: answer.results.map((r) => ({ ...r, ...(r === created && { id: undefined }) })),
  }).toEqual({
    ...dry,
    dry_run: false,
  });
  expect(answer.results).toEqual([
    { index: 0, ok: true, id: created?.id },
    { index: 1, ok: true, id: a.id },
    { index: 2, ok: false, id: a.id, detail: "The document is at version 2, not 1" },
    { index: 3, ok: true, id: a.id },
    { index: 4, ok: true, id: b.id },
    { index: 5, ok: true, id: b.id },
    { index: 6, ok: false, id: c.id, detail: "folder_id: not found" },
    { index: 7, ok: true, id: d.id },
    { index: 8, ok: false, id: d.id, detail: "Not found" },
    { index: 9, ok: false, id: bobs.id, detail: "Not found" },
    { index: 10, ok: false, id: RANDOM, detail: "Not found" },
    { index: 11, ok: false, detail: expect.stringContaining("title") },
    { index: 12, ok: false, detail: expect.stringContaining("operation") },
    { index: 13, ok: false, detail: expect.stringContaining("id") },
    { index: 14, ok: true, id: c.id },
    { index: 15, ok: true, id: c.id },
    { index: 16, ok: false, id: c.id, detail: "tags: a document has at most 50" },
    { index: 17, ok: false, detail: expect.any(String) },
  ]);
  expect(await read(ada, created?.id ?? "")).toMatchObject({
    title: "New",
    folder_id: folder.id,
    version: 1,
  });
  expect(await read(ada, a.id)).toMatchObject({ title: "Changed", tags: ["x", "z"], version: 2 });
  expect(await read(ada, b.id)).toMatchObject({ tags: ["y"], folder_id: folder.id, version: 2 });
  expect(await read(ada, c.id)).toMatchObject({ version: 2 });
  expect((await ada.ok(listTrashRoute)).items).toMatchObject([{ id: d.id, version: 1 }]);
  expect((await ada.ok(searchRoute, { query: { q: "walrus" } })).total).toBe(1);
  const versions = await ada.ok(documents.listVersionsRoute, { params: { document_id: a.id } });
  expect(versions.items).toMatchObject([{ version: 1, title: "Plan" }]);
  expect(versions.total).toBe(1);
  expect(await read(bob, bobs.id)).toEqual(bobs);
});

test("100 operations are two batches; 101 are refused", async () => {
  const ada = await person();
  const operations = Array.from({ length: 100 }, (_, n) => ({
    operation: "create",
    title: `Plan ${n}`,
    tags: ["t"],
  }));
  expect(await bulk(ada, operations)).toMatchObject({ succeeded: 100, failed: 0 });
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(100);
  const refusal = await ada.refusal(documents.bulkDocumentsRoute, {
    json: { operations: [...operations, operations[0]] },
  });
  expect(refusal.status).toBe(422);
});

test("concurrent bulk requests on one document all take effect, one after the other", async () => {
  const ada = await person();
  const plan = await create(ada);
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => bulk(ada, [{ operation: "add_tags", id: plan.id, tags: [`t${n}`] }])),
  );
  expect(await read(ada, plan.id)).toMatchObject({ version: 9, tags: expect.arrayContaining(["t0", "t7"]) });
});

test("a repeated request takes effect once, on every route that creates or changes a document", async () => {
  const ada = await person();
  const bob = await person();
  const plan = await create(ada, { content: { text: "one" } });
  const params = { document_id: plan.id };
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Second" } });
  const headers = { "Idempotency-Key": "k" };
  const version = { params: { ...params, version: "1" }, headers };
  const requests = [
    () => ada.call(createFolderRoute, { headers, json: { name: "Trips" } }),
    () => ada.call(documents.createDocumentRoute, { headers, json: { title: "New" } }),
    () =>
      ada.call(documents.bulkDocumentsRoute, {
        headers,
        json: { operations: [{ operation: "create", title: "B" }] },
      }),
    () =>
      ada.call(documents.editDocumentRoute, {
        params,
        headers: { ...headers, "If-Match": '"v2"' },
        json: { operation: "append", text: "two" },
      }),
    () => ada.call(documents.restoreVersionRoute, version),
  ];
  for (const request of requests) {
    const [first, second] = [await request(), await request()];
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(first.status).toBeLessThan(300);
    const state = await everything();
    const many = await Promise.all([request(), request(), request()]);
    for (const answer of many) expect(answer.text).toBe(first.text);
    expect(await everything()).toBe(state);
  }
  const crossed = [
    await ada.refusal(createFolderRoute, { headers, json: { name: "Other" } }),
    await ada.refusal(documents.createDocumentRoute, { headers, json: { title: "Other" } }),
    await ada.refusal(documents.bulkDocumentsRoute, {
      headers,
      json: { operations: [{ operation: "create", title: "C" }] },
    }),
    await ada.refusal(documents.editDocumentRoute, {
      params,
      headers,
      json: { operation: "append", text: "x" },
    }),
  ];
  expect(crossed.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect((await bob.call(createFolderRoute, { headers, json: { name: "Other" } })).status).toBe(201);

  // Parallel first requests: one write, one answer.
  const fresh = { headers: { "Idempotency-Key": "p" }, json: { title: "Parallel" } };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => ada.call(documents.createDocumentRoute, fresh)),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);

  // After 24 hours the key can be used again.
  const old = new Date(Date.now() - 25 * 3_600_000).toISOString();
  await env.DB.prepare("UPDATE idempotency_keys SET created_at = ?").bind(old).run();
  expect((await ada.call(documents.createDocumentRoute, { headers, json: { title: "Other" } })).status).toBe(
    201,
  );
});

test("a repeated restore from the trash takes effect once", async () => {
  const ada = await person();
  const plan = await create(ada);
  const parts = { params: { document_id: plan.id }, headers: { "Idempotency-Key": "k" } };
  await ada.ok(documents.deleteDocumentRoute, { params: parts.params });
  const first = await ada.call(documents.restoreDocumentRoute, parts);
  await ada.ok(documents.deleteDocumentRoute, { params: parts.params });
  const second = await ada.call(documents.restoreDocumentRoute, parts);
  expect([second.status, second.text]).toEqual([first.status, first.text]);
  expect((await ada.ok(listTrashRoute)).total).toBe(1);
});

test("a hundred changes to a long document write it once", async () => {
  const ada = await person();
  const { id } = await create(ada, { content: { text: "a".repeat(900_000) } });
  const flips = Array.from({ length: 100 }, (_, n) => ({
    operation: n % 2 ? "remove_tags" : "add_tags",
    id,
    tags: ["x"],
  }));
  expect(await bulk(ada, [...flips, { operation: "add_tags", id, tags: ["y"] }].slice(1))).toMatchObject({
    failed: 0,
  });
  expect(await read(ada, id)).toMatchObject({ version: 2, tags: ["y"] });
  const versions = await ada.ok(documents.listVersionsRoute, { params: { document_id: id } });
  expect(versions.items).toMatchObject([{ version: 1, tags: [] }]);
});

test.runIf(isThorough)(
  "a request that would rewrite more than 8 MiB is refused as a whole, and says what to do",
  async () => {
    const ada = await person();
    const text = "ü".repeat(500_000);
    const all = [];
    for (let n = 0; n < 9; n++) all.push(await create(ada, { content: { text } }));
    const operations = all.map(({ id }) => ({ operation: "add_tags", id, tags: ["x"] }));
    const before = await everything();
    for (const dry_run of [false, true]) {
      const refused = await ada.refusal(documents.bulkDocumentsRoute, { json: { operations, dry_run } });
      expect(refused).toEqual({
        status: 413,
        detail: expect.stringMatching(/at most 8388608: send fewer operations/),
      });
    }
    expect(await everything()).toBe(before);
    expect(await bulk(ada, operations.slice(1))).toMatchObject({ succeeded: 8 });
  },
);
