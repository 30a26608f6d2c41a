import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { listTagsRoute } from "../../../src/features/tags/routes.ts";
import * as trash from "../../../src/features/trash/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";

const create = (client: Client, json: Record<string, unknown> = {}) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Plan", ...json } });

const at = (document: { id: string }) => ({ params: { document_id: document.id } });
const prose = (text: string) => ({ format: "markdown", text });
const NOWHERE = { params: { document_id: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" } };

const count = async (table: string) =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;

const finds = async (client: Client, q: string) => (await client.ok(searchRoute, { query: { q } })).total;

test("every change keeps the previous version, with its author, and any of them can be restored", async () => {
  const ada = await person();
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const plan = await ada.ok(documents.createDocumentRoute, {
    json: { title: "Plan", content: prose("walrus"), tags: ["a"], folder_id: folder.id },
    headers: { "X-Source-Type": "web", "X-Client-Name": "Editor" },
  });
  await ada.ok(documents.updateDocumentRoute, { ...at(plan), json: { title: "Plan B", tags: ["b"] } });
  await ada.ok(documents.updateDocumentRoute, {
    ...at(plan),
    json: { content: prose("otter"), folder_id: null },
  });
  await ada.ok(documents.updateDocumentRoute, { ...at(plan), json: { title: "Plan B" } });

  const list = await ada.ok(documents.listVersionsRoute, at(plan));
  expect(list.total).toBe(2);
  expect(list.items).toMatchObject([
    { version: 2, title: "Plan B", tags: ["b"], folder_id: folder.id, source_type: "api", client_name: null },
    {
      version: 1,
      title: "Plan",
      tags: ["a"],
      folder_id: folder.id,
      source_type: "web",
      client_name: "Editor",
    },
  ]);
  const first = await ada.ok(documents.getVersionRoute, { params: { document_id: plan.id, version: "1" } });
  expect(first).toMatchObject({ title: "Plan", content: prose("walrus"), created_at: plan.created_at });
  const current = await ada.ok(documents.getVersionRoute, { params: { document_id: plan.id, version: "3" } });
  expect(current).toMatchObject({ version: 3, content: prose("otter"), folder_id: null });

  const restored = await ada.ok(documents.restoreVersionRoute, {
    params: { document_id: plan.id, version: "1" },
  });
  expect(restored).toMatchObject({
    version: 4,
    title: "Plan",
    tags: ["a"],
    folder_id: folder.id,
    content: prose("walrus"),
    source_type: "web",
  });
  expect(await finds(ada, "walrus")).toBe(1);
  expect(await finds(ada, "otter")).toBe(0);
  expect((await ada.ok(documents.listVersionsRoute, at(plan))).total).toBe(3);

  const bob = await person();
  const absent = await ada.call(documents.listVersionsRoute, NOWHERE);
  expect(absent.status).toBe(404);
  const params = { document_id: plan.id, version: "9" };
  for (const answer of [
    await bob.call(documents.listVersionsRoute, at(plan)),
    await bob.call(documents.getVersionRoute, { params: { ...params, version: "1" } }),
    await bob.call(documents.restoreVersionRoute, { params: { ...params, version: "1" } }),
    await ada.call(documents.getVersionRoute, { params }),
    await ada.call(documents.restoreVersionRoute, { params }),
  ]) {
    expect([answer.status, answer.text]).toEqual([404, absent.text]);
  }
});

test("the last 50 versions are kept, without a gap", async () => {
  const ada = await person();
  const plan = await create(ada);
  for (let n = 1; n <= 60; n++) {
    await ada.ok(documents.updateDocumentRoute, { ...at(plan), json: { title: `Plan ${n}` } });
  }
  const { items, total } = await ada.ok(documents.listVersionsRoute, { ...at(plan), query: { limit: 100 } });
  expect(total).toBe(50);
  expect(items.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, n) => 60 - n));
});

test("a version whose folder no longer exists is restored to the top level", async () => {
  const ada = await person();
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const plan = await create(ada, { folder_id: folder.id });
  await ada.ok(documents.updateDocumentRoute, { ...at(plan), json: { folder_id: null } });
  await ada.ok(folders.deleteFolderRoute, { params: { folder_id: folder.id } });
  const params = { document_id: plan.id, version: "1" };
  const restored = await ada.ok(documents.restoreVersionRoute, { params });
  expect(restored).toMatchObject({ folder_id: null, version: 2 });
});

