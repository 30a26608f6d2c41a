import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { isFocused, overflow, violations, violationsInBoth } from "./app.ts";
import { openAs, phoneOf, stageFor } from "./stage.ts";

// Getting around: the sidebar with what is pinned, folders and projects, the settings in sections, the palette.

const PHONE = { width: 390, height: 800 };

let app: Awaited<ReturnType<typeof openAs>>;
let page: Page;
let work: { id: string };

const post = <Answer = { id: string }>(path: string, body: object) => app.ask<Answer>("POST", path, body);
const record = (topic: string, more: object = {}) =>
  post<{ id: number }>("/api/memories", {
    ...{ memory_type: "commitment", topic, content: topic, project: "Apollo", ...more },
  });
const write = (title: string, more: object = {}, text = title) =>
  post("/api/documents", { title, content: { format: "markdown", text }, ...more });

const stage = stageFor({}, async () => {
  app = await openAs(stage, "/", { viewport: { width: 1280, height: 800 } });
  page = app.page;
  work = await post("/api/folders", { name: "Work" });
  const inner = await post("/api/folders", { name: "Letters", parent_id: work.id });
  await write("Minutes", { folder_id: work.id }, "# Minutes\n\nWe met on *Monday*.");
  await write("Minutes", { folder_id: inner.id }, "Others met");
  await write("Recipe");
  await record("Send the slides", { project: "house" });
});

beforeEach(async () => {
  app.complaints.length = 0;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
});

const nav = () => page.getByRole("navigation", { name: "Main" });
const heading = (name: string, level = 1) => page.getByRole("heading", { level, name, exact: true });
const folder = (name: string) => nav().getByRole("treegrid").getByRole("row", { name, exact: true });
const palette = () => page.getByRole("dialog", { name: "Palette" });
const line = (name: string | RegExp) => palette().getByRole("menuitem", { name });

async function type(text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await palette().locator("input:focus").waitFor();
  await page.keyboard.type(text);
}

test("folders are links in the sidebar, say where one is, and stay folded in this browser", async () => {
  await folder("Work").getByRole("link").click();
  await heading("Work").waitFor();
  expect(new URL(page.url()).search).toBe(`?folder=${work.id}`);
  await expect.poll(() => folder("Work").getAttribute("aria-selected")).toBe("true");
  const [opened] = await Promise.all([
    app.context.waitForEvent("page"),
    folder("No folder").getByRole("link").click({ button: "middle" }),
  ]);
  await opened.getByRole("row", { name: "Recipe", exact: true }).waitFor();
  await opened.close();
  await nav().getByRole("link", { name: "house" }).click();
  await heading("house").waitFor();
  await expect.poll(() => folder("Work").getAttribute("aria-selected")).toBe("false");

  const folders = nav().getByRole("button", { name: "Folders" });
  await folders.click();
  await folder("Work").waitFor({ state: "detached" });
  await page.reload();
  await nav().getByRole("link", { name: "house" }).waitFor();
  await expect.poll(() => folders.getAttribute("aria-expanded")).toBe("false");
  await expect.poll(() => folder("Work").count()).toBe(0);
  await folders.click();
  await folder("Work").waitFor();
  expect(app.complaints).toEqual([]);
});

const pinned = (of = page) => of.getByRole("list", { name: "Pinned" });
const titles = async () => (await pinned().getByRole("link").allInnerTexts()).map((title) => title.trim());
const tagsOf = async (id: string) => (await app.ask<{ tags: string[] }>("GET", `/api/documents/${id}`)).tags;

