import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { resolveDocuments } from "../../../src/features/documents/title-store.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, meteredCtx, numberOf } from "../../kit/ctx.ts";
import { cron } from "../../kit/hooks.ts";
import { bothGenerations, expectRefusals, stateless, use } from "../../kit/mcp.ts";
import { keyOf } from "../../kit/scopes.ts";

// A title that a single document has stands for its id, wherever a tool takes one.

const create = async (client: Client, title: string, folder_id?: string) => {
  const content = { format: "markdown", text: "# One\n\nalpha" };
  const json = { title, content, ...(folder_id && { folder_id }) };
  return `doc:${(await client.ok(documents.createDocumentRoute, { json })).id}`;
};

const titles = async (client: Client) =>
  (await client.ok(documents.listDocumentsRoute, { query: { limit: 100, sort: "title" } })).items.map(
    ({ title }) => title,
  );

test("reads, changes, restores and deletes its document, in both generations", async () => {
  const ada = await person();
  for (const [, asker] of await bothGenerations(ada)) {
    const id = await create(ada, "Packing list");
    expect(await use(asker, "fetch", { id: "packing LIST" })).toMatchObject({ id, title: "Packing list" });
    expect((await use(asker, "fetch", { id: "Packing list#One" })).text).toContain("alpha");
    const append = { operation: "append", text: "omega" };
    const edited = await use(asker, "edit_document", {
      id: " Packing list ",
      ...append,
      expected_version: 1,
    });
    expect(edited).toMatchObject({ id, version: 2, change_id: expect.any(String) });
    const stale = await use(asker, "edit_document", { id: "Packing list", ...append, expected_version: 1 });
    expect(stale.refused).toContain(`${id} has version 2, not 1`);
    expect(await use(asker, "list_versions", { id: "Packing list" })).toMatchObject({ total: 1 });
    expect(await use(asker, "list_changes", { record: "Packing list" })).toMatchObject({ record: id });
    expect(await use(asker, "restore", { id: "Packing list", version: 1 })).toMatchObject({ id, version: 3 });
    const renamed = { ids: ["Packing list", id], operation: "set_fields", title: "What to pack" };
    expect(await use(asker, "edit_document", renamed)).toMatchObject({ id, title: "What to pack" });
    expect((await use(asker, "fetch", { id: "Packing list" })).refused).toContain(
      "no document has the title",
    );
    expect(await use(asker, "delete_document", { ids: ["what to pack"] })).toMatchObject({
      id,
      trashed: true,
    });
    expect((await use(asker, "restore", { id: "What to pack" })).refused).toContain(
      "list_trash has deleted ones",
    );
  }
});

test("is compared as names are", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  for (const [title, ...spellings] of [
    ["Öztürk’s Café", "ÖZTÜRK’S CAFÉ", "Öztürk’s Café".normalize("NFD")],
    ["Große Straße", "GROSSE STRASSE"],
    ["ΟΔΟΣ", "οδος", "οδοσ"],
    ["  Notes\t", "NOTES "],
    ["Plan, the second", "plan, THE second"],
    ["[draft] 2026", "[Draft] 2026"],
    ["C# and #Ideas@3", "c# AND #ideas@3"],
    ["folder: 12", "Folder: 12"],
    ["x".repeat(500), "X".repeat(500)],
  ] as [string, ...string[]][]) {
    const id = await create(ada, title);
    for (const sent of [title, ...spellings]) {
      expect((await claude.fetch({ id: sent })).id, sent).toBe(id);
      expect((await claude.editDocument({ ids: sent, operation: "append", text: "more" })).id, sent).toBe(id);
    }
  }
});