test("a deleted document is only in the trash, until it is restored", async () => {
  const ada = await person();
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const plan = await create(ada, { content: prose("walrus"), tags: ["a"], folder_id: folder.id });
  const kept = await create(ada, { title: "Kept" });
  await ada.ok(documents.deleteDocumentRoute, at(plan));

  const { items, total } = await ada.ok(trash.listTrashRoute);
  expect(total).toBe(1);
  expect(items[0]).toMatchObject({
    id: plan.id,
    title: "Plan",
    tags: ["a"],
    folder_id: folder.id,
    version: 1,
  });

  const absent = await ada.call(documents.getDocumentRoute, NOWHERE);
  for (const route of [
    documents.getDocumentRoute,
    documents.listVersionsRoute,
    documents.deleteDocumentRoute,
  ]) {
    const answer = await ada.call(route, at(plan));
    expect([answer.status, answer.text]).toEqual([404, absent.text]);
  }
  const update = await ada.call(documents.updateDocumentRoute, { ...at(plan), json: { title: "x" } });
  expect([update.status, update.text]).toEqual([404, absent.text]);
  expect(await ada.ok(documents.listDocumentsRoute)).toMatchObject({ total: 1, items: [{ id: kept.id }] });
  const filters: Record<string, string>[] = [
    { folder_id: folder.id },
    { tag: "a" },
    { sort: "created_at", source_type: "api", updated_after: "2030-01-01" },
  ];
  for (const query of filters) {
    expect((await ada.ok(documents.listDocumentsRoute, { query })).total).toBe(0);
  }
  expect(await finds(ada, "walrus")).toBe(0);
  expect((await ada.ok(listTagsRoute)).total).toBe(0);
  const params = { folder_id: folder.id };
  expect((await ada.ok(folders.getFolderRoute, { params })).document_count).toBe(0);

  const restored = await ada.ok(documents.restoreDocumentRoute, at(plan));
  expect(restored).toEqual(plan);
  expect(await ada.ok(documents.restoreDocumentRoute, at(plan))).toEqual(plan);
  expect(await finds(ada, "walrus")).toBe(1);
  expect((await ada.ok(listTagsRoute)).items).toEqual([{ name: "a", document_count: 1 }]);
  expect((await ada.ok(trash.listTrashRoute)).total).toBe(0);

  const bob = await person();
  expect((await bob.call(documents.restoreDocumentRoute, at(plan))).text).toBe(absent.text);
});

test("what is erased cannot be recovered", async () => {
  const ada = await person();
  const bob = await person();
  const bobs = await create(bob, { title: "Bob's" });
  await bob.ok(documents.deleteDocumentRoute, at(bobs));
  const [one, two, three] = [await create(ada, { tags: ["a"] }), await create(ada), await create(ada)];
  for (const document of [one, two, three]) {
    await ada.ok(documents.updateDocumentRoute, { ...at(document), json: { title: "x" } });
  }
  await ada.ok(documents.deleteDocumentRoute, { ...at(one), query: { permanent: "true" } });
  await ada.ok(documents.deleteDocumentRoute, at(two));
  await ada.ok(documents.deleteDocumentRoute, { ...at(two), query: { permanent: "true" } });
  await ada.ok(documents.deleteDocumentRoute, at(three));
  await ada.ok(trash.emptyTrashRoute);

  expect((await ada.ok(trash.listTrashRoute)).total).toBe(0);
  expect((await bob.ok(trash.listTrashRoute)).total).toBe(1);
  for (const document of [one, two, three, bobs]) {
    expect((await ada.call(documents.restoreDocumentRoute, at(document))).status).toBe(404);
  }
  expect(await count("documents")).toBe(1);
  for (const table of ["document_versions", "document_tags", "search_entries"])
    expect(await count(table)).toBe(0);
});

test("If-Match also works for the trash", async () => {
  const ada = await person();
  const plan = await create(ada);
  const stale = { ...at(plan), headers: { "If-Match": '"v2"' } };
  expect((await ada.call(documents.deleteDocumentRoute, stale)).status).toBe(412);
  await ada.ok(documents.deleteDocumentRoute, { ...at(plan), headers: { "If-Match": '"v1"' } });
  expect((await ada.call(documents.restoreDocumentRoute, stale)).status).toBe(412);
});

test("what has been in the trash for 30 days is deleted", async () => {
  const ada = await person();
  const plan = await create(ada);
  const young = await create(ada);
  await ada.ok(documents.deleteDocumentRoute, at(plan));
  await ada.ok(documents.deleteDocumentRoute, at(young));
  const old = new Date(Date.now() - 31 * 86_400_000).toISOString();
  await env.DB.prepare("UPDATE documents SET trashed_at = ? WHERE id = ?").bind(old, plan.id).run();
  await cron();
  expect((await ada.ok(trash.listTrashRoute)).items).toMatchObject([{ id: young.id }]);
});

