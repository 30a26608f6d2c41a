import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays } from "../../../src/contract/days.ts";
import { MemoryType } from "../../../src/contract/memory.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { reindexRoute } from "../../../src/features/search/routes.ts";
import { searchTool } from "../../../src/features/search/tools.ts";
import { purge } from "../../../src/purge.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { at, step } from "../../kit/records.ts";
import { find, findAll, remember, search, write } from "../../kit/search.ts";

// Records are found by their words and by what they are: their type, their project and their due date.

const change = (client: Client, record: { id: number }, json: object) =>
  client.ok(memories.updateMemoryRoute, { params: at(record), json });

test("records are ranked together with documents on request, and filtered by type, status, project, tag and source", async () => {
  const ada = await person();
  await remember(ada, "slides one", { memory_type: "commitment", project: "Apollo", tags: ["x"] });
  await step(ada, await remember(ada, "slides two", { memory_type: "decision" }), "archive", {});
  await write(ada, "slides three", "", { tags: ["x"] });
  const [one, two, three] = ["slides one", "slides two", "slides three"];
  expect(await find(ada, "slides")).toEqual([three]);
  expect((await findAll(ada, "slides", { type: "memories" })).sort()).toEqual([one, two]);
  for (const [q, titles] of [
    ["slides", [one, three, two]],
    ["slides type:decision", [two]],
    ["slides status:active", [one]],
    ["slides project:apollo", [one]],
    ["slides type:document", [three]],
    ["slides tag:x", [one, three]],
    ["slides source:api", [one, three, two]],
    ["slides folder:any", []],
  ] as const)
    expect([q, (await findAll(ada, q)).sort()]).toEqual([q, titles]);
});

test("a record's project is a word of it, also after a change and after reindexing", async () => {
  const ada = await person();
  const record = await remember(ada, "Speaker", { content: "Grace", project: "Zeppelin" });
  const count = async (q: string) => (await search(ada, q, { type: "memories" })).total;
  expect([await count("zeppelin"), await count("zeppelins grace")]).toEqual([1, 1]);
  await change(ada, record, { project: "Lighthouse" });
  expect([await count("zeppelin"), await count("lighthouse")]).toEqual([0, 1]);
  await ada.ok(reindexRoute, { json: { all: true } });
  expect([await count("lighthouse"), await count("tag:lighthouse")]).toEqual([1, 0]);
});

test("a record is found by the note with which it was closed, also one that an earlier version indexed", async () => {
  const ada = await person();
  const record = await remember(ada, "Call the plumber", { memory_type: "commitment" });
  const found = async () => {
    const { results } = await search(ada, "washer", { type: "memories", highlight: "mark" });
    const { total } = await ada.ok(memories.listMemoriesRoute, { query: { q: "washer" } });
    return [results.map(({ snippet }) => snippet), total];
  };
  expect(await found()).toEqual([[], 0]);
  await step(ada, record, "resolve", { resolution_note: "A new Washer was enough" });
  expect(await found()).toEqual([[expect.stringContaining("<mark>Washer</mark>")], 1]);
  const own = `kind = 'memory' AND owner = ${await numberOf(ada)}`;
  await env.DB.batch([
    env.DB.prepare(`UPDATE search_entries SET index_version = 3 WHERE ${own}`),
    env.DB.prepare(`INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      SELECT entry, '', '', '', '' FROM search_entries WHERE ${own}`),
  ]);
  expect((await found())[0]).toEqual([]);
  await purge(env);
  expect((await found())[0]).toHaveLength(1);
  await step(ada, record, "reopen", {});
  expect(await found()).toEqual([[], 0]);
});