test("a key pins a document and undo unpins it, a copy of it is not pinned, and a phone shows pins above all documents", async () => {
  const { id } = await write("Packing list", { tags: ["travel"] });
  const long = "Addresses of all who have ever written a letter to us, by their first names";
  // As an assistant or an import has spelled it.
  const { id: other } = await write(long, { tags: ["Pinned"] });
  await page.goto(`/documents/${id}`);
  await heading("Packing list").waitFor();
  await page.keyboard.press("p");
  await page.getByText("“Packing list” pinned").waitFor();
  await expect.poll(titles).toEqual([long, "Packing list"]);
  expect(await tagsOf(id)).toEqual(["travel", "pinned"]);
  await pinned()
    .getByRole("link", { name: "Packing list" })
    .and(page.locator("[aria-current=page]"))
    .waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.waitForURL((url) => url.searchParams.has("edit"));
  expect(await tagsOf(new URL(page.url()).pathname.split("/").at(-1) ?? "")).toEqual(["travel"]);

  const phone = await openAs(stage, "/documents", { person: app, ...phoneOf() });
  await pinned(phone.page)
    .getByRole("link", { name: /^Packing/ })
    .waitFor();
  expect([await overflow(phone.page), await violations(phone.page)]).toEqual([0, []]);
  await pinned(phone.page).getByRole("link", { name: long }).click();
  await phone.page.waitForURL(`**/documents/${other}`);
  await phone.page.goto("/documents?tag=pinned");
  await phone.page.getByRole("row", { name: /^Packing/ }).waitFor();
  await expect.poll(() => pinned(phone.page).count()).toBe(0);

  await page.goto(`/documents/${id}`);
  await heading("Packing list").waitFor();
  await page.keyboard.press("p");
  await expect.poll(titles).toEqual([long]);
  await page.keyboard.press("u");
  await expect.poll(titles).toEqual([long, "Packing list"]);
  // The page and the sidebar each ask for what they show.
  const about = page.getByRole("complementary", { name: "About this document" });
  await about.getByText("pinned", { exact: true }).waitFor();
  await page.keyboard.press("p");
  await expect.poll(titles).toEqual([long]);
  // One more while this is shown would be added to it: "2 documents unpinned".
  await page.getByText("“Packing list” unpinned").waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await pinned().getByRole("link", { name: long }).click();
  await heading(long).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Unpin" }).click();
  await page.getByText(/^“Addresses of .* unpinned/).waitFor();
  await expect.poll(() => tagsOf(other)).toEqual([]);
  await pinned().waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
});

const section = (name: string) => page.getByRole("region", { name, exact: true });
const rowsOf = (name: string) => section(name).getByRole("listitem");

test("the sidebar leads to a project’s open records by what they are, and its documents", async () => {
  await record("Later", { due_date: "2099-01-02" });
  await record("Sooner", { due_date: "2020-01-02" });
  await record("Whenever");
  await record("We stay", { memory_type: "decision" });
  const { id: closed } = await record("Closed");
  await post(`/api/memories/${closed}/resolve`, {});
  await record("Elsewhere", { project: "Gemini" });
  const { id: folder_id } = await post("/api/folders", { name: "apollo" });
  await write("In the folder", { folder_id });
  await write("In both", { folder_id, tags: ["Apollo"] });
  await write("Tagged", { tags: ["apollo"] });
  await write("Mentions Apollo");

  await page.reload();
  // The folders come after the first answers, and stand above the projects.
  await folder("apollo").waitFor();
  const link = nav().getByRole("link", { name: "Apollo 4" });
  await link.click();
  await page.waitForURL("**/projects/Apollo");
  await heading("Apollo").waitFor();
  await page.getByText("4 active records, 1 overdue").waitFor();
  await link.and(page.locator("[aria-current=page]")).waitFor();
  await expect.poll(() => rowsOf("Commitments").count()).toBe(3);
  for (const [place, topic] of ["Sooner", "Later", "Whenever"].entries())
    await rowsOf("Commitments").nth(place).getByText(topic).waitFor();
  await rowsOf("Decisions").getByText("We stay").waitFor();
  await expect.poll(() => rowsOf("Documents").count()).toBe(3);
  expect((await rowsOf("Documents").allInnerTexts()).join("\n")).not.toContain("Mentions");
  await expect.poll(() => page.getByText("Elsewhere").count()).toBe(0);
  expect(await violationsInBoth(page)).toEqual([]);

  await page.getByRole("button", { name: "Resolve Whenever" }).click();
  await expect.poll(() => rowsOf("Commitments").count()).toBe(2);
  await section("Documents").getByRole("link", { name: "Everything that mentions it" }).click();
  await section("Results").getByText("Mentions Apollo").first().waitFor();
  await page.goBack();
  await heading("Apollo").waitFor();
  await page.keyboard.press("n");
  const field = page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => field.inputValue()).toBe('+"Apollo" ');
  await field.fill('+"Apollo" Written for it');
  await field.press("Enter");
  await page.getByText("Saved “Written for it”").waitFor();
  await page.goto(`/records/${closed}`);
  await page.getByRole("link", { name: "Show the project Apollo" }).click();
  await rowsOf("Commitments").getByText("Written for it").waitFor();
  expect(app.complaints).toEqual([]);
});

