import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { MAX_SCANNED_ENTRIES, MAX_SCANNED_PAGES } from "../../../src/features/activity/store.ts";
import { listChangesTool, undoChangesTool } from "../../../src/features/activity/tools.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createDocumentTool, editDocumentTool } from "../../../src/features/documents/tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { closeMemories, remember, updateMemory } from "../../../src/features/memories/tools.ts";
import { listTrashTool, listVersionsTool, restoreTool } from "../../../src/features/trash/tools.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { bareId } from "../../kit/mcp.ts";

// What an assistant is told about changes, and what it undoes and restores.

const SINCE = "2020-01-01";
const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

/** The tools as Claude's connection calls them. */
const claude = async (who: Client): Promise<Ctx> => ({
  ...(await ctxOf(who)),
  client_name: "Claude",
  actor: { kind: "assistant", id: "connection-1", source_type: "mcp" },
});

const changesOf = async (ctx: Ctx, asked: object = {}) =>
  (await callTool(ctx, listChangesTool, { since: SINCE, ...asked })).changes;

test("changes say which fields they changed, from what to what", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  await callTool(ctx, remember, { ...SLIDES, due_date: "2099-01-08" });
  await callTool(ctx, updateMemory, {
    ids: [1],
    due_date: "2099-01-12",
    content: "For Alan",
    add_tags: ["a"],
  });
  await callTool(ctx, closeMemories, { ids: [1], outcome: "deferred", deferred_until: "2099-01-02" });
  await ada.ok(memories.restoreMemoryVersionRoute, { params: { memory_id: "1", version: "1" } });
  const [restored, deferred, changed, created] = await changesOf(ctx);
  expect([restored?.by, deferred?.by]).toEqual(["person", "Claude"]);
  expect([created?.change, deferred?.change]).toEqual([
    "created",
    'deferred deferred_until none → "2099-01-02"',
  ]);
  const fieldsOf = (change = "") => change.replace(/^(changed|restored version 1:) /, "").split(", ");
  expect(fieldsOf(changed?.change)).toEqual(['tags +"a"', 'due_date "2099-01-08" → "2099-01-12"', "content"]);
  expect(fieldsOf(restored?.change).sort()).toEqual([
    "content",
    'deferred_until "2099-01-02" → none',
    'due_date "2099-01-12" → "2099-01-08"',
    'status "deferred" → "active"',
    'tags -"a"',
  ]);
});

test("changes of documents say so too: a title, a text, a folder, a restored version, an undo", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const { id } = await callTool(ctx, createDocumentTool, { title: "Plan", text: "One", folder: "Work" });
  const edit = (fields: object) => callTool(ctx, editDocumentTool, { id, ...fields });
  await edit({ operation: "append", text: "Two" });
  await edit({ operation: "set_fields", title: "The plan", folder: "/" });
  await callTool(ctx, restoreTool, { id: `${id}@1` });
  const [last] = await changesOf(ctx);
  await callTool(ctx, undoChangesTool, { ids: [last?.id] });
  const said = (await changesOf(ctx)).map(({ change }) => change);
  expect(said).toEqual([
    `undid ${last?.id}: title "Plan" → "The plan", folder "Work" → "/", content`,
    'restored version 1: title "The plan" → "Plan", folder "/" → "Work", content',
    'changed title "Plan" → "The plan", folder "Work" → "/"',
    "changed content",
    "created",
    "created",
  ]);
});

test("the renaming of a project is one line with the numbers of its changes", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const records = Array.from({ length: 17 }, (_, n) => ({ ...SLIDES, topic: `Item${n}`, project: "Apollo" }));
  await callTool(ctx, remember, { records });
  await callTool(ctx, updateMemory, { in_project: "Apollo", project: "Gemini" });
  const [line, ...others] = await changesOf(ctx);
  expect(line).toMatchObject({ by: "Claude", change: 'changed project "Apollo" → "Gemini" on 17 records' });
  expect(line).not.toHaveProperty("title");
  expect(others).toHaveLength(17);
  expect(await callTool(ctx, undoChangesTool, { ids: line?.id })).toMatchObject({ undone: 17 });
  const [undone, before] = await changesOf(ctx);
  expect(undone?.change).toBe('undid project "Gemini" → "Apollo" on 17 records');
  expect(before).toMatchObject({ undone: true, id: line?.id });
});

