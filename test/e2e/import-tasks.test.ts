import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Memory, MemoryList } from "../../src/contract/memory.ts";
import { enter, openApp, overflow, violations } from "./app.ts";
import { launch } from "./browser.ts";
import { account, files, get, importing, PASSWORD, runImport, send, writeFiles } from "./importer.ts";

// Tasks of Todoist and of calendars, by the command and in the app.

importing();

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser?.close());

const CSV = `TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
task,Pay the rent @money,,1,1,Ada (1),,every month on the 1st at 9am,en,Europe/Berlin
task,Stand up,,4,1,Ada (1),,every hour,en,Europe/Berlin
`;

const ICS = `BEGIN:VCALENDAR
BEGIN:VTODO
UID:water
SUMMARY:Water the plants
DUE;VALUE=DATE:20990101
RRULE:FREQ=DAILY;INTERVAL=3
BEGIN:VALARM
TRIGGER:PT9H
END:VALARM
END:VTODO
END:VCALENDAR
`;

const records = async () => (await get<MemoryList>("/api/memories?sort=created_at&order=asc")).items;

test("the command says what it understood, imports it once, and a series goes on from there", async () => {
  await writeFiles({ "Home [123].csv": CSV, "plants.ics": ICS });
  const home = join(files.path, "Home [123].csv");
  const dry = await runImport(home, "--dry-run");
  expect(dry.output).toMatch(
    /line 2: Pay the rent: due \d{4}-\d\d-01 at 09:00, every month on the 1st, reminder at the due time/,
  );
  expect(dry.output).toContain("Note: line 3: “every hour” was not understood");
  expect(dry.output).toContain("2 to create, 0 skipped, 0 refused");
  expect(await records()).toEqual([]);
  expect((await runImport(home)).output).toContain("2 created, 0 skipped, 0 refused");
  expect((await runImport(home)).output).toContain("0 created, 2 skipped, 0 refused");
  expect((await runImport(join(files.path, "plants.ics"))).output).toContain("1 created");
  const all = await records();
  const named = (name: string) => all.find(({ topic }) => topic === name) as Memory;
  const rent = named("Pay the rent");
  expect(rent).toMatchObject({
    ...{ project: "Home", tags: ["money"], priority: "high", due_time: "09:00" },
    ...{
      repeat_text: "every month on the 1st",
      series_id: rent.id,
      source_type: "import",
      remind: [{ before: "PT0S" }],
    },
  });
  expect(rent.remind_at).not.toBeNull();
  expect(named("Stand up")).toMatchObject({ repeat: null, content: "Date in Todoist: every hour" });
  expect(named("Water the plants")).toMatchObject({
    ...{ due_date: "2099-01-01", repeat: "FREQ=DAILY;INTERVAL=3", remind: [{ before: "PT0S" }] },
  });
  await send("POST", `/api/memories/${rent.id}/resolve`, {});
  const open = (await records()).filter(
    ({ status, topic }) => status === "active" && topic === "Pay the rent",
  );
  expect(open).toMatchObject([{ series_id: rent.id, due_time: "09:00" }]);
  expect((await runImport(home, "--tag", "x")).output).toContain("tasks keep their own projects and tags");
});

test("the app shows what was understood by line, and imports it", async () => {
  const app = await openApp(browser, account.url, { viewport: { width: 390, height: 844 } });
  const { page } = app;
  await enter(app, { email: account.email, password: PASSWORD }, "/settings/transfer");
  await writeFiles({ "Home [123].csv": CSV, "plants.ics": ICS });
  const paths = ["Home [123].csv", "plants.ics"].map((name) => join(files.path, name));
  await page.locator('input[type="file"]:not([webkitdirectory])').setInputFiles(paths);
  await page.getByText(/Home \[123\]\.csv, line 2:/).waitFor();
  await page.getByText("“every hour” was not understood", { exact: false }).waitFor();
  await page.getByText(/every 3 days/).waitFor();
  const take = page.getByRole("button", { name: "Import 3 items" });
  await take.waitFor();
  expect([await overflow(page), await violations(page)]).toEqual([0, []]);
  await take.click();
  await page.getByRole("heading", { name: "Import finished" }).waitFor();
  const topics = (await records()).map(({ topic }) => topic).sort();
  expect(topics).toEqual(["Pay the rent", "Stand up", "Water the plants"]);
  await app.close();
});
