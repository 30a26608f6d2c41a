import { describe, expect, test } from "vitest";
import { listChangesTool } from "../../src/features/activity/tools.ts";
import { getBriefing } from "../../src/features/dashboard/tools.ts";
import {
  createDocumentTool,
  editDocumentTool,
  listDocumentsTool,
} from "../../src/features/documents/tools.ts";
import { listMemories } from "../../src/features/memories/list-tools.ts";
import { closeMemories, remember, updateMemory } from "../../src/features/memories/tools.ts";
import { type InputDefinition, readInput } from "../../src/platform/tools/tool-input.ts";
import { person } from "../kit/client.ts";
import { callTool, ctxOf } from "../kit/ctx.ts";
import { stateless, use } from "../kit/mcp.ts";

// What weaker models send: null or "" for what they mean to leave out, lists as JSON, words in another case.

const DOCUMENT = "doc:00000000-0000-7000-8000-000000000000";
const TEXT = { title: "A", text: "" };
const NOTE = { memory_type: "context", topic: "Hut", content: "Booked" } as const;

describe("an optional parameter that is null or empty", () => {
  const [LIST, RESOLVED] = [
    { limit: 20, offset: 0 },
    { ids: [4], outcome: "resolved" },
  ];
  test.for([
    [
      remember,
      { ...NOTE, project: "", scope: "", due_date: null, tags: null, replaces_id: "", records: [] },
      NOTE,
    ],
    [createDocumentTool, { ...TEXT, tags: "", folder: null, new_folder: null }, TEXT],
    [listMemories, { view: "", memory_type: [], q: " ", limit: null, offset: "" }, LIST],
    [listDocumentsTool, { folder: "", tag: null, sort: "", limit: "5" }, { limit: 5, offset: 0 }],
    [getBriefing, { scope: null, project: "" }, {}],
    [
      listChangesTool,
      { since: "2026-11-01", record: "", mine: "True", before: null },
      { since: "2026-11-01", mine: true },
    ],
    [
      closeMemories,
      { ids: "mem:4", records: "", outcome: "resolved", note: "", resolved_on: null },
      RESOLVED,
    ],
    [closeMemories, { id: 4, ids: null, outcome: "Resolved" }, RESOLVED],
  ] as [InputDefinition, object, object][])("is as if it were not there (%#)", ([tool, sent, read]) => {
    expect(readInput(tool, sent)).toEqual(read);
  });

  test("clears what null clears, and an empty text does not", () => {
    const sent = { ids: ["mem:4"], project: null, scope: null, due_date: "", topic: null };
    expect(readInput(updateMemory, sent)).toEqual({ ids: [4], project: null, scope: null });
  });

  test("is a text where an empty one means something", () => {
    const replaced = { operation: "find_replace", find_text: "draft", text: "" };
    const sent = { id: DOCUMENT, ...replaced, operation: "Find_Replace", section: "", folder: "" };
    expect(readInput(editDocumentTool, sent)).toEqual({ ids: [DOCUMENT.slice(4)], ...replaced });
  });

  test("is not there in each of several records either, and null clears there too", async () => {
    const ada = stateless(await person());
    const left = { project: "", due_date: null, tags: "" };
    const records = ["Boots", "Tent"].map((topic) => ({ ...NOTE, topic, ...left }));
    expect(await use(ada, "remember", { records })).toMatchObject({ results: [{ ok: true }, { ok: true }] });
    await use(ada, "update_memory", { ids: [1, 2], project: "Alps", due_date: "2099-01-01" });
    const changes = [
      { id: 1, project: "", due_date: null },
      { id: "mem:2", topic: "", project: null },
    ];
    const { results } = await use(ada, "update_memory", { records: changes });
    expect(results).toMatchObject([{ project: "Alps" }, { due_date: "2099-01-01 (Thursday)" }]);
    expect((results as object[])[0]).not.toHaveProperty("due_date");
    expect((results as object[])[1]).not.toHaveProperty("project");
    const closing = [
      { id: 1, outcome: "", note: null },
      { id: 2, note: "Bought" },
    ];
    expect(await use(ada, "close_memories", { records: closing, outcome: "RESOLVED" })).toMatchObject({
      results: [{ status: "resolved" }, { status: "resolved", note: "Bought" }],
    });
  });
});

