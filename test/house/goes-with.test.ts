import { expect, test } from "vitest";
import { z } from "zod";
import type { OpenApiSchema } from "../../src/doors/docs/describe.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import * as activity from "../../src/features/activity/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as actions from "../../src/features/memories/action-routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { searchRoute } from "../../src/features/search/routes.ts";
import { type Client, person } from "../kit/client.ts";
import { OPERATIONS, resolve } from "../kit/description.ts";
import { initialize, stateless, use } from "../kit/mcp.ts";

// Parameters that do not go together are refused by name, in every operation and tool; nothing is left out
// without a word, and nothing is changed.

const TEXT = "# Plan\n\nIntro.\n\n## Monday\n\n- swim\n";

async function withDocument(ada: Client): Promise<{ id: string; read: () => Promise<unknown> }> {
  const json = { title: "Plan", content: { format: "markdown", text: TEXT } };
  const { id } = await ada.ok(documents.createDocumentRoute, { json });
  return { id, read: () => ada.ok(documents.getDocumentRoute, { params: { document_id: id } }) };
}

const OF_FIND = "find_text: goes with find_replace, not with";
const OF_SECTION = "section: goes with append, prepend and replace_section, not with";

/** Fields of an edit, which one does not belong there, and what the refusal says of it. */
const EDITS: [edit: object, refused: string][] = [
  [{ operation: "append", find_text: "swim" }, `${OF_FIND} append`],
  [{ operation: "prepend", find_text: "swim" }, `${OF_FIND} prepend`],
  [{ operation: "replace_all", section: "Monday" }, `${OF_SECTION} replace_all`],
  [{ operation: "replace_all", find_text: "swim" }, `${OF_FIND} replace_all`],
  [{ operation: "replace_section", section: "Monday", find_text: "swim" }, `${OF_FIND} replace_section`],
  [{ operation: "find_replace", find_text: "swim", section: "Monday" }, `${OF_SECTION} find_replace`],
  ...["append", "prepend", "replace_all"].map((operation): [object, string] => [
    { operation, expected_replacements: 1 },
    `expected_replacements: goes with find_replace, not with ${operation}`,
  ]),
  [{ operation: "find_replace" }, "find_text: is required by find_replace"],
  [{ operation: "replace_section" }, "section: is required by replace_section"],
];

test("an edit, over HTTP and as a tool", async () => {
  const ada = await person();
  const { id, read } = await withDocument(ada);
  const before = await read();
  const askers = [stateless(ada), await initialize(ada)];
  for (const [edit, detail] of EDITS) {
    const json = { text: "new", ...edit } as never;
    const refusal = await ada.refusal(documents.editDocumentRoute, { params: { document_id: id }, json });
    expect(refusal).toEqual({ status: 422, detail });
    for (const asker of askers) {
      const answer = await use(asker, "edit_document", { id, text: "new", ...edit });
      expect(answer.refused, JSON.stringify(edit)).toBe(detail);
    }
  }
  expect(await read()).toEqual(before);
});

const RECORD = { memory_type: "commitment", topic: "Hut", content: "Book it" };
const FIELDS = { id: "doc:01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42", operation: "set_fields", title: "x" };
const NEW = { title: "x", text: "y", new_folder: true };
const RESOLVED = { ids: [1], outcome: "resolved" };
const OF_FOLDER = /^new_folder: goes with folder/;
const OF_DELETED = "erase: goes with deleted, not with resolved";

/** A tool's input and its refusal, or that of its only record. */
const CALLS: [tool: string, input: object, refused: string | RegExp][] = [
  ["edit_document", { ...FIELDS, text: "y" }, /^text: set_fields does not change the text/],
  ["edit_document", { ...FIELDS, section: "y" }, /^section: set_fields/],
  ["edit_document", { ...FIELDS, new_folder: true }, OF_FOLDER],
  ["create_document", NEW, OF_FOLDER],
  ["create_document", { documents: [NEW] }, OF_FOLDER],
  [
    "close_memories",
    { ...RESOLVED, deferred_until: "2099-01-01" },
    "deferred_until: goes with deferred, not with resolved",
  ],
  [
    "close_memories",
    { ids: [1], outcome: "archived", resolved_on: "2020-01-01" },
    "resolved_on: goes with resolved, not with archived",
  ],
  [
    "close_memories",
    { ids: [1], outcome: "deleted", note: "x" },
    /^note: goes with resolved, .* and confirmed, not with deleted$/,
  ],
  ["close_memories", { ...RESOLVED, erase: true }, OF_DELETED],
  [
    "close_memories",
    { records: [{ id: 1, outcome: "resolved" }], erase: true },
    "erase: goes with deleted, and none of these records has that outcome",
  ],
  ["close_memories", { records: [{ id: 1, outcome: "resolved", erase: true }] }, OF_DELETED],
  ["close_memories", { ...RESOLVED, memory_type: ["decision"] }, /^memory_type: goes with in_project/],
  ["update_memory", { in_project: "Alps", project: "Hills", topic: "x" }, /^in_project: goes with project/],
  ["update_memory", { ids: [1], topic: "x", apply_to: "this" }, /^apply_to: this record does not repeat/],
  ["remember", { ...RECORD, due_time: "17:00" }, /^due_time: needs a due_date/],
  ["remember", { ...RECORD, repeat_from: "done" }, /^repeat_from: needs repeat/],
  ["remember", { ...RECORD, remind: ["PT30M"] }, /^remind: `before` needs a due_date/],
  ["list_memories", { view: "alerts", tag: ["x"] }, /^tag: not available with view alerts/],
  [
    "list_memories",
    { view: "active", resolved_after: "2020-01-01" },
    /^resolved_after: view active has no resolved/,
  ],
  ["list_memories", { view: "history", status: "active" }, /^status: history has no active records/],
  ["restore", { id: "mem:1@1", version: 2 }, /^version: the id has version 1, but version is 2/],
  ["undo_changes", { ids: [1], since: "2020-01-01" }, /^ids: give either ids, .* or since/],
  ["undo_changes", { ids: [1], before: 3 }, /^before: goes with since or a change_id/],
];

