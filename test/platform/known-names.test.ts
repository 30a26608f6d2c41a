import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createMemoryRoute } from "../../src/features/memories/routes.ts";
import { remember } from "../../src/features/memories/tools.ts";
import { listProjectsRoute } from "../../src/features/projects/routes.ts";
import { purge } from "../../src/purge.ts";
import { assistant } from "../kit/assistant.ts";
import { type Client, person } from "../kit/client.ts";
import { callTool, ctxOf, meteredCtx, numberOf } from "../kit/ctx.ts";

// What a tool files goes to the project and the tags that there are, however it spells them.

const record = (fields: Record<string, unknown>) => ({
  ...{ memory_type: "commitment", topic: crypto.randomUUID(), content: crypto.randomUUID() },
  ...fields,
});
const projectsOf = async (client: Client) =>
  (await client.ok(listProjectsRoute)).items.map(({ name }) => name);
const asStored = (kind: string, asked: string, stored: string) =>
  `The ${kind} "${asked}" is stored as "${stored}", its existing spelling`;

test.for([
  ["Apollo", "apollo"],
  ["über", "ÜBER"],
  ["Straße", "STRASSE"],
] as const)(
  "a record in the project and with the tag %s is found when it is written as %s",
  async ([stored, asked]) => {
    const [ada, bob] = [await person(), await person()];
    const [claude, bobs] = [await assistant(ada), await assistant(bob)];
    await claude.remember(record({ project: stored, tags: [stored] }));
    const note = `${asStored("project", asked, stored)}; ${asStored("tag", asked, stored)}`;
    const expected = { memory: { project: stored, tags: [stored] }, note };
    for (const completed of [false, true]) {
      if (completed) await purge(env);
      const made = await claude.remember(record({ project: asked, tags: [asked, stored] }));
      expect(made).toMatchObject(expected);
      const replaced = record({ project: asked, tags: [asked], replaces_id: made.memory?.id });
      expect(await claude.remember(replaced)).toMatchObject(expected);
      const { memory } = await claude.remember(record({}));
      const change = { ids: memory?.id, project: asked, add_tags: [asked] };
      expect(await claude.updateMemory(change)).toMatchObject(expected);
      const each = { records: [record({ project: asked }), record({ project: stored })] };
      const { results } = await claude.remember(each);
      const notes = results?.map(({ project, note }) => [project, note]);
      expect(notes).toEqual([
        [stored, asStored("project", asked, stored)],
        [stored, undefined],
      ]);
    }
    expect(await projectsOf(ada)).toEqual([stored]);
    // Another account spells names as it likes.
    const theirs = await bobs.remember(record({ project: asked, tags: [asked] }));
    expect(theirs).toMatchObject({ memory: { project: asked, tags: [asked] } });
    expect(theirs).not.toHaveProperty("note");
  },
);

test("a document's tags are spelled as those of others", async () => {
  const claude = await assistant(await person());
  await claude.createDocument({ title: "One", text: "x", tags: ["Garten", "Ärger"] });
  const note = `${asStored("tag", "garten", "Garten")}; ${asStored("tag", "ÄRGER", "Ärger")}`;
  const two = await claude.createDocument({ title: "Two", text: "y", tags: ["garten", "ÄRGER"] });
  expect(two).toMatchObject({ tags: ["Garten", "Ärger"], note });
  const three = await claude.createDocument({ title: "Three", text: "z" });
  const tagged = { operation: "set_fields", add_tags: ["garten", "ÄRGER"] };
  expect(await claude.editDocument({ id: three.id, ...tagged })).toMatchObject({
    tags: ["Garten", "Ärger"],
    note,
  });
  const four = await claude.createDocument({ title: "Four", text: "4" });
  const several = await claude.editDocument({ ids: [four.id, three.id], ...tagged });
  expect(several.results).toMatchObject([{ tags: ["Garten", "Ärger"], note }, { unchanged: true }]);
  // Who takes one spelling away and gives another one means it.
  const recased = { operation: "set_fields", remove_tags: ["Garten"], add_tags: ["garten"] };
  const edited = await claude.editDocument({ id: three.id, ...recased });
  expect(edited).toMatchObject({ tags: ["Ärger", "garten"] });
  expect(edited).not.toHaveProperty("note");
});

test("a name that is like another one is stored as it is asked for, and the answer names the other", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember(record({ project: "Apollo", tags: ["garden"] }));
  await claude.remember(record({ project: "Year 2025" }));
  expect(await claude.remember(record({ project: "Apolo", tags: ["gardn"] }))).toMatchObject({
    memory: { project: "Apolo", tags: ["gardn"] },
    note: 'There is also a project "Apollo"; There is also a tag "garden"',
  });
  // Once it is there, it is no slip; a number makes another name, and so does another word.
  for (const project of ["Apolo", "Year 2026", "Gemini"])
    expect(await claude.remember(record({ project }))).not.toHaveProperty("note");
  const made = await claude.createDocument({ title: "D", text: "d", tags: ["gardens"] });
  expect(made.note).toBe('There is also a tag "garden"');
  // A tag that takes the place of the other one is no slip for it.
  const corrected = { id: 1, remove_tags: ["garden"], add_tags: ["garten"] };
  expect(await claude.updateMemory(corrected)).not.toHaveProperty("note");
  const bobs = await assistant(await person());
  expect(await bobs.remember(record({ project: "Apolo" }))).not.toHaveProperty("note");
});

