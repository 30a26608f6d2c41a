import fc from "fast-check";
import { expect, test } from "vitest";
import { applyTagChange } from "../../../src/contract/tag-rule.ts";
import { listChangesTool, undoChangesTool } from "../../../src/features/activity/tools.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import {
  createDocumentTool,
  editDocumentTool,
  listDocumentsTool,
} from "../../../src/features/documents/tools.ts";
import { listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { closeMemories, remember, updateMemory } from "../../../src/features/memories/tools.ts";
import { fetchTool } from "../../../src/features/search/tools.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { bareId } from "../../kit/mcp.ts";

// Several documents or records in one call: what they share, and what each has of its own.

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;
const UNKNOWN = "doc:00000000-0000-7000-8000-000000000000";

/** The tools as Claude's connection calls them. */
const claude = async (who: Client): Promise<Ctx> => ({
  ...(await ctxOf(who)),
  client_name: "Claude",
  actor: { kind: "assistant", id: "connection-1", source_type: "mcp" },
});

const read = (client: Client, id: number) =>
  client.ok(memories.getMemoryRoute, { params: { memory_id: String(id) } });

const create = async (ctx: Ctx, title: string, tags: string[] = []) =>
  String((await callTool(ctx, createDocumentTool, { title, text: "One", tags })).id);

const versionOf = async (who: Client, id: string) =>
  (await who.ok(documents.getDocumentRoute, { params: { document_id: bareId(id) } })).version;

test("several documents are tagged and moved in one call, with an answer for each, and it can be repeated and undone", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const [plan, call, done] = [
    await create(ctx, "Plan", ["apollo", "plan"]),
    await create(ctx, "Call", ["apollo"]),
    await create(ctx, "Done", ["apollo", "launch"]),
  ];
  const change = { operation: "set_fields", add_tags: "launch", remove_tags: "plan" };
  const tagged = await callTool(ctx, editDocumentTool, { ids: [plan, UNKNOWN, call, done, plan], ...change });
  expect(tagged).toEqual({
    results: [
      { id: plan, ok: true, title: "Plan", tags: ["apollo", "launch"] },
      { id: UNKNOWN, ok: false, detail: expect.stringContaining("was not found") },
      { id: call, ok: true, title: "Call", tags: ["apollo", "launch"] },
      { id: done, ok: true, title: "Done", tags: ["apollo", "launch"], unchanged: true },
    ],
  });
  const move = { operation: "set_fields", folder: "Work/Apollo" };
  const moved = await callTool(ctx, editDocumentTool, { ids: [UNKNOWN, plan, call], ...move });
  expect(moved).toMatchObject({
    folder: { path: "Work/Apollo", created: true },
    results: [{ ok: false }, { ok: true, title: "Plan" }, { ok: true, title: "Call" }],
  });
  expect((await ada.ok(listFoldersRoute)).total).toBe(2);
  expect(await callTool(ctx, listDocumentsTool, { folder: "Apollo" })).toMatchObject({ total: 2 });
  const again = await callTool(ctx, editDocumentTool, { ids: [plan, call], ...move });
  expect(again.results).toMatchObject([{ unchanged: true }, { unchanged: true }]);
  expect(await versionOf(ada, plan)).toBe(3);

  const { changes } = await callTool(ctx, listChangesTool, { since: "2020-01-01" });
  const ids = changes.flatMap(({ id, record, change }) =>
    [plan, call].includes(record ?? "") && change !== "created" ? [id] : [],
  );
  expect(ids).toHaveLength(4);
  expect(await callTool(ctx, undoChangesTool, { ids })).toMatchObject({ undone: 4 });
  const { documents: back } = await callTool(ctx, listDocumentsTool, { tag: "plan" });
  expect(back).toMatchObject([{ id: plan, tags: ["apollo", "plan"] }]);
  expect(back[0]).not.toHaveProperty("folder");
});

test("a folder is not created when none of the documents is there, and what several cannot share is refused", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const [one, two] = [await create(ctx, "One"), await create(ctx, "Two")];
  const edit = (fields: object) => callTool(ctx, editDocumentTool, { ids: [one, two], ...fields });
  const nowhere = { ids: [UNKNOWN, UNKNOWN.replace("0000", "1111")], operation: "set_fields", folder: "New" };
  expect((await callTool(ctx, editDocumentTool, nowhere)).folder).toBeUndefined();
  expect((await ada.ok(listFoldersRoute)).total).toBe(0);
  await expect(edit({ operation: "append", text: "x" })).rejects.toThrow("append: goes with one id");
  await expect(edit({ operation: "set_fields", title: "x" })).rejects.toThrow("title: goes with one id");
  await expect(edit({ operation: "set_fields" })).rejects.toThrow("give title, add_tags");
  await expect(edit({ operation: "set_fields", add_tags: "x", text: "y" })).rejects.toThrow(
    "text: set_fields",
  );
  await expect(edit({ operation: "set_fields", ids: [] })).rejects.toThrow("ids: which documents?");
  expect([await versionOf(ada, one), await versionOf(ada, two)]).toEqual([1, 1]);
});

test("an edit of the text changes title, tags and folder in the same version", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const id = await create(ctx, "List", ["a"]);
  const edited = await callTool(ctx, editDocumentTool, {
    ...{ id, operation: "find_replace", find_text: "One", text: "Two" },
    ...{ title: "Packing", add_tags: "b", folder: "Home" },
  });
  expect(edited).toMatchObject({
    ...{ id, title: "Packing", version: 2, replacements: 1, changed: ["1: Two"] },
    ...{ tags: ["a", "b"], folder: { path: "Home", created: true } },
  });
  expect(await callTool(ctx, fetchTool, { id })).toMatchObject({ title: "Packing", text: "Two" });
});