test("what an undo made of each record is in its answer", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const { id } = await callTool(ctx, createDocumentTool, {
    ...{ title: "Plan", text: "One", tags: ["apollo"], folder: "Work/Notes" },
  });
  await callTool(ctx, remember, { ...SLIDES, due_date: "2099-01-08", project: "Apollo" });
  await callTool(ctx, closeMemories, { ids: [1], outcome: "resolved" });
  await callTool(ctx, editDocumentTool, { id, operation: "append", text: "Two" });
  const [edited, resolved, , created] = await changesOf(ctx);
  const ids = [edited?.id, resolved?.id];
  const document = { record: id, title: "Plan" };
  const slides = { record: "mem:1", title: "Slides", due_date: "2099-01-08 (Thursday)", project: "Apollo" };
  expect((await callTool(ctx, undoChangesTool, { ids })).results).toEqual([
    {
      ...{ id: edited?.id, outcome: "undone", ...document, tags: ["apollo"], version: 3 },
      folder: { id: expect.stringMatching(/^folder:/), path: "Work/Notes" },
    },
    { id: resolved?.id, outcome: "undone", ...slides, status: "active" },
  ]);
  expect((await callTool(ctx, undoChangesTool, { ids: [created?.id, 99] })).results).toEqual([
    { id: created?.id, outcome: "undone", ...document, status: "in the trash" },
    { id: "99", outcome: "not_found", detail: "Not found" },
  ]);
  await callTool(ctx, closeMemories, { ids: [1], outcome: "deleted" });
  const again = await callTool(ctx, undoChangesTool, { ids: ids.slice(1) });
  expect(again.results).toMatchObject([
    { outcome: "already_undone", title: "Slides", status: "in the trash" },
  ]);
});

test("a change of tags names those that came and went, a change of text what it is called, never what it says", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const title = "x".repeat(90);
  const tags = ["plan", "apollo"];
  const { id } = await callTool(ctx, createDocumentTool, { title, text: "SECRET 1", tags });
  const set = (fields: object) => callTool(ctx, editDocumentTool, { id, operation: "set_fields", ...fields });
  await set({ add_tags: ["launch"], remove_tags: ["plan"] });
  await set({ add_tags: Array.from({ length: 14 }, (_, n) => `t${n}`) });
  await callTool(ctx, editDocumentTool, { id, operation: "append", text: "SECRET 2", title: "Plan" });
  await callTool(ctx, remember, { ...SLIDES, content: "SECRET 3" });
  await callTool(ctx, updateMemory, { ids: [1], topic: "Slides and notes", content: "SECRET 4" });
  const changes = await changesOf(ctx);
  const ten = Array.from({ length: 10 }, (_, n) => `+"t${n}"`).join(" ");
  expect(changes.map(({ change }) => change)).toEqual([
    'changed topic "Slides" → "Slides and notes", content',
    "created",
    `changed title "${"x".repeat(39)}…" → "Plan", content`,
    `changed tags ${ten} +4 more`,
    'changed tags +"launch" -"plan"',
    "created",
  ]);
  expect(JSON.stringify(changes)).not.toContain("SECRET");
});

test("an earlier state that is restored is shown by the lines that are different", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const text = "# Cake\n\nBake at 190 degrees.\n";
  const { id } = await callTool(ctx, createDocumentTool, { title: "Cake", text });
  const hotter = { operation: "find_replace", find_text: "190", text: "210" };
  await callTool(ctx, editDocumentTool, { id, ...hotter });
  const restored = await callTool(ctx, restoreTool, { id, version: 1 });
  expect(restored).toMatchObject({ version: 3, changed: ["3: Bake at 190 degrees."] });
  await callTool(ctx, editDocumentTool, { id, operation: "set_fields", title: "Plum cake" });
  expect(await callTool(ctx, restoreTool, { id, version: 3 })).not.toHaveProperty("changed");
});

