import { describe, expect, test } from "vitest";
import * as documents from "../src/documents/routes.ts";
import { searchRoute } from "../src/search/routes.ts";
import * as tags from "../src/tags/routes.ts";
import { type Client, person } from "./kit/client.ts";

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