test("a project without anything says so, whatever it is called, and a phone comes to it from its records", async () => {
  const odd = "A/B 100% ünd “x”?#";
  await page.setViewportSize(PHONE);
  await page.goto(`/projects/${encodeURIComponent(odd)}`);
  await heading(odd).waitFor();
  await page.getByRole("heading", { name: /^No open records in A\/B/ }).waitFor();
  await page.getByText("None yet. Tag a document").waitFor();
  expect(await overflow(page)).toBe(0);
  await record("Waits", { memory_type: "blocker", project: "A/B 100%" });
  await page.goto(`/records?project=${encodeURIComponent("A/B 100%")}`);
  await page.getByRole("link", { name: "Show the project A/B 100%" }).click();
  await heading("A/B 100%").waitFor();
  await section("Blockers").getByText("Waits").first().waitFor();
  await page.goto("/projects/%E0%A4%A");
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(app.complaints).toEqual([]);
});

test("the name is a menu with the settings, the theme and the way out", async () => {
  const name = page.getByRole("button", { name: app.email });
  const dark = page.getByRole("menuitemradio", { name: "Dark" });
  const theme = () => page.evaluate<string | undefined>("document.documentElement.dataset.theme");
  await name.click();
  await dark.click();
  await expect.poll(theme).toBe("dark");
  await name.click();
  await expect.poll(() => dark.getAttribute("aria-checked")).toBe("true");
  await page.getByRole("menuitemradio", { name: "System" }).click();
  await expect.poll(theme).toBe(undefined);
  await name.click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await heading("Settings").waitFor();
});

test("the settings are sections with addresses; on a phone each is a page with a way back", async () => {
  // What loads above the section moves it out of sight.
  const { email, password } = app;
  for (let n = 0; n < 8; n++) await page.request.post("/api/auth/login", { data: { email, password } });
  const late = Promise.withResolvers<void>();
  const later = /\/api\/auth\/(sessions|events)/;
  await page.route(later, (route) => late.promise.then(() => route.continue()));
  await page.goto("/settings#delete-account");
  const isDeletionInSight = () =>
    page.evaluate<boolean>(`(() => {
      const { top, bottom } = document.querySelector("#delete-account")?.getBoundingClientRect() ?? {};
      return top >= 0 && bottom <= innerHeight;
    })()`);
  await expect.poll(isDeletionInSight).toBe(true);
  late.resolve();
  await page.getByRole("region", { name: "Security log" }).getByText("Signed in").first().waitFor();
  await expect.poll(isDeletionInSight).toBe(true);
  await page.unroute(later);

  // Not once one has scrolled elsewhere.
  await page.mouse.move(900, 400);
  await page.mouse.wheel(0, -20_000);
  await expect.poll(() => page.evaluate("scrollY")).toBe(0);
  await page.keyboard.press("Control+k");
  await palette().locator("input:focus").waitFor();
  await Promise.all([page.waitForResponse(/\/api\/search/), page.keyboard.type("zebra")]);
  await page.keyboard.press("Escape");
  await palette().waitFor({ state: "hidden" });
  expect(await page.evaluate("scrollY")).toBe(0);

  await page.goto("/settings#sessions");
  await heading("Active sessions", 3).waitFor();
  const contents = page.getByRole("navigation", { name: "Settings" });
  await expect
    .poll(() => contents.getByRole("link", { name: "Security" }).getAttribute("aria-current"))
    .toBe("true");
  await contents.getByRole("link", { name: "Data" }).click();
  await expect.poll(() => new URL(page.url()).hash).toBe("#data");
  const isInSight = `(() => { const { top } = document.querySelector("#data").getBoundingClientRect();
    return top >= 0 && top < innerHeight; })()`;
  await expect.poll(() => page.evaluate(isInSight)).toBe(true);
  await page.setViewportSize({ width: 820, height: 700 });
  const staleAfter = await page.getByRole("textbox", { name: /are stale after/ }).all();
  const tops = await Promise.all(staleAfter.map(async (days) => (await days.boundingBox())?.y));
  expect([tops.length, new Set(tops).size]).toEqual([2, 1]);
  await page.setViewportSize(PHONE);
  await heading("Data").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await heading("Settings").waitFor();
  await contents.getByRole("link", { name: /^Security/ }).click();
  await heading("Security").waitFor();
  await heading("Password", 2).waitFor();
  await page.goBack();
  await heading("Settings").waitFor();
  await contents.getByRole("link", { name: "Webhooks" }).click();
  await heading("Webhooks").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await heading("Settings").waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  expect([await overflow(page), await violationsInBoth(page)]).toEqual([0, []]);
});

