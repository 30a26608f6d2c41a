import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { person } from "../../kit/client.ts";
import { create, titlesOf } from "../../kit/documents.ts";

test("a list filters, sorts and pages", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Work" } });
  await create(ada, { title: "banana", tags: ["fruit", "yellow"] });
  await create(ada, { title: "Apple", tags: ["fruit"], folder_id });
  await create(ada, { title: "cherry", tags: ["fruit", "red"], content: { text: "long" } });
  for (const [query, titles] of [
    [{ sort: "title" }, ["Apple", "banana", "cherry"]],
    [{ sort: "title", order: "desc" }, ["cherry", "banana", "Apple"]],
    [{ sort: "created_at", order: "asc" }, ["banana", "Apple", "cherry"]],
    [{ tag: "fruit", sort: "title" }, ["Apple", "banana", "cherry"]],
    [{ tag: ["fruit", "red"] }, ["cherry"]],
    [{}, ["cherry", "Apple", "banana"]],
    [{ folder_id }, ["Apple"]],
    [{ folder_id: "none" }, ["cherry", "banana"]],
    [{ updated_after: "2999-01-01" }, []],
    [{ updated_before: "2999-01-01T00:00:00+01:00", limit: 1 }, ["cherry"]],
    [{ offset: 9 }, []],
  ] as const)
    expect(await titlesOf(ada, query as never), JSON.stringify(query)).toEqual(titles);
  const page = await ada.ok(documents.listDocumentsRoute, { query: { sort: "title", limit: 1, offset: 1 } });
  expect(page).toMatchObject({ total: 3, items: [{ title: "banana" }] });
  expect(page.items[0]).not.toHaveProperty("content");
});

test.for([
  [{ limit: 0 }, "limit"],
  [{ limit: 101 }, "limit"],
  [{ limit: "" }, "limit"],
  [{ limit: "1e1" }, "limit"],
  [{ limit: ["1", "2"] }, "limit"],
  [{ offset: -1 }, "offset"],
  [{ sort: "size" }, "sort"],
  [{ updated_after: "yesterday" }, "updated_after"],
  [{ folder_id: "null" }, "folder_id: must be a UUID or none"],
] as const)("a list refuses %j", async ([query, detail]) => {
  const refusal = await (await person()).refusal(documents.listDocumentsRoute, { query: query as never });
  expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(new RegExp(`^${detail}`)) });
});

test("a list includes one key of the contents, if it exists and is short", async () => {
  const ada = await person();
  const mark = { origin: 1, list: [null, "ä"] };
  await create(ada, { title: "a", content: { mark, text: "long" } });
  await create(ada, { title: "b", content: { mark: "x".repeat(1000) } });
  await create(ada, { title: "c", content: { text: "no mark" } });
  await create(ada, { title: "d" });
  await create(ada, { title: "e", content: { mark: false } });
  const query = { content_key: "mark", sort: "title" };
  const { items } = await ada.ok(documents.listDocumentsRoute, { query });
  const none = undefined;
  expect(items.map(({ content }) => content)).toEqual([{ mark }, none, none, none, { mark: false }]);
  for (const content_key of ["", "a.b", "$", 'a"b', "x".repeat(65)])
    expect((await ada.refusal(documents.listDocumentsRoute, { query: { content_key } })).status).toBe(422);
});
