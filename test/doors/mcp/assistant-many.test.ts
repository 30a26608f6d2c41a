import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { bareId } from "../../kit/mcp.ts";

// Several documents or records in one call: what they share, and what each has of its own.

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;
const UNKNOWN = "doc:00000000-0000-7000-8000-000000000000";

const read = (client: Client, id: number) =>
  client.ok(memories.getMemoryRoute, { params: { memory_id: String(id) } });

const create = async (claude: Assistant, title: string, tags: string[] = []) =>
  String((await claude.createDocument({ title, text: "One", tags })).id);

const versionOf = async (who: Client, id: string) =>
  (await who.ok(documents.getDocumentRoute, { params: { document_id: bareId(id) } })).version;

test("several documents are tagged and moved in one call, with an answer for each, and it can be repeated and undone", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const plan = await create(claude, "Plan", ["apollo", "plan"]);
  const call = await create(claude, "Call", ["apollo"]);
  const done = await create(claude, "Done", ["apollo", "launch"]);
  const change = { operation: "set_fields", add_tags: "launch", remove_tags: "plan" };
  const tagged = await claude.editDocument({ ids: [plan, UNKNOWN, call, done, plan], ...change });
  expect(tagged).toEqual({
    results: [
      { id: plan, ok: true, title: "Plan", tags: ["apollo", "launch"] },
      { id: UNKNOWN, ok: false, detail: expect.stringContaining("was not found") },
      { id: call, ok: true, title: "Call", tags: ["apollo", "launch"] },
      { id: done, ok: true, title: "Done", tags: ["apollo", "launch"], unchanged: true },
    ],
  });
  const move = { operation: "set_fields", folder: "Work/Apollo" };
  const moved = await claude.editDocument({ ids: [UNKNOWN, plan, call], ...move });
  expect(moved).toMatchObject({
    folder: { path: "Work/Apollo", created: true },
    results: [{ ok: false }, { ok: true, title: "Plan" }, { ok: true, title: "Call" }],
  });
  expect((await ada.ok(listFoldersRoute)).total).toBe(2);
  expect(await claude.listDocuments({ folder: "Apollo" })).toMatchObject({ total: 2 });
  const again = await claude.editDocument({ ids: [plan, call], ...move });
  expect(again.results).toMatchObject([{ unchanged: true }, { unchanged: true }]);
  expect(await versionOf(ada, plan)).toBe(3);

  const { changes } = await claude.listChanges({ since: "2020-01-01" });
  const ids = changes.flatMap(({ id, record, change }) =>
    [plan, call].includes(record ?? "") && change !== "created" ? [id] : [],
  );
  expect(ids).toHaveLength(4);
  expect(await claude.undoChanges({ ids })).toMatchObject({ undone: 4 });
  const { documents: back } = await claude.listDocuments({ tag: "plan" });
  expect(back).toMatchObject([{ id: plan, tags: ["apollo", "plan"] }]);
  expect(back[0]).not.toHaveProperty("folder");
});

test("a folder is not created when none of the documents is there, and what several cannot share is refused", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const [one, two] = [await create(claude, "One"), await create(claude, "Two")];
  const edit = (fields: object) => claude.editDocument({ ids: [one, two], ...fields });
  const nowhere = { ids: [UNKNOWN, UNKNOWN.replace("0000", "1111")], operation: "set_fields", folder: "New" };
  expect((await claude.editDocument(nowhere)).folder).toBeUndefined();
  expect((await ada.ok(listFoldersRoute)).total).toBe(0);
  await expect(edit({ operation: "append", text: "x" })).rejects.toThrow("append: goes with one id");
  await expect(edit({ operation: "set_fields", title: "x" })).rejects.toThrow("title: goes with one id");
  await expect(edit({ operation: "set_fields" })).rejects.toThrow("give title, add_tags");
  await expect(edit({ operation: "set_fields", ids: [] })).rejects.toThrow("ids: which documents?");
  expect([await versionOf(ada, one), await versionOf(ada, two)]).toEqual([1, 1]);
});

test("an edit of the text changes title, tags and folder in the same version", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const id = await create(claude, "List", ["a"]);
  const edited = await claude.editDocument({
    ...{ id, operation: "find_replace", find_text: "One", text: "Two" },
    ...{ title: "Packing", add_tags: "b", folder: "Home" },
  });
  expect(edited).toMatchObject({
    ...{ id, title: "Packing", version: 2, replacements: 1, changed: ["1: Two"] },
    ...{ tags: ["a", "b"], folder: { path: "Home", created: true } },
  });
  expect(await claude.fetch({ id })).toMatchObject({ title: "Packing", text: "Two" });
});