test("the palette goes to a setting by its name, makes something of what was typed, and one Escape closes it", async () => {
  await type("totp");
  await line("Settings: Two-factor authentication").waitFor();
  await page.keyboard.press("Enter");
  await heading("Settings").waitFor();
  expect(new URL(page.url()).hash).toBe("#second-factor");
  await type("Buy hay by Friday");
  await line("New record “Buy hay by Friday”").click();
  await heading("Today").waitFor();
  const entry = page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => entry.inputValue()).toBe("Buy hay by Friday");
  await expect.poll(() => isFocused(entry)).toBe(true);
  await entry.fill("");
  // A straight apostrophe finds a curly one.
  await type("today's note");
  await line("Today’s note").first().waitFor();
  await page.keyboard.press("Escape");
  await palette().waitFor({ state: "hidden" });
  await type("Hay prices");
  await line("New document “Hay prices”").click();
  await expect.poll(() => new URL(page.url()).searchParams.get("title")).toBe("Hay prices");
});

test("the palette begins with what was opened last, tells equal names apart, and acts on what is open", async () => {
  const pills = { repeat: "FREQ=DAILY", due_date: "2031-05-14", project: null };
  await post(`/api/memories/${(await record("Take the pills", pills)).id}/resolve`, {});
  await page.goto("/records?status=all");
  await page.getByRole("link", { name: /Send the slides/ }).click();
  await heading("Send the slides").waitFor();
  await page.keyboard.press("Control+k");
  await line(/^Defer/).waitFor();
  await expect.poll(() => palette().getByRole("group").first().textContent()).toMatch(/^This record/);
  await page.keyboard.press("Escape");
  await nav().getByRole("link", { name: "Today" }).click();
  await heading("Today").waitFor();
  await page.keyboard.press("Control+k");
  const first = palette().getByRole("group", { name: "Recently opened" });
  await first.getByRole("menuitem", { name: "Send the slides" }).waitFor();
  await expect.poll(() => line(/^Defer/).count()).toBe(0);
  await page.keyboard.type("minutes");
  await line(/^Minutes.*Work \/ Letters/).waitFor();
  await line(/^Minutes.*Work$/).waitFor();
  expect(await violationsInBoth(page)).toEqual([]);
  await page.keyboard.press("Escape");
  // Each record of a series says its day, and whether it is done; so does the history.
  await type("take the pills");
  await line("Take the pills Thu 15 May 2031").waitFor();
  await line("Take the pills Resolved, Wed 14 May 2031").waitFor();
  await page.goto("/history");
  await page.getByText("due Wed 14 May 2031").waitFor();
});

