import { expect, test } from "vitest";
import { getBriefing } from "../../src/features/dashboard/tools.ts";
import { createFolderRoute } from "../../src/features/folders/routes.ts";
import { listMemories } from "../../src/features/memories/list-tools.ts";
import { createMemoryRoute } from "../../src/features/memories/routes.ts";
import { searchTool } from "../../src/features/search/tools.ts";
import { person } from "../kit/client.ts";
import { callTool, ctxOf } from "../kit/ctx.ts";
import { search, write } from "../kit/search.ts";

// A project, folder or tag that does not exist finds nothing, and the answer says why.

const ROCKET = { memory_type: "commitment", topic: "Rocket", content: "text", project: "Apollo" } as const;

test("a filter by a name that nothing has is answered with the nearest one", async () => {
  const [ada, bob] = [await person(), await person()];
  const json = { ...ROCKET, tags: ["space"] };
  await ada.ok(createMemoryRoute, { json });
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Work" } });
  await write(ada, "note", "", { folder_id, tags: ["garden"] });
  const ctx = await ctxOf(ada);
  for (const [q, note] of [
    ["project:Apolo", 'There is no project "Apolo": did you mean "Apollo"?'],
    ["folder:Wrk", 'There is no folder "Wrk": did you mean "Work"?'],
    ["folder:Home/Wrk", 'There is no folder "Home/Wrk": did you mean "Work"?'],
    ["tag:nosuch", 'There is no tag "nosuch": there are garden, space'],
    ["rocket tag:gardn", 'There is no tag "gardn": did you mean "garden"?'],
  ]) {
    const { total, notes } = await search(ada, q ?? "", { type: "all" });
    expect([q, total, notes]).toEqual([q, 0, expect.arrayContaining([note])]);
    expect((await callTool(ctx, searchTool, { query: q })).notes).toContain(note);
  }
  // Not for a name that exists, and another account's names are not told.
  expect((await search(ada, "tag:SPACE nothing", { type: "all" })).notes ?? []).toEqual([]);
  expect((await search(bob, "project:Apolo", { type: "memories" })).notes).toEqual([
    'There is no project "Apolo": there are none yet',
  ]);
  // A search without records tells none of their names.
  const documents = await search(ada, "project:Apolo tag:spac");
  expect(JSON.stringify(documents.notes)).not.toMatch(/Apollo|space/);
});

test("so are a briefing and a list", async () => {
  const ada = await person();
  await ada.ok(createMemoryRoute, { json: ROCKET });
  const ctx = await ctxOf(ada);
  const note = 'No record has the project "Apolo"; did you mean "Apollo"?';
  expect(await callTool(ctx, getBriefing, { project: "Apolo" })).toMatchObject({ note });
  expect(await callTool(ctx, listMemories, { project: "Apolo" })).toMatchObject({ total: 0, note });
  for (const project of ["Apollo", "APOLLO"]) {
    expect(await callTool(ctx, getBriefing, { project })).not.toHaveProperty("note");
    const list = await callTool(ctx, listMemories, { project, view: "history" });
    expect([list.total, list.note]).toEqual([0, undefined]);
  }
});
