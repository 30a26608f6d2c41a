import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { type Client, person } from "../../kit/client.ts";

const folder = (client: Client, name: string, parent_id?: string) =>
  client.ok(folders.createFolderRoute, { json: { name, parent_id } });
const fileIn = (client: Client, folder_id: string, title = "t") =>
  client.ok(documents.createDocumentRoute, { json: { title, folder_id } });
const list = (client: Client, query = {}) => client.ok(folders.listFoldersRoute, { query });
const names = (page: { items: { name: string }[] }) => page.items.map(({ name }) => name);

describe("a folder", () => {
  test("is created, read, renamed and deleted", async () => {
    const ada = await person();
    const created = await ada.call(folders.createFolderRoute, { json: { name: " Work " } });
    expect(created.status).toBe(201);
    expect(created.headers.get("Location")).toBe(`/api/folders/${created.body.id}`);
    expect(created.body).toMatchObject({ name: "Work", parent_id: null, document_count: 0 });
    const params = { folder_id: created.body.id };
    expect(await ada.ok(folders.getFolderRoute, { params })).toEqual(created.body);
    expect(await ada.ok(folders.updateFolderRoute, { params, json: {} })).toEqual(created.body);
    expect((await ada.ok(folders.updateFolderRoute, { params, json: { name: "Office" } })).name).toBe(
      "Office",
    );
    expect((await ada.call(folders.deleteFolderRoute, { params })).status).toBe(204);
    expect((await ada.call(folders.getFolderRoute, { params })).status).toBe(404);
  });

  test("counts the documents directly in it", async () => {
    const ada = await person();
    const [work, home] = [await folder(ada, "Work"), await folder(ada, "Home")];
    await fileIn(ada, work.id);
    await fileIn(ada, work.id);
    const counts = (await list(ada)).items.map(({ name, document_count }) => [name, document_count]);
    expect(counts).toEqual([
      ["Home", 0],
      ["Work", 2],
    ]);
    expect((await ada.ok(folders.getFolderRoute, { params: { folder_id: work.id } })).document_count).toBe(2);
    expect(home.document_count).toBe(0);
  });

  test("keeps correct counts through any changes to its documents", async () => {
    const ada = await person();
    const places = [await folder(ada, "Work"), await folder(ada, "Home"), await folder(ada, "Old")];
    const place = (at: number) => places[at % 3]?.id ?? "";
    const notes = await Promise.all(Array.from({ length: 12 }, (_, at) => fileIn(ada, place(at))));
    const one = (at: number) => ({ document_id: notes[at]?.id ?? "" });
    const move = (at: number, folder_id: string | null) =>
      ada.ok(documents.updateDocumentRoute, { params: one(at), json: { folder_id } });
    await move(0, place(1));
    await move(1, null);
    await move(1, place(0));
    for (const at of [2, 3, 4]) await ada.call(documents.deleteDocumentRoute, { params: one(at) });
    await ada.ok(documents.restoreDocumentRoute, { params: one(3) });
    await ada.call(documents.deleteDocumentRoute, { params: one(4), query: { permanent: "true" } });
    await ada.call(documents.deleteDocumentRoute, { params: one(5), query: { permanent: "true" } });
    await ada.ok(documents.restoreVersionRoute, { params: { ...one(0), version: "1" } });
    const operations = [
      { operation: "move", id: one(6).document_id, folder_id: place(2) },
      { operation: "delete", id: one(7).document_id },
      { operation: "create", title: "note", folder_id: place(1) },
    ];
    await ada.ok(documents.bulkDocumentsRoute, { json: { operations } });
    const params = { folder_id: place(2) };
    await ada.call(folders.deleteFolderRoute, { params, query: { on_content: "move_up" } });
    const { items } = await ada.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
    for (const { id, document_count } of (await list(ada)).items) {
      expect(document_count).toBe(items.filter(({ folder_id }) => folder_id === id).length);
    }
    const { results } = await env.DB.prepare("SELECT * FROM folder_totals WHERE folder_id = ?")
      .bind(place(2))
      .all();
    expect(results).toEqual([]);
  });

  test.for([
    [{}, "name"],
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: "a\u0000" }, "name"],
    [{ name: "a", parent_id: "top" }, "parent_id"],
  ] as const)("is refused with the field's name: %j", async ([json, field]) => {
    const ada = await person();
    const refusal = await ada.refusal(folders.createFolderRoute, { json });
    expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(new RegExp(`^${field}: `)) });
  });
});

