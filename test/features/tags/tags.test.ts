import { describe, expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import * as tags from "../../../src/features/tags/routes.ts";
import { type Client, person } from "../../kit/client.ts";

const tagged = (client: Client, ...names: string[]) =>
  client.ok(documents.createDocumentRoute, { json: { title: "note", tags: names } });
const list = (client: Client, query = {}) => client.ok(tags.listTagsRoute, { query });
const tagsOf = async (client: Client, document_id: string) =>
  (await client.ok(documents.getDocumentRoute, { params: { document_id } })).tags;
const found = async (client: Client, q: string) => (await client.ok(searchRoute, { query: { q } })).total;

describe("tags", () => {
  test("are listed by name with their counts, a page at a time", async () => {
    const ada = await person();
    await tagged(ada, "travel", "lists");
    await tagged(ada, "travel");
    expect(await list(ada)).toEqual({
      items: [
        { name: "lists", document_count: 1 },
        { name: "travel", document_count: 2 },
      ],
      total: 2,
    });
    expect(await list(ada, { limit: 1, offset: 1 })).toMatchObject({ items: [{ name: "travel" }], total: 2 });
    expect(await list(await person())).toEqual({ items: [], total: 0 });
  });

  test("have correct counts after any changes to the documents", async () => {
    const ada = await person();
    const pick = (from: number) =>
      ["lists", "travel", "work", "old"].slice(from % 4, (from % 4) + 1 + (from % 3));
    const notes = await Promise.all(Array.from({ length: 12 }, (_, at) => tagged(ada, ...pick(at))));
    const ids = notes.map(({ id }) => ({ document_id: id }));
    const one = (at: number) => ids[at] ?? { document_id: "" };
    for (const at of [0, 1, 2]) {
      await ada.ok(documents.updateDocumentRoute, { params: one(at), json: { tags: pick(at + 2) } });
    }
    for (const at of [3, 4, 5]) await ada.call(documents.deleteDocumentRoute, { params: one(at) });
    await ada.ok(documents.restoreDocumentRoute, { params: one(4) });
    await ada.call(documents.deleteDocumentRoute, { params: one(6), query: { permanent: "true" } });
    const params = { ...one(1), version: "1" };
    await ada.ok(documents.restoreVersionRoute, { params });
    const operations = [
      { operation: "add_tags", id: one(7).document_id, tags: ["work", "new"] },
      { operation: "remove_tags", id: one(8).document_id, tags: ["lists"] },
      { operation: "delete", id: one(9).document_id },
      { operation: "create", title: "note", tags: ["new"] },
    ];
    await ada.ok(documents.bulkDocumentsRoute, { json: { operations } });
    await ada.ok(tags.renameTagRoute, { params: { name: "work" }, json: { name: "travel" } });
    const { items } = await ada.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
    const carried = Map.groupBy(
      items.flatMap(({ tags: names }) => names),
      (name) => name,
    );
    const expected = [...carried].map(([name, { length }]) => ({ name, document_count: length }));
    expect((await list(ada)).items).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)));
    await ada.call(tags.deleteTagRoute, { params: { name: "travel" } });
    expect((await list(ada)).items.map(({ name }) => name)).not.toContain("travel");
  });

  test("are renamed everywhere, in place, and found under the new name", async () => {
    const ada = await person();
    const notes = await Promise.all(Array.from({ length: 45 }, () => tagged(ada, "first", "travel", "last")));
    const renamed = await ada.ok(tags.renameTagRoute, {
      params: { name: "travel" },
      json: { name: "journeys" },
    });
    expect(renamed).toEqual({ name: "journeys", document_count: 45 });
    for (const { id } of notes.slice(0, 3))
      expect(await tagsOf(ada, id)).toEqual(["first", "journeys", "last"]);
    expect(await found(ada, "journeys")).toBe(45);
    expect(await found(ada, "travel")).toBe(0);
    const gone = await ada.call(tags.renameTagRoute, { params: { name: "travel" }, json: { name: "x" } });
    expect(gone.status).toBe(404);
  });

  test("are merged without leaving a document with the same tag twice", async () => {
    const ada = await person();
    const both = await tagged(ada, "trip", "x", "travel");
    await tagged(ada, "travel");
    const merged = await ada.ok(tags.renameTagRoute, { params: { name: "travel" }, json: { name: "trip" } });
    expect(merged).toEqual({ name: "trip", document_count: 2 });
    expect(await tagsOf(ada, both.id)).toEqual(["trip", "x"]);
  });

  test("are removed from every document, whatever their name", async () => {
    const ada = await person();
    const names = ["a/b", "50%", "ünï çødé", "?x=1#y", "plus+sign", "日本"];
    for (const name of names) {
      const { id } = await tagged(ada, name, "kept");
      expect((await ada.call(tags.deleteTagRoute, { params: { name } })).status).toBe(204);
      expect(await tagsOf(ada, id)).toEqual(["kept"]);
      expect((await ada.call(tags.deleteTagRoute, { params: { name } })).status).toBe(404);
    }
  });

  test("keep their name when they are renamed to it", async () => {
    const ada = await person();
    const { id, version } = await tagged(ada, "same");
    await ada.ok(tags.renameTagRoute, { params: { name: "same" }, json: { name: " same " } });
    const after = await ada.ok(documents.getDocumentRoute, { params: { document_id: id } });
    expect(after.version).toBe(version);
  });

  test("of somebody else are a 404", async () => {
    const [ada, bob] = [await person(), await person()];
    const { id } = await tagged(bob, "secret");
    const params = { name: "secret" };
    expect((await ada.call(tags.deleteTagRoute, { params })).status).toBe(404);
    expect((await ada.call(tags.renameTagRoute, { params, json: { name: "x" } })).status).toBe(404);
    expect(await tagsOf(bob, id)).toEqual(["secret"]);
  });
});
