import { expect, test } from "vitest";
import { searchTool } from "../../../src/features/search/tools.ts";
import { parseFilterDay } from "../../../src/shared/query/filter-dates.ts";
import { parseQuery } from "../../../src/shared/query/query.ts";
import { person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { find, search, write } from "../../kit/search.ts";

// What looks like a filter or an operator is read as it is meant, or the answer says what to write instead.

test.for([
  ["2026-11-01", "2026-11-01"],
  ["1.11.2026", "2026-11-01"],
  ["11.2026", "2026-11-01"],
  ["2026-11", "2026-11-01"],
  ["2025", "2025-01-01"],
  ["today", "2026-11-20"],
  ["Yesterday", "2026-11-19"],
  ["tomorrow", "2026-11-21"],
  ["last week", "2026-11-09"],
  ["two weeks ago", "2026-11-02"],
  ["last month", "2026-10-01"],
  ["monday", "2026-11-16"],
  ["Gestern", "2026-11-19"],
  ["Heute", "2026-11-20"],
  ["vorgestern", "2026-11-18"],
  ["morgen", "2026-11-21"],
  ["letzte Woche", "2026-11-09"],
  ["letzten Monat", "2026-10-01"],
  ["letzten Freitag", "2026-11-13"],
  ["Montag", "2026-11-16"],
  ["May", "2026-05-01"],
  ["december", "2025-12-01"],
  ["3 May 2026", "2026-05-03"],
  ["3 December", "2025-12-03"],
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00Z"],
  ...["2026-02-30", "32.01.2026", "2026-13", "soon", "11/01/2026", ""].map(
    (none) => [none, undefined] as const,
  ),
] as const)("the date %s is %s on 20 November 2026", ([value, day]) => {
  expect(parseFilterDay(value, "2026-11-20")).toBe(day);
});

test("after: and before: take dates in other words", async () => {
  const ada = await person();
  await write(ada, "now");
  for (const [q, titles] of [
    ['after:"last week" before:tomorrow', ["now"]],
    ['after:gestern after:"letzte Woche" before:morgen', ["now"]],
    ["before:yesterday", []],
    ["before:gestern", []],
    ["after:01.01.2020", ["now"]],
    ["before:2020-11", []],
  ] as const)
    expect([q, await find(ada, q)]).toEqual([q, titles]);
});

test("what looks like a filter or an operator but is not one is noted, with what to write instead", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  for (const [q, words] of [
    ["after:soon", "after:soon is not a date"],
    ["due:soon", "due:soon is not a day: try due:today"],
    ["due:<soon", "due:<soon is not a day: try due:today"],
    ["due:2026-02-30", "due:2026-02-30 is not a day"],
    ["due_before:2026-12-01", "use due: (due:today, due:<2026-12-01"],
    ["is:late", "is:overdue or is:repeating"],
    ["repeats:weekly", "use is:repeating"],
    ["-due:today", "only words can be excluded"],
    ["created_after:2026-01-01", "by the last change"],
    ["by:Grace", "search for the name as a word"],
    ["is:open", "use status:"],
    ["-tag:x", "only words can be excluded"],
    ["one AND NOT tag:x", "only words can be excluded"],
    ["one OR NOT two", "OR NOT is not supported"],
    ["one OR two OR tag:x", "OR only works between words"],
    ["tag:x OR one", "OR only works between words"],
  ] as const) {
    const { notes = [] } = await search(ada, q, { type: "all" });
    expect([q, notes.filter((note) => note.includes(words)).length]).toEqual([q, 1]);
    const tool = await callTool(ctx, searchTool, { query: q });
    expect(tool.notes?.join(), q).toContain(words);
  }
});

test("an OR beside a filter excludes nothing that either side finds", async () => {
  const ada = await person();
  await write(ada, "tea", "", { tags: ["drinks"] });
  await write(ada, "coffee", "", { tags: ["drinks"] });
  await write(ada, "water");
  for (const q of ["tea OR coffee OR tag:drinks", "tag:drinks OR tea OR coffee"])
    expect((await find(ada, q)).sort()).toEqual(["coffee", "tea"]);
  const { notes = [] } = await callTool(await ctxOf(ada), searchTool, { query: "tea OR tag:drinks" });
  expect(notes.join()).not.toContain("No result contains");
});

test("AND between words changes nothing, AND NOT excludes a word, and neither is noted", async () => {
  const ada = await person();
  for (const title of ["tea and cake", "tea", "cake", "and"]) await write(ada, title);
  for (const q of ["tea AND cake", "tea AND cake AND", "AND tea cake"])
    expect([q, parseQuery(q)]).toEqual([q, parseQuery("tea cake")]);
  expect(parseQuery("tea AND NOT cake")).toEqual(parseQuery("tea -cake"));
  expect(parseQuery("tea OR cake AND NOT and")).toEqual(parseQuery("tea OR cake -and"));
  expect(await find(ada, "tea AND NOT cake")).toEqual(["tea"]);
  expect(await find(ada, "AND")).toEqual(parseQuery("AND").wanted.length > 0 ? await find(ada, "and") : []);
  // Capitals alone are no operator, and links are no filters.
  expect(parseQuery("DO NOT PANIC").unwanted).toEqual([]);
  for (const q of ["http://x.example", "note: that", "10:30", "tea OR cake", "-word"])
    expect(parseQuery(q)).not.toHaveProperty("misread");
});

test("a filter that cannot match anything is noted, with what to do", async () => {
  const ada = await person();
  await write(ada, "slides", "word");
  const notes = async (q: string, type = "all") => (await search(ada, q, { type })).notes;
  expect(await notes("slides type:commitment", "documents")).toEqual([
    "type:commitment applies to memory records, which this search does not include: use type=all",
  ]);
  expect(await notes("status:active project:Apollo", "documents")).toHaveLength(2);
  expect(await notes("folder:Trips", "memories")).toEqual([
    "folder:Trips applies to documents, which this search does not include: use type=all",
  ]);
  expect(await notes("status:done")).toEqual([
    "status:done matches nothing. Possible values: active, deferred, resolved, archived",
  ]);
  expect(await notes("type:Commitment folder:x tag:y")).toEqual([
    "folder:x applies to documents, but type:Commitment excludes them: nothing matches both",
    'There is no folder "x": there are none yet',
    'There is no tag "y": there are none yet',
  ]);
  expect(await notes("type:document due:today")).toEqual([
    "due:today applies to memory records, but type:document excludes them: nothing matches both",
  ]);
  expect(await notes("type:Commitment status:active source:api")).toBeUndefined();
  expect(await notes("slides type:documents", "documents")).toBeUndefined();
});