test("what a tool is asked for besides", async () => {
  const ada = await person();
  await ada.ok(memories.createMemoryRoute, { json: RECORD as never });
  const before = await ada.ok(memories.listMemoriesRoute);
  const asker = stateless(ada);
  for (const [tool, input, expected] of CALLS) {
    const { refused, results } = await use(asker, tool, input as Record<string, unknown>);
    const [result] = (results ?? []) as { detail?: string }[];
    expect(refused ?? result?.detail, `${tool} ${JSON.stringify(input)}`).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
  }
  expect(await ada.ok(memories.listMemoriesRoute)).toEqual(before);
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(0);
});

test("false is what was left out, as models fill in what they do not mean", async () => {
  const ada = await person();
  await ada.ok(memories.createMemoryRoute, { json: RECORD as never });
  for (const [tool, input] of [
    ["close_memories", { ...RESOLVED, erase: false }],
    ["create_document", { ...NEW, new_folder: false }],
  ] as const)
    expect((await use(stateless(ada), tool, input)).refused, tool).toBeUndefined();
});

test("what a request is asked for besides", async () => {
  const ada = await person();
  const assumed = { ids: [1], assume_undone: [2] };
  expect(await ada.refusal(activity.undoActivityRoute, { json: assumed as never })).toEqual({
    status: 422,
    detail: "assume_undone: goes with dry_run",
  });
  const query = { q: "hut", type: "memories", folder_id: FIELDS.id.slice("doc:".length) } as const;
  expect(await ada.refusal(searchRoute, { query })).toEqual({
    status: 422,
    detail: "folder_id: goes with documents and all, not with memories",
  });
  const at = { memory_id: "1" };
  const bodies: [object, string][] = [
    [actions.resolveMemoryRoute, "deferred_until"],
    [actions.deferMemoryRoute, "resolved_at"],
    [actions.archiveMemoryRoute, "deferred_until"],
    [actions.skipMemoryRoute, "resolution_note"],
    [actions.supersedeMemoryRoute, "resolution_note"],
  ];
  for (const [route, field] of bodies) {
    const json = { content: "x", [field]: "2026-01-01" };
    const { status, detail } = await ada.refusal(route as never, { params: at, json } as never);
    expect([status, detail]).toEqual([422, expect.stringContaining(`${field}: is not a field here`)]);
  }
});

/** Fields that choose what the others mean: those that do are in a table above. */
const CHOOSING = ["operation", "action", "kind", "mode", "outcome", "view", "type"];
/** These have no fields that go with one of their values only; the last three only narrow a list down. */
const FREE = ["actOnReminder", "keepFinding", "importAccount", "emptyTrash", "listTrash"];
const NARROWING = ["listActivity", "listFiles", "listFindings"];

test("every operation and tool with a field that chooses is in a table here", () => {
  const chooses = (schema: OpenApiSchema) =>
    Object.entries(resolve(schema).properties ?? {}).some(
      ([name, field]) => CHOOSING.includes(name) && resolve(field).enum,
    );
  const operations = OPERATIONS.filter(({ operation: { parameters = [], requestBody } }) => {
    const query = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema);
    return [{ properties: query }, ...bodies].some(chooses);
  }).map(({ operation }) => operation.operationId);
  const tools = TOOLS.filter(({ input }) => chooses(z.toJSONSchema(input, { io: "input" }) as OpenApiSchema));
  expect(operations.toSorted()).toEqual(["editDocument", "search", ...FREE, ...NARROWING].toSorted());
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "close_memories",
    "edit_document",
    "list_memories",
  ]);
  const tried = new Set(["edit_document", ...CALLS.map(([tool]) => tool)]);
  expect(tools.filter(({ name }) => !tried.has(name))).toEqual([]);
});