test("on a phone the round button adds what the screen lists, and opens the palette when it is held", async () => {
  const phone = await openAs(stage, "/", { person: app, ...phoneOf() });
  const add = phone.page.getByRole("button", { name: "Add record" });
  await add.waitFor();
  const places = phone.page.getByRole("navigation", { name: "Main" });
  for (const width of [390, 360, 320]) {
    // It is in the bar, which covers nothing, and the names of the places beside it are not cut or overlapped.
    await phone.page.setViewportSize({ width, height: 844 });
    const [bar, button] = await Promise.all([places, add].map((one) => one.boundingBox()));
    if (!bar || !button) throw new Error("both are shown");
    expect(button.y).toBeGreaterThanOrEqual(bar.y);
    const boxes = await Promise.all((await places.locator("span").all()).map((name) => name.boundingBox()));
    const ends = [...boxes.map((box) => [box?.x ?? 0, (box?.x ?? 0) + (box?.width ?? 0)]), [button.x]].flat();
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(new Set(boxes.map((box) => box?.height)).size).toBe(1);
  }
  await phone.page.setViewportSize({ width: 390, height: 844 });
  await add.tap();
  const entry = phone.page.getByRole("textbox", { name: "New record" });
  await expect.poll(() => isFocused(entry)).toBe(true);
  // It is away while one writes, and so is the bar of places once the keyboard is open.
  await add.waitFor({ state: "hidden" });
  await places.waitFor();
  await phone.page.setViewportSize({ width: 390, height: 500 });
  await places.waitFor({ state: "hidden" });
  await phone.page.setViewportSize({ width: 390, height: 844 });
  await places.waitFor();
  await entry.blur();
  await add.click({ delay: 1000 });
  await phone.page.getByRole("dialog", { name: "Palette" }).waitFor();
  expect(await overflow(phone.page)).toBe(0);
  await phone.page.goto("/documents");
  await phone.page.getByRole("button", { name: "Add document" }).tap();
  await phone.page.waitForURL("**/documents/new**");
});

test("Escape leaves the field for a tag, whose suggestions are those that have what is typed", async () => {
  const { id } = await write("Shoes", { tags: ["home"] });
  await write("Boots", { tags: ["work"] });
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Shoes").waitFor();
  await page.keyboard.press("t");
  const tag = page.getByRole("combobox", { name: "Add a tag" });
  await expect.poll(() => isFocused(tag)).toBe(true);
  await page.keyboard.type("wo");
  await page.getByRole("option", { name: /work/ }).waitFor();
  await expect.poll(() => page.getByRole("option").count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => isFocused(tag)).toBe(false);
  await expect.poll(() => tag.inputValue()).toBe("");
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find or create a folder").waitFor();
});

// The last one: its records are more than a page of every list.
test("a project of more than a page goes on as one scrolls, type by type, and all of it can be selected", async () => {
  for (const memory_type of ["commitment", "decision"])
    for (const part of [1, 2])
      await post("/api/memories/bulk", {
        operations: Array.from({ length: 80 }, (_, at) => ({
          ...{ operation: "create", memory_type, topic: `${memory_type} ${part}.${at}`, content: "Said" },
          ...{ project: "Large", ...(part === 1 && at === 0 && { due_date: "2020-01-02" }) },
        })),
      });
  await page.goto("/projects/Large");
  await page.getByText("320 active records, 2 overdue").waitFor();
  await rowsOf("Commitments").first().getByText("commitment 1.0").waitFor();
  const count = (name: string, records: string) =>
    section(name).getByRole("heading").filter({ hasText: records }).waitFor();
  for (const [name, last] of [
    ["Commitments", "commitment 2.79"],
    ["Decisions", "decision 2.79"],
  ] as const) {
    await expect
      .poll(async () => {
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        return rowsOf(name).filter({ hasText: last }).count();
      })
      .toBe(1);
    await expect.poll(() => rowsOf(name).count()).toBe(160);
    await count(name, "160 records");
  }
  await page.getByRole("link", { name: "All records, including closed" }).waitFor();
  await page.getByRole("button", { name: "Resolve commitment 2.79" }).click();
  await count("Commitments", "159 records");
  await page.getByText("319 active records").waitFor();
  await count("Decisions", "160 records");

  await page.reload();
  await rowsOf("Commitments").first().getByRole("link").focus();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Select all 319" }).click();
  await page.getByText("319 selected").waitFor();
  expect(app.complaints).toEqual([]);
});
