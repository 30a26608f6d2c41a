import { expect, test } from "vitest";
import { CHANGE_ID_PATTERN } from "../../src/contract/change-id.ts";
import { inputSchema } from "../../src/doors/mcp/schema-json.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import { listChangesTool, undoChangesTool } from "../../src/features/activity/tools.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { updateMemory } from "../../src/features/memories/tools.ts";
import { renameProjectRoute } from "../../src/features/projects/routes.ts";
import { person, visitor } from "../kit/client.ts";
import { callTool, claude, runTool } from "../kit/ctx.ts";

// What names changes is one text everywhere, `57` or `57-59,61`, in what is published and in what is answered.

type Schema = { type?: unknown; pattern?: string; items?: Schema } & Record<string, unknown>;

const NAMES = /^(change_id|change_ids|assume_undone|Change-Id)$/;

type Field = [where: string, schema: Schema];

/** Every field of these names in a published document, with where it is; `ids` only where they are changes. */
function fieldsIn(value: unknown, where = ""): Field[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]): Field[] => {
    const path = `${where}/${name}`;
    const isNamed = NAMES.test(name) || path.endsWith("/UndoRequest/properties/ids");
    const isSchema = typeof inner === "object" && inner !== null && !path.includes("/example");
    return [
      ...(isNamed && isSchema ? [[path, (inner.schema ?? inner) as Schema] as Field] : []),
      ...fieldsIn(inner, path),
    ];
  });
}

const each = ({ items, ...schema }: Schema): Schema => items ?? schema;

test("in the description of the API", async () => {
  const description = await (await visitor().fetch("/openapi.json")).json();
  const fields = fieldsIn(description);
  const places = ["UndoRequest/properties/ids", "UndoRequest/properties/assume_undone"];
  for (const place of [...places, "UndoRequest/properties/change_id", "RenamedProject/properties/change_ids"])
    expect(fields.map(([where]) => where).join()).toContain(place);
  for (const [where, schema] of fields) {
    expect(each(schema), where).toMatchObject({ type: "string", pattern: CHANGE_ID_PATTERN.source });
  }
});

test("in the tools", () => {
  const published = TOOLS.map(({ name, input }) => [name, inputSchema(input)] as const);
  const ids = (inputSchema(undoChangesTool.input).properties as Record<string, Schema>).ids;
  expect(ids).toMatchObject({ type: "array", items: { type: "string" } });
  for (const [where, schema] of fieldsIn(Object.fromEntries(published)))
    expect(each(schema).type, where).toBe("string");
});

const RECORD = {
  memory_type: "commitment",
  topic: "Slides",
  content: "For Grace",
  project: "Apollo",
} as const;

test("in answers; a request and a tool take numbers, too, alone and in lists, and ranges", async () => {
  const ada = await person();
  for (const topic of ["One", "Two", "Three"])
    await ada.ok(memories.createMemoryRoute, { json: { ...RECORD, topic } });
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
  for (const ids of [
    [],
    ["x"],
    [0],
    [1.5],
    ["1-101"],
    ["1-100", "101"],
    ["2-101", "1-100"],
    "4",
    [null],
    [{}],
    ["1".repeat(17)],
  ])
    expect((await ada.refusal(undoActivityRoute, { json: { ids } })).status, JSON.stringify(ids)).toBe(422);
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
