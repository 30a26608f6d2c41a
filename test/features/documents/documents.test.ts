import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";

const NOBODYS_ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";

const create = (client: Client, json: Record<string, unknown>) =>
  client.ok(documents.createDocumentRoute, { json: { title: "Untitled", ...json } });
const read = (client: Client, document_id: string) =>
  client.ok(documents.getDocumentRoute, { params: { document_id } });
const list = (client: Client, query = {}) => client.ok(documents.listDocumentsRoute, { query });
const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title);

describe("a document", () => {
  test("is created, read, changed and deleted", async () => {
    const ada = await person();
    const json = {
      title: "Packing list",
      content: { format: "markdown", text: "# Things\n\npassport" },
      tags: ["travel", "lists", "travel"],
    };
    const created = await ada.call(documents.createDocumentRoute, { json });
    expect(created.status).toBe(201);
    expect(created.headers.get("Location")).toBe(`/api/documents/${created.body.id}`);
    expect(created.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(created.body).toMatchObject({
      title: "Packing list",
      tags: ["travel", "lists"],
      folder_id: null,
      source_type: "api",
      version: 1,
    });

    const params = { document_id: created.body.id };
    const answer = await ada.call(documents.getDocumentRoute, { params });
    expect(answer.body).toEqual(created.body);
    expect(answer.headers.get("ETag")).toBe('"v1"');

    const changed = await ada.ok(documents.updateDocumentRoute, { params, json: { title: "What to pack" } });
    expect(changed).toMatchObject({
      title: "What to pack",
      tags: ["travel", "lists"],
      version: 2,
      content: json.content,
      created_at: created.body.created_at,
    });

    expect((await ada.call(documents.deleteDocumentRoute, { params })).status).toBe(204);
    expect((await ada.call(documents.getDocumentRoute, { params })).status).toBe(404);
    const rows = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM search_entries) + (SELECT count(*) FROM document_tags) AS n",
    ).first();
    expect(rows).toEqual({ n: 0 });
  });

  test("without content has no content field, and null removes content and folder", async () => {
    const ada = await person();
    const folder = await ada.ok(createFolderRoute, { json: { name: "Home" } });
    const full = await create(ada, { content: { a: 1 }, folder_id: folder.id });
    const params = { document_id: full.id };
    const bare = await ada.ok(documents.updateDocumentRoute, {
      params,
      json: { content: null, folder_id: null },
    });
    expect(bare).not.toHaveProperty("content");
    expect(bare.folder_id).toBeNull();
    expect(await read(ada, full.id)).toEqual(bare);
  });

  test("returns every key and value of its content", async () => {
    const ada = await person();
    const text =
      '{"title":"odd","content":{"__proto__":{"a":1},"constructor":"b","":[null,1.5,"\\u2028"],"a.b":true}}';
    const answer = await ada.call(documents.createDocumentRoute, { body: text });
    const again = await ada.call(documents.getDocumentRoute, { params: { document_id: answer.body.id } });
    expect(JSON.stringify(JSON.parse(again.text).content)).toBe(JSON.stringify(JSON.parse(text).content));
  });

  test("records what kind of program wrote it", async () => {
    const ada = await person();
    const headers = { "X-Source-Type": "import" };
    const imported = await ada.ok(documents.createDocumentRoute, { json: { title: "Old note" }, headers });
    expect(imported.source_type).toBe("import");
    expect(titles(await list(ada, { source_type: "import" }))).toEqual(["Old note"]);
    expect(titles(await list(ada, { source_type: "api" }))).toEqual([]);
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
    [{ title: "t", content: "text" }, "content"],
    [{ title: "t", content: { a: { b: ["\ud800"] } } }, "content"],
    [{ title: "t", content: { "\u0000": 1 } }, "content"],
    [{ title: "t", tags: "travel" }, "tags"],
    [{ title: "t", tags: [" "] }, "tags.0"],
    [{ title: "t", tags: ["fine", ".."] }, "tags.1"],
    [{ title: "t", tags: ["x".repeat(65)] }, "tags.0"],
    [{ title: "t", tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, "tags"],
    [{ title: "t", folder_id: "nowhere" }, "folder_id"],
    ["a string", "body"],
    [[], "body"],
  ] as const)("is refused with the field's name: %j", async ([json, field]) => {
    const ada = await person();
    const refusal = await ada.refusal(documents.createDocumentRoute, { json });
    expect(refusal.status).toBe(422);
    expect(refusal.detail.startsWith(`${field}: `)).toBe(true);
  });

  test("may be nested 32 levels deep, and no deeper", async () => {
    const ada = await person();
    const nested = (depth: number): Record<string, unknown> => (depth === 1 ? {} : { a: nested(depth - 1) });
    expect((await create(ada, { content: nested(32) })).version).toBe(1);
    const refusal = await ada.refusal(documents.createDocumentRoute, {
      json: { title: "t", content: nested(33) },
    });
    expect(refusal).toEqual({ status: 422, detail: "content: must not be nested deeper than 32 levels" });
  });

  test("of one megabyte is accepted; a larger body is refused", async () => {
    const ada = await person();
    const text = "lorem ipsum ".repeat(87_000);
    expect((await create(ada, { content: { text } })).content).toEqual({ text });
    const refusal = await ada.refusal(documents.createDocumentRoute, {
      json: { title: "t", content: { text: text + text } },
    });
    expect(refusal.status).toBe(413);
  });

  test.for([
    ["malformed JSON", '{"title": ', "application/json", "The request body is not valid JSON"],
    [
      "another type",
      "title=t",
      "application/x-www-form-urlencoded",
      "The Content-Type must be application/json",
    ],
    ["no body", "", "application/json", "The request body is not valid JSON"],
  ] as const)("%s is a 400", async ([, body, type, detail]) => {
    const ada = await person();
    const parts = { body, headers: { "Content-Type": type } };
    expect(await ada.refusal(documents.createDocumentRoute, parts)).toEqual({ status: 400, detail });
  });

  test("with an id that is not a UUID is a 422 that names it", async () => {
    const ada = await person();
    const refusal = await ada.refusal(documents.getDocumentRoute, { params: { document_id: "7" } });
    expect(refusal).toMatchObject({ status: 422, detail: expect.stringMatching(/^document_id: /) });
  });
});

