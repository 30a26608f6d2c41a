import type { RouteConfig } from "@hono/zod-openapi";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Activity } from "../../src/contract/activity.ts";
import { CHANGE_ID_PATTERN } from "../../src/contract/change-id.ts";
import { inputSchema } from "../../src/doors/mcp/schema-json.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import { listChangesTool, undoChangesTool } from "../../src/features/activity/tools.ts";
import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { updateMemory } from "../../src/features/memories/tools.ts";
import { renameProjectRoute } from "../../src/features/projects/routes.ts";
import { numbersIn } from "../kit/change-id.ts";
import { type Client, type Parts, person, visitor } from "../kit/client.ts";
import { callTool, claude, runTool } from "../kit/ctx.ts";
import { bearer } from "../kit/oauth.ts";

// What a write answers about its change: exactly what it changed, and exactly that is taken back by it. Change ids are one
// text everywhere, `57` or `57-59,61`, in what is published and in what is answered.

const RECORD = {
  memory_type: "commitment",
  topic: "Send the slides",
  content: "To Grace",
  project: "Apollo",
};

/** Sends a write, and returns the id of its change. */
async function idOf(client: Client, route: RouteConfig, parts: Parts): Promise<string | null> {
  const { status, text, headers } = await client.call(route, parts);
  if (status >= 300) throw new Error(`${route.path}: ${status} ${text}`);
  return headers.get("Change-Id");
}

async function allChanges(client: Client): Promise<Activity[]> {
  const changes: Activity[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: Record<string, string> = { limit: "100", ...(cursor !== "" && { cursor }) };
    const { items, next_cursor } = await client.ok(listActivityRoute, { query });
    changes.push(...items);
    cursor = next_cursor;
  }
  return changes;
}

const undo = (client: Client, change_id: string | null, more = {}) =>
  client.ok(undoActivityRoute, { json: { change_id, ...more } });

test("a record that links to another changes with it, but its change is not named", async () => {
  const ada = await person();
  await ada.ok(memories.createMemoryRoute, { json: RECORD });
  const params = { memory_id: "1" };
  await ada.ok(memories.supersedeMemoryRoute, { params, json: { content: "To Alan" } });
  const again = { params: { memory_id: "2" } };
  expect(await idOf(ada, memories.confirmMemoryRoute, again)).not.toBeNull();
  expect(await idOf(ada, memories.updateMemoryRoute, { ...again, json: { content: "To Alan" } })).toBeNull();
  const deleted = await idOf(ada, memories.deleteMemoryRoute, again);
  const named = (await allChanges(ada)).filter(({ verb }) => verb === "deleted").map(({ id }) => String(id));
  expect(named).toEqual([deleted]);
});

test("a repetition has the id of the first request's change, and so has the answer to a key that may not read", async () => {
  const ada = await person();
  const twice = async (route: RouteConfig, parts: Parts, id: string) => {
    const keyed = { headers: { "Idempotency-Key": "k" }, ...parts };
    expect([await idOf(ada, route, keyed), await idOf(ada, route, keyed)]).toEqual([id, id]);
  };
  const [params, confirmed] = [{ memory_id: "1" }, { params: { memory_id: "2" } }];
  const create = { operation: "create", ...RECORD };
  await twice(memories.createMemoryRoute, { json: RECORD }, "1");
  await twice(memories.supersedeMemoryRoute, { params, json: { content: "x" } }, "2-3");
  await twice(memories.confirmMemoryRoute, confirmed, "4");
  await twice(memories.changeMemoriesRoute, { json: { operations: [create, create] } }, "5-6");
  await twice(undoActivityRoute, { json: { change_id: "5-6" } }, "7-8");
  const json = { name: "Script", scopes: ["memory:write"] };
  const script = bearer((await ada.ok(createApiKeyRoute, { json })).key);
  const answer = await script.call(memories.confirmMemoryRoute, confirmed);
  expect([answer.status, answer.headers.get("Change-Id")]).toEqual([204, "9"]);
});