test("that several documents have is refused with the ids, folders and days of at most five, and nothing is done", async () => {
  const ada = await person();
  const asker = stateless(ada);
  const folder = await ada.ok(createFolderRoute, { json: { name: "Work" } });
  const [first, second] = [await create(ada, "Plan"), await create(ada, "PLAN", folder.id)];
  const trashed = await create(ada, "Plan");
  await use(asker, "delete_document", { id: trashed });
  for (const [tool, input] of [
    ["edit_document", { id: "plan", operation: "replace_all", text: "" }],
    ["delete_document", { id: "plan" }],
    ["fetch", { id: "plan" }],
    ["fetch", { id: "plan#One" }],
    ["restore", { id: "plan", version: 1 }],
  ] as const) {
    const { refused = "" } = await use(asker, tool, input);
    expect(refused, tool).toMatch(/^ids?: 2 documents have the title "plan"; nothing was changed/);
    for (const id of [first, second]) expect(refused, tool).toContain(id);
    expect(refused).toMatch(/in "Work", changed 20\d\d-\d\d-\d\d/);
    expect(refused).not.toContain(trashed);
  }
  const { results } = await use(asker, "delete_document", {
    ids: ["plan", second, second.toUpperCase(), "Plans"],
  });
  expect(results).toMatchObject([
    { index: 0, ok: false, detail: expect.stringContaining("2 documents have the title") },
    { index: 1, ok: true, id: second },
    { index: 2, ok: false, detail: expect.stringContaining('"Plans"; did you mean "PLAN"? Give its title') },
  ]);
  // Now it is the only one.
  expect(await use(asker, "delete_document", { id: "plan" })).toMatchObject({ id: first, trashed: true });
  for (let n = 0; n < 7; n++) await create(ada, "Many");
  const { refused = "" } = await use(asker, "delete_document", { id: "many" });
  expect(refused).toContain("more than 5 documents");
  expect(refused.match(/doc:/g)).toHaveLength(5);
  expect((await titles(ada)).length).toBe(7);
});

test("that looks like an id is one, and one of another account is not found", async () => {
  const [ada, bob] = [await person(), await person()];
  const asker = stateless(ada);
  const id = await create(ada, "Victim");
  const ids = [await create(ada, id), await create(ada, id.slice("doc:".length))];
  expect(await use(asker, "fetch", { id })).toMatchObject({ id, title: "Victim" });
  const { results } = await use(asker, "delete_document", { ids });
  expect(results).toMatchObject([{ ok: true }, { ok: true }]);
  expect(await titles(ada)).toEqual(["Victim"]);
  await create(bob, "Secret of Bob");
  for (const sent of ["Secret of Bob", "Secret of"]) {
    const { refused = "" } = await use(asker, "edit_document", { id: sent, operation: "append", text: "x" });
    expect(refused).toBe(
      `ids: no document has the title "${sent}". Give its title or its id (doc:<uuid>), as shown by search and list_documents; list_trash has deleted ones`,
    );
  }
  // A number is a record wherever a tool takes records as well.
  await create(ada, "2024");
  await expectRefusals(asker, [["delete_document", { id: "doc:12" }, "must be doc:<uuid>"]]);
  for (const sent of ["mem:12", "2024", "#2024", 2024, "https://notes.example/records/2024"])
    await expectRefusals(asker, [["delete_document", { id: sent }, "is a record"]]);
});

test("is found in any case after it was renamed in its case alone", async () => {
  const ada = await person();
  const asker = stateless(ada);
  const id = await create(ada, "übersicht (neu)");
  const params = { document_id: id.slice("doc:".length) };
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Übersicht (neu)" } });
  expect(await use(asker, "fetch", { id: "übersicht (NEU)" })).toMatchObject({ id });
  await create(ada, "ÜBERSICHT (neu)");
  expect((await use(asker, "fetch", { id: "übersicht (neu)" })).refused).toContain(
    "2 documents have the title",
  );
});

test("is not believed of a document that a Worker of an earlier version renamed since", async () => {
  const ada = await person();
  const id = await create(ada, "Ärger");
  await env.DB.prepare("UPDATE documents SET title = 'Freude' WHERE id = ?")
    .bind(id.slice("doc:".length))
    .run();
  expect((await use(stateless(ada), "fetch", { id: "ärger" })).refused).toContain(
    "no document has the title",
  );
  expect(await use(stateless(ada), "fetch", { id: "freude" })).toMatchObject({ id });
});

test("that nothing has is answered with the nearest, however hostile it is", async () => {
  const ada = await person();
  const asker = stateless(ada);
  await create(ada, "Meeting notes");
  await create(ada, "Straßenplan");
  const hint = async (id: string) => (await use(asker, "delete_document", { id })).refused;
  for (const sent of ["Meeting", "Meetings notes"])
    expect(await hint(sent), sent).toContain('did you mean "Meeting notes"?');
  expect(await hint("Straßen")).toContain('did you mean "Straßenplan"?');
  const short = ["\u0000", "\ud800", "%", "' OR 1=1 --", "Meeting notes\u0000"];
  for (const sent of [...short, "x".repeat(100_000), "ﬃ".repeat(400), "🦓".repeat(600)]) {
    const { refused = "" } = await use(asker, "delete_document", { ids: [sent, " "] });
    const { results } = await use(asker, "delete_document", { ids: [sent, "."] });
    expect([refused, JSON.stringify(results)].join("").length, sent.slice(0, 20)).toBeLessThan(1500);
    expect(results, sent.slice(0, 20)).toMatchObject([{ ok: false }, { ok: false }]);
  }
  const many = Array.from({ length: 100 }, (_, n) => `Title ${n}`);
  expect((await use(asker, "delete_document", { ids: many })).refused).toContain("ids");
  expect(await titles(ada)).toEqual(["Meeting notes", "Straßenplan"]);
});

