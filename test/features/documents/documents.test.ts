import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { atOnce } from "../../kit/at-once.ts";
import { person } from "../../kit/client.ts";
import { at, bulk, create, prose, read, titlesOf, update } from "../../kit/documents.ts";
import { NOBODYS_ID } from "../../kit/operations.ts";
import { find } from "../../kit/search.ts";

describe("a document", () => {
  test("is created, read, changed and deleted", async () => {
    const ada = await person();
    const json = {
      title: "Packing list",
      content: prose("# Things\n\npassport"),
      tags: ["travel", "lists", "travel"],
    };
    const created = await ada.call(documents.createDocumentRoute, { json });
    expect(created.status).toBe(201);
    expect(created.headers.get("Location")).toBe(`/api/documents/${created.body.id}`);
    expect(created.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const saved = { ...json, tags: ["travel", "lists"], folder_id: null, source_type: "api", version: 1 };
    expect(created.body).toMatchObject(saved);
    const answer = await ada.call(documents.getDocumentRoute, at(created.body));
    expect([answer.body, answer.headers.get("ETag")]).toEqual([created.body, '"v1"']);

    const { created_at } = created.body;
    const next = { ...saved, title: "What to pack", version: 2, created_at };
    expect(await update(ada, created.body, { title: "What to pack" })).toMatchObject(next);

    expect((await ada.call(documents.deleteDocumentRoute, at(created.body))).status).toBe(204);
    expect((await ada.call(documents.getDocumentRoute, at(created.body))).status).toBe(404);
    const rows = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM search_entries) + (SELECT count(*) FROM document_tags) AS n",
    ).first();
    expect(rows).toEqual({ n: 0 });
  });

  test("without content has no content field, and null removes content and folder", async () => {
    const ada = await person();
    const folder = await ada.ok(createFolderRoute, { json: { name: "Home" } });
    const full = await create(ada, { content: { a: 1 }, folder_id: folder.id });
    const bare = await update(ada, full, { content: null, folder_id: null });
    expect(bare).not.toHaveProperty("content");
    expect(bare.folder_id).toBeNull();
    expect(await read(ada, full)).toEqual(bare);
  });

  test("returns every key and value of its content", async () => {
    const ada = await person();
    const text =
      '{"title":"odd","content":{"__proto__":{"a":1},"constructor":"b","":[null,1.5,"\\u2028"],"a.b":true}}';
    const { body } = await ada.call(documents.createDocumentRoute, { body: text });
    const again = await ada.call(documents.getDocumentRoute, at(body));
    expect(JSON.stringify(JSON.parse(again.text).content)).toBe(JSON.stringify(JSON.parse(text).content));
  });

  test("says what kind of program wrote it", async () => {
    const ada = await person();
    const imported = await create(ada, { title: "Old note" }, { "X-Source-Type": "import" });
    expect(imported.source_type).toBe("import");
    expect(await titlesOf(ada, { source_type: "import" })).toEqual(["Old note"]);
    expect(await titlesOf(ada, { source_type: "api" })).toEqual([]);
  });

  test.for([
    [{}, "title"],
    [{ title: "" }, "title"],
    [{ title: "x".repeat(501) }, "title"],
    [{ title: null }, "title"],
    [{ title: 7 }, "title"],
    [{ title: "a\u0000b" }, "title"],
    [{ title: "half \ud800 pair" }, "title"],
    [{ title: "t", content: [] }, "content"],
    [{ title: "t", content: { a: { b: ["\ud800"] } } }, "content"],
    [{ title: "t", content: { "\u0000": 1 } }, "content"],
    [{ title: "t", tags: "travel" }, "tags"],
    [{ title: "t", tags: [" "] }, "tags.0"],
    [{ title: "t", tags: ["fine", ".."] }, "tags.1"],
    [{ title: "t", tags: ["x".repeat(65)] }, "tags.0"],
    [{ title: "t", tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, "tags"],
    [{ title: "t", folder_id: "nowhere" }, "folder_id"],
    ["a string", "body"],
  ] as const)("is refused with the field's name: %j", async ([json, field]) => {
    const refusal = await (await person()).refusal(documents.createDocumentRoute, { json });
    expect(refusal.status).toBe(422);
    expect(refusal.detail.startsWith(`${field}: `)).toBe(true);
  });

  test("may be nested 32 levels deep, and no deeper", async () => {
    const ada = await person();
    const nested = (depth: number): Record<string, unknown> => (depth === 1 ? {} : { a: nested(depth - 1) });
    expect((await create(ada, { content: nested(32) })).version).toBe(1);
    const json = { title: "t", content: nested(33) };
    expect(await ada.refusal(documents.createDocumentRoute, { json })).toEqual({
      status: 422,
      detail: "content: must not be nested deeper than 32 levels",
    });
  });

  test.for([
    ["malformed JSON", '{"title": ', "application/json", "The request body is not valid JSON"],
    ["another type", "title=t", "text/plain", "The Content-Type must be application/json"],
    ["no body", "", "application/json", "The request body is not valid JSON"],
  ] as const)("%s is a 400", async ([, body, type, detail]) => {
    const parts = { body, headers: { "Content-Type": type } };
    const refusal = await (await person()).refusal(documents.createDocumentRoute, parts);
    expect(refusal).toEqual({ status: 400, detail });
  });

  test("with an id that is not a UUID is a 422 that names it", async () => {
    const refusal = await (await person()).refusal(documents.getDocumentRoute, at({ id: "7" }));
    expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(/^document_id: /) });
  });
});

