import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { listMemoriesRoute } from "../../../src/features/memories/routes.ts";
import { readNotionExport } from "../../../src/shared/import/notion/read.ts";
import { importExportFile } from "../../../src/shared/import/records/import-tasks.ts";
import { readTasks } from "../../../src/shared/import/records/read-tasks.ts";
import { openZip } from "../../../src/shared/import/zip.ts";
import { person } from "../../kit/client.ts";
import { contentOf, importedInto, importer, markdownZip, readByApp } from "../../kit/markdown-zip.ts";

// An export of Notion and a backup of Todoist come in, and go out again as they came.

const id = (number: number) => number.toString(16).padStart(32, "0");
const bytesOf = (text: string) => new TextEncoder().encode(text);
const AROUND = { timezone: "Europe/Berlin", now: new Date("2026-11-25T10:00:00Z") };

const HOME = `Export-0a1b2c3d-0000-4000-8000-000000000001/Home ${id(1)}`;
const EXPORT = {
  [`${HOME}.md`]: `# Home\n\n<aside>\n💡 Read this\n</aside>\n\n[Dune](Home%20${id(1)}/Books%20${id(3)}/Dune%20${id(4)}.md)`,
  [`${HOME}/Books ${id(3)}.csv`]: "\ufeffName,Author,Tags\nDune,Herbert,old\n",
  [`${HOME}/Books ${id(3)}/Dune ${id(4)}.md`]: "# Dune\n\nAuthor: Herbert\nTags: old\n\nSand.",
  [`${HOME}/Tasks ${id(5)}_all.csv`]:
    '\ufeffName,Status,Due\nBuy soil,Not started,"March 1, 2027 10:00 AM"\nRake,Done,\n',
  [`${HOME}/Tasks ${id(5)}.csv`]: "\ufeffName\nBuy soil\n",
  [`${HOME}/Tasks ${id(5)}/Buy soil ${id(6)}.md`]: "# Buy soil\n\nStatus: Not started\n",
};

async function opened() {
  const files = Object.fromEntries(Object.entries(EXPORT).map(([path, text]) => [path, bytesOf(text)]));
  const zip = new File([zipSync(files) as Uint8Array<ArrayBuffer>], "notion.zip");
  const into = { source: "", folders: [], tags: [] };
  const { found, tasks = [] } = await readNotionExport(await openZip(zip, () => {}), into, () => {});
  return { items: found.flatMap((one) => ("content" in one ? [one] : [])), tasks };
}

test("documents of Notion have their properties, and an export brings back the same", async () => {
  const [ada, bob] = [await person(), await person()];
  const { items } = await opened();
  const there = await importedInto(ada, items);
  expect(there).toEqual([
    JSON.stringify([
      ...["Books", [], ["Notion", "Home"]],
      {
        format: "markdown",
        text: "| Name | Author | Tags |\n| --- | --- | --- |\n| [[Dune]] | Herbert | old |\n",
      },
    ]),
    JSON.stringify([
      ...["Dune", ["old"], ["Notion", "Home", "Books"]],
      { format: "markdown", text: "# Dune\n\nSand.", front_matter: { Author: "Herbert", Tags: "old" } },
    ]),
    JSON.stringify([
      ...["Home", [], ["Notion"]],
      { format: "markdown", text: "# Home\n\n> 💡 Read this\n\n[[Dune]]" },
    ]),
  ]);
  const { bytes } = await markdownZip(ada);
  expect(await importedInto(bob, await readByApp(bytes))).toEqual(there);
  expect(await contentOf(ada)).toEqual(there);
});

const TODOIST =
  "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\ntask,Water the plants @home,The big one,1,1,,,every monday,en,Europe/Berlin\n";

test("tasks of both become commitments once, whatever is imported again", async () => {
  const ada = await person();
  const { tasks } = await opened();
  const { file, refused, notes } = readTasks(
    [...tasks, { name: "Errands [22].csv", bytes: bytesOf(TODOIST) }],
    AROUND,
  );
  expect([refused, notes]).toEqual([[], []]);
  const first = await importExportFile(importer(ada), file);
  const again = await importExportFile(importer(ada), file);
  expect([first.memories, again.memories]).toMatchObject([
    { created: 3, skipped: 0 },
    { created: 0, skipped: 3 },
  ]);
  const { items } = await ada.ok(listMemoriesRoute);
  expect(items.sort((one, other) => (one.topic < other.topic ? -1 : 1))).toMatchObject([
    { topic: "Buy soil", project: "Tasks", status: "active", due_date: "2027-03-01", due_time: "10:00" },
    { topic: "Rake", project: "Tasks", status: "resolved" },
    {
      ...{ topic: "Water the plants", project: "Errands", tags: ["home"], priority: "high" },
      ...{ due_date: "2026-11-30", repeat: "FREQ=WEEKLY;BYDAY=MO" },
    },
  ]);
});