test("who may not read records learns none of their tags", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  await claude.remember(record({ tags: ["Secret"] }));
  const writer = await assistant(ada, undefined, { scopes: ["docs:read", "docs:write"] });
  for (const tag of ["secret", "Secrets"]) {
    const made = await writer.createDocument({ title: tag, text: tag, tags: [tag] });
    expect(made.tags).toEqual([tag]);
    expect(made.note ?? "").not.toContain('Secret"');
  }
});

test("writes at once agree on one spelling of a new name", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const spellings = ["apollo", "Apollo", "APOLLO", "aPOLLO"];
  await Promise.all(spellings.map((project) => claude.remember(record({ project, tags: [project] }))));
  const [stored = "", ...others] = await projectsOf(ada);
  expect([spellings.includes(stored), others]).toEqual([true, []]);
  const records = ["Über", "über", "ÜBER"].map((project) => record({ project }));
  const { results } = await claude.remember({ records });
  expect(results?.map(({ project }) => project)).toEqual(["Über", "Über", "Über"]);
});

test("the spelling of a project is changed by renaming it, or by changing all that have it", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const { memory: one } = await claude.remember(record({ project: "apollo" }));
  const changed = await claude.updateMemory({ id: one?.id, project: "Apollo" });
  expect(changed).toMatchObject({ memory: { project: "Apollo" } });
  expect(changed).not.toHaveProperty("note");
  await claude.remember(record({ project: "Apollo" }));
  const kept = await claude.updateMemory({ id: one?.id, project: "APOLLO" });
  expect(kept).toMatchObject({ memory: { project: "Apollo" } });
  await claude.updateMemory({ in_project: "Apollo", project: "APOLLO" });
  expect(await projectsOf(ada)).toEqual(["APOLLO"]);
  // A project that is merged with another one gets the name of that.
  await claude.remember(record({ project: "Gemini" }));
  const merged = await claude.updateMemory({ in_project: "Gemini", project: "apollo" });
  expect(merged).toMatchObject({ renamed: 1, note: asStored("project", "apollo", "APOLLO") });
  expect(await projectsOf(ada)).toEqual(["APOLLO"]);
});

test("the API stores names as they are sent", async () => {
  const ada = await person();
  for (const project of ["Apollo", "apollo"])
    await ada.ok(createMemoryRoute, { json: record({ project }) as never });
  expect(await projectsOf(ada)).toEqual(["Apollo", "apollo"]);
  // Then both are there, and each means itself.
  const claude = await assistant(ada);
  for (const project of ["Apollo", "apollo"])
    expect((await claude.remember(record({ project }))).memory?.project).toBe(project);
});

test("a new name costs as many rows as names begin like it, and is compared with those in any case and accent", async () => {
  const ada = await person();
  const base = await ctxOf(ada);
  const owner = await numberOf(ada);
  await env.DB.prepare(`INSERT INTO memory_totals (owner, project, scope, memory_type, active, deferred, resolved, archived,
      resolved_seconds) SELECT ?, char(98 + value % 25) || ' project ' || value, '', 'context', 1, 0, 0, 0, 0
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 900) SELECT value FROM n)`)
    .bind(owner)
    .run();
  for (const project of ["Ärzte im Ort", "Gemini Station"])
    await callTool(base, remember, record({ project }));
  const cost = async (project?: string) => {
    const { ctx, meter } = meteredCtx(base);
    const { note } = await callTool(ctx, remember, record({ project }));
    return { note, rows: meter.rowsRead };
  };
  const plain = await cost();
  for (const [asked, near] of [
    ["arzte im ort", "Ärzte im Ort"],
    ["gemini statoin", "Gemini Station"],
    ["egmini station", "Gemini Station"],
  ] as const) {
    const { note, rows } = await cost(asked);
    expect(note).toBe(`There is also a project "${near}"`);
    expect(rows - plain.rows, asked).toBeLessThan(450);
  }
});

test("a name that is spelled as it is there costs no call, and a row or two for each", async () => {
  const base = await ctxOf(await person());
  const others = Array.from({ length: 30 }, (_, n) => record({ project: `Other ${n}`, tags: [`other${n}`] }));
  await callTool(base, remember, { records: [...others, record({ project: "Apollo", tags: ["Garden"] })] });
  const cost = async (fields: Record<string, unknown>) => {
    const { ctx, meter } = meteredCtx(base);
    await callTool(ctx, remember, record(fields));
    return meter;
  };
  const plain = await cost({ scope: "work" });
  const known = await cost({ project: "Apollo", tags: ["Garden"] });
  expect(known.rowsRead - plain.rowsRead).toBeLessThan(40);
  const unknown = await cost({ project: "Gemini", tags: ["new"] });
  for (const { batches } of [plain, known, unknown]) expect(batches).toBe(1);
  // The meter does not count the first call, which is refused: the spelling is looked up, and the record written.
  expect((await cost({ project: "apollo" })).batches).toBeLessThanOrEqual(2);
});