test("a folder is trashed with everything in it, or its contents move up", async () => {
  const ada = await person();
  const folder = async (name: string, parent_id?: string) =>
    (await ada.ok(folders.createFolderRoute, { json: { name, parent_id } })).id;
  const top = await folder("Top");
  const inner = await folder("Inner", top);
  const innermost = await folder("Innermost", inner);
  const [a, b, c] = [
    await create(ada, { folder_id: inner, tags: ["a"], content: prose("walrus") }),
    await create(ada, { folder_id: innermost }),
    await create(ada, { folder_id: top }),
  ];
  const trashedBefore = await create(ada, { folder_id: innermost });
  await ada.ok(documents.deleteDocumentRoute, at(trashedBefore));

  const refusal = await ada.refusal(folders.deleteFolderRoute, { params: { folder_id: innermost } });
  expect(refusal).toMatchObject({ status: 400, detail: expect.stringContaining("not empty") });

  await ada.ok(folders.deleteFolderRoute, { params: { folder_id: inner }, query: { on_content: "trash" } });
  expect((await ada.ok(folders.listFoldersRoute)).items.map(({ id }) => id)).toEqual([top]);
  const { items } = await ada.ok(trash.listTrashRoute);
  expect(new Set(items.map(({ id }) => id))).toEqual(new Set([a.id, b.id, trashedBefore.id]));
  expect(await finds(ada, "walrus")).toBe(0);
  const restored = await ada.ok(documents.restoreDocumentRoute, at(a));
  expect(restored).toMatchObject({ folder_id: null, version: 2, tags: ["a"] });
  const version = { params: { document_id: a.id, version: "1" } };
  expect((await ada.ok(documents.getVersionRoute, version)).folder_id).toBe(inner);
  expect(await finds(ada, "walrus")).toBe(1);

  await ada.ok(folders.deleteFolderRoute, { params: { folder_id: top }, query: { on_content: "move_up" } });
  expect(await ada.ok(documents.getDocumentRoute, at(c))).toMatchObject({ folder_id: null, version: 2 });
  expect((await ada.ok(documents.listVersionsRoute, at(c))).items).toMatchObject([
    { version: 1, folder_id: top },
  ]);
});

test("an edit changes part of the text", async () => {
  const ada = await person();
  const plan = await create(ada, { content: { ...prose("# A\n\nold\n\n# B\n\nb\n"), mood: "fine" } });
  const edit = (json: Record<string, unknown>, headers: Record<string, string> = {}) =>
    ada.call(documents.editDocumentRoute, { ...at(plan), json, headers });
  const edited = await edit(
    { operation: "replace_section", section: "A", text: "new" },
    { "If-Match": '"v1"', "X-Source-Type": "cli" },
  );
  expect(edited.status).toBe(200);
  expect(edited.headers.get("ETag")).toBe('"v2"');
  expect(edited.body.content).toEqual({ format: "markdown", text: "# A\n\nnew\n\n# B\n\nb\n", mood: "fine" });
  expect(await finds(ada, "new")).toBe(1);
  expect(await finds(ada, "old")).toBe(0);

  expect((await edit({ operation: "append", text: "x" }, { "If-Match": '"v1"' })).status).toBe(412);
  expect(
    (await edit({ operation: "find_replace", find_text: "b", text: "c", expected_replacements: 2 })).text,
  ).toBe('{"detail":"find_text occurs 1 times, not 2: nothing was changed"}');
  expect((await edit({ operation: "append", text: "" })).status).toBe(400);
  expect((await edit({ operation: "find_replace", text: "c" })).text).toBe(
    '{"detail":"find_text: is required by find_replace"}',
  );
  expect((await edit({ operation: "explode", text: "c" })).status).toBe(422);
  expect((await ada.ok(documents.getDocumentRoute, at(plan))).version).toBe(2);

  const empty = await create(ada);
  const append = { json: { operation: "append", text: "first" } };
  expect((await ada.ok(documents.editDocumentRoute, { ...at(empty), ...append })).content).toEqual(
    prose("first"),
  );
  const shaped = await create(ada, { content: { text: 5 } });
  expect((await ada.call(documents.editDocumentRoute, { ...at(shaped), ...append })).status).toBe(400);
  expect((await ada.call(documents.editDocumentRoute, { ...NOWHERE, ...append })).status).toBe(404);
});

test("20 concurrent edits form one chain of versions and none is lost", async () => {
  const ada = await person();
  const plan = await create(ada, { content: prose("start") });
  const edits = Array.from({ length: 20 }, (_, n) =>
    ada.call(documents.editDocumentRoute, { ...at(plan), json: { operation: "append", text: `line ${n}` } }),
  );
  const answers = await Promise.all(edits);
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.version)).size).toBe(20);
  const now = await ada.ok(documents.getDocumentRoute, at(plan));
  expect(now.version).toBe(21);
  expect(String(now.content?.text).split("\n").sort()).toEqual(
    ["start", ...Array.from({ length: 20 }, (_, n) => `line ${n}`)].sort(),
  );
});
