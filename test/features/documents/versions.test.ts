import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import * as tags from "../../../src/features/tags/routes.ts";
import * as trash from "../../../src/features/trash/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { meteredClient } from "../../kit/database.ts";
import { at, bulk, create, prose, read, remove, titlesOf, update, versionsOf } from "../../kit/documents.ts";
import { cron } from "../../kit/hooks.ts";
import { NOBODYS_ID } from "../../kit/operations.ts";
import { find } from "../../kit/search.ts";
import { countedOf, freshOf } from "../../kit/usage.ts";

const of = (document: { id: string }, version: number) => ({
  params: { document_id: document.id, version: String(version) },
});
const NOWHERE = at({ id: NOBODYS_ID });

const count = (table: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");

test("every change keeps the previous version, with its author, and any of them can be restored", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const first = { title: "Plan", tags: ["a"], folder_id };
  const plan = await create(
    ada,
    { ...first, content: prose("walrus") },
    { "X-Source-Type": "web", "X-Client-Name": "Editor" },
  );
  await update(ada, plan, { title: "Plan B", tags: ["b"] });
  await update(ada, plan, { content: prose("otter"), folder_id: null });
  await update(ada, plan, { title: "Plan B" });

  const list = await ada.ok(documents.listVersionsRoute, at(plan));
  expect(list).toMatchObject({
    total: 2,
    items: [
      { version: 2, title: "Plan B", tags: ["b"], folder_id, source_type: "api", client_name: null },
      { version: 1, ...first, source_type: "web", client_name: "Editor" },
    ],
  });
  const version = await ada.ok(documents.getVersionRoute, of(plan, 1));
  expect(version).toMatchObject({ title: "Plan", content: prose("walrus"), created_at: plan.created_at });
  const current = await ada.ok(documents.getVersionRoute, of(plan, 3));
  expect(current).toMatchObject({ version: 3, content: prose("otter"), folder_id: null });

  const restored = await ada.ok(documents.restoreVersionRoute, of(plan, 1));
  expect(restored).toMatchObject({ ...first, version: 4, content: prose("walrus"), source_type: "web" });
  expect([await find(ada, "walrus"), await find(ada, "otter")]).toEqual([["Plan"], []]);
  expect(await versionsOf(ada, plan)).toEqual([3, 2, 1]);
  for (const route of [documents.getVersionRoute, documents.restoreVersionRoute])
    expect(await ada.refusal(route, of(plan, 9))).toEqual({ status: 404, detail: "Not found" });

  await update(ada, plan, { folder_id: null });
  await ada.ok(folders.deleteFolderRoute, { params: { folder_id } });
  // A folder that no longer exists is the top level.
  const loose = { title: "Plan", folder_id: null };
  expect(await ada.ok(documents.restoreVersionRoute, of(plan, 1))).toMatchObject(loose);
});

/** The versions whose text the next change replaced, newest first. */
const textsOf = async (who: Client, plan: { id: string }) => {
  const { items } = await who.ok(documents.listVersionsRoute, { ...at(plan), query: { limit: 100 } });
  const replaced = items.filter(({ next_has_same_text }) => !next_has_same_text);
  const read = ({ version }: { version: number }) => who.ok(documents.getVersionRoute, of(plan, version));
  return (await Promise.all(replaced.map(read))).map(({ content }) => content?.text);
};

test("moves and tags push no text out of the history: 50 of each are kept", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const { id: folder_id } = await ada.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const { id: other } = await ada.ok(folders.createFolderRoute, { json: { name: "Other" } });
  const plan = await create(ada, { content: prose("text 0") });
  for (const turn of [1, 2, 3]) await update(ada, plan, { content: prose(`text ${turn}`) });
  const file = async (turn: number) => {
    if (turn % 3 === 0) await update(ada, plan, { folder_id: turn % 2 ? null : folder_id });
    else if (turn % 3 === 1) await bulk(ada, [{ operation: "add_tags", id: plan.id, tags: [`tag-${turn}`] }]);
    else await update(ada, plan, { tags: ["plan"] }, { "X-Sitting": `session-${turn}` });
  };
  for (let turn = 0; turn < 60; turn++) await file(turn);
  expect(await textsOf(ada, plan)).toEqual(["text 2", "text 1", "text 0"]);
  expect((await versionsOf(ada, plan)).length).toBe(53);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
  // The last of them may still be undone.
  const { items } = await ada.ok(listActivityRoute, { query: { kind: "document", record_id: plan.id } });
  expect(await ada.ok(undoActivityRoute, { json: { ids: [items[0]?.id] } })).toMatchObject({ undone: 1 });
  await ada.ok(tags.renameTagRoute, { params: { name: "plan" }, json: { name: "Planning" } });
  const parts = { params: { folder_id: other }, query: { on_content: "move_up" } };
  await update(ada, plan, { folder_id: other });
  await ada.call(folders.deleteFolderRoute, parts);
  expect(await textsOf(ada, plan)).toEqual(["text 2", "text 1", "text 0"]);

  expect(await ada.ok(documents.restoreVersionRoute, of(plan, 1))).toMatchObject({
    ...{ content: prose("text 0"), tags: [] },
  });
  expect(await textsOf(ada, plan)).toEqual(["text 3", "text 2", "text 1", "text 0"]);

  for (let turn = 0; turn < 60; turn++) {
    await update(ada, plan, { content: prose(`later ${turn}`) });
    await file(turn);
  }
  const texts = await textsOf(ada, plan);
  expect([texts.length, texts[0], texts.at(-1)]).toEqual([50, "later 58", "later 9"]);
  expect((await versionsOf(ada, plan)).length).toBeLessThanOrEqual(100);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));

  // However full the history is.
  const { client, meter } = meteredClient(ada);
  const rowsOf = async (json: object, session: string) => {
    meter.rowsRead = 0;
    await update(client, plan, json, { "X-Sitting": session });
    return meter.rowsRead;
  };
  expect(await rowsOf({ content: prose("one more") }, "the-session")).toBeLessThan(400);
  expect(await rowsOf({ content: prose("one more letter") }, "the-session")).toBeLessThan(60);
  expect(await rowsOf({ tags: ["last"] }, "another-session")).toBeLessThan(250);
});

