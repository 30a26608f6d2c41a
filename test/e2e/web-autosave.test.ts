import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { violations } from "./app.ts";
import type { Ask } from "./ask.ts";
import { stored } from "./copies.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument, textOf as documentText, markdown, textField } from "./steps.ts";

// Nothing is ever unsaved: the app saves by itself, merges what others write, and sends later what had no network.

let person: AppOfPerson;
let page: Page;
let ask: Ask;

stageFor({}, async (stage) => {
  person = await openAs(stage);
  ({ page, ask } = person);
});

const create = (title: string, text: string) => createDocument(ask, title, text);
const textOf = (id: string) => documentText(ask, id);

const title = () => page.getByRole("textbox", { name: "Title" });
const text = () => textField(page);
const saved = () => page.getByText("Saved", { exact: true }).waitFor();

test("an empty page makes no document", async () => {
  const { total } = await ask<{ total: number }>("GET", "/api/documents");
  await page.goto("/documents/new");
  await title().waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/documents$/);
  expect((await ask<{ total: number }>("GET", "/api/documents")).total).toBe(total);
});

test("the same passage: writing goes on, and both versions can be compared", async () => {
  const id = await create("Passage", "One\n");
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").waitFor();
  await ask("PUT", `/api/documents/${id}`, { content: markdown("Theirs\n") });
  await text().press("Control+Home");
  await page.keyboard.press("End");
  const places = () => Promise.all([title(), text()].map(async (field) => (await field.boundingBox())?.y));
  const before = await places();
  await page.keyboard.insertText(" of mine");
  const told = page.getByRole("status").filter({ hasText: /This passage was also changed/ });
  await told.waitFor();
  // It moves nothing, and is in sight.
  expect(await places()).toEqual(before);
  const { y = 0, height = 0 } = (await told.boundingBox()) ?? {};
  expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  await page.keyboard.insertText(", still");
  const look = page.getByRole("button", { name: "Compare", exact: true });
  await look.click();
  await page.getByRole("region", { name: "Compare versions" }).and(page.locator(":focus")).waitFor();
  // The way back, with the keyboard and with what was written here.
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".cm-line").first().innerText()).toBe("One of mine, still");
  await look.click();
  const mine = page.getByRole("textbox", { name: "Mine", exact: true });
  await mine.press("Control+Home");
  await page.keyboard.insertText("No: ");
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect.poll(() => page.locator(".cm-line").first().innerText()).toBe("No: One of mine, still");
  await look.click();
  await page.getByRole("button", { name: "Keep both" }).click();
  await expect.poll(() => textOf(id)).toBe("Theirs\nNo: One of mine, still\n");
  await saved();
});