test("whatever tags documents have, several get the change of each, one version, and all of it back", async () => {
  const tag = fc.constantFrom("a", "b", "c", "d");
  const tags = fc.uniqueArray(tag, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(tags, { minLength: 2, maxLength: 5 }), tags, tags, async (all, add, remove) => {
      fc.pre(add.length + remove.length > 0);
      const ada = await person();
      const ctx = await claude(ada);
      const ids: string[] = [];
      for (const [n, each] of all.entries()) ids.push(await create(ctx, `No. ${n}`, each));
      const change = {
        ...(add.length > 0 && { add_tags: add }),
        ...(remove.length > 0 && { remove_tags: remove }),
      };
      const { results = [] } = await callTool(ctx, editDocumentTool, {
        ids,
        operation: "set_fields",
        ...change,
      });
      const wanted = all.map((each) => applyTagChange(each, change));
      expect(results.map((one) => one.tags)).toEqual(wanted);
      const isSame = all.map((each, n) => JSON.stringify(each) === JSON.stringify(wanted[n]));
      expect(results.map(({ unchanged = false }) => unchanged)).toEqual(isSame);
      const { changes } = await callTool(ctx, listChangesTool, { since: "2020-01-01" });
      const made = changes.flatMap(({ id, change }) => (change === "created" ? [] : [id]));
      expect(made).toHaveLength(isSame.filter((same) => !same).length);
      if (made.length > 0) {
        expect((await callTool(ctx, undoChangesTool, { ids: made })).undone).toBe(made.length);
      }
      for (const [n, id] of ids.entries()) {
        const stored = await ada.ok(documents.getDocumentRoute, { params: { document_id: bareId(id) } });
        expect(stored.tags.toSorted()).toEqual(all[n]?.toSorted());
      }
    }),
    { numRuns: 8 },
  );
});

test("records are changed together, each with fields of its own", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const records = ["Boots", "Hut", "Tent"].map((topic) => ({ ...SLIDES, topic }));
  await callTool(ctx, remember, { records });
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
  const { results } = await callTool(ctx, updateMemory, asked);
  const of = (n: number, topic: string) => ({
    index: n,
    ok: true,
    id: `mem:${n + 1}`,
    topic,
    project: "Trips",
  });
  expect(results).toMatchObject([
    { ...of(0, "Boots"), due_date: "2099-01-08 (Thursday)" },
    { ...of(1, "Hut"), due_date: "2099-01-15 (Thursday)" },
    { index: 2, ok: false, id: "mem:99", detail: expect.stringContaining("is not one of your records") },
    { index: 3, ok: false, detail: expect.stringContaining("due_date: must be a day") },
    { index: 4, ok: false, detail: expect.stringContaining("mem:1 appears twice") },
    { index: 5, ok: false, detail: expect.stringContaining("colour") },
    { index: 6, ok: false, detail: expect.stringContaining("id") },
  ]);
  expect(await read(ada, 2)).toMatchObject({ content: "By phone", project: "Trips", version: 2 });
  expect(await read(ada, 3)).toMatchObject({ project: null, version: 1 });
  await callTool(ctx, updateMemory, asked);
  expect([(await read(ada, 1)).version, (await read(ada, 2)).version]).toEqual([2, 2]);
  const first = { id: "mem:1", topic: "x" };
  await expect(callTool(ctx, updateMemory, { ids: [2], records: [first] })).rejects.toThrow("either ids or");
  await expect(
    callTool(ctx, updateMemory, { in_project: "Trips", project: "x", records: [first] }),
  ).rejects.toThrow("nothing else");
  const nothing = await callTool(ctx, updateMemory, { records: [{ id: 1 }] });
  expect(nothing.results?.[0]?.detail).toContain("Nothing to change");
  const { changes } = await callTool(ctx, listChangesTool, { since: "2020-01-01" });
  const ids = changes.flatMap(({ id, change }) => (change === "created" ? [] : [id]));
  expect(await callTool(ctx, undoChangesTool, { ids })).toMatchObject({ undone: 2 });
  expect(await read(ada, 1)).toMatchObject({ due_date: null, project: null });
});

test("records are closed together, each with its own note, outcome or day", async () => {
  const ada = await person();
  const ctx = await claude(ada);
  const records = ["One", "Two", "Three", "Four", "Five"].map((topic) => ({ ...SLIDES, topic }));
  await callTool(ctx, remember, { records });
  const { results, succeeded, failed } = await callTool(ctx, closeMemories, {
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
  const erased = await callTool(ctx, closeMemories, {
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
  await expect(callTool(ctx, closeMemories, ids)).rejects.toThrow("outcome: must be one of resolved");
  await expect(callTool(ctx, closeMemories, { outcome: "resolved" })).rejects.toThrow(
    "one of ids, records and in_project",
  );
  await expect(
    callTool(ctx, closeMemories, { ...ids, outcome: "resolved", deferred_until: "2099-01-05" }),
  ).rejects.toThrow("goes with deferred");
  const long = await callTool(ctx, closeMemories, { ...ids, outcome: "archived", note: "x".repeat(2000) });
  expect(long.results[0]?.note).toHaveLength(80);
});
