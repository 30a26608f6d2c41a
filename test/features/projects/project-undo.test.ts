import fc from "fast-check";
import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { listChangesTool, undoChangesTool } from "../../../src/features/activity/tools.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { closeMemories, remember, updateMemory } from "../../../src/features/memories/tools.ts";
import { renameProjectRoute } from "../../../src/features/projects/routes.ts";
import { readActivity } from "../../../src/features/webhooks/activity-store.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, claude, runTool } from "../../kit/ctx.ts";

// The renaming of a project, and its undo, reach the records that are in the trash meanwhile.

const RECORDS = 4;
const IDS = Array.from({ length: RECORDS }, (_, n) => n + 1);

const at = (id: number) => ({ params: { memory_id: String(id) } });

async function begin() {
  const ada = await person();
  const ctx = await claude(ada);
  const one = { memory_type: "context", content: "x", project: "Apollo" };
  const records = IDS.map((id) => ({ ...one, topic: `Item${id}` }));
  await callTool(ctx, remember, { records });
  const rename = () => runTool(ctx, updateMemory, { in_project: "Apollo", project: "Gemini" });
  return { ada, ctx, rename };
}

/** The project of every record, each brought back from the trash first. */
async function projectsOf(ada: Client): Promise<(string | null)[]> {
  const found = [];
  for (const id of IDS) {
    await ada.ok(memories.restoreMemoryRoute, at(id));
    found.push((await ada.ok(memories.getMemoryRoute, at(id))).project);
  }
  return found;
}

const all = (project: string) => IDS.map(() => project);

test("a record that was in the trash while its project was renamed goes back with the others", async () => {
  const { ada, ctx, rename } = await begin();
  await callTool(ctx, closeMemories, { ids: [2], outcome: "deleted" });
  const renamed = await rename();
  expect(renamed).toMatchObject({ renamed: 3, in_trash: 1, change_id: "6-9" });
  const [line] = (await callTool(ctx, listChangesTool, { since: "2020-01-01" })).changes;
  expect(line?.change).toBe('changed project "Apollo" → "Gemini" on 4 records');
  const undone = await callTool(ctx, undoChangesTool, { ids: renamed.change_id });
  expect(undone).toMatchObject({ undone: 4 });
  expect(undone.results.find(({ record }) => record === "mem:2")?.status).toBe("in the trash");
  expect(await projectsOf(ada)).toEqual(all("Apollo"));
});

test("one that was deleted after the renaming goes back too, and again with the undo of the undo", async () => {
  const { ada, rename } = await begin();
  const { change_id } = await rename();
  await ada.call(memories.deleteMemoryRoute, at(3));
  await ada.call(memories.deleteMemoryRoute, at(4));
  await ada.ok(memories.restoreMemoryRoute, at(4));
  const dry = await ada.ok(undoActivityRoute, { json: { change_id, dry_run: true } });
  expect(dry).toMatchObject({ undone: 4, not_undone: 0 });
  const undone = await ada.ok(undoActivityRoute, { json: { change_id } });
  expect(undone).toMatchObject({ undone: 4, not_undone: 0 });
  const back = undone.results.flatMap(({ undone_by }) => undone_by ?? []);
  expect(await ada.ok(undoActivityRoute, { json: { ids: back } })).toMatchObject({ undone: 4 });
  expect(await projectsOf(ada)).toEqual(all("Gemini"));
});

test("what else was changed since stays, and a deletion is undone whatever was renamed in the trash", async () => {
  const { ada, rename } = await begin();
  const { change_id } = await rename();
  await ada.ok(memories.updateMemoryRoute, { ...at(1), json: { content: "By hand" } });
  await ada.call(memories.deleteMemoryRoute, at(1));
  const [deletion] = (await ada.ok(listActivityRoute)).items;
  const first = await ada.ok(undoActivityRoute, { json: { change_id } });
  expect(first.results.map(({ outcome }) => outcome).sort()).toEqual([
    ...["changed_since", "undone", "undone", "undone"],
  ]);
  await ada.ok(renameProjectRoute, { params: { name: "Apollo" }, json: { name: "Mercury" } });
  await ada.call(memories.restoreMemoryRoute, at(2));
  expect(await ada.ok(undoActivityRoute, { json: { ids: [deletion?.id] } })).toMatchObject({ undone: 1 });
  expect(await ada.ok(memories.getMemoryRoute, at(1))).toMatchObject({
    content: "By hand",
    project: "Gemini",
  });
});

test("webhooks are not sent what was renamed in the trash", async () => {
  const { ada, ctx, rename } = await begin();
  await callTool(ctx, closeMemories, { ids: [2], outcome: "deleted" });
  const before = (await ada.ok(listActivityRoute)).items[0]?.id ?? 0;
  await rename();
  const told = (await readActivity(ctx, before, 100)).filter(({ in_trash }) => !in_trash);
  expect(told.map(({ data }) => data.memory_id).sort()).toEqual([1, 3, 4]);
});

type Step = { id: number; act: "delete" | "restore" };
const steps = fc.array(
  fc.record({ id: fc.constantFrom(...IDS), act: fc.constantFrom<Step["act"]>("delete", "restore") }),
  { maxLength: 2 },
);

test("wherever records were deleted and restored, an undone renaming leaves none of them behind", async () => {
  const { ada } = await begin();
  const take = async (some: Step[]) => {
    for (const { id, act } of some)
      await ada.call(act === "delete" ? memories.deleteMemoryRoute : memories.restoreMemoryRoute, at(id));
  };
  const renaming = async (name: string, next: string) => {
    const params = { name };
    return (await ada.call(renameProjectRoute, { params, json: { name: next } })).body as {
      change_ids?: string[];
    };
  };
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, async (before, between, after) => {
      await take([...before, { id: 1, act: "restore" }]);
      const { change_ids: ids } = await renaming("Apollo", "Gemini");
      expect(ids).toHaveLength(RECORDS);
      await take(between);
      const { results, undone } = await ada.ok(undoActivityRoute, { json: { ids } });
      expect(undone).toBe(RECORDS);
      await take(after);
      const again = await ada.ok(undoActivityRoute, {
        json: { ids: results.map(({ undone_by }) => undone_by) },
      });
      expect(again.undone).toBe(RECORDS);
      const third = again.results.map(({ undone_by }) => undone_by);
      expect(await ada.ok(undoActivityRoute, { json: { ids: third } })).toMatchObject({ undone: RECORDS });
      expect(await projectsOf(ada)).toEqual(all("Apollo"));
    }),
    { numRuns: 2 },
  );
});
