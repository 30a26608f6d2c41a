import fc from "fast-check";
import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { listChangesTool, undoChangesTool } from "../../../src/features/activity/tools.ts";
import { createDocumentTool, editDocumentTool } from "../../../src/features/documents/tools.ts";
import { remember, updateMemory } from "../../../src/features/memories/tools.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";

// Undoing and listing changes with what nobody honest sends.

const as = async (who: Client, id: string): Promise<Ctx> => ({
  ...(await ctxOf(who)),
  actor: { kind: "assistant", id, source_type: "mcp" },
});

const SLIDES = { memory_type: "commitment", topic: "Slides", content: "One", project: "Apollo" } as const;

test("numbers of other accounts, of other connections, a thousand, or twice: nothing else is undone", async () => {
  const [ada, bob] = [await person(), await person()];
  const [mine, other, theirs] = [await as(ada, "one"), await as(ada, "two"), await as(bob, "one")];
  await callTool(theirs, remember, {
    records: Array.from({ length: 5 }, (_, n) => ({ ...SLIDES, topic: `Bob${n}` })),
  });
  await callTool(mine, remember, SLIDES);
  await callTool(other, updateMemory, { ids: [1], content: "Two" });
  const outcomes = async (ctx: Ctx, ids: unknown) =>
    (await callTool(ctx, undoChangesTool, { ids })).results.map(({ outcome }) => outcome);
  expect(await outcomes(mine, [2, 3, 4, 5])).toEqual(["not_possible", "not_found", "not_found", "not_found"]);
  expect(await outcomes(mine, [1, 1, "1"])).toEqual(["changed_since"]);
  const many = Array.from({ length: 1000 }, (_, n) => n + 1);
  await expect(callTool(mine, undoChangesTool, { ids: many })).rejects.toThrow("100");
  expect((await ada.call(undoActivityRoute, { json: { ids: many } })).status).toBe(422);
  expect((await ada.call(undoActivityRoute, { json: { ids: [0] } })).status).toBe(422);
  expect(await outcomes(mine, [0, -1, 2 ** 40])).toEqual(["not_found", "not_found", "not_found"]);
  const future = await callTool(mine, undoChangesTool, { since: "2999-01-01" });
  expect(future).toMatchObject({ undone: 0, results: [] });
  expect((await ada.ok(listActivityRoute)).items).toHaveLength(2);
  expect((await bob.ok(listActivityRoute)).items).toHaveLength(5);
});

test("an altered cursor of the activity is refused or shows the caller's own entries", async () => {
  const [ada, bob] = [await person(), await person()];
  const ctx = await as(ada, "one");
  await callTool(ctx, remember, {
    records: Array.from({ length: 6 }, (_, n) => ({ ...SLIDES, topic: `Ada${n}` })),
  });
  await callTool(await as(bob, "one"), remember, { ...SLIDES, topic: "BOBSECRET" });
  const { next_cursor } = await ada.ok(listActivityRoute, { query: { limit: 2 } });
  const real = next_cursor ?? "";
  const altered = fc.oneof(
    fc
      .tuple(fc.nat(real.length - 1), fc.stringMatching(/^[A-Za-z0-9_-]$/))
      .map(([place, letter]) => real.slice(0, place) + letter + real.slice(place + 1)),
    fc
      .anything()
      .map((value) =>
        btoa(unescape(encodeURIComponent(JSON.stringify(["activity", value]) ?? ""))).slice(0, 200),
      ),
    fc.string({ maxLength: 60 }),
  );
  await fc.assert(
    fc.asyncProperty(altered, async (cursor) => {
      const answer = await ada.call(listActivityRoute, { query: { cursor } });
      expect([200, 422]).toContain(answer.status);
      expect(answer.text).not.toContain("BOBSECRET");
    }),
    { numRuns: 40 },
  );
});

test("of undos by two connections at once each change is undone once, and only by its own connection", async () => {
  const ada = await person();
  const [one, two] = [await as(ada, "one"), await as(ada, "two")];
  const { id } = await callTool(one, createDocumentTool, { title: "T", text: "One" });
  await callTool(one, remember, SLIDES);
  for (const ctx of [one, two, one]) {
    await callTool(ctx, editDocumentTool, {
      id,
      operation: "append",
      text: ctx === one ? "by one" : "by two",
    });
    await callTool(ctx, updateMemory, { ids: [1], project: ctx === one ? "Gemini" : "Mercury" });
  }
  const { changes } = await callTool(one, listChangesTool, { since: "2020-01-01" });
  const ids = changes.map((change) => change.id);
  const answers = await Promise.all(
    [one, two, one, two].map((ctx) =>
      callTool(ctx, undoChangesTool, { ids: ids.filter((number) => Number(number) > 2) }),
    ),
  );
  const undone = answers.flatMap(({ results }) => results.filter(({ outcome }) => outcome === "undone"));
  expect(new Set(undone.map((result) => result.id)).size).toBe(undone.length);
  const left = await callTool(one, listChangesTool, { record: id });
  const texts = left.changes.filter(({ change }) => change === "changed content");
  expect(texts.every(({ undone: isUndone }) => isUndone)).toBe(true);
});
