import fc from "fast-check";
import { expect, test } from "vitest";
import { lineChanges } from "../../../src/features/activity/line-changes.ts";
import { listChangesTool } from "../../../src/features/activity/tools.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { missingScopes, type Tool } from "../../../src/platform/tools/tool.ts";
import { assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { bareId } from "../../kit/mcp.ts";

// What was changed in one document or record, line by line.

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "For Grace" } as const;

test("what was changed in one document is shown by the lines that went and came", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const text = "# Cake\n\nBake at 190 degrees.\nEight plums.\n";
  const { id } = await claude.createDocument({ title: "Cake", text });
  await claude.createDocument({ title: "Other", text });
  const hotter = { operation: "find_replace", find_text: "190", text: "210" };
  await claude.editDocument({ id, ...hotter, add_tags: ["kitchen"] });
  await claude.editDocument({ id, operation: "append", text: "Serve warm." });
  await claude.restore({ id, version: 1 });
  const { changes, ...answer } = await claude.listChanges({ record: id, mine: true });
  expect(answer).toMatchObject({ record: id, has_more: false });
  expect(changes.map(({ change, lines }) => [change, lines])).toEqual([
    [
      'restored version 1: tags -"kitchen", content',
      ["-3: Bake at 210 degrees.", "+3: Bake at 190 degrees.", "-5: Serve warm.", "+5: "],
    ],
    ["changed content", ["-5: ", "+5: Serve warm."]],
    ['changed tags +"kitchen", content', ["-3: Bake at 190 degrees.", "+3: Bake at 210 degrees."]],
    ["created", undefined],
  ]);
  await claude.deleteDocument({ id });
  expect((await claude.listChanges({ record: bareId(id) })).changes).toHaveLength(5);
  await expect(claude.listChanges()).rejects.toThrow("since");
  await expect(claude.listChanges({ record: "Cake" })).rejects.toThrow(
    'record: no document has the title "Cake"',
  );
  await expect(claude.listChanges({ record: "mem:77" })).rejects.toThrow("mem:77 was not found");
});

test("of a record too, of a text without prose, and of one that is too long it says so", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember(SLIDES);
  await claude.updateMemory({ ids: [1], content: "For Alan", project: "Apollo" });
  const [changed] = (await claude.listChanges({ record: "mem:1" })).changes;
  expect(changed).toMatchObject({ lines: ["-1: For Grace", "+1: For Alan"] });
  expect(changed).not.toHaveProperty("record");
  const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Data", content: { a: 1 } } });
  const params = { document_id: id };
  const put = (content: object) => ada.ok(documents.updateDocumentRoute, { params, json: { content } });
  await put({ a: 2 });
  await put({ text: "x".repeat(300_000) });
  const [long, data] = (await claude.listChanges({ record: id })).changes;
  expect(data?.lines).toEqual(['-2:   "a": 1', '+2:   "a": 2']);
  expect(long?.lines).toEqual(["too long to compare: list_versions has the earlier texts"]);
});

test("a connection that may read only one kind is not shown the lines of the other", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const { id } = await claude.createDocument({ title: "T", text: "One" });
  await claude.remember(SLIDES);
  for (const [scope, record] of [
    ["docs:read", "mem:1"],
    ["memory:read", id],
  ] as const) {
    const call = { tool: listChangesTool as unknown as Tool, sent: { record } };
    expect(missingScopes(call, [scope])).toHaveLength(1);
    const blind = await assistant(ada, undefined, { scopes: [scope] });
    await expect(blind.listChanges({ record })).rejects.toThrow("not found");
  }
});

/** The new text, from the old one and the lines that went and came; only if all of them are shown. */
function applied(before: string, lines: readonly string[]): string {
  const parsed = lines.map((line) => /^([-+])(\d+): (.*)$/s.exec(line) ?? []);
  const gone = new Set(parsed.filter(([, sign]) => sign === "-").map(([, , place]) => Number(place)));
  const kept = before.split("\n").filter((_, index) => !gone.has(index + 1));
  for (const [, sign, place, text = ""] of parsed) if (sign === "+") kept.splice(Number(place) - 1, 0, text);
  return kept.join("\n");
}

test("the lines of a change make the new text of the old one, as long as they are few", () => {
  const line = fc.constantFrom("", "a", "b", "a b", "c");
  const text = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineChanges(before, after);
      expect(lines.length).toBeLessThanOrEqual(13);
      expect(lines.length === 0).toBe(before === after);
      if (lines.length <= 12) expect(applied(before, lines)).toBe(after);
    }),
  );
  const any = fc.string({ unit: "binary", maxLength: 500 });
  fc.assert(
    fc.property(any, any, fc.string({ maxLength: 400 }), (before, after, around) => {
      const lines = lineChanges(around + before + around, around + after + around);
      expect(lines.every((shown) => shown.isWellFormed() && shown.length < 180)).toBe(true);
    }),
  );
});

test("a long line is shown around what is different, and a large change is cut", () => {
  const words = "lorem ipsum ".repeat(100);
  const [was, is] = lineChanges(`${words}190${words}`, `${words}210${words}`);
  expect(was).toMatch(/^-1: ….{20,}190.*…$/);
  expect(is).toMatch(/^\+1: ….{20,}210.*…$/);
  const many = Array.from({ length: 3000 }, (_, n) => `line ${n}`);
  const other = many.map((one, n) => (n % 100 === 50 ? `${one}!` : one));
  const lines = lineChanges(many.join("\n"), other.join("\n"));
  expect(lines[0]).toBe("-51: line 50");
  expect(lines.at(-1)).toBe("… and 48 more lines");
  expect(lineChanges(many.join("\n"), many.toReversed().join("\n"))).toEqual([
    "only the order of lines, or how they end",
  ]);
});