describe("the tree", () => {
  test("is listed completely, by parent, or at the top level", async () => {
    const ada = await person();
    const work = await folder(ada, "Work");
    await folder(ada, "zebra", work.id);
    await folder(ada, "Apple", work.id);
    expect(names(await list(ada))).toEqual(["Apple", "Work", "zebra"]);
    expect(names(await list(ada, { parent_id: work.id }))).toEqual(["Apple", "zebra"]);
    expect(names(await list(ada, { parent_id: "none" }))).toEqual(["Work"]);
    expect(await list(ada, { limit: 1, offset: 1 })).toMatchObject({ total: 3, items: [{ name: "Work" }] });
  });

  test("never contains a cycle", async () => {
    const ada = await person();
    const top = await folder(ada, "top");
    const middle = await folder(ada, "middle", top.id);
    const bottom = await folder(ada, "bottom", middle.id);
    const move = (id: string, parent_id: string | null) =>
      ada.call(folders.updateFolderRoute, { params: { folder_id: id }, json: { parent_id } });
    for (const into of [top, middle, bottom]) expect((await move(top.id, into.id)).status).toBe(400);
    expect((await move(bottom.id, top.id)).body.parent_id).toBe(top.id);
    expect((await move(bottom.id, null)).body.parent_id).toBeNull();
  });

  test("stays a tree when two conflicting moves are concurrent", async () => {
    const ada = await person();
    const [left, right] = [await folder(ada, "left"), await folder(ada, "right")];
    const move = (id: string, parent_id: string) =>
      ada.call(folders.updateFolderRoute, { params: { folder_id: id }, json: { parent_id } });
    const answers = await Promise.all([move(left.id, right.id), move(right.id, left.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe("a folder that is not empty", () => {
  test("is not deleted, unless its contents may move up", async () => {
    const ada = await person();
    const work = await folder(ada, "Work");
    const inner = await folder(ada, "Inner", work.id);
    const deep = await folder(ada, "Deep", inner.id);
    const document = await fileIn(ada, inner.id);
    const params = { folder_id: inner.id };
    const refusal = await ada.refusal(folders.deleteFolderRoute, { params });
    expect(refusal).toMatchObject({ status: 400, detail: expect.stringContaining("on_content=move_up") });
    const query = { on_content: "move_up" };
    expect((await ada.call(folders.deleteFolderRoute, { params, query })).status).toBe(204);
    const moved = await ada.ok(documents.getDocumentRoute, { params: { document_id: document.id } });
    expect(moved).toMatchObject({ folder_id: work.id, version: 2 });
    expect((await ada.ok(folders.getFolderRoute, { params: { folder_id: deep.id } })).parent_id).toBe(
      work.id,
    );
  });
});

test("somebody else's folder is a 404 on every path", async () => {
  const [ada, bob] = [await person(), await person()];
  const foreign = await folder(bob, "Bob's");
  const mine = await folder(ada, "mine");
  const params = { folder_id: foreign.id };
  expect((await ada.call(folders.getFolderRoute, { params })).status).toBe(404);
  expect((await ada.call(folders.updateFolderRoute, { params, json: { name: "x" } })).status).toBe(404);
  expect(
    (await ada.call(folders.deleteFolderRoute, { params, query: { on_content: "move_up" } })).status,
  ).toBe(404);
  expect(
    (await ada.call(folders.createFolderRoute, { json: { name: "x", parent_id: foreign.id } })).status,
  ).toBe(404);
  const move = { params: { folder_id: mine.id }, json: { parent_id: foreign.id } };
  expect((await ada.call(folders.updateFolderRoute, move)).status).toBe(404);
  expect(names(await list(ada))).toEqual(["mine"]);
  expect(names(await list(bob))).toEqual(["Bob's"]);
});
