import { describe, expect, it, test } from "vitest";
import { MemoryExportLine } from "../../../src/contract/memory.ts";
import type { FileEntries } from "../../../src/shared/import/entries.ts";
import type { FoundEntry, ImportItem } from "../../../src/shared/import/item.ts";
import { extractProperties, withCalloutsAsQuotes } from "../../../src/shared/import/notion/page.ts";
import { readNotionExport } from "../../../src/shared/import/notion/read.ts";
import { readTasks } from "../../../src/shared/import/records/read-tasks.ts";
import { readTodoistBackup } from "../../../src/shared/import/records/todoist-backup.ts";
import { readTextFile } from "../../../src/shared/import/text-file.ts";

// An export of Notion, as it writes Markdown and CSV.

const id = (number: number) => number.toString(16).padStart(32, "0");
const encode = (path: string) => path.split("/").map(encodeURIComponent).join("/");
const bytesOf = (text: string) => new TextEncoder().encode(text);

type Files = Record<string, string | Uint8Array<ArrayBuffer>>;

const entriesOf = (files: Files): FileEntries =>
  new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      { size: new Blob([content]).size, stream: () => new Blob([content]).stream() },
    ]),
  );

async function read(files: Files, into = { source: "", folders: [], tags: [] }) {
  const entries = entriesOf(files);
  const found = Object.entries(files).map(
    ([path, content]): FoundEntry =>
      path.endsWith(".md")
        ? readTextFile({ source: "", path, bytes: bytesOf(String(content)) }, [])
        : { where: path, leftOut: "not a text" },
  );
  const opened = await readNotionExport({ found, entries }, into, () => {});
  const items = opened.found.filter((one): one is ImportItem => "content" in one);
  const others = opened.found.filter((one) => !("content" in one));
  return { items: new Map(items.map((item) => [item.title, item])), others, tasks: opened.tasks ?? [] };
}

const HOME = `Notion/Home ${id(1)}`;
const BOOKS = `${HOME}/Books ${id(3)}`;
const TASKS = `${HOME}/Tasks ${id(5)}`;

const EXPORT = {
  [`${HOME}.md`]: `# Home\n\n<aside>\n💡 Read this\n\n- first\n\n</aside>\n\n[Books](${encode(BOOKS.slice(7))}.csv) [the plan](${encode(`Home ${id(1)}/Untitled ${id(2)}.md`)}) [Tasks](${encode(TASKS.slice(7))}.csv)\n\nhttps://example.com [far](https://www.notion.so/Dune-${id(4)}?pvs=4)`,
  [`${HOME}/Untitled ${id(2)}.md`]: "no heading\n\nNote: stays",
  [`${HOME}/${id(9)}.md`]: "",
  [`${BOOKS}.csv`]: '\ufeffName,Author,Tags\nDune,Herbert,"old, long"\n',
  [`${BOOKS}_all.csv`]: `\ufeffName,Author,Tags,Series\nDune,Herbert,"old, long",Dune (Series%20${id(8)}.md)\n"A | B","Two\nlines",,\n`,
  [`${BOOKS}/Dune ${id(4)}.md`]: `# Dune\n\nAuthor: Herbert\nTags: old, long\nSeries: Dune (../Series%20${id(8)}.md)\nRating: 5\n\nSand.`,
  [`${TASKS}.csv`]: `\ufeffName,Status,Due,Priority,Project,Tags,Assignee\nBuy soil,Not started,"March 1, 2027 10:00 AM",High,Garden (https://www.notion.so/Garden-${id(7)}),"spring, soil",Ada\nPlan beds,In progress,"February 1, 2027 → February 3, 2027",,,,\nOld,Done,soonish,,,,\n`,
  [`${TASKS}/Buy soil ${id(6)}.md`]: `# Buy soil\n\nStatus: Not started\nDue: March 1, 2027 10:00 AM\nPriority: High\n`,
  [`${TASKS}/Plan beds ${id(10)}.md`]: "# Plan beds\n\nStatus: In progress\n\nDraw them.",
};