describe("concurrent writers", () => {
  test("never overwrite each other when they send If-Match: with the same one, one of fifty wins", async () => {
    const ada = await person();
    const plan = await create(ada);
    const write = (title: string, etag: string) => {
      const headers = { "If-Match": etag };
      return ada.call(documents.updateDocumentRoute, { ...at(plan), json: { title }, headers });
    };
    const statuses = await atOnce(50, async (index) => (await write(`writer ${index}`, '"v1"')).status);
    expect(statuses.sort()).toEqual([200, ...Array(49).fill(412)]);
    expect((await write("lost", 'W/"v2"')).status).toBe(412);
    expect((await write("v3", '"v1", "v2"')).headers.get("ETag")).toBe('"v3"');
    expect((await write("v4", "*")).body.title).toBe("v4");
    for (const [etag, status] of [
      ['"v1"', 412],
      ['"v4"', 204],
    ] as const) {
      const headers = { "If-Match": etag };
      expect((await ada.call(documents.deleteDocumentRoute, { ...at(plan), headers })).status).toBe(status);
    }
    const headers = { "If-Match": '"v1"' };
    expect((await ada.call(documents.restoreDocumentRoute, { ...at(plan), headers })).status).toBe(412);
  });

  test("are all answered when there are fifty, the versions have no gap, and the search has the last", async () => {
    const ada = await person();
    const plan = await create(ada, { tags: ["kept"] });
    const answers = await atOnce(50, (index) => update(ada, plan, { title: `writer ${index}` }));
    expect(new Set(answers.map(({ version }) => version)).size).toBe(50);
    const now = await read(ada, plan);
    expect(now).toMatchObject({ version: 51, tags: ["kept"] });
    for (const q of ["writer", now.title.replace("writer ", "")])
      expect(await find(ada, q)).toEqual([now.title]);
  });

  test("keep the version when they change nothing", async () => {
    const ada = await person();
    const before = await create(ada, { title: "same", tags: ["a"] });
    for (const json of [{}, { title: "same" }]) expect(await update(ada, before, json)).toEqual(before);
  });

  test("do not affect a reader that already has the version, which gets a 304", async () => {
    const ada = await person();
    const plan = await create(ada);
    const ask = async (etag: string) =>
      (await ada.call(documents.getDocumentRoute, { ...at(plan), headers: { "If-None-Match": etag } }))
        .status;
    for (const etag of ['"v1"', 'W/"v1"', "*", '"v0", "v1"']) expect(await ask(etag), etag).toBe(304);
    expect(await ask('"v2"')).toBe(200);
  });
});

