import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { violations } from "./app.ts";
import { type Ask, askWith } from "./ask.ts";
import { isDrawn, png } from "./own-files.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument, markdown, textField, textOf, writeAtStart } from "./steps.ts";

// One document: written, read, compared, and never lost.

const stage = stageFor();
let person: AppOfPerson;
let page: Page;
let ask: Ask;

beforeEach(async () => {
  person = await openAs(stage);
  ({ page, ask } = person);
});

/** Complaints about anything but answers of these kinds, which the story asks for. */
const unexpected = (...statuses: number[]) =>
  person.complaints.filter(
    (complaint) => !statuses.some((status) => new RegExp(`^${status} |status of ${status}`).test(complaint)),
  );

type Written = { id: string; version: number; content: { text: string } };

const read = (id: string) => ask<Written>("GET", `/api/documents/${id}`);
const changeAs = (client: string, id: string, text: string) =>
  askWith(stage.service.apiUrl, person.token, { "X-Client-Name": client })("PUT", `/api/documents/${id}`, {
    content: markdown(text),
  });

test("a content of other fields is shown as fields, and edited as JSON that is checked", async () => {
  const { id } = await ask<Written>("POST", "/api/documents", {
    title: "Ada",
    content: { emails: ["ada@example.com"], address: { city: "London" }, vip: true },
  });
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("London").waitFor();
  await page.keyboard.press("e");
  // A plain field stands in the editor's place until that is loaded.
  await page.locator(".cm-content").waitFor();
  await textField(page).fill('{"city": ');
  await page.keyboard.press("Control+s");
  await page.getByText(/This is not valid JSON/).waitFor();
  await textField(page).fill('{"city": "Paris"}');
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("article").getByText("Paris").waitFor();
  await expect.poll(async () => (await read(id)).content).toEqual({ city: "Paris" });
  expect(person.complaints).toEqual([]);
});