describe("somebody else's, a deleted and a random id", () => {
  test("are byte-identical 404s on every path", async () => {
    const [ada, bob] = [await person(), await person()];
    const foreign = (await create(bob, { title: "Bob's" })).id;
    const deleted = (await create(ada, {})).id;
    await ada.call(documents.deleteDocumentRoute, { params: { document_id: deleted } });
    const foreignFolder = (await bob.ok(createFolderRoute, { json: { name: "Bob's" } })).id;
    const mine = (await create(ada, {})).id;
    let texts = new Set<string>();
    const expect404 = async (route: Parameters<Client["call"]>[0], parts: Parameters<Client["call"]>[1]) => {
      const answer = await ada.call(route, parts);
      expect(answer.status).toBe(404);
      texts.add(answer.text);
    };
    for (const document_id of [foreign, deleted, NOBODYS_ID]) {
      await expect404(documents.getDocumentRoute, { params: { document_id } });
      await expect404(documents.updateDocumentRoute, {
        params: { document_id },
        json: { title: "mine now" },
      });
      await expect404(documents.deleteDocumentRoute, { params: { document_id } });
    }
    expect([...texts]).toEqual(['{"detail":"Not found"}']);

    texts = new Set();
    for (const folder_id of [foreignFolder, NOBODYS_ID]) {
      await expect404(documents.createDocumentRoute, { json: { title: "t", folder_id } });
      await expect404(documents.updateDocumentRoute, { params: { document_id: mine }, json: { folder_id } });
      await expect404(documents.listDocumentsRoute, { query: { folder_id } });
    }
    expect([...texts]).toEqual(['{"detail":"folder_id: not found"}']);

    texts = new Set();
    for (const folder_id of [foreignFolder, NOBODYS_ID]) {
      await expect404(searchRoute, { query: { q: "t", folder_id } });
    }
    expect(texts.size).toBe(1);
    expect((await read(bob, foreign)).title).toBe("Bob's");
    expect((await list(ada)).total).toBe(1);
  });
});