test("what conflicts is not undone, and an id is undone a hundred changes at a time", async () => {
  const ada = await person();
  const create = { operation: "create", ...RECORD };
  const many = { operations: Array.from({ length: 100 }, () => create) };
  await idOf(ada, memories.changeMemoriesRoute, { json: many });
  await idOf(ada, memories.changeMemoriesRoute, { json: { operations: [create, create] } });
  const renamed = await idOf(ada, renameProjectRoute, {
    params: { name: "Apollo" },
    json: { name: "Gemini" },
  });
  expect(renamed).toBe("103-204");
  await ada.ok(memories.updateMemoryRoute, { params: { memory_id: "102" }, json: { content: "Since" } });
  const first = await undo(ada, renamed);
  expect(first).toMatchObject({ undone: 99, not_undone: 1, has_more: true, next_before: 105 });
  expect(first.results.filter(({ outcome }) => outcome !== "undone")).toMatchObject([
    { outcome: "changed_since", record_id: "102", current: { content: "Since" } },
  ]);
  const rest = await undo(ada, renamed, { before: first.next_before });
  expect(rest).toMatchObject({ undone: 2, has_more: false });
  expect(await undo(ada, "1000-999999999999999")).toMatchObject({
    undone: 0,
    not_undone: 100,
    has_more: true,
  });
});

type Write = { route: RouteConfig; json: object; verbs: string[]; isNew?: boolean };

/** A write of each kind: what it does to a record, or creates. */
const WRITES: Record<string, (id: number) => Write> = {
  record: () => ({ route: memories.createMemoryRoute, json: RECORD, verbs: ["created"], isNew: true }),
  document: () => ({
    ...{ route: documents.createDocumentRoute, json: { title: "T" }, verbs: ["created"], isNew: true },
  }),
  folder: () => ({ route: folders.createFolderRoute, json: { name: "F" }, verbs: ["created"], isNew: true }),
  step: () => ({ route: memories.resolveMemoryRoute, json: {}, verbs: ["resolved"] }),
  supersede: () => ({
    ...{ route: memories.supersedeMemoryRoute, json: { content: "y" }, verbs: ["superseded", "created"] },
  }),
  bulk: (id) => ({
    route: memories.changeMemoriesRoute,
    json: { operations: ["confirm", "archive"].map((operation) => ({ operation, id })) },
    verbs: ["confirmed", "archived"],
  }),
};

test("whatever is written at the same time, each id is of the changes of its own request", async () => {
  const kinds = fc.array(fc.constantFrom(...Object.keys(WRITES)), { minLength: 8, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(kinds, async (asked) => {
      const ada = await person();
      for (const _ of asked) await ada.ok(memories.createMemoryRoute, { json: RECORD });
      const write = async (kind: string, index: number) => {
        const { route, json, verbs, isNew } = (WRITES[kind] as (id: number) => Write)(index + 1);
        const { headers, text } = await ada.call(route, { params: { memory_id: String(index + 1) }, json });
        const record = isNew ? String((JSON.parse(text) as { id: unknown }).id) : String(index + 1);
        return { numbers: numbersIn(headers.get("Change-Id") ?? ""), record, verbs };
      };
      const answers = await Promise.all(asked.map(write));
      const entries = new Map((await allChanges(ada)).map((one) => [one.id, one]));
      const named = answers.flatMap(({ numbers }) => numbers).sort((a, b) => a - b);
      const others = Array.from(asked, (_, index) => index + 1);
      expect([...others, ...named]).toEqual([...entries.keys()].sort((a, b) => a - b));
      for (const { numbers, record, verbs } of answers) {
        expect(numbers.map((number) => entries.get(number)?.verb)).toEqual(verbs);
        expect(entries.get(numbers[0] ?? 0)?.record_id).toBe(record);
      }
    }),
    { numRuns: 5 },
  );
});

type Schema = { type?: unknown; pattern?: string; items?: Schema } & Record<string, unknown>;

/** Every field of change ids in what is published, with where it is; `ids` only where they are changes. */
function fieldsIn(value: unknown, where = ""): [where: string, schema: Schema][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = `${where}/${name}`;
    const isNamed = /\/(change_id|change_ids|assume_undone|Change-Id|UndoRequest\/properties\/ids)$/.test(
      path,
    );
    const isSchema = typeof inner === "object" && inner !== null && !path.includes("/example");
    const { items, ...schema } = isSchema ? ((inner.schema ?? inner) as Schema) : {};
    const found: [string, Schema][] = isNamed && isSchema ? [[path, items ?? schema]] : [];
    return [...found, ...fieldsIn(inner, path)];
  });
}