test("a text that is moved and tagged often keeps its first version, with its writer and time", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const by = (name: string) => ({ "X-Client-Name": name });
  const plan = await create(ada, { content: prose("first") }, by("Editor"));
  const tag = async (times: number) => {
    for (let turn = 0; turn < times; turn++) await update(ada, plan, { tags: [`tag-${turn}`] }, by("Filing"));
  };
  const listed = async () => {
    const { items } = await ada.ok(documents.listVersionsRoute, { ...at(plan), query: { limit: 100 } });
    return items.reverse();
  };
  await tag(55);
  const [first, next, ...others] = await listed();
  expect(first).toMatchObject({
    ...{ version: 1, client_name: "Editor", created_at: plan.created_at, next_has_same_text: true },
  });
  expect([next?.version, others.length]).toEqual([7, 48]);
  expect((await update(ada, plan, { content: prose("second") }, by("Writer"))).version).toBe(57);
  await tag(30);
  expect((await listed()).map(({ version }) => version).slice(0, 3)).toEqual([1, 37, 38]);
  await tag(30);
  const kept = await listed();
  expect(kept.slice(0, 3).map(({ version, client_name }) => [version, client_name])).toEqual([
    [1, "Editor"],
    [57, "Writer"],
    [68, "Filing"],
  ]);
  expect(kept.map((one) => one.next_has_same_text)).toEqual([false, ...Array(50).fill(true)]);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
});

test("a text counts as one again when the next version, which had it too, is erased", async () => {
  const ada = await person();
  const plan = await create(ada, { content: prose("first") });
  await update(ada, plan, { tags: ["a"] });
  await update(ada, plan, { tags: ["a", "b"] });
  await update(ada, plan, { content: prose("second") });
  for (const [version, texts] of [
    [2, ["first"]],
    [3, ["first"]],
  ] as const) {
    expect((await ada.call(documents.eraseVersionRoute, of(plan, version))).status).toBe(204);
    expect(await textsOf(ada, plan)).toEqual(texts);
  }
});

test("a text that is written in a session that began with a tag is kept", async () => {
  const ada = await person();
  const plan = await create(ada, { content: prose("first") });
  const session = { "X-Sitting": "one-session" };
  await update(ada, plan, { tags: ["a"] }, session);
  await update(ada, plan, { content: prose("second") }, session);
  await update(ada, plan, { tags: ["b"] }, session);
  await update(ada, plan, { content: prose("third") }, session);
  expect(await textsOf(ada, plan)).toEqual(["first"]);
});

