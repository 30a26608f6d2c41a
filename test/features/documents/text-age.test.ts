import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { documentResults } from "../../../src/contract/search.ts";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import * as tags from "../../../src/features/tags/routes.ts";
import { listFindingsRoute, lookRoute } from "../../../src/features/tidy/routes.ts";
import { assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { at, bulk, create, prose, read, remove, titlesOf, update } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { fileOf, LINES } from "../../kit/import-lines.ts";
import { markdownZip } from "../../kit/markdown-zip.ts";

// How new a text is: its title and content make it so, filing it does not.

const OLD = "2024-03-01T00:00:00.000Z";
const TEXT = "# List\n\n- [ ] walrus\n";

type Made = { ada: Client; id: string; folder: string; other: string };

/** A document in a folder, written years ago. */
async function made(): Promise<Made> {
  const ada = await person();
  const [folder, other] = await Promise.all(
    ["Work", "Home"].map(async (name) => (await ada.ok(folders.createFolderRoute, { json: { name } })).id),
  );
  const said = { title: "Plan", content: prose(TEXT), tags: ["plan"], folder_id: folder };
  const json = { ...said, created_at: OLD, updated_at: OLD };
  const { id } = await ada.ok(documents.createDocumentRoute, { json });
  return { ada, id, folder: folder ?? "", other: other ?? "" };
}

type Act = (one: Made) => Promise<unknown>;

const readMade = ({ ada, id }: Made) => read(ada, { id });
const put =
  (json: object): Act =>
  ({ ada, id }) =>
    update(ada, { id }, json);
const edit =
  (json: object): Act =>
  ({ ada, id }) =>
    ada.ok(documents.editDocumentRoute, { ...at({ id }), json });
const inBulk =
  (json: object): Act =>
  ({ ada, id }) =>
    bulk(ada, [{ ...json, id }]);
const byTool =
  (fields: object): Act =>
  async ({ ada, id }) =>
    (await assistant(ada)).editDocument({ id, ...fields });
const restore =
  (version: string): Act =>
  ({ ada, id }) =>
    ada.ok(documents.restoreVersionRoute, { params: { document_id: id, version } });
const tick: Act = ({ ada, id }) =>
  ada.ok(documents.changeDocumentTaskRoute, {
    params: { document_id: id, number: "1" },
    json: { done: true },
  });
const deleteFolder =
  (on_content: string): Act =>
  ({ ada, folder }) =>
    ada.call(folders.deleteFolderRoute, { params: { folder_id: folder }, query: { on_content } });

/** Does something and takes it back. */
const undone =
  (act: Act): Act =>
  async (one) => {
    await act(one);
    const { items } = await one.ada.ok(listActivityRoute);
    const [last] = items.filter(({ kind }) => kind === "document");
    expect(await one.ada.ok(undoActivityRoute, { json: { ids: [last?.id] } })).toMatchObject({ undone: 1 });
  };

const APPEND = { operation: "append", text: "otter" };

/** The document has changed, its text is as old as it was. */
const FILED: Record<string, Act> = {
  "PUT of tags": put({ tags: ["other"] }),
  "PUT of the same text in another folder": (one) =>
    put({ title: "Plan", content: prose(TEXT), folder_id: one.other })(one),
  "a tag is renamed": ({ ada }) =>
    ada.ok(tags.renameTagRoute, { params: { name: "plan" }, json: { name: "Planning" } }),
  "a tag is deleted": ({ ada }) => ada.call(tags.deleteTagRoute, { params: { name: "plan" } }),
  "bulk: moved": (one) => inBulk({ operation: "move", folder_id: one.other })(one),
  "bulk: tagged": inBulk({ operation: "add_tags", tags: ["new"] }),
  "bulk: updated in its tags": inBulk({ operation: "update", tags: [] }),
  "its folder is deleted around it": deleteFolder("move_up"),
  "deleted with its folder, and undone": undone(deleteFolder("trash")),
  "tool: tags": byTool({ operation: "set_fields", add_tags: ["new"] }),
  "tool: a folder": byTool({ operation: "set_fields", folder: "Home" }),
  "tagged and undone": undone(put({ tags: ["other"] })),
};

/** Nothing of it has changed. */
const UNTOUCHED: Record<string, Act> = {
  "PUT of what it says already": put({ title: "Plan", content: prose(TEXT), tags: ["plan"] }),
  "its folder is renamed": ({ ada, folder }) =>
    ada.ok(folders.updateFolderRoute, { params: { folder_id: folder }, json: { name: "Job" } }),
  "in the trash and out again": async ({ ada, id }) => {
    await remove(ada, { id });
    await ada.ok(documents.restoreDocumentRoute, at({ id }));
  },
};

/** Its text is new. */
const WRITTEN: Record<string, Act> = {
  "PUT of a title": put({ title: "The plan" }),
  "PUT of a text and tags": put({ content: prose("otter"), tags: [] }),
  "PUT of a property": put({ content: { ...prose(TEXT), status: "draft" } }),
  "PUT of no content": put({ content: null }),
  "an edit": edit(APPEND),
  "a task is ticked": tick,
  "bulk: a title": inBulk({ operation: "update", title: "The plan" }),
  "tool: append": byTool(APPEND),
  "tool: a title": byTool({ operation: "set_fields", title: "The plan" }),
};

/** Its text is as old as it was then. */
const AS_IT_WAS: Record<string, Act> = {
  "an edit is undone": undone(edit(APPEND)),
  "a task is ticked and undone": undone(tick),
  "an earlier version is restored": async (one) => {
    await put({ title: "Another" })(one);
    await put({ content: prose("otter") })(one);
    await restore("1")(one);
  },
};

test("what files a document leaves the age of its text, what writes it makes it new, and an undo brings it back", async () => {
  for (const [name, act] of Object.entries({ ...FILED, ...UNTOUCHED, ...WRITTEN, ...AS_IT_WAS })) {
    const one = await made();
    const before = await readMade(one);
    await act(one);
    const after = await readMade(one);
    const { title, content, version, updated_at, changed_at } = after;
    if (name in UNTOUCHED) expect(after, name).toEqual(before);
    else expect([version > 1, updated_at > OLD], name).toEqual([true, true]);
    if (name in WRITTEN) expect([version, changed_at], name).toEqual([2, updated_at]);
    else expect([title, content, changed_at], name).toEqual(["Plan", prose(TEXT), OLD]);
  }
});

test("a version of an earlier release, which does not know it, is as old as when it was written", async () => {
  const one = await made();
  await put({ title: "Another" })(one);
  await env.DB.prepare("UPDATE document_versions SET changed_at = NULL").run();
  await restore("1")(one);
  expect(await readMade(one)).toMatchObject({ title: "Plan", changed_at: OLD });
});

test("times that are given in bulk are those of the text, too, which is never older than the document", async () => {
  const one = await made();
  const given = "2025-06-01T00:00:00.000Z";
  await inBulk({ operation: "update", tags: ["x"], updated_at: given })(one);
  expect(await readMade(one)).toMatchObject({ updated_at: given, changed_at: given });
  const later = "2025-07-01T00:00:00.000Z";
  await inBulk({ operation: "update", created_at: later })(one);
  expect(await readMade(one)).toMatchObject({ created_at: later, changed_at: later });
  const operations = [
    { operation: "update", id: one.id, title: "Other" },
    { operation: "add_tags", id: one.id, tags: ["y"] },
  ];
  await bulk(one.ada, operations);
  const { changed_at, updated_at } = await readMade(one);
  expect(changed_at).toBe(updated_at);
});

test("an import has the times of its lines, also those of an export that does not know how old a text is", async () => {
  const ada = await person();
  const [changed, filedAt] = ["2025-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"];
  const line = { ...LINES.document, folder_id: null, created_at: OLD, updated_at: filedAt };
  for (const [fields, mode, expected] of [
    [{}, "skip", filedAt],
    [{ changed_at: changed }, "overwrite", changed],
    [{ changed_at: null }, "overwrite", filedAt],
  ] as const) {
    expect((await send(ada, fileOf([{ ...line, ...fields }]), `?mode=${mode}`)).status).toBeLessThan(300);
    const document = await ada.ok(documents.getDocumentRoute, { params: { document_id: line.id } });
    expect(document).toMatchObject({ updated_at: filedAt, changed_at: expected });
  }
});

test("lists, the search, tools and Tidy go by the text", async () => {
  const one = await made();
  const { ada, id } = one;
  const json = { title: "Newer", content: prose("A walrus that came later"), folder_id: one.folder };
  await create(ada, { ...json, created_at: "2025-01-01T00:00:00Z", updated_at: "2025-01-01T00:00:00Z" });
  await put({ tags: ["pinned"] })(one);
  await put({ tags: ["plan"] })(one);
  const listed = (query: Record<string, string>) => titlesOf(ada, query);
  expect(await listed({})).toEqual(["Plan", "Newer"]);
  for (const where of [{}, { folder_id: one.folder }] as Record<string, string>[])
    expect(await listed({ ...where, sort: "changed_at" })).toEqual(["Newer", "Plan"]);
  expect(await listed({ tasks: "any", sort: "changed_at" })).toEqual(["Plan"]);
  expect(await listed({ changed_after: "2024-06-01" })).toEqual(["Newer"]);
  expect(await listed({ changed_before: "2024-06-01" })).toEqual(["Plan"]);
  expect(await listed({ updated_after: "2025-06-01" })).toEqual(["Plan"]);
  const searched = async (query: Record<string, string>) =>
    documentResults(await ada.ok(searchRoute, { query: query as { q: string } })).map(({ title }) => title);
  expect(await searched({ q: "walrus after:2024-06-01" })).toEqual(["Newer"]);
  expect(await searched({ q: "walrus", updated_before: "2024-06-01" })).toEqual(["Plan"]);
  expect(await searched({ q: "type:document" })).toEqual(["Newer", "Plan"]);
  const claude = await assistant(ada);
  const { documents: items } = await claude.listDocuments({});
  expect(items.map(({ title }) => title)).toEqual(["Newer", "Plan"]);
  expect(items[1]).toMatchObject({
    updated_at: expect.stringContaining("2024-03-01"),
    filed_at: expect.any(String),
  });
  expect(items[0]).not.toHaveProperty("filed_at");
  expect((await claude.listDocuments({ updated_after: "2024-06-01" })).total).toBe(1);
  const { results } = await claude.search({ query: "walrus before:2024-06-01" });
  expect(results).toMatchObject([{ title: "Plan", updated: expect.stringMatching(/2024|ago/) }]);
  const fetched = await claude.fetch({ id: `doc:${id}` });
  expect(fetched.metadata).toMatchObject({
    ...{ updated_at: expect.stringContaining("2024-03-01"), filed_at: expect.any(String) },
  });
  await ada.ok(lookRoute);
  const { items: tidied } = await ada.ok(listFindingsRoute);
  const unused = tidied.flatMap(({ kind, items: about }) => (kind === "unused_document" ? about : []));
  expect(unused.find((about) => about.id === id)).toMatchObject({ changed_at: OLD });
  const notes = unzipSync((await markdownZip(ada)).bytes);
  expect(new TextDecoder().decode(notes["Work/Plan.md"])).toContain(`updated_at: ${OLD}\n`);
});

// Documents of earlier releases get how old their texts are from what their versions know.

const BEFORE = "0078_text_updated.sql";

const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;

type State = { title?: string; text?: string | null; tags?: string[] };

/** The states of a document, the last one as it is, each a day after the one before; and the day on which its text was new. */
const HISTORIES: Record<string, { states: State[]; from?: number; expected: number }> = {
  "never changed": { states: [{ text: "one" }], expected: 1 },
  "only tagged": {
    states: [{ text: "one" }, { text: "one", tags: ["a"] }, { text: "one", tags: ["b"] }],
    expected: 1,
  },
  "written, then tagged twice": {
    states: [{ text: "one" }, { text: "two" }, { text: "two", tags: ["a"] }, { text: "two", tags: ["b"] }],
    expected: 2,
  },
  "written last": {
    states: [{ text: "one" }, { text: "one", tags: ["a"] }, { text: "two", tags: ["a"] }],
    expected: 3,
  },
  "a task ticked, as long as before": { states: [{ text: "- [ ] a" }, { text: "- [x] a" }], expected: 2 },
  "retitled, then tagged": {
    states: [
      { title: "A", text: "one" },
      { title: "B", text: "one" },
      { title: "B", text: "one", tags: ["a"] },
    ],
    expected: 2,
  },
  "without a text, then with one": {
    states: [{ text: null }, { text: "one" }, { text: "one", tags: ["a"] }],
    expected: 2,
  },
  "tagged so often that the first versions are gone": {
    states: [{ text: "one" }, { text: "one", tags: ["a"] }, { text: "one", tags: ["b"] }],
    from: 2,
    expected: 2,
  },
};

const contentOf = ({ text = null }: State) => (text === null ? null : JSON.stringify({ text }));

test("each document keeps what it has, and is as old as its versions know, also while its account is moved", async () => {
  await reset();
  const at = env.MIGRATIONS.findIndex(({ name }) => name === BEFORE);
  await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, at));
  await env.DB.prepare(`INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at)
    VALUES (1, 'a', 'a@example.com', '', 'member', 'UTC', '{}', ?)`)
    .bind(day(1))
    .run();
  for (const [id, { states, from = 1 }] of Object.entries(HISTORIES)) {
    const last = states.at(-1) as State;
    const row = (state: State) => [state.title ?? "Plan", contentOf(state), JSON.stringify(state.tags ?? [])];
    await env.DB.prepare(`INSERT INTO documents (id, owner, title, content, tags, source_type, version, created_at, updated_at)
      VALUES (?, 1, ?, ?, ?, 'api', ?, ?, ?)`)
      .bind(id, ...row(last), states.length, day(1), day(states.length))
      .run();
    for (const [place, state] of states.slice(0, -1).entries()) {
      if (place + 1 < from) continue;
      await env.DB.prepare(`INSERT INTO document_versions (document_id, owner, version, title, content, tags, source_type, created_at)
        VALUES (?, 1, ?, ?, ?, ?, 'api', ?)`)
        .bind(id, place + 1, ...row(state), day(place + 1))
        .run();
    }
  }
  const rows = async (columns: string) =>
    (await env.DB.prepare(`SELECT ${columns} FROM documents ORDER BY id`).all()).results;
  const before = await rows("id, title, content, tags, version, created_at, updated_at");
  await env.DB.prepare(
    "INSERT INTO moves (owner, user_id, state, home, number, progress, is_fenced, at) VALUES (1, 'a', 'leaving', 2, NULL, NULL, 1, ?)",
  )
    .bind(day(1))
    .run();
  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect(await rows("id, title, content, tags, version, created_at, updated_at")).toEqual(before);
  const ages = Object.fromEntries(
    (await rows("id, changed_at")).map(({ id, changed_at }) => [id, changed_at]),
  );
  expect(ages).toEqual(
    Object.fromEntries(Object.entries(HISTORIES).map(([id, { expected }]) => [id, day(expected)])),
  );
  const write = env.DB.prepare("UPDATE documents SET title = 'x'").run();
  await expect(write).rejects.toThrow("moving");
});

test("a document that an earlier release writes beside this one is as old as it says", async () => {
  const owner = await numberOf(await person());
  await env.DB.prepare(`INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at)
    VALUES ('one', ?2, 'Plan', '[]', 'api', 1, ?1, ?1)`)
    .bind(day(3), owner)
    .run();
  const changedAt = () => env.DB.prepare("SELECT changed_at FROM documents").first("changed_at");
  expect(await changedAt()).toBe(day(3));
  for (const [set, at, expected] of [
    [`title = title, content = content, tags = '["a"]'`, day(4), day(3)],
    [`title = title, content = '{"text":"two"}'`, day(5), day(5)],
    ["title = 'Another', content = content", day(6), day(6)],
    // This release says by itself how old the text is that comes back.
    [`title = 'Plan', content = content, changed_at = '${day(3)}'`, day(7), day(3)],
  ] as const) {
    await env.DB.prepare(`UPDATE documents SET ${set}, updated_at = ?`).bind(at).run();
    expect(await changedAt(), set).toBe(expected);
  }
});