test("undoing by time goes on below what is refused, however much that is", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  await callTool(ctx, remember, { ...SLIDES, topic: "The oldest" });
  for (let page = 0; page < 3; page++) {
    const records = Array.from({ length: 40 }, (_, n) => ({ ...SLIDES, topic: `Item${page}x${n}` }));
    await callTool(ctx, remember, { records });
  }
  // The person changes all but the first, so that none of these can be undone.
  const operations = Array.from({ length: 120 }, (_, n) => ({
    operation: "update" as const,
    id: n + 2,
    content: "By hand",
  }));
  for (let from = 0; from < 120; from += 60)
    await ada.ok(memories.changeMemoriesRoute, { json: { operations: operations.slice(from, from + 60) } });
  const outcomes: string[] = [];
  let before: number | undefined;
  let calls = 0;
  do {
    const answer = await callTool(ctx, undoChangesTool, { since: SINCE, before });
    outcomes.push(...answer.results.map(({ outcome }) => outcome));
    before = answer.next_before;
    expect(answer.has_more ?? false).toBe(before !== undefined);
    calls += 1;
  } while (before !== undefined && calls < 9);
  expect(outcomes).toEqual([...Array(120).fill("changed_since"), "undone"]);
  await expect(callTool(ctx, undoChangesTool, { ids: [1], before: 3 })).rejects.toThrow("before");
  const again = await ada.ok(undoActivityRoute, { json: { client: "Claude", since: SINCE, before: 2 } });
  expect(again).toMatchObject({ undone: 0, has_more: false });
});

test("a connection with few changes in a long ledger finds them page by page, in bounded steps", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  await callTool(ctx, remember, SLIDES);
  await env.DB.prepare(`INSERT INTO activity (owner, number, at, actor, verb, kind, record, title, has_event)
    SELECT ?1, value, '2099-01-01T00:00:00.000Z', 'person', 'changed', 'document', 'x', 'Title', 0
    FROM (WITH RECURSIVE n(value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)`)
    .bind(await numberOf(ada), MAX_SCANNED_ENTRIES * MAX_SCANNED_PAGES + 50)
    .run();
  const asked = { since: SINCE, mine: true };
  const first = await callTool(ctx, listChangesTool, asked);
  expect(first).toMatchObject({ changes: [], has_more: true });
  const second = await callTool(ctx, listChangesTool, { ...asked, before: first.next_before });
  expect(second).toMatchObject({ changes: [{ id: "1", title: "Slides" }], has_more: false });
});

test("restoring an unknown version of a trashed document leaves it in the trash", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const { id } = await callTool(ctx, createDocumentTool, { title: "Plan", text: "One" });
  await callTool(ctx, editDocumentTool, { id, operation: "append", text: "Two" });
  await ada.call(documents.deleteDocumentRoute, { params: { document_id: bareId(id) } });
  await expect(callTool(ctx, restoreTool, { id, version: 9 })).rejects.toThrow(`${id} has no version 9`);
  expect(await callTool(ctx, listTrashTool)).toMatchObject({ total: 1 });
  expect(await callTool(ctx, restoreTool, { id, version: 2 })).toMatchObject({ version: 2 });
  expect(await callTool(ctx, listTrashTool)).toMatchObject({ total: 0 });
});

test("records have versions as documents do: they are listed, read and restored", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  await callTool(ctx, remember, { ...SLIDES, due_date: "2099-01-08" });
  await callTool(ctx, updateMemory, { ids: [1], topic: "Slides and notes", due_date: "2099-01-12" });
  const { versions, total } = await callTool(ctx, listVersionsTool, { id: "mem:1" });
  expect(total).toBe(1);
  expect(versions).toMatchObject([
    { id: "mem:1@1", title: "Slides", status: "active", due_date: "2099-01-08", written_by: "Claude" },
  ]);
  expect(await callTool(ctx, restoreTool, { id: "mem:1@1" })).toEqual({
    id: "mem:1",
    title: "Slides",
    status: "active",
    due_date: "2099-01-08 (Thursday)",
    version: 3,
    today: expect.stringMatching(/day\)$/),
  });
  await expect(callTool(ctx, restoreTool, { id: "mem:1", version: 9 })).rejects.toThrow(
    "mem:1 has no version 9",
  );
  const onlyDocuments: Ctx = { ...ctx, scopes: ["docs:read"] };
  expect(listVersionsTool.needs?.({ id: "mem:1" })).toEqual(["memory:read"]);
  expect(onlyDocuments.scopes).not.toContain("memory:read");
});
