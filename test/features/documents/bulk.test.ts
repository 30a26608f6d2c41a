import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { person } from "../../kit/client.ts";
import { at, bulk, create, prose, read } from "../../kit/documents.ts";
import { NOBODYS_ID } from "../../kit/operations.ts";
import { find } from "../../kit/search.ts";
import { isThorough } from "../../kit/time-limits.ts";

const TABLES = [
  ...["documents", "document_versions", "document_tags"],
  ...["search_entries", "search_totals", "idempotency_keys"],
];

/** The contents of all document tables, to check that nothing has changed. */
async function everything() {
  const results = await env.DB.batch(TABLES.map((table) => env.DB.prepare(`SELECT * FROM ${table}`)));
  return JSON.stringify(results.map((result) => result.results));
}

test("each operation has its own result, and a bad one does not undo the good ones", async () => {
  const [ada, bob] = [await person(), await person()];
  const folder = await ada.ok(createFolderRoute, { json: { name: "Trips" } });
  const bobs = await create(bob);
  const [a, b, c, d] = [
    await create(ada, { tags: ["x"] }),
    await create(ada, { tags: ["x", "y"] }),
    await create(ada),
    await create(ada),
  ];
  const bad = (detail: unknown, id?: string) => ({ ok: false, ...(id && { id }), detail });
  const cases: [operation: unknown, result: object][] = [
    [
      { operation: "create", title: "New", content: prose("walrus"), tags: ["n"], folder_id: folder.id },
      { ok: true, id: expect.any(String) },
    ],
    [
      { operation: "update", id: a.id, title: "Changed", expected_version: 1 },
      { ok: true, id: a.id },
    ],
    [
      { operation: "update", id: a.id, title: "Again", expected_version: 1 },
      bad("The document is at version 2, not 1", a.id),
    ],
    [
      { operation: "add_tags", id: a.id, tags: ["z"] },
      { ok: true, id: a.id },
    ],
    [
      { operation: "remove_tags", id: b.id, tags: ["x"] },
      { ok: true, id: b.id },
    ],
    [
      { operation: "move", id: b.id, folder_id: folder.id },
      { ok: true, id: b.id },
    ],
    [{ operation: "move", id: c.id, folder_id: NOBODYS_ID }, bad("folder_id: not found", c.id)],
    [
      { operation: "delete", id: d.id },
      { ok: true, id: d.id },
    ],
    [{ operation: "update", id: d.id, title: "Too late" }, bad("Not found", d.id)],
    [{ operation: "delete", id: bobs.id }, bad("Not found", bobs.id)],
    [{ operation: "delete", id: NOBODYS_ID }, bad("Not found", NOBODYS_ID)],
    [{ operation: "create", title: "" }, bad(expect.stringContaining("title"))],
    [{ operation: "explode", id: a.id }, bad(expect.stringContaining("operation"))],
    [{ operation: "update", id: "no uuid", title: "x" }, bad(expect.stringContaining("id"))],
    [
      { operation: "update", id: c.id },
      { ok: true, id: c.id },
    ],
    [
      { operation: "add_tags", id: c.id, tags: Array.from({ length: 50 }, (_, n) => `t${n}`) },
      { ok: true, id: c.id },
    ],
    [{ operation: "add_tags", id: c.id, tags: ["more"] }, bad("tags: a document has at most 50", c.id)],
    ["nonsense", bad(expect.any(String))],
  ];
  const operations = cases.map(([operation]) => operation);
  const before = await everything();
  const dry = await bulk(ada, operations, { dry_run: true });
  expect(await everything()).toBe(before);

  const answer = await bulk(ada, operations);
  expect(answer).toMatchObject({ succeeded: 8, failed: 10, dry_run: false });
  const [created, ...others] = answer.results;
  expect([created, ...others]).toEqual(cases.map(([, result], index) => ({ index, ...result })));
  expect(dry).toEqual({ ...answer, dry_run: true, results: [{ index: 0, ok: true }, ...others] });
  expect(await read(ada, created as { id: string })).toMatchObject({
    ...{ title: "New", folder_id: folder.id, version: 1 },
  });
  expect(await read(ada, a)).toMatchObject({ title: "Changed", tags: ["x", "z"], version: 2 });
  expect(await read(ada, b)).toMatchObject({ tags: ["y"], folder_id: folder.id, version: 2 });
  expect(await read(ada, c)).toMatchObject({ version: 2 });
  expect((await ada.ok(listTrashRoute)).items).toMatchObject([{ id: d.id, version: 1 }]);
  expect(await find(ada, "walrus")).toEqual(["New"]);
  const versions = await ada.ok(documents.listVersionsRoute, at(a));
  expect(versions).toMatchObject({ total: 1, items: [{ version: 1, title: "Plan" }] });
  expect(await read(bob, bobs)).toEqual(bobs);
});

test("100 operations are carried out; 101 are refused", async () => {
  const ada = await person();
  const operations = Array.from({ length: 100 }, (_, n) => ({ operation: "create", title: `Plan ${n}` }));
  expect(await bulk(ada, operations)).toMatchObject({ succeeded: 100, failed: 0 });
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(100);
  const json = { operations: [...operations, operations[0]] };
  expect((await ada.refusal(documents.bulkDocumentsRoute, { json })).status).toBe(422);
});

test("concurrent bulk requests on one document all take effect, one after the other", async () => {
  const ada = await person();
  const plan = await create(ada);
  const tags = Array.from({ length: 8 }, (_, n) => `t${n}`);
  await Promise.all(tags.map((tag) => bulk(ada, [{ operation: "add_tags", id: plan.id, tags: [tag] }])));
  expect(await read(ada, plan)).toMatchObject({ version: 9, tags: expect.arrayContaining(tags) });
});

test("a request that is repeated with its key, also after what it did was changed, writes nothing", async () => {
  const ada = await person();
  const headers = { "Idempotency-Key": "k" };
  const plan = await create(ada);
  const requests = [
    () => ada.call(documents.restoreDocumentRoute, { ...at(plan), headers }),
    () =>
      ada.call(documents.bulkDocumentsRoute, {
        headers,
        json: { operations: [{ operation: "create", title: "B" }] },
      }),
  ];
  for (const request of requests) {
    await ada.ok(documents.deleteDocumentRoute, at(plan));
    const first = await request();
    expect(first.status).toBeLessThan(300);
    await ada.call(documents.deleteDocumentRoute, at(plan));
    const state = await everything();
    const again = await Promise.all([request(), request(), request()]);
    for (const { status, text } of again) expect([status, text]).toEqual([first.status, first.text]);
    expect(await everything()).toBe(state);
    await ada.ok(documents.restoreDocumentRoute, at(plan));
  }
  const json = { operations: [{ operation: "create", title: "C" }] };
  expect((await ada.refusal(documents.bulkDocumentsRoute, { headers, json })).status).toBe(422);
});

test("a hundred changes to a long document write it once", async () => {
  const ada = await person();
  const { id } = await create(ada, { content: { text: "a".repeat(900_000) } });
  const flips = Array.from({ length: 99 }, (_, n) => ({
    ...{ operation: n % 2 ? "add_tags" : "remove_tags", id, tags: ["x"] },
  }));
  expect(await bulk(ada, [...flips, { operation: "add_tags", id, tags: ["y"] }])).toMatchObject({
    failed: 0,
  });
  expect(await read(ada, { id })).toMatchObject({ version: 2, tags: ["y"] });
  const versions = await ada.ok(documents.listVersionsRoute, at({ id }));
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