describe("concurrent writers", () => {
  test("never overwrite each other when they send If-Match", async () => {
    const ada = await person();
    const params = { document_id: (await create(ada, { title: "v1" })).id };
    const write = (title: string, etag: string) =>
      ada.call(documents.updateDocumentRoute, { params, json: { title }, headers: { "If-Match": etag } });
    expect((await write("v2", '"v1"')).headers.get("ETag")).toBe('"v2"');
    expect((await write("lost", '"v1"')).status).toBe(412);
    expect((await write("lost", 'W/"v2"')).status).toBe(412);
    expect((await write("v3", '"v1", "v2"')).status).toBe(200);
    expect((await write("v4", "*")).body.title).toBe("v4");
    const stale = await ada.call(documents.deleteDocumentRoute, { params, headers: { "If-Match": '"v1"' } });
    expect(stale.status).toBe(412);
    const fresh = await ada.call(documents.deleteDocumentRoute, { params, headers: { "If-Match": '"v4"' } });
    expect(fresh.status).toBe(204);
  });

  test("are all answered when there are fifty, and the versions have no gap", async () => {
    const ada = await person();
    const { id } = await create(ada, { tags: ["kept"] });
    const params = { document_id: id };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ada.call(documents.updateDocumentRoute, { params, json: { title: `writer ${index}` } }),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map(({ body }) => body.version)).size).toBe(50);
    const now = await read(ada, id);
    expect(now).toMatchObject({ version: 51, tags: ["kept"] });
    const found = await ada.ok(searchRoute, { query: { q: now.title.replace("writer ", "") } });
    expect(documentResults(found).map((document) => document.id)).toEqual([id]);
    expect((await ada.ok(searchRoute, { query: { q: "writer" } })).total).toBe(1);
  });

  test("with the same If-Match: one of fifty wins", async () => {
    const ada = await person();
    const params = { document_id: (await create(ada, {})).id };
    const headers = { "If-Match": '"v1"' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ada.call(documents.updateDocumentRoute, { params, json: { title: `w${index}` }, headers }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
  });

  test("keep the version when they change nothing", async () => {
    const ada = await person();
    const before = await create(ada, { title: "same", tags: ["a"] });
    const params = { document_id: before.id };
    expect(await ada.ok(documents.updateDocumentRoute, { params, json: {} })).toEqual(before);
    expect(await ada.ok(documents.updateDocumentRoute, { params, json: { title: "same" } })).toEqual(before);
  });

  test("do not affect a reader that already has the version, which gets a 304", async () => {
    const ada = await person();
    const params = { document_id: (await create(ada, {})).id };
    const ask = (etag: string) =>
      ada.call(documents.getDocumentRoute, { params, headers: { "If-None-Match": etag } });
    expect((await ask('"v1"')).status).toBe(304);
    expect((await ask('W/"v1"')).status).toBe(304);
    expect((await ask("*")).status).toBe(304);
    expect((await ask('"v0", "v1"')).status).toBe(304);
    expect((await ask('"v2"')).status).toBe(200);
  });
});

describe("an Idempotency-Key", () => {
  const headers = { "Idempotency-Key": "import/notes/1" };

  test("makes a repeated create return the same document", async () => {
    const ada = await person();
    const json = { title: "Once", tags: ["a"] };
    const [first, second] = [
      await ada.call(documents.createDocumentRoute, { json, headers }),
      await ada.call(documents.createDocumentRoute, { json, headers }),
    ];
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("Location")).toBe(first.headers.get("Location"));
    expect((await list(ada)).total).toBe(1);
  });

  test("works for twenty concurrent requests", async () => {
    const ada = await person();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        ada.ok(documents.createDocumentRoute, { json: { title: "Once" }, headers }),
      ),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect((await list(ada)).total).toBe(1);
    expect((await ada.ok(searchRoute, { query: { q: "once" } })).total).toBe(1);
  });

  test("is refused with a different body, belongs to one person, and expires after a day", async () => {
    const [ada, bob] = [await person(), await person()];
    await ada.ok(documents.createDocumentRoute, { json: { title: "One" }, headers });
    const other = await ada.refusal(documents.createDocumentRoute, { json: { title: "Two" }, headers });
    expect(other).toMatchObject({ status: 422, detail: expect.stringMatching(/^Idempotency-Key: /) });
    expect((await bob.call(documents.createDocumentRoute, { json: { title: "Two" }, headers })).status).toBe(
      201,
    );
    await env.DB.prepare("UPDATE idempotency_keys SET created_at = '2020-01-01T00:00:00.000Z'").run();
    expect((await ada.call(documents.createDocumentRoute, { json: { title: "Two" }, headers })).status).toBe(
      201,
    );
    expect((await list(ada)).total).toBe(2);
  });

  test("is not used up by a request with an unknown folder", async () => {
    const ada = await person();
    const json = { title: "t", folder_id: NOBODYS_ID };
    expect((await ada.call(documents.createDocumentRoute, { json, headers })).status).toBe(404);
    expect((await ada.call(documents.createDocumentRoute, { json: { title: "t" }, headers })).status).toBe(
      201,
    );
  });
});
