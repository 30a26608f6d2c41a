import { describe, expect, test } from "vitest";
import * as tags from "../../../src/features/tags/routes.ts";
import { atOnce } from "../../kit/at-once.ts";
import { type Client, person } from "../../kit/client.ts";
import { create, read } from "../../kit/documents.ts";
import { find } from "../../kit/search.ts";

const tagged = (client: Client, ...names: string[]) => create(client, { tags: names });
const list = (client: Client, query = {}) => client.ok(tags.listTagsRoute, { query });

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
    const notes = await atOnce(45, () => tagged(ada, "first", "travel", "last"));
    const renamed = await ada.ok(tags.renameTagRoute, {
      params: { name: "travel" },
      json: { name: "journeys" },
    });
    expect(renamed).toEqual({ name: "journeys", document_count: 45 });
    for (const note of notes.slice(0, 3))
      expect((await read(ada, note)).tags).toEqual(["first", "journeys", "last"]);
    expect(await find(ada, "journeys", { limit: 50 })).toHaveLength(45);
    expect(await find(ada, "travel")).toEqual([]);
    const gone = await ada.call(tags.renameTagRoute, { params: { name: "travel" }, json: { name: "x" } });
    expect(gone.status).toBe(404);
  });

  test("are merged without leaving a document with the same tag twice, and stay if the name is the same", async () => {
    const ada = await person();
    const both = await tagged(ada, "trip", "x", "travel");
    await tagged(ada, "travel");
    const merged = await ada.ok(tags.renameTagRoute, { params: { name: "travel" }, json: { name: "trip" } });
    expect(merged).toEqual({ name: "trip", document_count: 2 });
    const after = await read(ada, both);
    expect(after.tags).toEqual(["trip", "x"]);
    await ada.ok(tags.renameTagRoute, { params: { name: "trip" }, json: { name: " trip " } });
    expect((await read(ada, both)).version).toBe(after.version);
  });

  test("are removed from every document, whatever their name", async () => {
    const ada = await person();
    const names = ["a/b", "50%", "ünï çødé", "?x=1#y", "plus+sign", "日本"];
    for (const name of names) {
      const note = await tagged(ada, name, "kept");
      expect((await ada.call(tags.deleteTagRoute, { params: { name } })).status).toBe(204);
      expect((await read(ada, note)).tags).toEqual(["kept"]);
      expect((await ada.call(tags.deleteTagRoute, { params: { name } })).status).toBe(404);
    }
  });
});