test("change ids are texts in the description of the API and in the tools", async () => {
  const fields = fieldsIn(await (await visitor().fetch("/openapi.json")).json());
  const places = ["ids", "assume_undone", "change_id"].map((name) => `UndoRequest/properties/${name}`);
  for (const place of [...places, "RenamedProject/properties/change_ids"])
    expect(fields.map(([where]) => where).join()).toContain(place);
  for (const [where, schema] of fields)
    expect(schema, where).toMatchObject({ type: "string", pattern: CHANGE_ID_PATTERN.source });
  const tools = TOOLS.map(({ name, input }) => [name, inputSchema(input)] as const);
  for (const [where, { type }] of fieldsIn(Object.fromEntries(tools))) expect(type, where).toBe("string");
  expect(inputSchema(undoChangesTool.input).properties).toMatchObject({ ids: { items: { type: "string" } } });
});

test("answers have texts; a request and a tool take numbers, too, alone and in lists, and ranges", async () => {
  const ada = await person();
  for (let n = 0; n < 3; n++) await ada.ok(memories.createMemoryRoute, { json: RECORD });
  const rename = (name: string, next: string) =>
    ada.ok(renameProjectRoute, { params: { name }, json: { name: next } });
  const { change_ids = [] } = await rename("Apollo", "Gemini");
  expect(change_ids).toEqual(["4", "5", "6"]);
  const undo = (json: object) => ada.ok(undoActivityRoute, { json: { dry_run: true, ...json } });
  for (const json of [
    { ids: change_ids },
    { ids: [4, 5, 6] },
    { ids: ["4", 5, "6"] },
    { ids: ["4-6"] },
    { ids: ["4-5", "5-6", 6] },
    { ids: ["6", "4-6,4,5", "6-5,5-4", ...Array.from({ length: 90 }, () => "4-5,5-6")] },
    { change_id: "4-6" },
  ])
    expect(await undo(json)).toMatchObject({ undone: 3, not_undone: 0 });
  expect(await undo({ change_id: 6 })).toMatchObject({ undone: 1 });
  expect(await undo({ ids: ["1"], assume_undone: ["4-6"] })).toMatchObject({ undone: 1 });
  expect(await undo({ ids: [1], assume_undone: [4, 5, 6] })).toMatchObject({ undone: 1 });
  const many = [["1-1001"], ["1-1000", "1001"], ["2-1001", "1-1000"]];
  for (const ids of [[], ["x"], [0], [1.5], ...many, "4", [null], [{}], ["1".repeat(17)]])
    expect((await ada.refusal(undoActivityRoute, { json: { ids } })).status, JSON.stringify(ids)).toBe(422);
  const malformed = [
    "",
    "1 2",
    "9".repeat(16),
    `${"1,".repeat(100)}1`,
    ..."0 1- -1 1,,2 1;2 a 1-2-3".split(" "),
  ];
  for (const change_id of malformed)
    expect((await ada.refusal(undoActivityRoute, { json: { change_id } })).status, change_id).toBe(422);
  const ctx = await claude(ada);
  const { change_id } = await runTool(ctx, updateMemory, { in_project: "Gemini", project: "Mercury" });
  expect(change_id).toBe("7-9");
  const listed = async () => (await callTool(ctx, listChangesTool, { since: "2020-01-01" })).changes;
  expect((await listed())[0]).toMatchObject({ id: "7-9" });
  for (const { id = "" } of await listed()) expect(id).toMatch(CHANGE_ID_PATTERN);
  const taken = await callTool(ctx, undoChangesTool, { ids: ["7-8", "9"] });
  expect(taken.results.map(({ id }) => id)).toEqual(["9", "8", "7"]);
  const again = async (ids: unknown) => (await callTool(ctx, undoChangesTool, { ids })).results;
  for (const ids of [7, "7", [7], ["7"], "7-7"])
    expect(await again(ids)).toMatchObject([{ id: "7", outcome: "already_undone" }]);
  for (const ids of [[7, 8], "7,8", ["7", 8], "7-8"]) expect(await again(ids)).toHaveLength(2);
  const { items } = await ada.ok(listActivityRoute);
  expect(items.every(({ id }) => Number.isInteger(id))).toBe(true);
});