test("what was typed without a network survives a reload, is shown, and is kept or discarded", async () => {
  const id = await createDocument(ask, "Draft", "First line\n");
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("First line").waitFor();
  await page.keyboard.press("e");
  await page.route(`**/api/documents/${id}`, (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await writeAtStart(page, "Typed: ");
  await page.getByText("Offline – saved on this device").waitFor();
  await textField(page).press("Escape");
  await page.getByText(/You have unsaved changes from/).waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("You have unsaved changes").waitFor({ state: "hidden" });
  await page.keyboard.press("u");
  await page.getByText(/You have unsaved changes from/).waitFor();
  await page.reload();
  await page.getByText(/You have unsaved changes from/).waitFor();
  await page.unroute(`**/api/documents/${id}`);
  await page.getByRole("article").getByText("Typed: First line").waitFor();
  await expect.poll(() => textOf(ask, id)).toBe("Typed: First line\n");
  expect(person.complaints.filter((complaint) => !complaint.includes("ERR_FAILED"))).toEqual([]);
});

test("two people write: both texts are shown, and whichever is taken, the other is a version", async () => {
  for (const [choice, chosen] of [
    ["Use theirs", "Theirs 1"],
    ["Keep both", "Mine 2"],
    ["Save merged text", "Merged 3"],
  ] as const) {
    const number = chosen.at(-1);
    const id = await createDocument(ask, "Shared", "One\n\nTwo\n");
    await page.goto(`/documents/${id}?edit`);
    await textField(page).waitFor();
    await changeAs("Claude", id, `Theirs ${number}: Uno\n\nTwo\n`);
    // What is only tagged has the text of before.
    if (number !== "2") await ask("PUT", `/api/documents/${id}`, { tags: ["seen"] });
    await writeAtStart(page, `Mine ${number}: `);
    await page.keyboard.press("Control+s");
    await page.getByText("The same passage was changed twice").waitFor();
    await page.getByText(/Changed by Claude/).waitFor();
    const mine = page.getByRole("textbox", { name: "Mine", exact: true });
    await mine.waitFor();
    await page.getByText("Theirs, version 2", { exact: true }).waitFor();
    if (number === "1") expect(await violations(page)).toEqual([]);
    if (number === "3") {
      await mine.press("Control+Home");
      await page.keyboard.insertText("Merged 3, ");
    }
    await page.getByRole("button", { name: choice }).click();
    await textField(page).waitFor();
    // What is not taken is saved first, as a version.
    await expect.poll(() => textOf(ask, id)).toContain(chosen);
    const now = await read(id);
    const versions = [];
    for (let version = now.version; version > now.version - 3 && version > 0; version--) {
      versions.push((await ask<Written>("GET", `/api/documents/${id}/versions/${version}`)).content.text);
    }
    for (const text of [`Mine ${number}: `, `Theirs ${number}: `]) {
      expect(
        versions.some((version) => version.includes(text)),
        text,
      ).toBe(true);
    }
  }
  expect(unexpected(412)).toEqual([]);
});

test("an earlier text that was restored while one writes comes from who restored it", async () => {
  const id = await createDocument(ask, "Restored", "One\n");
  await changeAs("Claude", id, "Uno\n");
  await ask("PUT", `/api/documents/${id}`, { content: markdown("One\n") });
  await page.goto(`/documents/${id}?edit`);
  await textField(page).waitFor();
  await ask("POST", `/api/documents/${id}/versions/2/restore`);
  await writeAtStart(page, "Mine: ");
  await page.keyboard.press("Control+s");
  await page.getByText(/Changed by a program/).waitFor();
  await page.getByText("Theirs, version 4", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Use theirs" }).click();
  await expect.poll(() => textOf(ask, id)).toBe("Uno\n");
  expect(unexpected(412)).toEqual([]);
});

test("another tab shows what was saved in this one, and an editor there adds it to what is written there", async () => {
  const id = await createDocument(ask, "Two tabs", "One\n");
  const [reading, writing] = [await person.context.newPage(), await person.context.newPage()];
  await reading.goto(`/documents/${id}`);
  await reading.getByRole("article").getByText("One", { exact: true }).waitFor();
  await writing.goto(`/documents/${id}?edit`);
  const other = textField(writing);
  await other.waitFor();
  await page.goto(`/documents/${id}?edit`);
  await textField(page).waitFor();
  await other.press("Control+Home");
  await writeAtStart(page, "Mine: ");
  // It would save by itself two seconds later.
  await writing.keyboard.insertText("Other: ");
  await page.keyboard.press("Control+s");
  // Both have added words to one line, and neither has changed a word of the other.
  await reading.getByRole("article").getByText("Mine: Other: One").waitFor();
  await expect.poll(() => other.innerText()).toContain("Mine: Other: One");
  await expect.poll(() => textField(page).innerText()).toContain("Mine: Other: One");
  expect(await writing.getByText(/This passage was also changed/).count()).toBe(0);
  expect(person.complaints).toEqual([]);
});

test("any two versions are compared, one is restored, and that is taken back", async () => {
  const id = await createDocument(ask, "Versions", "First\n");
  await changeAs("Claude", id, "Second\n");
  await changeAs("Obsidian", id, "Third\n");
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Third").waitFor();
  await page.keyboard.press("v");
  await page.getByRole("radio", { name: "Compare version 1" }).check();
  await page.getByRole("heading", { name: "From version 1 to 3" }).waitFor();
  await page.getByText("Claude, ").waitFor();
  const changes = page.getByRole("region", { name: "What changed" });
  await changes.getByText("First").waitFor();
  await changes.getByText("Third").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 restored as version 4").waitFor();
  expect(await textOf(ask, id)).toBe("First\n");
  await page.keyboard.press("u");
  await page.getByText(/5, current/).waitFor();
  expect(await textOf(ask, id)).toBe("Third\n");
  expect(person.complaints).toEqual([]);
});

test("versions and changes that are no new text say what they were", async () => {
  const trips = await ask<{ id: string }>("POST", "/api/folders", { name: "Trips" });
  const { id: folder_id } = await ask<{ id: string }>("POST", "/api/folders", {
    name: "New",
    parent_id: trips.id,
  });
  const id = await createDocument(ask, "Plan", "First\n");
  for (const json of [
    { folder_id },
    { tags: ["a"] },
    { tags: ["b"] },
    { title: "Packing" },
    { folder_id: null },
  ])
    await ask("PUT", `/api/documents/${id}`, json);
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("First").waitFor();
  await page.keyboard.press("v");
  const rows = page.getByRole("group", { name: "Choose two versions" }).getByRole("listitem");
  await rows.getByText("Moved to Trips/New").waitFor();
  const said = [
    "Moved out of Trips/New",
    "Renamed from “Plan”",
    "Tags: +b −a",
    "Tags: +a",
    "Moved to Trips/New",
  ];
  for (const [place, words] of said.entries())
    expect(await rows.nth(place).innerText(), words).toMatch(new RegExp(`${words.replaceAll("+", "\\+")}$`));
  expect(await rows.nth(5).innerText()).not.toMatch(/Moved|Tags/);
  const changes = page.getByRole("region", { name: "What changed" });
  await changes.getByText("Trips / New").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(`/activity?kind=document&record_id=${id}`);
  const listed = page.getByRole("listitem").filter({ hasText: "Packing" });
  await listed.first().getByText("out of Trips/New", { exact: true }).waitFor();
  expect((await listed.nth(1).innerText()).replace(/\s+/g, " ")).toContain(
    "Changed Packing Renamed from “Plan”",
  );
  expect(person.complaints).toEqual([]);
});

test("sixty moves hide no text in the history, whose first comparison is with the text before", async () => {
  const id = await createDocument(ask, "Plan", "First\n");
  for (const text of ["Second\n", "Third\n"]) await changeAs("Claude", id, text);
  for (let turn = 0; turn < 60; turn++) await ask("PUT", `/api/documents/${id}`, { tags: [`tag-${turn}`] });
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Third").waitFor();
  await page.keyboard.press("v");
  const rows = page.getByRole("group", { name: "Choose two versions" }).getByRole("listitem");
  await rows.getByText("Tags: +tag-59 −tag-58").waitFor();
  expect(await rows.count()).toBe(6);
  await page.getByRole("radio", { name: "Compare version 1", exact: true }).check();
  await page.getByRole("region", { name: "What changed" }).getByText("First").waitFor();
  await page.getByRole("button", { name: /^Show \d+ more moves and tags$/ }).click();
  await expect.poll(() => rows.count()).toBe(53);
  await rows.nth(3).locator("input:focus").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(person.complaints).toEqual([]);
});

test("a text that was saved several times in one sitting is compared with the one before", async () => {
  const id = await createDocument(ask, "Plan", "First\n");
  const inSitting = askWith(stage.service.apiUrl, person.token, { "X-Sitting": "one-sitting" });
  for (const text of ["a", "ab", "abc"])
    await inSitting("PUT", `/api/documents/${id}`, { content: markdown(text) });
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("abc").waitFor();
  await page.keyboard.press("v");
  await page.getByRole("heading", { name: "From version 1 to 4" }).waitFor();
  await page.getByRole("region", { name: "What changed" }).getByText("First").waitFor();
});

test("a document is moved by the button of its folder, and the records that belong to it are there", async () => {
  const id = await createDocument(ask, "Old name", "Text\n");
  await ask("POST", "/api/folders", { name: "Work" });
  const record = { memory_type: "commitment", topic: "Send the slides", content: "Promised" };
  await ask("POST", "/api/memories", { ...record, document_id: id });
  await page.goto(`/documents/${id}`);
  await page.getByRole("link", { name: "Send the slides" }).waitFor();
  await page.getByRole("button", { name: /No folder/ }).click();
  await page.getByPlaceholder("Find or create a folder").pressSequentially("wor");
  await page.getByRole("option", { name: "Work", exact: true }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Folder path" }).getByText("Work").waitFor();
  expect(person.complaints).toEqual([]);
});

test("a link to a document that is not there says whose account this is, and one in the trash is restored", async () => {
  await page.goto("/documents/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42");
  await page.getByText(`This document isn’t in the account ${person.email}`).waitFor();
  expect(await violations(page)).toEqual([]);
  const id = await createDocument(ask, "Thrown away", "Text\n");
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Text", { exact: true }).waitFor();
  await page.keyboard.press("#");
  await page.getByText("moved to the trash").waitFor();
  await page.goto(`/documents/${id}`);
  await page.getByText("This document is in the trash").waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("article").getByText("Text", { exact: true }).waitFor();
  expect(unexpected(404)).toEqual([]);
});

test("a picture is as wide while one writes as while one reads, and words that are found below it are in sight", async () => {
  const { bytes, type } = png(7, "wide.png", 2400);
  const sent = await fetch(`${stage.service.apiUrl}/api/files`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${person.token}`,
      "Content-Type": type,
      "Content-Disposition": 'attachment; filename="wide.png"',
    },
    body: bytes,
  });
  const { id: file } = (await sent.json()) as { id: string };
  const part = (name: string) =>
    `## ${name}\n\n${"Many words of a long paragraph. ".repeat(30)}\n\n![Wide](file:${file})\n\nSome honey.\n\n`;
  const id = await createDocument(ask, "Plan", ["One", "Two", "Three"].map(part).join(""));
  await page.setViewportSize({ width: 720, height: 800 });
  await page.goto(`/documents/${id}`);
  const width = async (picture: Locator) => (await picture.boundingBox())?.width;
  const shown = page.getByRole("article").getByRole("img").first();
  await expect.poll(() => isDrawn(shown)).toBe(true);
  const before = await width(shown);
  await page.keyboard.press("e");
  const written = page.locator(".live-picture img").first();
  await expect.poll(() => isDrawn(written)).toBe(true);
  expect(await width(written)).toBeCloseTo(before ?? 0, 0);
  await page.keyboard.press("Control+f");
  await page.getByRole("textbox", { name: "Find", exact: true }).waitFor();
  await page.keyboard.type("honey");
  const said = page.getByRole("search", { name: "Find and replace" }).getByRole("status");
  for (const words of ["1 of 3", "2 of 3", "3 of 3", "1 of 3"]) {
    await expect.poll(() => said.innerText()).toBe(words);
    const match = page.locator(".cm-searchMatch-selected");
    await expect.poll(async () => (await match.boundingBox())?.y).toSatisfy((y) => y > 200 && y < 700);
    await page.keyboard.press("Enter");
  }
});