test("records are changed together, each with fields of its own", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const records = ["Boots", "Hut", "Tent"].map((topic) => ({ ...SLIDES, topic }));
  await claude.remember({ records });
  const asked = {
    project: "Trips",
    records: [
      { id: "mem:1", due_date: "2099-01-08" },
      { id: "2", due: "2099-01-15", content: "By phone" },
      { id: "mem:99", due_date: "2099-01-15" },
      { id: "mem:3", due_date: "soon" },
      { id: "mem:1", topic: "Twice" },
      { id: "mem:3", colour: "red" },
      { topic: "Whose?" },
    ],
  };
  const { results } = await claude.updateMemory(asked);
  const done = { ok: true, project: "Trips" };
  expect(results).toMatchObject([
    { ...done, index: 0, id: "mem:1", topic: "Boots", due_date: "2099-01-08 (Thursday)" },
    { ...done, index: 1, id: "mem:2", topic: "Hut", due_date: "2099-01-15 (Thursday)" },
    { index: 2, ok: false, id: "mem:99", detail: expect.stringContaining("is not one of your records") },
    { index: 3, ok: false, detail: expect.stringContaining("due_date: must be a day") },
    { index: 4, ok: false, detail: expect.stringContaining("mem:1 appears twice") },
    { index: 5, ok: false, detail: expect.stringContaining("colour") },
    { index: 6, ok: false, detail: expect.stringContaining("id") },
  ]);
  expect(await read(ada, 2)).toMatchObject({ content: "By phone", project: "Trips", version: 2 });
  expect(await read(ada, 3)).toMatchObject({ project: null, version: 1 });
  await claude.updateMemory(asked);
  expect([(await read(ada, 1)).version, (await read(ada, 2)).version]).toEqual([2, 2]);
  const first = { id: "mem:1", topic: "x" };
  await expect(claude.updateMemory({ ids: [2], records: [first] })).rejects.toThrow("either ids or");
  await expect(claude.updateMemory({ in_project: "Trips", project: "x", records: [first] })).rejects.toThrow(
    "nothing else",
  );
  const nothing = await claude.updateMemory({ records: [{ id: 1 }] });
  expect(nothing.results?.[0]?.detail).toContain("Nothing to change");
  const { changes } = await claude.listChanges({ since: "2020-01-01" });
  const ids = changes.flatMap(({ id, change }) => (change === "created" ? [] : [id]));
  expect(await claude.undoChanges({ ids })).toMatchObject({ undone: 2 });
  expect(await read(ada, 1)).toMatchObject({ due_date: null, project: null });
});

test("records are closed together, each with its own note, outcome or day", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const records = ["One", "Two", "Three", "Four", "Five"].map((topic) => ({ ...SLIDES, topic }));
  await claude.remember({ records });
  const { results, succeeded, failed } = await claude.closeMemories({
    outcome: "resolved",
    note: "As agreed",
    records: [
      { id: "mem:1", note: "The certificate came" },
      { id: "mem:2" },
      { memory_id: 3, status: "deferred", until: "2099-01-05" },
      { id: "mem:4", deferred_until: "2099-01-05" },
      { id: "mem:5", outcome: "deleted" },
      { id: "mem:99" },
    ],
  });
  expect(results).toMatchObject([
    { index: 0, ok: true, id: "mem:1", topic: "One", status: "resolved", note: "The certificate came" },
    { index: 1, ok: true, id: "mem:2", status: "resolved", note: "As agreed" },
    { index: 2, ok: true, status: "deferred", deferred_until: "2099-01-05 (Monday)", note: "As agreed" },
    { index: 3, ok: false, detail: "deferred_until: goes with deferred, not with resolved" },
    { index: 4, ok: false, detail: expect.stringContaining("note") },
    { index: 5, ok: false, id: "mem:99", detail: expect.stringContaining("is not one of your records") },
  ]);
  expect([succeeded, failed]).toEqual([3, 3]);
  expect(await read(ada, 1)).toMatchObject({ status: "resolved", resolution_note: "The certificate came" });
  expect(await read(ada, 4)).toMatchObject({ status: "active", version: 1 });
  // What is said for all of them is for those that are deleted.
  const erased = await claude.closeMemories({
    ...{ outcome: "confirmed", erase: true },
    records: [
      { id: "mem:4" },
      { id: "mem:5", outcome: "deleted" },
      { id: "mem:3", outcome: "deleted", erase: false },
    ],
  });
  expect(erased.results).toMatchObject([{ ok: true }, { ok: true }, { ok: true, status: "in the trash" }]);
  expect(erased.to_erase).toMatch(/memory\/5$/);
  const ids = { ids: [4] };
  await expect(claude.closeMemories(ids)).rejects.toThrow("outcome: must be one of resolved");
  await expect(claude.closeMemories({ outcome: "resolved" })).rejects.toThrow(
    "one of ids, records and in_project",
  );
  const long = await claude.closeMemories({ ...ids, outcome: "archived", note: "x".repeat(2000) });
  expect(long.results[0]?.note).toHaveLength(80);
});