test("a deleted document is only in the trash, until it is restored", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const plan = await create(ada, { content: prose("walrus"), tags: ["a"], folder_id });
  await create(ada, { title: "Kept" });
  await remove(ada, plan);
  const { items, total } = await ada.ok(trash.listTrashRoute);
  expect(total).toBe(1);
  expect(items[0]).toMatchObject({ id: plan.id, title: "Plan", tags: ["a"], folder_id, version: 1 });

  const absent = (await ada.call(documents.getDocumentRoute, NOWHERE)).text;
  for (const [route, json] of [
    [documents.getDocumentRoute, undefined],
    [documents.listVersionsRoute, undefined],
    [documents.deleteDocumentRoute, undefined],
    [documents.updateDocumentRoute, { title: "x" }],
    [documents.editDocumentRoute, { operation: "append", text: "x" }],
  ] as const) {
    const answer = await ada.call(route, { ...at(plan), json });
    expect([answer.status, answer.text]).toEqual([404, absent]);
  }
  expect(await titlesOf(ada)).toEqual(["Kept"]);
  for (const query of [{ folder_id }, { tag: "a" }] as Record<string, string>[])
    expect((await ada.ok(documents.listDocumentsRoute, { query })).total).toBe(0);
  expect(await find(ada, "walrus")).toEqual([]);
  expect((await ada.ok(tags.listTagsRoute)).total).toBe(0);
  expect((await ada.ok(folders.getFolderRoute, { params: { folder_id } })).document_count).toBe(0);

  for (let time = 0; time < 2; time++)
    expect(await ada.ok(documents.restoreDocumentRoute, at(plan))).toEqual(plan);
  expect(await find(ada, "walrus")).toEqual(["Plan"]);
  expect((await ada.ok(tags.listTagsRoute)).items).toEqual([{ name: "a", document_count: 1 }]);
  expect((await ada.ok(trash.listTrashRoute)).total).toBe(0);
});

test("what is erased, from the trash after 30 days too, cannot be recovered", async () => {
  const [ada, bob] = [await person(), await person()];
  const bobs = await create(bob, { title: "Bob's" });
  await remove(bob, bobs);
  const erased = [
    await create(ada, { tags: ["a"] }),
    await create(ada),
    await create(ada),
    await create(ada),
  ];
  const [one, two, three, old] = erased as [typeof bobs, typeof bobs, typeof bobs, typeof bobs];
  for (const document of erased) await update(ada, document, { title: "x" });
  await remove(ada, one, { permanent: "true" });
  for (const document of [two, three, old]) await remove(ada, document);
  await remove(ada, two, { permanent: "true" });
  const since = new Date(Date.now() - 31 * 86_400_000).toISOString();
  await env.DB.prepare("UPDATE documents SET trashed_at = ? WHERE id = ?").bind(since, old.id).run();
  await cron();
  expect((await ada.ok(trash.listTrashRoute)).items).toMatchObject([{ id: three.id }]);
  await ada.ok(trash.emptyTrashRoute);

  expect((await ada.ok(trash.listTrashRoute)).total).toBe(0);
  expect((await bob.ok(trash.listTrashRoute)).total).toBe(1);
  for (const document of [...erased, bobs])
    expect((await ada.call(documents.restoreDocumentRoute, at(document))).status).toBe(404);
  expect(await count("documents")).toBe(1);
  for (const table of ["document_versions", "document_tags", "search_entries"])
    expect(await count(table)).toBe(0);
});

test("an edit changes part of the text", async () => {
  const ada = await person();
  const plan = await create(ada, { content: { ...prose("# A\n\nold\n\n# B\n\nb\n"), mood: "fine" } });
  const edit = (json: Record<string, unknown>, headers: Record<string, string> = {}, one = plan) =>
    ada.call(documents.editDocumentRoute, { ...at(one), json, headers });
  const replaced = { operation: "replace_section", section: "A", text: "new" };
  const edited = await edit(replaced, { "If-Match": '"v1"', "X-Source-Type": "cli" });
  expect([edited.status, edited.headers.get("ETag")]).toEqual([200, '"v2"']);
  expect(edited.body.content).toEqual({ ...prose("# A\n\nnew\n\n# B\n\nb\n"), mood: "fine" });
  expect([await find(ada, "new"), await find(ada, "old")]).toEqual([["Plan"], []]);

  const append = { operation: "append", text: "first" };
  expect((await edit(append, { "If-Match": '"v1"' })).status).toBe(412);
  const twice = { operation: "find_replace", find_text: "b", text: "c", expected_replacements: 2 };
  expect((await edit(twice)).text).toBe('{"detail":"find_text occurs 1 times, not 2: nothing was changed"}');
  expect((await edit({ operation: "append", text: "" })).status).toBe(400);
  expect((await edit({ operation: "explode", text: "c" })).status).toBe(422);
  expect((await read(ada, plan)).version).toBe(2);

  expect((await edit(append, {}, await create(ada))).body.content).toEqual(prose("first"));
  expect((await edit(append, {}, await create(ada, { content: { text: 5 } }))).status).toBe(400);
});

test("20 concurrent edits form one chain of versions and none is lost", async () => {
  const ada = await person();
  const plan = await create(ada, { content: prose("start") });
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const answers = await Promise.all(
    lines.map((text) =>
      ada.ok(documents.editDocumentRoute, { ...at(plan), json: { operation: "append", text } }),
    ),
  );
  expect(new Set(answers.map(({ version }) => version)).size).toBe(20);
  const now = await read(ada, plan);
  expect(now.version).toBe(21);
  expect(String(now.content?.text).split("\n").sort()).toEqual(["start", ...lines].sort());
});