test("pages come without ids, with their properties, callouts as quotes and links that say titles", async () => {
  const { items, others } = await read(EXPORT);
  expect([...items.keys()].sort()).toEqual(["Books", "Dune", "Home", "Plan beds", "Untitled"]);
  expect(items.get("Home")?.content.text).toBe(
    "# Home\n\n> 💡 Read this\n>\n> - first\n\n[[Books]] [[Untitled|the plan]] Tasks\n\nhttps://example.com [[Dune|far]]",
  );
  expect(items.get("Dune")).toMatchObject({
    folders: ["Notion", "Home", "Books"],
    tags: ["old", "long"],
    content: {
      text: "# Dune\n\nRating: 5\n\nSand.",
      front_matter: { Author: "Herbert", Tags: "old, long", Series: "Dune" },
    },
  });
  expect(items.get("Plan beds")?.content).toMatchObject({
    text: "# Plan beds\n\nDraw them.",
    front_matter: { Status: "In progress" },
  });
  expect(items.get("Books")?.content.text).toBe(
    "| Name | Author | Tags | Series |\n| --- | --- | --- | --- |\n| [[Dune]] | Herbert | old, long | Dune |\n| A \\| B | Two<br>lines |  |  |\n",
  );
  expect(others).toEqual([
    { where: `${TASKS}/Buy soil ${id(6)}.md`, leftOut: "task, imported as a record" },
    { where: `${BOOKS}.csv`, leftOut: "a view of a database that is imported in full" },
  ]);
});

test("a database of tasks becomes commitments, and what is not understood is said", async () => {
  const { tasks } = await read(EXPORT);
  const now = new Date("2026-11-25T10:00:00Z");
  const { file, understood, notes, refused } = readTasks(tasks, { timezone: "Europe/Berlin", now });
  const records = file
    .split("\n")
    .filter((line) => line.startsWith('{"type":"memory"'))
    .map((line) => MemoryExportLine.parse(JSON.parse(line)));
  expect(records).toMatchObject([
    {
      ...{ topic: "Buy soil", due_date: "2027-03-01", due_time: "10:00", priority: "high" },
      ...{ project: "Garden", tags: ["spring", "soil"], status: "active", content: "Assignee: Ada" },
    },
    {
      ...{ topic: "Plan beds", due_date: "2027-02-03", project: "Tasks", priority: null, status: "active" },
      content: "Status: In progress\n\nDue: February 1, 2027 → February 3, 2027",
    },
    { topic: "Old", status: "resolved", closed_at: now.toISOString(), content: "Due: soonish" },
  ]);
  // The day on which it was done is not known.
  expect(understood.map(({ says }) => says)).toEqual(["due 2027-03-01 at 10:00", "due 2027-02-03", "done"]);
  expect(refused).toEqual([]);
  expect(notes).toEqual([
    {
      where: "Notion/Home/Tasks.csv, line 4",
      note: "“soonish” was not understood, so it was left out; the words are in the record's text",
    },
  ]);
  const again = readTasks(tasks, { timezone: "Europe/Berlin", now: new Date("2026-12-01T10:00:00Z") });
  expect(again.file.match(/"id":\d+/g)).toEqual(file.match(/"id":\d+/g));
});

it.each([
  ["states of tasks", "Name,Status\na,Not started\nb,🟢 Done\n", true],
  ["other states", "Name,Status\na,Reading\nb,Done\n", false],
  ["something ticked off", "Name,Done\na,Yes\nb,No\n", true],
  ["a day on which it is due", "Aufgabe,Fällig\na,\nb,2027/03/01\n", true],
  ["a diary", 'Name,Date\na,"March 1, 2027"\n', false],
  ["words under Due", "Name,Due\na,12.50 €\n", false],
  ["no rows", "Name,Status\n", false],
  ["nothing", "", false],
])("a table with %s: tasks or a document", async (_, text, isTasks) => {
  const { tasks, items } = await read({ [`T ${id(1)}.csv`]: text });
  expect([tasks.length, items.size]).toEqual(isTasks ? [1, 0] : [0, 1]);
});

test("files of other programs stay as they are, also those named by a checksum", async () => {
  const text = "# Notes\n\nStatus: Done\n\n<aside>\nhere\n</aside>";
  const note = await read({ "Notes.md": text });
  expect([note.tasks, note.items.get("Notes")?.content.text]).toEqual([[], text]);
  for (const [path, content] of [
    [`${id(1)}.txt`, "x"],
    ["data.csv", "Name,Status\na,Done\n"],
  ] as const)
    expect(await read({ [path]: content })).toMatchObject({ tasks: [], others: [{ where: path }] });
  const { items } = await read({
    [`${id(1)}.md`]: "---\ntitle: My real title\n---\nwords",
    [`${id(2)}.md`]: "## Below",
  });
  expect([...items.keys()]).toEqual(["My real title", "Below"]);
});

describe("callouts", () => {
  it.each([
    ["<aside>💡 one line</aside>", "> 💡 one line"],
    ["a\n    <aside>\n    x\n\n    y\n    </aside>\nb", "a\n    > x\n    >\n    > y\nb"],
    ["<aside>\n<aside>\nin\n</aside>\nout\n</aside>\nz", "> in\n> \n> out\nz".replace("> \n", ">\n")],
    ["<aside>\nnever closed", "<aside>\nnever closed"],
    ["```\n<aside>\nx\n</aside>\n```", "```\n<aside>\nx\n</aside>\n```"],
    ["x </aside>\ny", "x </aside>\ny"],
  ])("%j", (text, expected) => {
    expect(withCalloutsAsQuotes(text)).toBe(expected);
  });
});

