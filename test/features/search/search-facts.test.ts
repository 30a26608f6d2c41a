import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, localDay } from "../../../src/contract/days.ts";
import { MemoryType } from "../../../src/contract/memory.ts";
import {
  createMemoryRoute,
  resolveMemoryRoute,
  supersedeMemoryRoute,
  updateMemoryRoute,
} from "../../../src/features/memories/routes.ts";
import { reindexRoute } from "../../../src/features/search/routes.ts";
import { search as searchIn } from "../../../src/features/search/store.ts";
import { searchTool } from "../../../src/features/search/tools.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../../kit/ctx.ts";
import { metered } from "../../kit/meter.ts";
import { search, write } from "../../kit/search.ts";

// What a record is, as words: its type and its due date.

const remember = (client: Client, topic: string, rest: Record<string, unknown> = {}) =>
  client.ok(createMemoryRoute, { json: { memory_type: "context", topic, content: "about it", ...rest } });

/** The topics and titles that a query finds, best first. */
async function found(client: Client, q: string, type = "all"): Promise<string[]> {
  const { results } = await search(client, q, { type, limit: 100 });
  return results.map((result) => ("memory" in result ? result.memory.topic : result.document.title));
}

describe("a record's type", () => {
  test.for([
    ["decision about the database", "One database for everything"],
    ["what did I decide about flights", "No flights below 800 km"],
    ["commitments to Grace", "Send Grace the slides"],
    ["blockers of Apollo", "Certificate for staging"],
    ["what is blocking the relaunch?", "Printer is out of toner"],
    ["Anna's preferences", "Anna: window seat"],
    ["desicion about the database", "One database for everything"],
    // As the app sends it while it is typed.
    ["database decision OR decision*", "One database for everything"],
  ] as const)("is a word of it: %s", async ([q, first]) => {
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
    expect((await found(ada, q))[0]).toBe(first);
  });

  test("finds every record of it, in the singular and the plural, and no other", async () => {
    const ada = await person();
    for (const memory_type of MemoryType.options) await remember(ada, `a ${memory_type[0]}`, { memory_type });
    for (const type of MemoryType.options) {
      expect(await found(ada, type, "memories")).toEqual([`a ${type[0]}`]);
      expect(await found(ada, `${type}s`, "memories")).toEqual([`a ${type[0]}`]);
    }
    expect(await found(ada, "decision OR blocker")).toHaveLength(2);
    // What is asked of the text is asked of the text.
    for (const q of ['"decision"', "title:decision", "decis*"]) expect(await found(ada, q)).toEqual([]);
    expect(await found(ada, "a -decision")).toHaveLength(MemoryType.options.length);
  });

  test("alone comes after the texts that say it", async () => {
    const ada = await person();
    for (let n = 0; n < 40; n++) await remember(ada, `Choice ${n}`, { memory_type: "decision" });
    await write(ada, "Decisions of the board", "word ".repeat(400));
    await remember(ada, "How a decision is made", { content: "thoroughly ".repeat(20) });
    for (const q of ["decision", "decisions", "the decision"]) {
      const topics = await found(ada, q);
      expect(topics.slice(0, 2).toSorted(), q).toEqual(["Decisions of the board", "How a decision is made"]);
      expect(topics, q).toHaveLength(42);
    }
  });

  test("does not touch a search for documents", async () => {
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
    for (const q of ["decision log", "decisions", "log due 2026-05-03", "desicion"]) {
      expect(await answer(ada, q), q).toEqual(await answer(bob, q));
    }
  });

  test("is said as the reason, and costs what a word costs", async () => {
    const ada = await person();
    for (let n = 0; n < 200; n++)
      await remember(ada, `Choice ${n}`, { memory_type: n % 4 ? "context" : "decision" });
    const { results } = await search(ada, "decision choice", { type: "memories", explain: "true", limit: 1 });
    expect(results[0]?.explanation?.map(({ because, words }) => [because, words])).toEqual(
      expect.arrayContaining([
        ["type", ["decision"]],
        ["found", ["choice"]],
      ]),
    );
    expect(results[0]).not.toHaveProperty("matched");
    const { session, meter } = metered(openSession(env.DB));
    const ctx = { ...(await ctxOf(ada)), db: openDatabase(session) };
    await searchIn(ctx, { q: "decisions", type: "memories", limit: 20, offset: 0 });
    // Six rows for each of the 50 decisions, and as much as any search needs.
    expect(meter.rowsRead).toBeLessThanOrEqual(6 * 50 + 300);
  });

  test("follows a change, and a successor has it", async () => {
    const ada = await person();
    const { id } = await remember(ada, "Grace", { memory_type: "decision" });
    const params = { memory_id: String(id) };
    await ada.ok(updateMemoryRoute, { params, json: { memory_type: "blocker", due_date: "2026-05-03" } });
    expect([await found(ada, "decision"), await found(ada, "blocker")]).toEqual([[], ["Grace"]]);
    await ada.ok(updateMemoryRoute, { params, json: { due_date: "2026-06-04" } });
    expect([await found(ada, "3 May"), await found(ada, "June 4th")]).toEqual([[], ["Grace"]]);
    await ada.ok(supersedeMemoryRoute, { params, json: { topic: "Linus", content: "about it" } });
    expect((await found(ada, "June 4th")).toSorted()).toEqual(["Grace", "Linus"]);
    await ada.ok(updateMemoryRoute, { params, json: { due_date: null } });
    expect(await found(ada, "due")).toEqual(["Linus"]);
  });
});

