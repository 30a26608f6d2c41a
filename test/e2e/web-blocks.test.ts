import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument } from "./steps.ts";

// A long text is formatted by blocks as one scrolls: what leads to a part that is not formatted yet works all the same.

const WORDS =
  "Some words are **strong**, others *soft*; [the plan][plan] says more, and [a note].[^told] ".repeat(4);
const PARTS = Array.from(
  { length: 900 },
  (_, n) => `## Part ${n}\n\n${WORDS}\n\n- [ ] task ${n}\n- other ^other-${n}`,
);
const TEXT = `[[#^other-760|There]]\n\n${PARTS.join("\n\n")}\n\n[plan]: /records\n\n[a note]: /history\n\n[^told]: It was *told*.`;

let page: Page;
let ask: Ask;
let id: string;

stageFor({}, async (stage) => {
  ({ page, ask } = await openAs(stage));
  id = await createDocument(ask, "A year", TEXT);
});

const heading = (part: number) =>
  page.getByRole("article").getByRole("heading", { name: `Part ${part}`, exact: true });

/** The paragraph below a heading. */
const wordsOf = (part: number) => heading(part).locator("xpath=following-sibling::p[1]");

const isOnScreen = (part: number) =>
  heading(part).evaluate((found) => {
    const { top, bottom } = found.getBoundingClientRect();
    return top >= 0 && bottom < 800;
  });

test("a long text is formatted where it is shown, and its outline leads to any part", async () => {
  await page.goto(`/documents/${id}`);
  await heading(0).waitFor();
  await page.getByRole("navigation", { name: "In this document" }).getByText("Part 850").click();
  await expect.poll(() => isOnScreen(850)).toBe(true);
  const task = page.getByRole("checkbox", { name: "task 850" });
  await task.click();
  await expect.poll(() => task.isChecked()).toBe(true);
  const said = async () =>
    (await ask<{ content: { text: string } }>("GET", `/api/documents/${id}`)).content.text.includes(
      "[x] task 850",
    );
  await expect.poll(said).toBe(true);
  expect(await wordsOf(850).getByRole("link", { name: "the plan" }).count()).toBe(4);
});

test("an address leads to a part, a footnote leads to the end and back, and a search to its words", async () => {
  await page.goto(`/documents/${id}#h-part-700`);
  await expect.poll(() => isOnScreen(700)).toBe(true);
  await wordsOf(700).getByRole("link", { name: "1", exact: true }).first().click();
  const note = page.getByRole("article").getByText("It was told.");
  await note.waitFor();
  await expect.poll(() => note.evaluate((found) => found.getBoundingClientRect().top < 800)).toBe(true);
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByRole("link", { name: "There" }).click();
  await expect.poll(() => isOnScreen(761)).toBe(true);
  expect(await page.getByRole("article").textContent()).not.toContain("^other-760");
  await page.goto(`/documents/${id}?find=${encodeURIComponent("task 640")}`);
  await expect.poll(() => isOnScreen(640)).toBe(true);
});

test("End leads to the end, also while most of the text is not formatted", async () => {
  for (const key of ["End", "Control+End"]) {
    await page.goto(`/documents/${id}`);
    await heading(0).waitFor();
    await page.keyboard.press(key);
    await page.getByRole("article").getByText("It was told.").waitFor();
    const left = () => page.evaluate<number>("document.documentElement.scrollHeight - innerHeight - scrollY");
    await expect.poll(left).toBeLessThan(2);
    const end = () =>
      page.evaluate<number>("document.querySelector('article').getBoundingClientRect().bottom");
    expect(await end()).toSatisfy((at: number) => at > 0 && at < 720);
  }
});

test("Back leads to where one read, not to the heading that the address names", async () => {
  await page.goto(`/documents/${id}#h-part-700`);
  await expect.poll(() => isOnScreen(700)).toBe(true);
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, -1e7);
  await expect.poll(() => isOnScreen(0)).toBe(true);
  await wordsOf(0).getByRole("link", { name: "the plan" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await page.goBack();
  await heading(0).waitFor();
  await expect.poll(() => isOnScreen(0)).toBe(true);
  expect(await isOnScreen(700)).toBe(false);
});

/** Where the heading of a part is, once it stands still. */
async function topOf(part: number): Promise<number> {
  const top = () => heading(part).evaluate((found) => found.getBoundingClientRect().top);
  let before = Number.NaN;
  await expect
    .poll(async () => {
      const last = before;
      before = await top();
      return before === last;
    })
    .toBe(true);
  return before;
}

test("a reload and Back lead to the words that one read, not to so many pixels", async () => {
  await page.goto(`/documents/${id}#h-part-700`);
  await expect.poll(() => isOnScreen(700)).toBe(true);
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, 1500);
  await expect.poll(() => isOnScreen(700)).toBe(false);
  const nearest = async () => {
    for (let part = 701; part < 715; part += 1) if (await isOnScreen(part)) return part;
    return 0;
  };
  await expect.poll(nearest).toBeGreaterThan(701);
  const part = await nearest();
  const top = await topOf(part);
  await page.reload();
  await heading(part).waitFor();
  await expect.poll(async () => Math.abs((await topOf(part)) - top)).toBeLessThan(2);
  await wordsOf(part).getByRole("link", { name: "the plan" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await page.goBack();
  await heading(part).waitFor();
  await expect.poll(async () => Math.abs((await topOf(part)) - top)).toBeLessThan(2);
  // Not later, when one opens the text by a link after a reload of another screen.
  await page.goForward();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await page.evaluate(`history.pushState(null, "", "/documents/${id}")`);
  await heading(0).waitFor();
  expect(await topOf(0)).toBeGreaterThan(0);
  expect(await page.evaluate("scrollY")).toBe(0);
});

test("a key that does not scroll does not keep an address from leading to its part", async () => {
  await page.goto("about:blank");
  await page.goto(`/documents/${id}#h-part-700`, { waitUntil: "commit" });
  for (let presses = 0; presses < 30; presses += 1) await page.keyboard.press("Shift", { delay: 30 });
  await expect.poll(() => isOnScreen(700)).toBe(true);
});

test("a link in the middle of a text leads to the top of another one", async () => {
  const other = await createDocument(ask, "Another year", TEXT);
  const from = await createDocument(ask, "Contents", `${"Words.\n\n".repeat(200)}[[Another year]]`);
  await page.goto(`/documents/${other}`);
  await heading(0).waitFor();
  await page.goto(`/documents/${from}`);
  await page.getByRole("article").getByRole("link", { name: "Another year" }).click();
  await page.getByRole("heading", { level: 1, name: "Another year" }).waitFor();
  await expect.poll(() => isOnScreen(0)).toBe(true);
  expect(await page.evaluate("scrollY")).toBe(0);
});

test("everything is printed", async () => {
  await page.goto(`/documents/${id}`);
  await heading(0).waitFor();
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  const headings = page.getByRole("article").getByRole("heading", { level: 2 });
  expect(await headings.count()).toBe(901);
  expect(await headings.last().textContent()).toBe("Footnotes");
});
