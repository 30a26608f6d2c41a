import type { Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { complete, isFocused, told, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// What is around a text: the palette with what can be done with it, the colours of its code, the edge of the sidebar.

let person: AppOfPerson;
let page: Page;
let ask: Ask;

stageFor({}, async (stage) => {
  person = await openAs(stage);
  ({ page, ask } = person);
});

afterAll(() => expect(person.complaints).toEqual([]));

async function write(title: string, text: string): Promise<string> {
  const id = await createDocument(ask, title, text);
  await page.goto(`/documents/${id}`);
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  return id;
}

/** Runs an action on what is open from the palette. */
async function choose(name: string, typed = name): Promise<void> {
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Palette" });
  await palette.getByPlaceholder("Search or run a command").fill(typed);
  await palette.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click();
  await palette.waitFor({ state: "hidden" });
}

test("the palette does with the open document what its page and its menu do", async () => {
  const id = await write("Packing list", "Boots");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem").first().waitFor();
  const inMenu = await page.getByRole("menuitem").allInnerTexts();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  const part = page.getByRole("group", { name: "This document" });
  const names = (texts: string[]) => texts.map((text) => text.split("\n")[0]);
  const offered = async () => names(await part.getByRole("menuitem").allInnerTexts());
  await part.getByRole("menuitem", { name: "Rename" }).waitFor();
  // What is done most, and all of it when its name is typed.
  expect(await offered()).toEqual(["Edit", "Rename", "Add a tag", ...names(inMenu).slice(0, 3)]);
  expect(names(inMenu)).toEqual(
    expect.arrayContaining(["Copy link", "Duplicate", "Move to…", "Download", "Print", "Move to trash"]),
  );
  for (const name of names(inMenu)) {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(name?.split(" ").at(-1)?.replace("…", "") ?? "");
    await expect.poll(offered).toContain(name);
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Palette" }).waitFor({ state: "hidden" });

  await choose("Rename");
  const title = page.getByRole("textbox", { name: "Title" });
  await expect.poll(() => isFocused(title)).toBe(true);
  await title.fill("What to take");
  await page.keyboard.press("Enter");
  await page.getByText("Renamed to “What to take”").waitFor();
  await choose("Add a tag", "tag");
  await expect.poll(() => isFocused(page.getByRole("combobox", { name: "Add a tag" }))).toBe(true);
  await page.keyboard.type("summer");
  await page.keyboard.press("Enter");
  await page.getByText("tagged summer").waitFor();
  await page.keyboard.press("Escape");
  await choose("Move to…", "move");
  await page.getByPlaceholder("Find or create a folder").waitFor();
  await page.keyboard.press("Escape");
  await choose("Move to trash", "to tr");
  await page.waitForURL("**/documents");
  // The page is left before the answer.
  await expect
    .poll(() => ask("GET", `/api/documents/${id}?trashed=true`))
    .toMatchObject({ title: "What to take", tags: ["summer"], trashed_at: expect.any(String) });
});

test("the palette does with the open record what its buttons and its menu do", async () => {
  const record = { memory_type: "commitment", topic: "Call Bob", content: "About the key" };
  const { id } = await ask<{ id: number }>("POST", "/api/memories", record);
  await page.goto(`/records/${id}`);
  await page.getByRole("heading", { name: "Call Bob", level: 1 }).waitFor();
  await choose("Keep offline", "offline");
  await page.getByText("Available offline on this device").waitFor();
  const palette = page.getByRole("dialog", { name: "Palette" });
  const search = async (text: string) => {
    await page.keyboard.press("Control+k");
    await palette.getByPlaceholder("Search or run a command").fill(text);
    await palette.getByRole("menuitem", { name: `Search for “${text}”` }).waitFor();
  };
  // The words in any order.
  await search("finish done");
  await palette.getByRole("group", { name: "This record" }).getByText("Resolve", { exact: true }).waitFor();
  expect(await palette.getByText("Needs a record").count()).toBe(0);
  await page.keyboard.press("Escape");
  await choose("Archive");
  await page.getByText("Archived “Call Bob”").waitFor();
  await palette.waitFor({ state: "hidden" });
  // Nothing more can be deferred here.
  await page.getByRole("button", { name: "Reopen" }).waitFor();
  await search("snooze");
  expect(await palette.getByText("Needs a record").count()).toBe(0);
  await page.keyboard.press("Escape");
});

test("where no record is open, the palette says that one has to be selected; signing out and the trash are there", async () => {
  await page.goto("/settings");
  await complete(page);
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Palette" });
  const field = palette.getByPlaceholder("Search or run a command");
  for (const [typed, name] of [
    ["snooze", "Defer Needs a record"],
    ["done", "Resolve Needs a record"],
    ["complete", "Resolve Needs a record"],
    ["postpone", "Reschedule Needs a record"],
    ["log out", "Sign out"],
    ["trash", "Go to the trash"],
  ] as const) {
    await field.fill(typed);
    await expect
      .poll(async () => (await palette.getByRole("menuitem").first().innerText()).replace(/\s+/g, " "))
      .toBe(name);
  }
  await field.fill("snooze");
  await palette.getByRole("menuitem", { name: "Defer" }).click();
  await page.waitForURL("**/records");
});

test("where a part around the screens cannot be loaded, the screen stays as it is", async () => {
  let blocked = 0;
  await page.route("**/app/account-menu-*.js", (route) => {
    blocked += 1;
    return route.abort();
  });
  await page.goto("/");
  await complete(page);
  const account = page.getByRole("button", { name: person.email });
  const field = page.getByRole("textbox", { name: "New record" });
  await field.fill("Call Grace");
  await account.click();
  const notLoaded = page.getByText("Part of the app could not be loaded. Reload the page.");
  await notLoaded.waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await notLoaded.waitFor({ state: "hidden" });
  expect(await field.inputValue()).toBe("Call Grace");
  await page.unrouteAll();
  await account.click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await field.inputValue()).toBe("Call Grace");
  const complaint = "console: Failed to load resource: net::ERR_FAILED";
  expect(person.complaints.splice(0)).toEqual(Array<string>(blocked).fill(complaint));

  await page.route("**/app/folder-dialogs-*.js", (route) => route.abort());
  await page.getByRole("button", { name: "New folder" }).click();
  await notLoaded.waitFor();
  await page.getByRole("row", { name: "Trash" }).waitFor();
  expect(await field.inputValue()).toBe("Call Grace");
  await page.unrouteAll();
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("row", { name: "Trash" }).waitFor();
  await field.fill("");
  await told(page);
  const others = person.complaints.splice(0).filter((one) => !/ERR_FAILED|folder-dialogs/.test(one));
  expect(others).toEqual([]);
});

const CODE = [
  "```ts",
  "const answer: number = 42; // why",
  "```",
  "```sql",
  "SELECT name FROM people",
  "```",
  "```html",
  "<b>let</b><script>let a</script>",
  "```",
  "```brainfuck",
  "let it = be",
  "```",
  "```",
  "let it = be",
  "```",
].join("\n");

type Styles = { getComputedStyle: (one: unknown) => { fontWeight: string } };
const weightOf = (one: { ownerDocument: { defaultView: unknown } }) =>
  (one.ownerDocument.defaultView as Styles).getComputedStyle(one).fontWeight;

test("code has the colours of its language while it is read, for which the editor is not needed", async () => {
  const colours = Promise.withResolvers<void>();
  await page.route(/\/editor-[^/]*\.js/, async (route) => {
    await colours.promise;
    await route.continue();
  });
  await write("Code", CODE);
  const block = (place: number) => page.getByRole("group", { name: "Code" }).nth(place);
  for (const [place, word] of [
    [0, "const"],
    [1, "SELECT"],
    [2, "script"],
  ] as const)
    await expect
      .poll(() => block(place).getByText(word, { exact: true }).first().evaluate(weightOf))
      .toBe("600");
  expect((await block(0).innerText()).trim()).toBe("const answer: number = 42; // why");
  for (const place of [3, 4]) expect(await block(place).locator("span").count()).toBe(0);
  colours.resolve();
  await complete(page);
  await told(page);
  expect(await violationsInBoth(page)).toEqual([]);
});

test("after a reload the sidebar has room for its folders before they are there, and nothing in it is moved", async () => {
  const { id } = await ask<{ id: string }>("POST", "/api/folders", { name: "Travel" });
  await ask("POST", "/api/folders", { name: "Norway", parent_id: id });
  await ask("POST", "/api/documents", { title: "Passport", tags: ["pinned"] });
  const record = { memory_type: "decision", topic: "By ship", content: "It is slower" };
  await ask("POST", "/api/memories", { ...record, project: "Crossing" });
  // High enough for all of it: what is scrolled is moved as well.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/");
  const side = page.getByRole("navigation", { name: "Main" });
  await side.getByRole("row", { name: "Travel" }).locator("[slot=chevron]").click();
  const norway = side.getByRole("row", { name: "Norway" });
  await norway.waitFor();
  const project = side.getByRole("link", { name: "Crossing" });
  await project.waitFor();
  const add = side.getByRole("button", { name: "New folder" });
  /** All in one look: the placeholder of the folders may be replaced between two. */
  const places = () =>
    side.evaluate((nav) =>
      [...nav.querySelectorAll("a, button")].flatMap((one) => {
        const name = one.textContent?.trim() ?? "";
        const { y, height } = one.getBoundingClientRect();
        return /^(Trash|New folder|Connections)$/.test(name) ? [{ name, y, isShown: height > 0 }] : [];
      }),
    );
  const before = await places();
  expect(before.filter(({ isShown }) => isShown)).toHaveLength(3);
  for (const late of ["**/app/folders-*.js", "**/api/folders?*", "**/api/dashboard/summary"]) {
    const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
    onTestFinished(() => goOn());
    await page.route(late, (route) => isTime.then(() => route.continue()));
    await page.reload({ waitUntil: "commit" });
    await add.waitFor();
    expect(await places()).toEqual(before);
    // What was requested before it was loaded comes with it.
    await add.click();
    goOn();
    await page.getByRole("textbox", { name: "Name" }).waitFor();
    await page.keyboard.press("Escape");
    await norway.waitFor();
    await project.waitFor();
    expect(await places()).toEqual(before);
    await page.unroute(late);
  }
});

test("the sidebar keeps the width that the user gave it, until a double click", async () => {
  await ask("POST", "/api/folders", { name: "Beside the edge" });
  await page.goto("/");
  // Beside what can be dragged itself.
  const folder = page.getByRole("row", { name: "Beside the edge" });
  await folder.waitFor();
  const y = ((await folder.boundingBox())?.y ?? 0) + 10;
  const edge = page.getByRole("separator", { name: "Width of the sidebar" });
  const width = async () => (await page.getByRole("complementary").first().boundingBox())?.width;
  await edge.waitFor();
  await expect.poll(width).toBe(225);
  await page.mouse.move(225, y);
  await page.mouse.down();
  await page.mouse.move(300, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(width).toBe(300);
  await page.reload();
  await edge.waitFor();
  await expect.poll(width).toBe(300);
  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(width).toBe(285);
  await page.keyboard.press("End");
  await expect.poll(width).toBe(420);
  await expect.poll(() => edge.getAttribute("aria-valuenow")).toBe("28");
  expect(await violationsInBoth(page)).toEqual([]);
  await page.mouse.dblclick(420, y);
  await expect.poll(width).toBe(225);
});
