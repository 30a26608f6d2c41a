import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { violations } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { markdown } from "./steps.ts";

// Properties of a document: rows that are changed where they are read, beside the text or in its front matter.

let page: Page;
let ask: Ask;
let complaints: string[];

const stage = stageFor({}, async () => {
  ({ page, ask, complaints } = await openAs(stage));
});

beforeEach(() => {
  complaints.length = 0;
});

type Kept = { id: string; version: number; content: { text: string; front_matter?: unknown } };

const create = (text: string, more = {}) =>
  ask<Kept>("POST", "/api/documents", { title: "Trip", content: { ...markdown(text), ...more } });
const contentOf = async (id: string) => (await ask<Kept>("GET", `/api/documents/${id}`)).content;

const properties = () => page.getByRole("region", { name: "Properties" });
const button = (name: string | RegExp) => properties().getByRole("button", { name });
const field = (name: string) => properties().getByRole("textbox", { name, exact: true });

async function change(pressed: string, name: string, typed: string) {
  await button(pressed).click();
  await field(name).fill(typed);
  await field(name).press("Enter");
}

test("an imported note’s properties are changed, renamed, added and removed by keys, and taken back", async () => {
  const imported = { source: 1, origin: 2, name: 3, content: 4, rest: 5, version: 1 };
  const front_matter = { status: "draft", people: ["Ada", "Grace"] };
  const { id } = await create("# Rome", { front_matter, imported });
  await page.goto(`/documents/${id}`);
  await button("status: draft").waitFor();
  expect(await properties().innerText()).not.toContain("imported");
  expect(await violations(page)).toEqual([]);

  await button("status: draft").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("12");
  await page.keyboard.press("Escape");
  await button("status: draft").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  await button("status: 12").and(page.locator(":focus")).waitFor();
  await page.getByText("“status” set to 12").waitFor();
  const changed = { ...front_matter, status: 12 };
  expect(await contentOf(id)).toEqual({ ...markdown("# Rome"), front_matter: changed, imported });

  await button("Name: status").click();
  await field("Name").fill("people");
  await field("Name").press("Enter");
  await properties().getByRole("alert").getByText("“people” already exists").waitFor();
  await field("Name").fill("state");
  await field("Name").press("Enter");
  await button("state: 12").waitFor();
  await button("Name: state").and(page.locator(":focus")).waitFor();

  await button("Add property").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("due");
  await page.keyboard.press("Enter");
  await page.keyboard.type("2026-12-01");
  await page.keyboard.press("Enter");
  await button("due: 2026-12-01").waitFor();
  await button("Add property").and(page.locator(":focus")).waitFor();
  await button("Remove people").focus();
  await page.keyboard.press("Enter");
  await button("Add property").and(page.locator(":focus")).waitFor();
  await page.getByText("“people” removed").waitFor();
  expect((await contentOf(id)).front_matter).toEqual({ state: 12, due: "2026-12-01" });
  await page.keyboard.press("u");
  await button("people: Ada Grace").waitFor();
  await expect.poll(async () => (await contentOf(id)).front_matter).toHaveProperty("people");
});