test("an Idempotency-Key belongs to one body and one person, expires after a day, and is not used up by a refusal", async () => {
  const [ada, bob] = [await person(), await person()];
  const headers = { "Idempotency-Key": "import/notes/1" };
  const post = async (who = ada, json: object = { title: "Two" }) =>
    (await who.call(documents.createDocumentRoute, { json, headers })).status;
  expect(await post(ada, { title: "One", folder_id: NOBODYS_ID })).toBe(404);
  expect(await post(ada, { title: "One" })).toBe(201);
  const other = await ada.refusal(documents.createDocumentRoute, { json: { title: "Two" }, headers });
  expect(other).toMatchObject({ status: 422, detail: expect.stringMatching(/^Idempotency-Key: /) });
  expect(await post(bob)).toBe(201);
  for (const [hours, status] of [
    [23, 422],
    [25, 201],
  ] as const) {
    const since = new Date(Date.now() - hours * 3_600_000).toISOString();
    await env.DB.prepare("UPDATE idempotency_keys SET created_at = ?").bind(since).run();
    expect(await post()).toBe(status);
  }
  expect(await titlesOf(ada)).toEqual(["Two", "One"]);
});

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

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const TIMES = [undefined, inDays(-2), inDays(-1), inDays(1)];
const GIVEN = TIMES.flatMap((created_at) =>
  TIMES.map((updated_at) => ({ ...(created_at && { created_at }), ...(updated_at && { updated_at }) })),
);

/** The times of a document that is created with these; undefined if it is refused. */
const expected = ({ created_at, updated_at }: { created_at?: string; updated_at?: string }) => {
  const now = new Date().toISOString();
  if ([created_at, updated_at].some((time) => time && time > now)) return undefined;
  if (created_at && updated_at && updated_at < created_at) return undefined;
  return { created_at: created_at ?? updated_at, updated_at: updated_at ?? created_at };
};

test("times that a caller sets are kept by POST and in bulk where they can be, and refused elsewhere", async () => {
  const ada = await person();
  for (const times of GIVEN) {
    const [should, name] = [expected(times), JSON.stringify(times)];
    const alone = await ada.call(documents.createDocumentRoute, { json: { title: "Old", ...times } });
    expect(alone.status, name).toBe(should ? 201 : 422);
    const target = await create(ada, { created_at: inDays(-1.5) });
    const { results } = await bulk(ada, [
      { operation: "create", title: "Old", ...times },
      { operation: "update", id: target.id, title: "Changed", ...times },
    ]);
    expect(results[0]?.ok, name).toBe(should !== undefined);
    if (should?.created_at) {
      expect(alone.body, name).toMatchObject(should);
      expect(await read(ada, results[0] as { id: string }), name).toMatchObject(should);
    }
    const after = await read(ada, target);
    expect(after.updated_at >= after.created_at, name).toBe(true);
    expect(after.updated_at <= new Date().toISOString(), name).toBe(true);
    expect(after, name).toMatchObject(results[1]?.ok ? { title: "Changed", version: 2, ...times } : target);
  }
});

test("times may have any UTC offset, are what search filters by, and are not changed by PUT", async () => {
  const ada = await person();
  const old = await create(ada, {
    title: "Walrus",
    created_at: "2019-05-01T02:00:00+02:00",
    updated_at: "2020-05-01T02:00:00+02:00",
  });
  expect(old).toMatchObject({
    created_at: "2019-05-01T00:00:00.000Z",
    updated_at: "2020-05-01T00:00:00.000Z",
  });
  expect(await find(ada, "walrus before:2020-05-02 after:2020-05-01")).toEqual(["Walrus"]);
  expect(await find(ada, "walrus after:2020-05-02")).toEqual([]);
  // A range includes its beginning and excludes its end.
  const [before, on, later] = ["2020-04-30T23:59:59.999Z", old.updated_at, "2020-05-01T00:00:00.001Z"];
  for (const [query, total] of [
    [{ changed_after: on, changed_before: later }, 1],
    [{ changed_after: before, changed_before: on }, 0],
    [{ changed_after: later }, 0],
  ] as const)
    expect(await ada.ok(documents.listDocumentsRoute, { query })).toMatchObject({ total });
  const json = { title: "Walrus", created_at: "2001-01-01T00:00:00Z", updated_at: "2001-01-01T00:00:00Z" };
  expect(await ada.ok(documents.updateDocumentRoute, { ...at(old), json })).toEqual(old);
});