describe("a list", () => {
  test("may be the JSON of one, whatever commas it has", async () => {
    const ctx = await ctxOf(await person());
    const records = [
      { ...NOTE, content: "Boots, tent, and a [map]", tags: '["packing, all", "alps"]' },
      { ...NOTE, topic: "Map", memory_type: "Commitment" },
    ];
    const { results } = await callTool(ctx, remember, { records: JSON.stringify(records) });
    expect(results).toMatchObject([{ ok: true, tags: ["packing, all", "alps"] }, { ok: true }]);
    const { items } = await callTool(ctx, listMemories, { memory_type: '["Commitment", "context"]' });
    const types = Object.fromEntries(items.map(({ topic, memory_type }) => [topic, memory_type]));
    expect(types).toEqual({ Map: "commitment", Hut: "context" });
    const each = records.map((_, index) => JSON.stringify({ id: index + 1, outcome: "archived" }));
    for (const [sent, succeeded] of [
      [{ records: each }, 2],
      [{ ids: "[1, 2]", outcome: "reopened" }, 2],
      [{ records: '{"id": 1, "outcome": "deleted"}' }, 1],
    ] as const)
      expect(await callTool(ctx, closeMemories, sent)).toMatchObject({ succeeded });
  });

  test("of names may still be a text with commas, even with brackets", () => {
    const read = (tags: unknown) => readInput(createDocumentTool, { title: "A", text: "", tags }).tags;
    expect(read("a, b")).toEqual(["a", "b"]);
    expect(read("[a], b")).toEqual(["[a]", "b"]);
    expect(read('{"a": 1}')).toEqual(['{"a": 1}']);
    expect(read('["a, b"]')).toEqual(["a, b"]);
  });

  test("of records that is no JSON is refused as text", () => {
    const read = () => readInput(remember, { records: '[{"topic": "Hut", "content": "Booked"' });
    expect(read).toThrow("records: must be a list, not text");
  });
});

describe("a refusal", () => {
  test("names every wrong parameter, and its fields once", () => {
    const names = ["view", "scope", "status", "sort", "limit", "offset", "untouched_days", "zzz"];
    const read = () => readInput(listMemories, Object.fromEntries(names.map((name) => [name, "x"])));
    for (const name of names) expect(read).toThrow(`${name}: `);
    expect(read).not.toThrow(
      /memory_type, scope, priority, owed, project[\s\S]*memory_type, scope, priority/,
    );
    expect(read).toThrow("memory_type, scope, priority, owed, project");
  });

  test("says how many more names are unknown", () => {
    const names = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`zzz${n}`, 1]));
    expect(() => readInput(listMemories, names)).toThrow(
      "; and 4 more. Call list_memories again with: view, ",
    );
    expect(() => readInput(listMemories, { limt: 5 })).toThrow("did you mean limit? Call list_memories");
  });

  test("of a day says how to write it and what today is, in the person's time zone", async () => {
    const ada = stateless(await person({ timezone: "Pacific/Kiritimati" }));
    const today = String((await use(ada, "whoami")).today);
    const refused = async (tool: string, args: object) => (await use(ada, tool, { ...args })).refused;
    await use(ada, "remember", NOTE);
    for (const due_date of ["tomorrow", "24.12.2026", "2026-12-24T10:00", "2026-02-30"]) {
      const text = await refused("remember", { ...NOTE, due_date });
      expect(text).toContain("due_date: must be a day such as 2026-12-24, without a time");
      expect(text).toContain(`Today is ${today} in Pacific/Kiritimati`);
    }
    for (const [tool, args] of [
      ["list_documents", { updated_after: "yesterday" }],
      ["list_memories", { created_after: "yesterday" }],
      ["list_changes", { since: "soonish" }],
      ["close_memories", { ids: [1], outcome: "deferred", deferred_until: "soon" }],
    ] as const)
      expect(await refused(tool, args)).toContain(`Today is ${today}`);
    expect(await refused("list_memories", { limit: "x" })).not.toContain("Today");
  });
});
