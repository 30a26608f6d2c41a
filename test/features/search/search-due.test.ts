import { afterEach, expect, test, vi } from "vitest";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { searchTool } from "../../../src/features/search/tools.ts";
import { matchesDue, parseDueFilter } from "../../../src/shared/query/due.ts";
import { person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { personAt } from "../../kit/dashboard.ts";
import { make, step } from "../../kit/records.ts";
import { findAll, search, write } from "../../kit/search.ts";

// What is due, and what repeats, as filters of a search. 20 November 2026 is a Friday.

afterEach(() => {
  vi.useRealTimers();
});

const TODAY = "2026-11-20";
const [ALWAYS, NEVER] = ["", "~"];
const days = (from: string, until: string) => ({ from, until });
const none = (value: string) => [value, undefined] as const;

test.for([
  ["today", days("2026-11-20", "2026-11-21")],
  ["Tomorrow", days("2026-11-21", "2026-11-22")],
  ["2026-12-01", days("2026-12-01", "2026-12-02")],
  ["1.12.2026", days("2026-12-01", "2026-12-02")],
  ["12.2026", days("2026-12-01", "2027-01-01")],
  ["2028-02", days("2028-02-01", "2028-03-01")],
  ["2026", days("2026-01-01", "2027-01-01")],
  ["3 May 2027", days("2027-05-03", "2027-05-04")],
  ["next week", days("2026-11-23", "2026-11-30")],
  ["this month", days("2026-11-01", "2026-12-01")],
  ["friday", days("2026-11-20", "2026-11-21")],
  ["monday", days("2026-11-23", "2026-11-24")],
  ["morgen", days("2026-11-21", "2026-11-22")],
  ["<nächste Woche", days(ALWAYS, "2026-11-23")],
  ["<2026-12-01", days(ALWAYS, "2026-12-01")],
  ["<=2026-12-01", days(ALWAYS, "2026-12-02")],
  [">2026-12-01", days("2026-12-02", NEVER)],
  [">=2026-12-01", days("2026-12-01", NEVER)],
  [">next week", days("2026-11-30", NEVER)],
  ["overdue", "overdue"],
  ["NONE", "none"],
  ...["soon", "<", "<<2026-12-01", "<overdue", "≤today", "<".repeat(100_000), `<${"1".repeat(39)}`].map(none),
  ...["2026-02-30", "2026-13", "tomorrow and then", ""].map(none),
] as const)("due:%s on 20 November 2026", ([value, asked]) => {
  expect(parseDueFilter(value, TODAY)).toEqual(asked);
});

const HOURS = [
  ["yesterday", { due_date: "2026-11-19" }],
  ["this morning", { due_date: "2026-11-20", due_time: "08:00" }],
  ["today", { due_date: "2026-11-20" }],
  ["tonight", { due_date: "2026-11-20", due_time: "20:00" }],
  ["tomorrow", { due_date: "2026-11-21", repeat: "FREQ=WEEKLY" }],
  ["December", { due_date: "2026-12-01" }],
  ["undated", {}],
] as const;

/** At 13:00 in Berlin, with a record for each of these and a document. */
async function ada() {
  const { client } = await personAt("2026-11-20T12:00:00Z", "Europe/Berlin");
  for (const [topic, fields] of HOURS) await make(client, { topic, ...fields });
  await write(client, "A document", "due today");
  return { client, find: async (q: string) => (await findAll(client, q)).sort() };
}

test("due: and is:repeating find the records that are meant, in the API and for an assistant", async () => {
  const { client, find } = await ada();
  const ctx = await ctxOf(client, new Date("2026-11-20T12:00:00Z"));
  for (const [q, topics] of [
    ["due:today", ["this morning", "today", "tonight"]],
    ["due:today -today", ["this morning", "tonight"]],
    ["due:2026-12-01", ["December"]],
    ["due:<2026-11-20", ["yesterday"]],
    ["due:<=2026-11-20", ["this morning", "today", "tonight", "yesterday"]],
    ["due:>today", ["December", "tomorrow"]],
    ["due:>=2026-11-21 due:<2026-12", ["tomorrow"]],
    ["due:overdue", ["this morning", "yesterday"]],
    ["is:Overdue", ["this morning", "yesterday"]],
    ["due:none", ["undated"]],
    ["is:repeating", ["tomorrow"]],
    ["IS:Repeating due:tomorrow", ["tomorrow"]],
    ["is:repeating due:none", []],
    ["due:today due:tomorrow", []],
    ["promised due:today", ["this morning", "today", "tonight"]],
  ] as const) {
    const { results } = await callTool(ctx, searchTool, { query: q });
    expect([q, await find(q), results.map(({ title }) => title).sort()]).toEqual([q, topics, topics]);
  }
});

test("what is overdue is active, days begin in the person's time zone, and notes say what is left out", async () => {
  const { client, find } = await ada();
  const { results } = await search(client, "due:overdue", { type: "memories" });
  const [late] = results.flatMap((one) => ("memory" in one ? one.memory : []));
  await step(client, { id: late?.id ?? 0 }, "resolve");
  expect((await find("due:overdue")).length).toBe(1);
  expect((await find("due:<=today")).length).toBe(4);
  const bob = await person({ timezone: "Pacific/Kiritimati" });
  await make(bob, { topic: "Kiritimati", due_date: "2026-11-21" });
  expect((await search(bob, "due:today", { type: "memories" })).total).toBe(1);
  const notes = async (q: string, type: string) => (await search(client, q, { type })).notes ?? [];
  expect(await notes("due:today", "all")).toEqual([
    "Only records are shown, because documents have no due date.",
  ]);
  expect(await notes("is:repeating", "all")).toEqual([
    "Only records are shown, because documents do not repeat.",
  ]);
  expect(await notes("due:today", "documents")).toEqual([expect.stringContaining("use type=all")]);
});

test("another account finds none of it, and an apostrophe is no SQL", async () => {
  await ada();
  const bob = await person();
  for (const q of ["due:today", "due:none", "due:overdue", "is:repeating"])
    expect((await search(bob, q, { type: "all" })).total, q).toBe(0);
  for (const q of ["due:<2026-12-01'--", 'due:"2026-12-01\' OR 1=1"', "is:repeating'", "due:≤today"])
    expect((await bob.call(searchRoute, { query: { q, type: "all" } })).status, q).toBe(200);
});

test("the same records are due for the device, without the service", () => {
  const due = (q: string) =>
    HOURS.filter(([, fields]) => {
      const asked = parseDueFilter(q, TODAY);
      const { due_date = null, due_time = null } = fields as { due_date?: string; due_time?: string };
      return asked && matchesDue(asked, { due_date, due_time, isActive: true }, `${TODAY}T13:00`);
    }).map(([topic]) => topic);
  expect(due("overdue")).toEqual(["yesterday", "this morning"]);
  expect(due("none")).toEqual(["undated"]);
  expect(due(">today")).toEqual(["tomorrow", "December"]);
});