describe("a record's type", () => {
  test("is a word of it", async () => {
    const ada = await person();
    await write(ada, "Database notes", "the database, once more the database");
    await write(ada, "Grace, Anna and Apollo", "flights of the relaunch");
    await remember(ada, "Grace likes slides about Anna and flights");
    await remember(ada, "Apollo has a database, and a relaunch");
    await remember(ada, "One database for everything", { memory_type: "decision" });
    await remember(ada, "No flights below 800 km", { memory_type: "decision" });
    await remember(ada, "Send Grace the slides", { memory_type: "commitment" });
    await remember(ada, "Call Linus", { memory_type: "commitment" });
    await remember(ada, "Certificate for staging", { memory_type: "blocker", project: "Apollo" });
    await remember(ada, "Printer is out of toner", { memory_type: "blocker", content: "for the relaunch" });
    await remember(ada, "Anna: window seat", { memory_type: "preference" });
    for (const [q, first] of [
      ["decision about the database", "One database for everything"],
      ["what did I decide about flights", "No flights below 800 km"],
      ["commitments to Grace", "Send Grace the slides"],
      ["blockers of Apollo", "Certificate for staging"],
      ["what is blocking the relaunch?", "Printer is out of toner"],
      ["Anna's preferences", "Anna: window seat"],
      ["desicion about the database", "One database for everything"],
      // As the app sends it while it is typed.
      ["database decision OR decision*", "One database for everything"],
    ])
      expect([q, (await findAll(ada, q ?? ""))[0]]).toEqual([q, first]);
  });

  test("finds every record of it, in the singular and the plural, and no other", async () => {
    const ada = await person();
    for (const memory_type of MemoryType.options) await remember(ada, `a ${memory_type[0]}`, { memory_type });
    for (const type of MemoryType.options)
      for (const q of [type, `${type}s`])
        expect([q, await findAll(ada, q, { type: "memories" })]).toEqual([q, [`a ${type[0]}`]]);
    expect(await findAll(ada, "decision OR blocker")).toHaveLength(2);
    // Quoted, prefixed and title words search the text only.
    for (const q of ['"decision"', "title:decision", "decis*"]) expect(await findAll(ada, q)).toEqual([]);
    expect(await findAll(ada, "a -decision")).toHaveLength(MemoryType.options.length);
  });

  test("alone ranks below the texts that say it", async () => {
    const ada = await person();
    for (let n = 0; n < 40; n++) await remember(ada, `Choice ${n}`, { memory_type: "decision" });
    await write(ada, "Decisions of the board", "word ".repeat(400));
    await remember(ada, "How a decision is made", { content: "thoroughly ".repeat(20) });
    for (const q of ["decision", "decisions", "the decision"]) {
      const topics = await findAll(ada, q);
      expect(topics.slice(0, 2).toSorted(), q).toEqual(["Decisions of the board", "How a decision is made"]);
      expect(topics, q).toHaveLength(42);
    }
  });

  test("and its due date change nothing in a search for documents", async () => {
    const [ada, bob] = [await person(), await person()];
    for (const client of [ada, bob]) {
      await write(client, "Decision log", "what we decided");
      await write(client, "Log of the ship", "no more than that");
    }
    for (let n = 0; n < 60; n++) {
      await remember(ada, `x ${n}`, { memory_type: "decision", due_date: "2026-05-03" });
      await remember(bob, `x ${n}`);
    }
    const answer = async (client: Client, q: string) =>
      (await search(client, q, { explain: "true" })).results.map(({ score, explanation }) => [
        score,
        explanation,
      ]);
    for (const q of ["decision log", "decisions", "log due 2026-05-03", "desicion"])
      expect(await answer(ada, q), q).toEqual(await answer(bob, q));
  });

  test("is said as the reason", async () => {
    const ada = await person();
    await remember(ada, "Choice", { memory_type: "decision" });
    await remember(ada, "Another choice");
    const [first] = (await search(ada, "decision choice", { type: "memories", explain: "true" })).results;
    expect(first?.explanation?.map(({ because, words }) => [because, words])).toEqual(
      expect.arrayContaining([
        ["type", ["decision"]],
        ["found", ["choice"]],
      ]),
    );
    expect(first).not.toHaveProperty("matched");
  });

  test("and its due date follow a change, and a successor has them", async () => {
    const ada = await person();
    const record = await remember(ada, "Grace", { memory_type: "decision" });
    const found = (...queries: string[]) => Promise.all(queries.map((q) => findAll(ada, q)));
    await change(ada, record, { memory_type: "blocker", due_date: "2026-05-03" });
    expect(await found("decision", "blocker")).toEqual([[], ["Grace"]]);
    await change(ada, record, { due_date: "2026-06-04" });
    expect(await found("3 May", "June 4th")).toEqual([[], ["Grace"]]);
    await step(ada, record, "supersede", { topic: "Linus", content: "about it" });
    expect((await findAll(ada, "June 4th")).toSorted()).toEqual(["Grace", "Linus"]);
    await change(ada, record, { due_date: null });
    expect(await found("due")).toEqual([["Linus"]]);
  });
});