describe("a due date", () => {
  test.for([
    "3 May",
    "May 3rd",
    "2026-05-03",
    "due 3 May 2026",
    "what is due May 3?",
    "due in May",
    "commitments due May 2026",
    "due 3 May OR May*",
  ])("is found in any spelling: %s", async (q) => {
    const ada = await person();
    await remember(ada, "Rent", { memory_type: "commitment", due_date: "2026-05-03" });
    await remember(ada, "Tax", { memory_type: "commitment", due_date: "2026-06-04" });
    await remember(ada, "due to the rain of 2026, 3 people were late in 05 of 03 days", {
      content: "It may rain",
    });
    const { results } = await search(ada, q, { type: "memories", explain: "true" });
    const [first] = results;
    expect(first && "memory" in first && first.memory.topic).toBe("Rent");
    expect(first?.explanation?.[0]?.because).toBe("due");
  });

  test.for(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
    "is found from the person's day: %s",
    async (timezone) => {
      const ada = await person({ timezone });
      const today = localDay(new Date(), timezone);
      for (const days of [-1, 0, 1, 14])
        await remember(ada, `in ${days}`, { memory_type: "commitment", due_date: addDays(today, days) });
      const first = async (q: string) => (await found(ada, q, "memories"))[0];
      expect(await first("what is due today?")).toBe("in 0");
      expect(await first("due tomorrow")).toBe("in 1");
      expect(await first("commitments due yesterday")).toBe("in -1");
    },
  );

  test("of any day is found in each spelling of it", async () => {
    const ada = await person();
    const Days = fc.integer({ min: 0, max: 10_000 }).map((days) => addDays("2010-01-01", days));
    const spell = (day: string) => {
      const month = (style: "long" | "short") =>
        new Date(day).toLocaleString("en", { month: style, timeZone: "UTC" });
      const [year, , number] = day.split("-").map(Number);
      return [
        day,
        `${number} ${month("long")} ${year}`,
        `${month("short")} ${number}`,
        `due ${month("long")} ${year}`,
      ];
    };
    const property = fc.asyncProperty(Days, async (day) => {
      const { id } = await remember(ada, `due ${day}`.replaceAll("-", "x"), { due_date: day });
      for (const q of spell(day)) {
        const { results } = await search(ada, q, { type: "memories", limit: 100 });
        expect(
          results.map((result) => "memory" in result && result.memory.id),
          q,
        ).toContain(id);
      }
    });
    await fc.assert(property, { numRuns: 10 });
  });

  test("does not make a text with other numbers come first, and is no word of the text", async () => {
    const ada = await person();
    await remember(ada, "Rent", { due_date: "2026-05-03" });
    expect(await found(ada, '"2026-05-03"')).toEqual([]);
    expect(await found(ada, "2026")).toEqual([]);
    await remember(ada, "2026-05-03: met Grace");
    expect((await found(ada, "2026-05-03")).toSorted()).toEqual(["2026-05-03: met Grace", "Rent"]);
  });
});

test("an assistant finds records by their type and due date, and sees why", async () => {
  const ada = await person();
  await remember(ada, "Rent", { memory_type: "commitment", due_date: "2026-05-03" });
  const { id } = await remember(ada, "Deposit", { memory_type: "commitment", due_date: "2026-05-03" });
  await ada.ok(resolveMemoryRoute, { params: { memory_id: String(id) }, json: {} });
  const { results } = await callTool(await ctxOf(ada), searchTool, { query: "commitments due May 3" });
  expect(results.map(({ title, kind, due_date }) => [title, kind, due_date]).toSorted()).toEqual([
    ["Deposit", "resolved commitment", "2026-05-03"],
    ["Rent", "commitment", "2026-05-03"],
  ]);
});

test("records of an older version are found by their words, and after reindexing by what they are", async () => {
  const ada = await person();
  const own = `${await numberOf(ada)}x`;
  await write(ada, "Document", "Grace");
  const { id } = await remember(ada, "Grace", { memory_type: "decision", due_date: "2026-05-03" });
  // As version 3 wrote it: without facts.
  const entry = "(SELECT entry FROM search_entries WHERE kind = 'memory')";
  await env.DB.batch([
    env.DB.prepare(`INSERT OR REPLACE INTO search_index (rowid, title, tags, body, extra)
      VALUES (${entry}, '${own}grace ${own}=grace ${own}-grace', '', '${own}about ${own}it', '${own}~about ${own}~it')`),
    env.DB.prepare("UPDATE search_entries SET index_version = 3"),
    env.DB.prepare(`UPDATE search_entries SET tokens = 7 WHERE entry = ${entry}`),
  ]);
  expect([await found(ada, "grace"), await found(ada, "3 May")]).toEqual([["Grace", "Document"], []]);
  expect(await ada.ok(reindexRoute, { json: {} })).toEqual({ indexed: 2, remaining: 0 });
  expect([await found(ada, "decision"), await found(ada, "3 May")]).toEqual([["Grace"], ["Grace"]]);
  expect(id).toBe(1);
});
