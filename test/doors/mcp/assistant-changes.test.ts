import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { MAX_SCANNED_ENTRIES, MAX_SCANNED_PAGES } from "../../../src/features/activity/store.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { updateMemory } from "../../../src/features/memories/tools.ts";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { numberOf, runTool } from "../../kit/ctx.ts";
import { bareId } from "../../kit/mcp.ts";

// What an assistant is told about changes, and what it undoes and restores.

const SINCE = "2020-01-01";
const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

const changesOf = async (claude: Assistant, asked: object = {}) =>
  (await claude.listChanges({ since: SINCE, ...asked })).changes;

test("changes say which fields they changed, from what to what", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember({ ...SLIDES, due_date: "2099-01-08" });
  await claude.updateMemory({ ids: [1], due_date: "2099-01-12", content: "For Alan", add_tags: ["a"] });
  await claude.closeMemories({ ids: [1], outcome: "deferred", deferred_until: "2099-01-02" });
  await ada.ok(memories.restoreMemoryVersionRoute, { params: { memory_id: "1", version: "1" } });
  const [restored, deferred, changed, created] = await changesOf(claude);
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
  const claude = await assistant(ada);
  const { id } = await claude.createDocument({ title: "Plan", text: "One", folder: "Work" });
  const edit = (fields: object) => claude.editDocument({ id, ...fields });
  await edit({ operation: "append", text: "Two" });
  await edit({ operation: "set_fields", title: "The plan", folder: "/" });
  await claude.restore({ id: `${id}@1` });
  const [last] = await changesOf(claude);
  await claude.undoChanges({ ids: [last?.id] });
  const said = (await changesOf(claude)).map(({ change }) => change);
  expect(said).toEqual([
    `undid ${last?.id}: title "Plan" → "The plan", folder "Work" → "/", content`,
    'restored version 1: title "The plan" → "Plan", folder "/" → "Work", content',
    'changed title "Plan" → "The plan", folder "Work" → "/"',
    "changed content",
    "created",
    "created",
  ]);
});

test("the renaming of a project is one line, by whose number one call takes it back", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const records = Array.from({ length: 17 }, (_, n) => ({ ...SLIDES, topic: `Item${n}`, project: "Apollo" }));
  await claude.remember({ records });
  const renamed = await runTool(claude.ctx, updateMemory, { in_project: "Apollo", project: "Gemini" });
  const [line, ...others] = await changesOf(claude);
  expect(renamed).toMatchObject({ renamed: 17, change_id: line?.id });
  expect(line).toMatchObject({ by: "Claude", change: 'changed project "Apollo" → "Gemini" on 17 records' });
  expect(line).not.toHaveProperty("title");
  expect(others).toHaveLength(17);
  expect(await claude.undoChanges({ ids: line?.id })).toMatchObject({ undone: 17 });
  const [undone, before] = await changesOf(claude);
  expect(undone?.change).toBe('undid project "Gemini" → "Apollo" on 17 records');
  expect(before).toMatchObject({ undone: true, id: line?.id });
});

test("what an undo made of each record is in its answer", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const { id } = await claude.createDocument({
    ...{ title: "Plan", text: "One", tags: ["apollo"], folder: "Work/Notes" },
  });
  await claude.remember({ ...SLIDES, due_date: "2099-01-08", project: "Apollo" });
  await claude.closeMemories({ ids: [1], outcome: "resolved" });
  await claude.editDocument({ id, operation: "append", text: "Two" });
  const [edited, resolved, , created] = await changesOf(claude);
  const ids = [edited?.id, resolved?.id];
  const document = { record: id, title: "Plan" };
  const slides = { record: "mem:1", title: "Slides", due_date: "2099-01-08 (Thursday)", project: "Apollo" };
  expect((await claude.undoChanges({ ids })).results).toEqual([
    {
      ...{ id: edited?.id, outcome: "undone", ...document, tags: ["apollo"], version: 3 },
      folder: { id: expect.stringMatching(/^folder:/), path: "Work/Notes" },
    },
    { id: resolved?.id, outcome: "undone", ...slides, status: "active" },
  ]);
  expect((await claude.undoChanges({ ids: [created?.id, 99] })).results).toEqual([
    { id: created?.id, outcome: "undone", ...document, status: "in the trash" },
    { id: "99", outcome: "not_found", detail: "Not found" },
  ]);
  await claude.closeMemories({ ids: [1], outcome: "deleted" });
  const again = await claude.undoChanges({ ids: ids.slice(1) });
  expect(again.results).toMatchObject([
    { outcome: "already_undone", title: "Slides", status: "in the trash" },
  ]);
});

