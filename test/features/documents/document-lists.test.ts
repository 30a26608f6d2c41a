import { describe, expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { type Client, person } from "../../kit/client.ts";

const create = (client: Client, json: Record<string, unknown>) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Untitled", ...json } });
const list = (client: Client, query = {}) => client.ok(documents.listDocumentsRoute, { query });
const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title);

describe("the list", () => {
  test("filters, sorts and pages", async () => {
    const ada = await person();
    const folder = await ada.ok(createFolderRoute, { json: { name: "Work" } });
    await create(ada, { title: "banana", tags: ["fruit", "yellow"] });
    await create(ada, { title: "Apple", tags: ["fruit"], folder_id: folder.id });
    await create(ada, { title: "cherry", tags: ["fruit", "red"], content: { text: "long" } });
    expect(titles(await list(ada, { sort: "title" }))).toEqual(["Apple", "banana", "cherry"]);
    expect(titles(await list(ada, { sort: "title", order: "desc" }))).toEqual(["cherry", "banana", "Apple"]);
    expect(titles(await list(ada, { sort: "created_at", order: "asc" }))).toEqual([
      "banana",
      "Apple",
      "cherry",
    ]);
    expect(titles(await list(ada, { tag: "fruit", sort: "title" }))).toHaveLength(3);
    expect(titles(await list(ada, { tag: ["fruit", "red"] }))).toEqual(["cherry"]);
    expect(titles(await list(ada, { folder_id: folder.id }))).toEqual(["Apple"]);
    expect(await list(ada, { sort: "title", limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      items: [{ title: "banana" }],
    });
    expect((await list(ada, { offset: 9 })).items).toEqual([]);
    expect((await list(ada, { updated_after: "2999-01-01" })).total).toBe(0);
    expect((await list(ada, { updated_before: "2999-01-01T00:00:00+01:00" })).total).toBe(3);
    expect((await list(ada)).items[0]).not.toHaveProperty("content");
  });

  test.for([
    [{ limit: 0 }, "limit"],
    [{ limit: 101 }, "limit"],
    [{ limit: "ten" }, "limit"],
    [{ limit: "" }, "limit"],
    [{ limit: "1e1" }, "limit"],
    [{ limit: ["1", "2"] }, "limit"],
    [{ offset: -1 }, "offset"],
    [{ sort: "size" }, "sort"],
    [{ updated_after: "yesterday" }, "updated_after"],
    [{ folder_id: "7" }, "folder_id"],
  ] as const)("refuses %j", async ([query, field]) => {
    const ada = await person();
    const refusal = await ada.refusal(documents.listDocumentsRoute, { query: query as never });
    expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(new RegExp(`^${field}: `)) });
  });
});

test("a list is narrowed to a folder, or to the documents that are in none", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Work" } });
  await create(ada, { title: "Filed", folder_id });
  await create(ada, { title: "Loose" });
  const titles = async (folder?: string) =>
    (await ada.ok(documents.listDocumentsRoute, { query: folder ? { folder_id: folder } : {} })).items.map(
      ({ title }) => title,
    );
  expect([await titles(), await titles(folder_id), await titles("none")]).toEqual([
    ["Loose", "Filed"],
    ["Filed"],
    ["Loose"],
  ]);
  const refusal = await ada.refusal(documents.listDocumentsRoute, { query: { folder_id: "null" } });
  expect(refusal).toEqual({ status: 422, detail: "folder_id: must be a UUID or none" });
});

test("a list includes one key of the contents, if it exists and is short", async () => {
  const ada = await person();
  await create(ada, { title: "a", content: { mark: { origin: 1, list: [null, "ä"] }, text: "long" } });
  await create(ada, { title: "b", content: { mark: "x".repeat(1000) } });
  await create(ada, { title: "c", content: { text: "no mark" } });
  await create(ada, { title: "d" });
  await create(ada, { title: "e", content: { mark: false } });
  const { items } = await list(ada, { content_key: "mark", sort: "title" });
  expect(items.map(({ content }) => content)).toEqual([
    { mark: { origin: 1, list: [null, "ä"] } },
    undefined,
    undefined,
    undefined,
    { mark: false },
  ]);
  expect((await list(ada)).items.every((item) => !("content" in item))).toBe(true);
  for (const content_key of ["", "a.b", "$", 'a"b', "x".repeat(65)])
    expect((await ada.refusal(documents.listDocumentsRoute, { query: { content_key } })).status).toBe(422);
});