test("front matter in the text is changed to the byte, and merged with what another has written", async () => {
  const text = '---\n# Mine\nstatus: "draft"  # keep\nwith: [Ada,  Grace]\n---\n# Rome\n\n- [ ] pack\n';
  const { id } = await create(text);
  await page.goto(`/documents/${id}`);
  await page.getByRole("heading", { name: "Rome", level: 2 }).waitFor();
  await expect.poll(() => page.getByRole("article").locator("hr").count()).toBe(0);
  await page.getByRole("checkbox", { name: "pack" }).click();
  const ticked = text.replace("[ ]", "[x]");
  await expect.poll(async () => (await contentOf(id)).text).toBe(ticked);

  const theirs = `${ticked}\nAnd more\n`;
  await ask("PUT", `/api/documents/${id}`, { content: markdown(theirs) });
  await change("status: draft", "status", "done");
  await page.getByRole("article").getByText("And more").waitFor();
  const done = theirs.replace('"draft"', "done");
  await expect.poll(async () => (await contentOf(id)).text).toBe(done);

  // Whether the page has heard of it or not by then: the field began with another value.
  await button("status: done").click();
  await ask("PUT", `/api/documents/${id}`, { content: markdown(done.replace("done", "void")) });
  await field("status").fill("late");
  await field("status").press("Enter");
  await page.getByText("“status” was changed elsewhere. Check it and try again").waitFor();
  await button("status: void").waitFor();
  const voided = done.replace("done", "void");
  expect((await contentOf(id)).text).toBe(voided);

  await button("Name: status").click();
  const taken = voided.replace("status", "due: 1\nstatus");
  await ask("PUT", `/api/documents/${id}`, { content: markdown(taken) });
  await field("Name").fill("due");
  await field("Name").press("Enter");
  await page.getByText("“due” already exists").first().waitFor();
  await button("due: 1").waitFor();
  expect((await contentOf(id)).text).toBe(taken);
});

test("front matter that is no YAML is shown as it is written, and any text can get its first property", async () => {
  const { id } = await create("---\na: b: c\n---\n# Rome");
  await page.goto(`/documents/${id}`);
  await properties().getByText("The front matter can’t be read. It is not valid YAML").waitFor();
  await properties().getByText("a: b: c").waitFor();
  await page.emulateMedia({ media: "print" });
  await properties().getByText("a: b: c").waitFor();
  await page.emulateMedia({ media: null });
  await page.getByRole("heading", { name: "Rome", level: 2 }).waitFor();

  const { id: plain } = await create("# Rome");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/documents/${plain}`);
  await page.getByRole("heading", { name: "Rome", level: 2 }).waitFor();
  await expect.poll(() => properties().count()).toBe(0);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Add a property" }).click();
  await field("Name").fill("with");
  await field("Value").fill("[Ada, Grace]");
  await button("Add").click();
  await button("with: Ada Grace").waitFor();
  const added = { text: "# Rome", front_matter: { with: ["Ada", "Grace"] } };
  await expect.poll(() => contentOf(plain)).toMatchObject(added);
  expect(await violations(page)).toEqual([]);
  await button("Remove with").click();
  await expect.poll(async () => Object.keys(await contentOf(plain))).toEqual(["format", "text"]);
  await expect.poll(() => properties().count()).toBe(0);
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
  expect(complaints).toEqual([]);
});

test("links in properties lead to their documents, get a new title, and are changed beside it", async () => {
  const ada = await ask<Kept>("POST", "/api/documents", { title: "Ada", content: markdown("A person") });
  const front_matter = { related: "[[Ada]]", people: ["[[Ada|her]]", "Grace", "[[Nobody yet]]"] };
  const { id } = await create("# Rome", { front_matter });
  const inText = await create('---\nup: "[[Ada]]"\n---\nRome');
  await page.goto(`/documents/${id}`);
  const link = (name: string) => properties().getByRole("link", { name, exact: true });
  await link("her").waitFor();
  expect(await violations(page)).toEqual([]);
  await ask("PUT", `/api/documents/${ada.id}`, { title: "Ada L." });
  await page.reload();
  await link("Ada L.").first().waitFor();
  expect((await contentOf(id)).front_matter).toEqual({
    related: "[[Ada L.]]",
    people: ["[[Ada L.|her]]", "Grace", "[[Nobody yet]]"],
  });
  await change("related: [[Ada L.]]", "related", "[[Nobody yet]], [[Ada L.]]");
  await page.getByText("“related” set to").waitFor();
  await link("Nobody yet").first().waitFor();
  await link("Ada L.").click();
  await page.waitForURL(`**/documents/${ada.id}`);
  await page.getByText("related: Nobody yet, Ada L.").waitFor();
  await page.goto(`/documents/${inText.id}`);
  await link("Ada L.").waitFor();
  expect((await contentOf(inText.id)).text).toBe('---\nup: "[[Ada L.]]"\n---\nRome');
  expect(complaints).toEqual([]);
});