test("a change of tags names those that came and went, a change of text what it is called, never what it says", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const title = "x".repeat(90);
  const tags = ["plan", "apollo"];
  const { id } = await claude.createDocument({ title, text: "SECRET 1", tags });
  const set = (fields: object) => claude.editDocument({ id, operation: "set_fields", ...fields });
  await set({ add_tags: ["launch"], remove_tags: ["plan"] });
  await set({ add_tags: Array.from({ length: 14 }, (_, n) => `t${n}`) });
  await claude.editDocument({ id, operation: "append", text: "SECRET 2", title: "Plan" });
  await claude.remember({ ...SLIDES, content: "SECRET 3" });
  await claude.updateMemory({ ids: [1], topic: "Slides and notes", content: "SECRET 4" });
  const changes = await changesOf(claude);
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
  const claude = await assistant(ada);
  const text = "# Cake\n\nBake at 190 degrees.\n";
  const { id } = await claude.createDocument({ title: "Cake", text });
  const hotter = { operation: "find_replace", find_text: "190", text: "210" };
  await claude.editDocument({ id, ...hotter });
  const restored = await claude.restore({ id, version: 1 });
  expect(restored).toMatchObject({ version: 3, changed: ["3: Bake at 190 degrees."] });
  await claude.editDocument({ id, operation: "set_fields", title: "Plum cake" });
  expect(await claude.restore({ id, version: 3 })).not.toHaveProperty("changed");
});

test("undoing by time goes on below what is refused, however much that is", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember({ ...SLIDES, topic: "The oldest" });
  for (let page = 0; page < 3; page++) {
    const records = Array.from({ length: 40 }, (_, n) => ({ ...SLIDES, topic: `Item${page}x${n}` }));
    await claude.remember({ records });
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
    const answer = await claude.undoChanges({ since: SINCE, before });
    outcomes.push(...answer.results.map(({ outcome }) => outcome));
    before = answer.next_before;
    expect(answer.has_more ?? false).toBe(before !== undefined);
    calls += 1;
  } while (before !== undefined && calls < 9);
  expect(outcomes).toEqual([...Array(120).fill("changed_since"), "undone"]);
  const again = await ada.ok(undoActivityRoute, { json: { client: "Claude", since: SINCE, before: 2 } });
  expect(again).toMatchObject({ undone: 0, has_more: false });
});

test("a connection with few of many changes finds them page by page, in bounded steps", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember(SLIDES);
  await env.DB.prepare(`INSERT INTO activity (owner, number, at, actor, verb, kind, record, title, has_event)
    SELECT ?1, value, '2099-01-01T00:00:00.000Z', 'person', 'changed', 'document', 'x', 'Title', 0
    FROM (WITH RECURSIVE n(value) AS (SELECT 2 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)`)
    .bind(await numberOf(ada), MAX_SCANNED_ENTRIES * MAX_SCANNED_PAGES + 50)
    .run();
  const asked = { since: SINCE, mine: true };
  const first = await claude.listChanges(asked);
  expect(first).toMatchObject({ changes: [], has_more: true });
  const second = await claude.listChanges({ ...asked, before: first.next_before });
  expect(second).toMatchObject({ changes: [{ id: "1", title: "Slides" }], has_more: false });
});

test("restoring an unknown version of a trashed document leaves it in the trash", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const { id } = await claude.createDocument({ title: "Plan", text: "One" });
  await claude.editDocument({ id, operation: "append", text: "Two" });
  await ada.call(documents.deleteDocumentRoute, { params: { document_id: bareId(id) } });
  await expect(claude.restore({ id, version: 9 })).rejects.toThrow(`${id} has no version 9`);
  expect(await claude.listTrash()).toMatchObject({ total: 1 });
  expect(await claude.restore({ id, version: 2 })).toMatchObject({ version: 2 });
  expect(await claude.listTrash()).toMatchObject({ total: 0 });
});

test("records have versions as documents do: they are listed, read and restored", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember({ ...SLIDES, due_date: "2099-01-08" });
  await claude.updateMemory({ ids: [1], topic: "Slides and notes", due_date: "2099-01-12" });
  const { versions, total } = await claude.listVersions({ id: "mem:1" });
  expect(total).toBe(1);
  expect(versions).toMatchObject([
    { id: "mem:1@1", title: "Slides", status: "active", due_date: "2099-01-08", written_by: "Claude" },
  ]);
  expect(await claude.restore({ id: "mem:1@1" })).toEqual({
    id: "mem:1",
    title: "Slides",
    status: "active",
    due_date: "2099-01-08 (Thursday)",
    version: 3,
    today: expect.stringMatching(/day\)$/),
  });
  await expect(claude.restore({ id: "mem:1", version: 9 })).rejects.toThrow("mem:1 has no version 9");
});