test("costs one statement for all of them, which reads no other document", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const fill = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at, title_key)
    SELECT ?1 || '-' || i, ?1, iif(i % 2, 'Untitled', 'Öl'), '[]', 'api', 1, '2026-01-01', '2026-01-01', iif(i % 2, NULL, 'öl') FROM n`;
  await env.DB.prepare(fill).bind(owner).run();
  const own = Array.from({ length: 25 }, (_, n) => `Bericht über Nr. ${n}`);
  for (const title of own) await create(ada, title);
  const { ctx, meter } = meteredCtx(await ctxOf(ada));
  const ids = [...own.map((title) => title.toUpperCase()), "untitled", "ÖL"];
  const named = await resolveDocuments(ctx, ids, "ids");
  expect(named.filter(({ id }) => id !== undefined)).toHaveLength(25);
  expect(meter.batches).toBe(1);
  expect(meter.rowsRead).toBeLessThan(20 * ids.length);
});

test("takes the right to read documents, so that others do not learn what there is", async () => {
  const ada = await person();
  const id = await create(ada, "Secret");
  const folder = await ada.ok(createFolderRoute, { json: { name: "Hidden" } });
  const writer = stateless(await keyOf(ada, ["docs:write"]));
  const edit = { operation: "append", text: "x" };
  for (const title of ["Secret", "Nothing"]) {
    for (const [name, args] of [
      ["edit_document", { id: title, ...edit }],
      ["delete_document", { id: title }],
      ["restore", { id: title, version: 1 }],
    ] as const)
      expect((await writer.ask("tools/call", { name, arguments: args })).status, name).toBe(403);
    const { results } = await use(writer, "edit_document", { documents: [{ id: title, ...edit }] });
    const detail = "insufficient_scope: edit_document needs docs:read";
    expect(results).toEqual([{ index: 0, ok: false, detail }]);
  }
  expect(await use(writer, "edit_document", { documents: [{ id, ...edit }] })).toMatchObject({
    results: [{ id, ok: true }],
  });
  const hidden = { documents: [{ title: "x", text: "x", folder: "Hiden" }] };
  const created = await use(writer, "create_document", hidden);
  expect(JSON.stringify(created)).not.toContain(folder.name);
  const records = stateless(await keyOf(ada, ["memory:read", "memory:write"]));
  for (const title of ["Secret", "Nothing"])
    for (const [name, field] of Object.entries({ fetch: "id", list_versions: "id", list_changes: "record" }))
      expect((await records.ask("tools/call", { name, arguments: { [field]: title } })).status).toBe(403);
});

test("of an earlier version is found as it is spelled, and in all ways once the cron handler has run", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const id = await create(ada, "Übersicht");
  const bare = id.slice("doc:".length);
  const keyOfTitle = () =>
    env.DB.prepare("SELECT title_key FROM documents WHERE id = ?")
      .bind(bare)
      .first<string | null>("title_key");
  expect(await keyOfTitle()).toBe("übersicht");
  // An earlier version wrote titles, but no keys.
  await env.DB.prepare("UPDATE documents SET title = ?, title_key = NULL WHERE id = ?")
    .bind("Überblick", bare)
    .run();
  const found = await claude.fetch({ id: "Überblick".normalize("NFD") });
  expect(found.id).toBe(id);
  await expect(claude.fetch({ id: "überblick" })).rejects.toThrow("no document has the title");
  await cron();
  expect(await keyOfTitle()).toBe("überblick");
  expect((await claude.fetch({ id: "ÜBERBLICK" })).id).toBe(id);
  await claude.editDocument({ id, operation: "set_fields", title: "Overview" });
  expect(await keyOfTitle()).toBeNull();
  expect(await claude.deleteDocument({ id: "overview" })).toMatchObject({ trashed: true });
});

test("that is long is found as it is spelled, because its row has no room for a key", async () => {
  const ada = await person();
  const long = `Über ${"ä".repeat(90)}`;
  const id = await create(ada, long);
  await cron();
  expect(await use(stateless(ada), "fetch", { id: long })).toMatchObject({ id });
  expect(await use(stateless(ada), "fetch", { id: long.normalize("NFD") })).toMatchObject({ id });
  const keys = await env.DB.prepare("SELECT title_key FROM documents").all();
  expect(keys.results).toEqual([{ title_key: "" }]);
});