test("while a passage waits for a decision, the others are sent, and theirs are shown", async () => {
  const id = await create("Minutes", "One\n\nTwo\n\nThree\n\nFour\n");
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").waitFor();
  await ask("PUT", `/api/documents/${id}`, {
    content: markdown("Theirs\n\nTwo\n\nThree\n\nTheir four\n"),
  });
  await text().fill("One of mine\n\nTwo\n\nMy three\n\nFour\n");
  await page.getByText("This passage was also changed by a program").waitFor();
  const sent = (three: string) => `Theirs\n\nTwo\n\n${three}\n\nTheir four\n`;
  await expect.poll(() => textOf(id)).toBe(sent("My three"));
  await expect.poll(() => page.locator(".cm-line").allInnerTexts()).toContain("Their four");
  // What has been sent is nothing that two have changed.
  await text().fill("One of mine\n\nTwo\n\nMy three, again\n\nTheir four\n");
  await expect.poll(() => textOf(id)).toBe(sent("My three, again"));
  await page.reload();
  await page.getByText("This passage was also changed by a program").waitFor();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByText(/^Changed by a program/).waitFor();
  await page.getByText("Theirs, version 2", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Keep both" }).click();
  await expect.poll(() => textOf(id)).toBe("Theirs\nOne of mine\n\nTwo\n\nMy three, again\n\nTheir four\n");
  await saved();
});

test("what is written while answers are lost is no conflict with itself", async () => {
  const id = await create("Flaky", "One\n");
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").waitFor();
  let lost = 0;
  await page.route(`**/api/documents/${id}`, async (route) => {
    if (route.request().method() !== "PUT" || ++lost > 2) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await text().press("Control+End");
  for (const words of ["first ", "second ", "third "]) {
    await page.keyboard.insertText(words);
    await page.keyboard.press("Control+s");
    await expect.poll(() => textOf(id)).toContain(words);
  }
  await saved();
  expect(await textOf(id)).toBe("One\nfirst second third ");
  await page.unroute(`**/api/documents/${id}`);
});

type Drawn = { getBoundingClientRect: () => { x: number; y: number; width: number; height: number } };

/** Where a line of a text is. */
function placeOf(text: unknown, line: string): number[] {
  const { x, y, width, height } = (text as { querySelector: (name: string) => Drawn })
    .querySelector(line)
    .getBoundingClientRect();
  return [x, y, width, height];
}

test.each([
  ["text", "p", `${"A line that is wrapped somewhere. ".repeat(12)}\n`, 3],
  ["heading", "h2", "## One\n\nwords\n", 4],
] as const)("a %s is written in the place where it is read", async (_, element, words, sides) => {
  const id = await create("In its place", words);
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const placeIn = async (text: string, line: string) =>
      // In one step: the editor may render its lines again at any moment.
      (await page.locator(text).evaluate(placeOf, line)).slice(0, sides);
    await page.goto(`/documents/${id}`);
    await page.locator("article").locator(element).waitFor();
    const place = await placeIn("article", element);
    await page.goto(`/documents/${id}?edit`);
    await page.locator(".cm-content .cm-line").first().waitFor();
    // ... and does so when the rest of it has been loaded.
    const moved = async () => {
      const now = await placeIn(".cm-content", ".cm-line");
      return Math.max(...now.map((one, at) => Math.abs(one - (place[at] ?? Number.NaN))));
    };
    await expect.poll(moved, { message: `${width} px` }).toBeLessThan(2);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("one writer is never refused, however slow the answers are: leaving, coming back and ticking", async () => {
  const id = await create("Mine alone", "- [ ] One\n- [ ] Two\n- [ ] Three\n");
  const writes: string[] = [];
  const ofIt = (url: URL) => url.pathname.startsWith(`/api/documents/${id}`);
  await page.route(ofIt, async (route) => {
    const answer = await route.fetch();
    const method = route.request().method();
    if (method !== "GET") writes.push(`${method} ${answer.status()}`);
    // As over a slow network: long enough for what is done next.
    await page.evaluate("new Promise((done) => setTimeout(done, 400))").catch(() => undefined);
    await route.fulfill({ response: answer });
  });
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").waitFor();
  await text().press("Control+End");
  await page.keyboard.insertText("First ");
  await page.getByRole("link", { name: "Records" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Edit" }).waitFor();
  for (const name of ["One", "Two", "Three"]) await page.getByRole("checkbox", { name }).click();
  await expect.poll(() => textOf(id)).toBe("- [x] One\n- [x] Two\n- [x] Three\nFirst ");
  await page.unrouteAll({ behavior: "wait" });
  // Who comes back before the answer to the last words may send them once more.
  expect([...new Set(writes)]).toEqual(["PUT 200", "PATCH 200"]);
  expect(writes.filter((write) => write === "PATCH 200")).toHaveLength(3);
});

test("tasks are ticked while one reads, wherever they stand, and others' changes stay", async () => {
  const real = "Before\n\n- [ ] one\n  1. [x] inner\n- [ ] **two** `x`\n\n> - [ ] quoted\n\n* [ ] last\n";
  const tasks = `${real}\n\`\`\`\n- [ ] code\n\`\`\`\n\n-\n  [ ] below\n`;
  const id = await create("Tasks", tasks);
  await page.goto(`/documents/${id}`);
  const box = (name: string) => page.getByRole("checkbox", { name, exact: true });
  await expect.poll(() => page.getByRole("checkbox").count()).toBe(6);
  // What only looks like a task cannot be ticked.
  await expect.poll(() => box("below").isDisabled()).toBe(true);
  for (const name of ["one", "inner", "two x", "quoted"]) await box(name).click();
  const ticked = tasks.replace("[ ] one", "[x] one").replace("[x] inner", "[ ] inner");
  const wanted = ticked.replace("[ ] **two**", "[x] **two**").replace("[ ] quoted", "[x] quoted");
  await expect.poll(() => textOf(id)).toBe(wanted);
  await expect.poll(() => box("two x").isChecked()).toBe(true);
  await ask("PUT", `/api/documents/${id}`, { content: markdown(wanted.replace("Before", "By Claude")) });
  await box("last").click();
  await expect
    .poll(() => textOf(id))
    .toBe(wanted.replace("Before", "By Claude").replace("[ ] last", "[x] last"));
  await page.getByRole("article").getByText("By Claude").waitFor();
  await box("one").focus();
  await page.keyboard.press("Space");
  await expect.poll(() => textOf(id)).toContain("[ ] one");
  expect(await violations(page)).toEqual([]);
});

test("a tick is in the text although others write it twice before that is known here", async () => {
  const id = await create("Shopping", "Before\n\n- [ ] milk\n- [ ] bread\n\nAfter\n");
  await page.goto(`/documents/${id}`);
  const milk = page.getByRole("checkbox", { name: "milk" });
  await milk.waitFor();
  const path = `/api/documents/${id}`;
  const write = (written: string) => ask("PUT", path, { content: markdown(written) });
  await write("By Claude\n\n- [ ] milk\n- [ ] bread\n\nAfter\n");
  let isSecond = false;
  await page.route(`**${path}`, async (route) => {
    const isMerged = route.request().postData()?.includes("Claude");
    if (isMerged && !isSecond) {
      isSecond = true;
      await write("By Claude\n\n- [ ] milk\n- [x] bread\n\nBy Claude\n");
    }
    return route.continue();
  });
  await milk.click();
  await expect.poll(() => textOf(id)).toBe("By Claude\n\n- [x] milk\n- [x] bread\n\nBy Claude\n");
  await expect.poll(() => milk.isChecked()).toBe(true);
  await page.unroute(`**${path}`);
});

/** Drafts are stored only once the page is being left, and what is stored after that is lost with the page. */
const STORED_WHILE_LEAVING = `{
  const put = IDBObjectStore.prototype.put;
  let isLeft = false;
  addEventListener("pagehide", () => { isLeft = true; }, { capture: true });
  IDBObjectStore.prototype.put = function (value, key) {
    if (!String(key).startsWith("draft:")) return put.call(this, value, key);
    if (isLeft) throw new DOMException("The page is gone", "AbortError");
    document.body.dataset.draft = "storing";
    this.transaction.addEventListener("complete", () => { document.body.dataset.draft = "stored"; });
    const untilLeft = () => { if (!isLeft) this.get(key).onsuccess = untilLeft; };
    untilLeft();
    return put.call(this, value, key);
  };
}`;

test("the last word is kept when the page is left while the word before is being stored", async () => {
  const id = await create("Last words", "Text");
  await page.goto(`/documents/${id}?edit`);
  await text().press("Control+End");
  await page.route(`**/api/documents/${id}`, (route) =>
    route.request().method() === "GET" ? route.fallback() : route.abort(),
  );
  await page.evaluate(STORED_WHILE_LEAVING);
  await page.keyboard.insertText(" one");
  await page.locator("body[data-draft=storing]").waitFor();
  await page.keyboard.insertText(" two");
  await page.evaluate("dispatchEvent(new Event('pagehide'))");
  await page.locator("body[data-draft=stored]").waitFor();
  const left = await page.evaluate<string[]>("Object.values(localStorage)");
  expect(left.filter((one) => one.includes("Text one two"))).toHaveLength(1);
  await page.goto("/");
  await page.unrouteAll();
  await expect.poll(() => textOf(id)).toBe("Text one two");
});

test("a tick is kept when the page is left in the same moment", async () => {
  const id = await create("Hurry", "- [ ] one\n- [ ] two\n");
  await page.goto(`/documents/${id}`);
  await page.getByRole("checkbox", { name: "one" }).waitFor();
  await page.evaluate("document.querySelector('main [type=checkbox]').click(); location.href = '/'");
  await page.waitForURL("**/");
  await expect.poll(() => textOf(id)).toBe("- [x] one\n- [ ] two\n");
});

test("a tick whose answer is lost counts once, and one without a network is sent when it is back", async () => {
  const id = await create("Lost ticks", "- [ ] one\n- [ ] two\n");
  await page.goto(`/documents/${id}`);
  const box = (name: string) => page.getByRole("checkbox", { name, exact: true });
  const unsent = async () =>
    (await stored<string>(page, "keyval-store", "keyval", "getAllKeys")).filter((key) => key.includes(id));
  const versionsOf = async () =>
    (await ask<{ items: unknown[] }>("GET", `/api/documents/${id}/versions`)).items.length;
  let sent = 0;
  await page.route(`**/api/documents/${id}/tasks/1`, async (route) => {
    sent += 1;
    if (sent > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await box("one").click();
  await expect.poll(() => sent).toBe(1);
  await expect.poll(() => textOf(id)).toBe("- [x] one\n- [ ] two\n");
  // It waits as a text does, until the service says that it is there.
  await expect.poll(() => unsent()).toEqual([]);
  expect(await versionsOf()).toBe(1);
  await expect.poll(() => box("one").isChecked()).toBe(true);

  await person.context.setOffline(true);
  await box("two").click();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await expect.poll(() => box("two").isChecked()).toBe(true);
  await person.context.setOffline(false);
  await expect.poll(() => textOf(id)).toBe("- [x] one\n- [x] two\n");
  await page.unroute(`**/api/documents/${id}/tasks/1`);
});
