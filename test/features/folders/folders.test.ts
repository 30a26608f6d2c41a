import { describe, expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { at, create, prose, read, remove } from "../../kit/documents.ts";
import { find } from "../../kit/search.ts";

const folder = (client: Client, name: string, parent_id?: string) =>
  client.ok(folders.createFolderRoute, { json: { name, parent_id } });
const list = (client: Client, query = {}) => client.ok(folders.listFoldersRoute, { query });
const names = async (client: Client, query = {}) => (await list(client, query)).items.map(({ name }) => name);
const into = (client: Client, id: string, parent_id: string | null) =>
  client.call(folders.updateFolderRoute, { params: { folder_id: id }, json: { parent_id } });

describe("a folder", () => {
  test("is created, read, renamed and deleted, and counts the documents directly in it", async () => {
    const ada = await person();
    const created = await ada.call(folders.createFolderRoute, { json: { name: " Work " } });
    expect(created.status).toBe(201);
    expect(created.headers.get("Location")).toBe(`/api/folders/${created.body.id}`);
    expect(created.body).toMatchObject({ name: "Work", parent_id: null, document_count: 0 });
    const { id } = created.body;
    const params = { folder_id: id };
    expect(await ada.ok(folders.getFolderRoute, { params })).toEqual(created.body);
    expect(await ada.ok(folders.updateFolderRoute, { params, json: {} })).toEqual(created.body);
    const deep = await folder(ada, "Deep", id);
    const inside = [await create(ada, { folder_id: id }), await create(ada, { folder_id: id })];
    await create(ada, { folder_id: deep.id });
    const renamed = await ada.ok(folders.updateFolderRoute, { params, json: { name: "Office" } });
    expect(renamed).toMatchObject({ name: "Office", document_count: 2 });
    const counts = (await list(ada)).items.map(({ name, document_count }) => [name, document_count]);
    expect(counts).toEqual([
      ["Deep", 1],
      ["Office", 2],
    ]);
    for (const document of inside) await remove(ada, document);
    await into(ada, deep.id, null);
    expect((await ada.call(folders.deleteFolderRoute, { params })).status).toBe(204);
    expect((await ada.call(folders.getFolderRoute, { params })).status).toBe(404);
  });

  test.for([
    [{}, "name"],
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: "a\u0000" }, "name"],
    [{ name: "a", parent_id: "top" }, "parent_id"],
  ] as const)("is refused with the field's name: %j", async ([json, field]) => {
    const refusal = await (await person()).refusal(folders.createFolderRoute, { json });
    expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(new RegExp(`^${field}: `)) });
  });

  test("that is not empty is deleted with everything in it, or its contents move up", async () => {
    const ada = await person();
    const top = await folder(ada, "Top");
    const inner = await folder(ada, "Inner", top.id);
    const innermost = await folder(ada, "Innermost", inner.id);
    const other = await folder(ada, "Other", top.id);
    const [a, b, c, trashedBefore] = [
      await create(ada, { title: "A", folder_id: inner.id, tags: ["a"], content: prose("walrus") }),
      await create(ada, { folder_id: innermost.id }),
      await create(ada, { folder_id: other.id }),
      await create(ada, { folder_id: innermost.id }),
    ];
    await remove(ada, trashedBefore);
    const drop = ({ id }: { id: string }, query = {}) =>
      ada.call(folders.deleteFolderRoute, { params: { folder_id: id }, query });
    const refused = await drop(innermost);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/not empty.*on_content=move_up/),
    ]);

    expect((await drop(inner, { on_content: "trash" })).status).toBe(204);
    expect(await names(ada)).toEqual(["Other", "Top"]);
    const { items } = await ada.ok(listTrashRoute);
    expect(items.map(({ id }) => id).sort()).toEqual([a.id, b.id, trashedBefore.id].sort());
    expect(await find(ada, "walrus")).toEqual([]);
    const restored = await ada.ok(documents.restoreDocumentRoute, at(a));
    expect(restored).toMatchObject({ folder_id: null, version: 2, tags: ["a"] });
    const params = { document_id: a.id, version: "1" };
    expect((await ada.ok(documents.getVersionRoute, { params })).folder_id).toBe(inner.id);
    expect(await find(ada, "walrus")).toEqual(["A"]);

    const deep = await folder(ada, "Deep", other.id);
    for (const [gone, folder_id, version] of [
      [other, top.id, 2],
      [top, null, 3],
    ] as const) {
      expect((await drop(gone, { on_content: "move_up" })).status).toBe(204);
      expect(await read(ada, c)).toMatchObject({ folder_id, version });
      const found = await ada.ok(folders.getFolderRoute, { params: { folder_id: deep.id } });
      expect(found.parent_id).toBe(folder_id);
    }
    expect((await ada.ok(documents.listVersionsRoute, at(c))).items).toMatchObject([
      { version: 2, folder_id: top.id },
      { version: 1, folder_id: other.id },
    ]);
  });
});

describe("the tree", () => {
  test("is listed completely, by parent, or at the top level", async () => {
    const ada = await person();
    const work = await folder(ada, "Work");
    await folder(ada, "zebra", work.id);
    await folder(ada, "Apple", work.id);
    expect(await names(ada)).toEqual(["Apple", "Work", "zebra"]);
    expect(await names(ada, { parent_id: work.id })).toEqual(["Apple", "zebra"]);
    expect(await names(ada, { parent_id: "none" })).toEqual(["Work"]);
    expect(await list(ada, { limit: 1, offset: 1 })).toMatchObject({ total: 3, items: [{ name: "Work" }] });
  });

  test("never contains a cycle, also when two conflicting moves are concurrent", async () => {
    const ada = await person();
    const top = await folder(ada, "top");
    const middle = await folder(ada, "middle", top.id);
    const bottom = await folder(ada, "bottom", middle.id);
    for (const { id } of [top, middle, bottom]) expect((await into(ada, top.id, id)).status).toBe(400);
    expect((await into(ada, bottom.id, top.id)).body.parent_id).toBe(top.id);
    expect((await into(ada, bottom.id, null)).body.parent_id).toBeNull();
    const answers = await Promise.all([into(ada, top.id, bottom.id), into(ada, bottom.id, top.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