describe("properties", () => {
  const names = new Set(["Status", "Due", "__proto__"]);
  it.each([
    ["# T\n\nStatus: Done\nDue:\n\nText", "# T\n\nText", { Status: "Done", Due: "" }],
    ["# T\n\nStatus: Done", "# T\n", { Status: "Done" }],
    ["# T\n\nHello\nStatus: Done", "# T\n\nHello\nStatus: Done", {}],
    ["# T\n\nStatus: a\nStatus: b", "# T\n\nStatus: b", { Status: "a" }],
    ["", "", {}],
  ])("%j", (text, rest, properties) => {
    expect(extractProperties(text, names)).toEqual({ text: rest, properties });
  });
});

test("a table with very many columns and rows stays as small as its file", async () => {
  const text = `${"a,".repeat(10_000)}\n${"x\n".repeat(10_000)}`;
  const { items } = await read({ [`Wide ${id(1)}.csv`]: text });
  expect(String([...items.values()][0]?.content.text).length).toBeLessThan(10 * text.length);
  const states = `Name,Status${",b".repeat(10_000)}\n${"x,Done\n".repeat(200)}`;
  const tasks = [{ name: "Wide.csv", bytes: bytesOf(states) }];
  expect(readTasks(tasks, { timezone: "UTC", now: new Date() }).understood).toHaveLength(200);
});

test("a table in another encoding is read, and one that is no text is refused by its name", async () => {
  const text = "Name,Status\nGrüße,Done\nTür,Not started\n";
  const latin = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  const wide = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((sign) => [sign.charCodeAt(0), 0])]);
  const at = (number: number) => `Tasks ${id(number)}.csv`;
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1]);
  const { tasks, others } = await read({ [at(1)]: latin, [at(2)]: wide, [at(3)]: png });
  const { understood, notes } = readTasks(tasks, { timezone: "UTC", now: new Date("2026-11-25T10:00:00Z") });
  expect(understood).toHaveLength(4);
  expect(understood[0]?.where).toBe("Tasks.csv, line 2");
  expect(notes).toEqual([
    { where: "Tasks.csv", note: expect.stringContaining("was read as Windows-1252") },
    { where: "Tasks.csv", note: "it is not UTF-8 and was read as UTF-16LE" },
  ]);
  expect(JSON.stringify(understood)).toContain("Grüße");
  expect(others).toMatchObject([{ where: at(3), why: expect.stringContaining("is not a text") }]);
});

test("a page that is no row of its database's table comes as a document", async () => {
  const { items, tasks } = await read({
    [`Tasks ${id(1)}.csv`]: "Name,Status\nBuy soil,Done\n",
    [`Tasks/Buy soil ${id(2)}.md`]: "# Buy soil\n\nStatus: Done\n",
    [`Tasks/Hidden by a filter ${id(3)}.md`]: "# Hidden by a filter\n\nStatus: Done\n",
  });
  expect(tasks).toHaveLength(1);
  expect([...items.keys()]).toEqual(["Hidden by a filter"]);
});

test("a page keeps the title of its front matter", async () => {
  const { items } = await read({ [`A page ${id(1)}.md`]: "---\ntitle: Said\n---\n# Heading" });
  expect([...items.keys()]).toEqual(["Said"]);
});

test("a callout of very many lines becomes a quote", () => {
  const lines = "x\n".repeat(300_000);
  expect(withCalloutsAsQuotes(`<aside>\n${lines}</aside>`).length).toBe(lines.length * 2 - 1);
});

test("a zip with a CSV file for each project is a backup of Todoist, unless it has anything else", async () => {
  const csv = "TYPE,CONTENT\ntask,Rake\n";
  for (const [files, expected] of [
    [{ "Garden [1].csv": csv, "Work [2].csv": csv, "other.csv": "a,b" }, 2],
    [{ "Garden [1].csv": csv, "Note.md": "x" }, 0],
    [{}, 0],
  ] as [Record<string, string>, number][]) {
    const found = Object.keys(files).map((where) => ({ where, leftOut: "not a text" }));
    const opened = await readTodoistBackup({ found, entries: entriesOf(files) }, () => {});
    const { tasks = [], found: rest } = opened;
    expect([tasks.length, rest.length]).toEqual([expected, found.length - expected]);
    const { understood, refused } = readTasks(tasks, { timezone: "UTC", now: new Date() });
    expect([understood.length, refused]).toEqual([expected, []]);
  }
});