describe("a due date", () => {
  test("is found in any spelling, and said as the reason", async () => {
    const ada = await person();
    await remember(ada, "Rent", { memory_type: "commitment", due_date: "2026-05-03" });
    await remember(ada, "Tax", { memory_type: "commitment", due_date: "2026-06-04" });
    const topic = "due to the rain of 2026, 3 people were late in 05 of 03 days";
    await remember(ada, topic, { content: "It may rain" });
    for (const q of [
      ...["3 May", "May 3rd", "2026-05-03", "due 3 May 2026", "what is due May 3?", "due in May"],
      ...["commitments due May 2026", "due 3 May OR May*"],
    ]) {
      const [first] = (await search(ada, q, { type: "memories", explain: "true" })).results;
      expect(first, q).toMatchObject({ memory: { topic: "Rent" } });
      expect(first?.explanation?.[0]?.because, q).toBe("due");
    }
  });

  test("of any day is found in each spelling of it", async () => {
    const ada = await person();
    const Days = fc.integer({ min: 0, max: 10_000 }).map((days) => addDays("2010-01-01", days));
    const spell = (day: string) => {
      const month = (style: "long" | "short") =>
        new Date(day).toLocaleString("en", { month: style, timeZone: "UTC" });
      const [year, , number] = day.split("-").map(Number);
      const [long, short] = [month("long"), month("short")];
      return [day, `${number} ${long} ${year}`, `${short} ${number}`, `due ${long} ${year}`];
    };
    const property = fc.asyncProperty(Days, async (day) => {
      const topic = `due ${day}`.replaceAll("-", "x");
      await remember(ada, topic, { due_date: day });
      for (const q of spell(day)) expect(await findAll(ada, q, { type: "memories" }), q).toContain(topic);
    });
    await fc.assert(property, { numRuns: 10 });
  });

  test("does not make a text with other numbers come first, and is no word of the text", async () => {
    const ada = await person();
    await remember(ada, "Rent", { due_date: "2026-05-03" });
    for (const q of ['"2026-05-03"', "2026"]) expect(await findAll(ada, q)).toEqual([]);
    await remember(ada, "2026-05-03: met Grace");
    expect((await findAll(ada, "2026-05-03")).toSorted()).toEqual(["2026-05-03: met Grace", "Rent"]);
  });
});

test("an assistant finds records by their type and due date, and sees what they are", async () => {
  const ada = await person();
  const rent = { memory_type: "commitment", due_date: "2026-05-03" };
  await remember(ada, "Rent", rent);
  await step(ada, await remember(ada, "Deposit", rent), "resolve", {});
  const { results } = await callTool(await ctxOf(ada), searchTool, { query: "commitments due May 3" });
  expect(results.map(({ title, kind, due_date }) => [title, kind, due_date]).toSorted()).toEqual([
    ["Deposit", "resolved commitment", "2026-05-03"],
    ["Rent", "commitment", "2026-05-03"],
  ]);
});
