import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { goOffline, violations, WITH_WORKER } from "./app.ts";
import type { Ask } from "./ask.ts";
import { copiesIn, stored } from "./copies.ts";
import { openAs, stageFor } from "./stage.ts";
import { bar, createDocument, markdown, textField, textOf } from "./steps.ts";

// What was written or done without a network is shown where it belongs, survives a reload and the end of the tab, and is
// sent; what cannot be sent is shown on every screen until the user has dealt with it.

const stage = stageFor();

type Listed = { total: number; items: { id: string; title: string }[] };

/** A person who has read a document, so that it is on the device. */
async function reader(text: string, words: string) {
  const person = await openAs(stage, "/", WITH_WORKER);
  const { page, ask } = person;
  const id = await createDocument(ask, "Plan", text);
  await page.goto("/documents");
  await page.getByText("Plan").first().waitFor();
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText(words).waitFor();
  await expect.poll(async () => (await copiesIn(page)).readable).toContain(words);
  return { ...person, id };
}

const documentsOf = async (ask: Ask) => (await ask<Listed>("GET", "/api/documents?sort=title")).items;
const box = (page: Page, name: string) => page.getByRole("checkbox", { name, exact: true });
const sidebar = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });

test("what is ticked without a network stays ticked after a reload and in another tab, and is sent", async () => {
  const { page, context, ask, id } = await reader("- [ ] one\n- [ ] two\n- [ ] three\n", "three");
  const goOnline = await goOffline(context);
  await box(page, "one").click();
  await box(page, "two").click();
  // From now on the second tick is not lost, and there is one text.
  const kept = async () =>
    (await stored<{ text: string }>(page, "keyval-store", "keyval")).map(({ text }) => text);
  await expect.poll(async () => String(await kept()), { interval: 5 }).toContain("[x] two");
  await page.reload();
  await bar(page).getByText("1 change will sync").waitFor();
  await expect.poll(() => box(page, "one").isChecked()).toBe(true);
  expect([await box(page, "two").isChecked(), await box(page, "three").isChecked()]).toEqual([true, false]);
  await box(page, "two").click();
  await page.getByText(/You have unsaved changes from/).waitFor();
  expect(await violations(page)).toEqual([]);
  const other = await context.newPage();
  await page.close();
  await other.goto("/");
  await bar(other).getByText("1 change will sync").waitFor();
  await goOnline();
  await bar(other).waitFor({ state: "hidden" });
  await expect.poll(() => textOf(ask, id)).toBe("- [x] one\n- [ ] two\n- [ ] three\n");
});

test("the notice of a tick that waits moves nothing on a desk or a phone, and discarding it unticks the box", async () => {
  const { page, context, ask, id } = await reader("- [ ] one\n- [ ] two\n", "two");
  const goOnline = await goOffline(context);
  await page.getByText("You’re offline").waitFor();
  for (const [name, width] of [
    ["one", 1280],
    ["two", 390],
  ] as const) {
    await page.setViewportSize({ width, height: 720 });
    const place = () => box(page, name).boundingBox();
    const before = await place();
    await box(page, name).click();
    const discard = page.getByRole("button", { name: "Discard", exact: true });
    await discard.waitFor();
    expect((await place())?.y).toBe(before?.y);
    const places = await page.getByRole("navigation", { name: "Main" }).boundingBox();
    const shown = await discard.boundingBox();
    if (width < 768) {
      expect((shown?.y ?? 0) + (shown?.height ?? 0)).toBeLessThan(places?.y ?? 0);
      await discard.click();
    } else {
      await bar(page).getByRole("button", { name: "Show" }).click();
      await page.getByRole("button", { name: "Discard Edits to “Plan”" }).click();
      await page.keyboard.press("Escape");
    }
    await discard.waitFor({ state: "hidden" });
    await expect.poll(() => box(page, name).isChecked()).toBe(false);
  }
  await goOnline();
  expect(await textOf(ask, id)).toBe("- [ ] one\n- [ ] two\n");
});

test("a text that cannot be merged needs attention on every screen, and what does not overlap is sent", async () => {
  const { page, context, ask, id } = await reader("First one.\n\nMiddle.\n\nLast one.\n", "Middle.");
  await page.keyboard.press("e");
  await page.locator(".cm-content").waitFor();
  const goOnline = await goOffline(context);
  await textField(page).fill("First of mine.\n\nMiddle.\n\nLast of mine.\n");
  await page.keyboard.press("Escape");
  await page.getByRole("article").getByText("First of mine.").waitFor();
  await sidebar(page, "Today").click();
  await bar(page).getByText("1 change will sync").waitFor();
  await ask("PUT", `/api/documents/${id}`, {
    content: markdown("First of theirs.\n\nMiddle.\n\nLast one.\n"),
  });
  await goOnline();
  await bar(page).getByText("1 change needs your attention").waitFor();
  await expect.poll(() => textOf(ask, id)).toBe("First of theirs.\n\nMiddle.\n\nLast of mine.\n");
  await page.goto("/documents");
  await bar(page).getByText("1 change needs your attention").waitFor();
  await page.getByRole("row", { name: "Plan" }).getByText("Needs attention").waitFor();
  await bar(page).getByRole("button", { name: "Show" }).click();
  await page.getByText("The same passage was changed elsewhere").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("link", { name: "Edits to “Plan”" }).click();
  await page.getByText(/changes from .* that aren’t merged/).waitFor();
  await page.getByRole("article").getByText("First of theirs.").waitFor();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.locator(".cm-content").waitFor();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await expect.poll(() => textOf(ask, id)).toBe("First of mine.\n\nMiddle.\n\nLast of mine.\n");
  await bar(page).waitFor({ state: "hidden" });
});

test("a conflict that is found after the editor was left needs attention, and nothing is sent again and again", async () => {
  const { page, ask, id } = await reader("First one.\n", "First one.");
  let writes = 0;
  page.on("request", (request) => {
    if (request.method() === "PUT") writes += 1;
  });
  await page.clock.install();
  await page.goto(`/documents/${id}?edit`);
  await page.locator(".cm-content").waitFor();
  await ask("PUT", `/api/documents/${id}`, { content: markdown("First of theirs.\n") });
  await textField(page).fill("First of mine.\n");
  await page.keyboard.press("Escape");
  await page.getByText(/changes from .* that aren’t merged/).waitFor();
  // Of the editor that was closed, and of what sends the drafts that no editor has open.
  expect(writes).toBe(2);
  await page.clock.fastForward("01:00");
  await sidebar(page, "Today").click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.clock.fastForward("01:00");
  await bar(page).getByText("1 change needs your attention").waitFor();
  await page.goto(`/documents/${id}`);
  await page.getByText(/changes from .* that aren’t merged/).waitFor();
  expect(writes).toBe(2);
});

test("the text of a document that was deleted meanwhile needs attention on every screen, and becomes one of its own", async () => {
  const { page, context, ask, id } = await reader("One.\n", "One.");
  await page.keyboard.press("e");
  const goOnline = await goOffline(context);
  await page.locator(".cm-content").waitFor();
  await textField(page).press("Control+End");
  await page.keyboard.insertText("More of it.");
  await page.keyboard.press("Escape");
  await sidebar(page, "Today").click();
  await ask("DELETE", `/api/documents/${id}`);
  await goOnline();
  await bar(page).getByText("1 change needs your attention").waitFor();
  await page.reload();
  await bar(page).getByRole("button", { name: "Show" }).click();
  await page.getByRole("link", { name: "Edits to “Plan”" }).click();
  await page.getByText("This document is in the trash").waitFor();
  await page.getByText("More of it.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Save as a new document" }).click();
  await page.waitForURL(/\/documents\/[0-9a-f-]{36}/);
  await bar(page).waitFor({ state: "hidden" });
  await expect.poll(async () => (await documentsOf(ask)).map(({ title }) => title)).toEqual(["Plan"]);
  const [saved] = await documentsOf(ask);
  expect(await textOf(ask, saved?.id ?? "")).toContain("More of it.");
});

test("a document that is left before it was saved stands in the list at once", async () => {
  const { page, ask } = await reader("One.\n", "One.");
  await sidebar(page, "Documents").click();
  await page.getByRole("row", { name: /Plan/ }).waitFor();
  for (const title of ["Left by Escape", "Left by a link"]) {
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Title" }).fill(title);
    await page.keyboard.press("Enter");
    await page.keyboard.insertText("A few words");
    if (title === "Left by Escape") await page.keyboard.press("Escape");
    else await sidebar(page, "Documents").click();
    const first = page.getByRole("grid", { name: "Documents" }).getByRole("row").first();
    await expect.poll(() => first.innerText()).toContain(title);
  }
  expect((await ask<{ total: number }>("GET", "/api/documents")).total).toBe(3);
});

test("each new document without a network is a separate one, and all of them can be read and found", async () => {
  const { page, context, ask } = await reader("One.\n", "One.");
  await sidebar(page, "Documents").click();
  await page.getByRole("row", { name: /Plan/ }).waitFor();
  const goOnline = await goOffline(context);
  for (const name of ["first", "second"]) {
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "Title" }).fill(`The ${name}`);
    expect(await textField(page).innerText()).not.toContain("body");
    await page.keyboard.press("Enter");
    await page.keyboard.insertText(`A ${name} body`);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: `The ${name}` }).waitFor();
  }
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await page.getByRole("link", { name: "The first" }).click();
  await expect.poll(() => textField(page).innerText()).toContain("A first body");
  await page.keyboard.press("Escape");
  await page.goto("/search?q=second");
  await page.getByRole("link", { name: "The second" }).waitFor();
  await goOnline();
  const titles = async () => (await documentsOf(ask)).map(({ title }) => title);
  await expect.poll(titles).toEqual(["Plan", "The first", "The second"]);
  await bar(page).waitFor({ state: "hidden" });
  expect(await textOf(ask, (await documentsOf(ask))[1]?.id ?? "")).toBe("A first body");
});

/** A disk on which the drafts of a tab are read only once it is told to go on. */
const SLOW_DISK = `const { get } = IDBObjectStore.prototype;
  const isAwake = new Promise((resolve) => { window.wakeDisk = resolve; });
  IDBObjectStore.prototype.get = function (key) {
    const asked = get.call(this, key);
    if (!String(key).startsWith("draft:")) return asked;
    const slow = {};
    asked.onsuccess = () => isAwake.then(() => {
      slow.result = asked.result;
      slow.onsuccess();
    });
    return slow;
  };`;
const GONE_OFFLINE = `Object.defineProperty(navigator, "onLine", { configurable: true, get: () => false });
  dispatchEvent(new Event("offline"));`;
const BACK_ONLINE = `delete navigator.onLine; dispatchEvent(new Event("online"));`;

test("a new document that another tab sends while it is being left is there once", async () => {
  const { page, context, ask } = await openAs(stage, "/documents");
  const other = await context.newPage();
  await other.goto("/documents");
  await page.addInitScript(SLOW_DISK);
  await page.goto("/documents/new");
  await page.getByRole("textbox", { name: "Title" }).fill("Left");
  await page.keyboard.press("Enter");
  await page.keyboard.insertText("A few words");
  const created = (tab: Page) =>
    tab.waitForResponse((answer) => answer.request().method() === "POST" && /documents$/.test(answer.url()));
  const [mine, theirs] = [created(page), created(other)];
  await sidebar(page, "Documents").click();
  const sentElsewhere = async () => {
    await other.evaluate(GONE_OFFLINE);
    await other.getByText("You’re offline").waitFor();
    await other.evaluate(BACK_ONLINE);
    await other.getByText("You’re offline").waitFor({ state: "hidden" });
    return (await documentsOf(ask)).length;
  };
  await expect.poll(sentElsewhere).toBe(1);
  await theirs;
  await page.evaluate("wakeDisk()");
  await mine;
  await page.getByRole("row", { name: /Left/ }).first().waitFor();
  expect((await documentsOf(ask)).map(({ title }) => title)).toEqual(["Left"]);
  for (const tab of [page, other]) {
    await tab.evaluate(GONE_OFFLINE);
    await tab.getByText("You’re offline").waitFor();
    expect(await tab.getByRole("main").getByText("Left").count()).toBe(1);
  }
});

test("a document whose text waits stands in the list once, and says so in its row", async () => {
  const { page, context } = await reader("One.\n", "One.");
  await page.keyboard.press("e");
  await page.locator(".cm-content").waitFor();
  const goOnline = await goOffline(context);
  await page.getByRole("textbox", { name: "Title" }).fill("Plan of the year");
  await textField(page).fill("> [[Names|Autumn]] **comes** first.");
  await page.keyboard.press("Escape");
  await sidebar(page, "Documents").click();
  const row = page.getByRole("row", { name: /^Plan of the year/ });
  await row.getByText("Not synced yet").waitFor();
  await row.getByText("Autumn comes first.").waitFor();
  expect(await page.getByRole("main").getByText("Plan").count()).toBe(1);
  expect(await page.getByRole("list", { name: "Not synced yet" }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await row.getByText("Not synced yet").waitFor();
  expect(await page.getByRole("list", { name: "Not synced yet" }).count()).toBe(0);
  await goOnline();
  await row.getByText("Not synced yet").waitFor({ state: "hidden" });
  await row.getByText("Autumn comes first.").waitFor();
});

test("a record whose answer was lost is undone once the server answers, if one takes it back", async () => {
  const { page, ask } = await openAs(stage, "/");
  let isLost = true;
  await page.route("**/api/memories", async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    const answer = await route.fetch();
    await (isLost ? route.abort() : route.fulfill({ response: answer }));
  });
  await page.getByLabel("New record").fill("call Ada today");
  await page.keyboard.press("Enter");
  const told = page.getByText("Saved “call Ada” on this device. Will sync later.");
  await told.waitFor();
  const count = async () => (await ask<Listed>("GET", "/api/memories")).total;
  expect(await count()).toBe(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await told.waitFor({ state: "hidden" });
  isLost = false;
  await expect.poll(count).toBe(0);
  await expect.poll(() => stored(page, "commonplace-outbox", "captures")).toEqual([]);
});

test("what is resolved or taken without a network is shown after a reload, and is sent once", async () => {
  const { page, context, ask } = await reader("One.\n", "One.");
  const topic = "Send Grace the slides";
  const record = { memory_type: "commitment", topic, content: "As promised", due_date: "2020-01-01" };
  await ask("POST", "/api/memories", record);
  await page.goto("/");
  await page.getByRole("link", { name: topic }).waitFor();
  await expect.poll(async () => (await copiesIn(page)).readable).toContain(topic);
  const goOnline = await goOffline(context);
  await page.getByRole("link", { name: topic }).focus();
  await page.keyboard.press("a");
  await page.getByText(`Archived “${topic}”. It will sync when you’re back online.`).waitFor();
  const capture = async (text: string) => {
    await page.getByLabel("New record").fill(text);
    await page.keyboard.press("Enter");
  };
  await capture("call Ada today");
  await page.getByText("Saved “call Ada” on this device. Will sync later.").waitFor();
  await capture("email Bob today");
  const both = page.locator("[data-toasts]").getByText("Saved 2 records on this device. Will sync later.");
  await both.waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await both.waitFor({ state: "hidden" });
  await bar(page).getByText("1 change will sync").waitFor();
  await capture("email Bob today");
  await bar(page).getByText("2 changes will sync").waitFor();
  await page.reload();
  const unsent = page.getByRole("list", { name: "Not synced yet" });
  await unsent.getByText("email Bob").waitFor();
  expect(await page.getByRole("link", { name: topic }).count()).toBe(0);
  expect(await page.getByText("Enjoy your day").count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await bar(page).getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: `Discard Archive “${topic}”` }).waitFor();
  await page.keyboard.press("Escape");
  await goOnline();
  await bar(page).waitFor({ state: "hidden" });
  await page.getByRole("link", { name: "email Bob" }).waitFor();
  const { items } = await ask<{ items: { topic: string; status: string }[] }>("GET", "/api/memories");
  expect(items.map((one) => [one.topic, one.status]).sort()).toEqual([
    [topic, "archived"],
    ["email Bob", "active"],
  ]);
});

test("a tag, a project and a day that many records get without a network are shown after a reload, and sent once", async () => {
  const { page, context, ask } = await reader("One.\n", "One.");
  const record = (topic: string, more: object = {}) =>
    ask<{ id: number }>("POST", "/api/memories", {
      ...{ memory_type: "commitment", topic, content: "As promised", due_date: "2020-01-01", ...more },
    });
  const boots = await record("Order the boots", { tags: ["shop"] });
  await record("Pay the bill");
  await page.goto("/");
  const row = (topic: string) => page.locator("[data-record]").filter({ hasText: topic });
  await row("Pay the bill").waitFor();
  await expect.poll(async () => (await copiesIn(page)).readable).toContain("Pay the bill");
  const goOnline = await goOffline(context);
  const forBoth = async (key: string, answered: string) => {
    await page.getByRole("link", { name: "Order the boots" }).focus();
    for (const press of ["x", "j", "x", key]) await page.keyboard.press(press);
    await page.getByRole("dialog").locator("input").fill(answered);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  };
  await forBoth("l", "travel");
  await page.getByText("Tagged 2 records #travel. It will sync when you’re back online.").waitFor();
  await forBoth("m", "Hut");
  await page.getByText("Moved 2 records to Hut. It will sync when you’re back online.").waitFor();
  await forBoth("t", "tomorrow");
  await bar(page).getByText("3 changes will sync").waitFor();
  await page.reload();
  for (const topic of ["Order the boots", "Pay the bill"])
    for (const shown of ["#travel", "Hut", "due tomorrow"]) await row(topic).getByText(shown).waitFor();
  await bar(page).getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: "Discard Tag 2 records #travel" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await ask("PATCH", `/api/memories/${boots.id}`, { tags: ["shop", "mountains"] });
  await goOnline();
  await bar(page).waitFor({ state: "hidden" });
  type Given = { topic: string; project: string; tags: string[]; due_date: string; version: number };
  const { items } = await ask<{ items: Given[] }>("GET", "/api/memories");
  const tomorrow = (await row("Pay the bill").locator("time").getAttribute("datetime")) ?? "";
  const given = items.map(({ topic, project, tags, due_date, version }) => [
    ...[topic, project, [...tags].sort().join(), due_date, version],
  ]);
  expect(given.sort()).toEqual([
    ["Order the boots", "Hut", "mountains,shop,travel", tomorrow, 5],
    ["Pay the bill", "Hut", "travel", tomorrow, 4],
  ]);
});

test("what was stopped of a large change is not sent later either, although its last request was lost", async () => {
  const { page, ask } = await openAs(stage, "/");
  for (const count of [100, 20]) {
    const operations = Array.from({ length: count }, (_, at) => ({
      ...{ operation: "create", memory_type: "decision", topic: `Decision ${at}`, content: "Made" },
    }));
    await ask("POST", "/api/memories/bulk", { operations });
  }
  await page.goto("/records?type=decision");
  await page.locator("[data-record]").first().waitFor();
  const held = Promise.withResolvers<void>();
  let isLost = true;
  await page.route("**/api/memories/bulk", async (route) => {
    await held.promise;
    await (isLost ? route.abort() : route.continue());
  });
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Select all 120" }).click();
  await page.getByText("120 selected").waitFor();
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("progressbar", { name: "Archive 120 records: stopping…" }).waitFor();
  held.resolve();
  await page.getByText("Archived 100 records. It will sync when the server is back.").waitFor();
  await page.reload();
  await bar(page).getByText("1 change will sync").waitFor();
  isLost = false;
  await bar(page).waitFor({ state: "hidden" });
  const count = async (status: string) =>
    (await ask<Listed>("GET", `/api/memories?status=${status}&limit=1`)).total;
  expect([await count("archived"), await count("active")]).toEqual([100, 20]);
});

test("a large change is undone to its end, although the page is reloaded in the middle", async () => {
  const { page, ask } = await openAs(stage, "/");
  for (const count of [100, 100, 20]) {
    const operations = Array.from({ length: count }, (_, at) => ({
      ...{ operation: "create", memory_type: "decision", topic: `Decision ${at}`, content: "Made" },
    }));
    await ask("POST", "/api/memories/bulk", { operations });
  }
  const countOf = async (status: string) =>
    (await ask<Listed>("GET", `/api/memories?status=${status}&limit=1`)).total;
  await page.goto("/records?type=decision");
  await page.locator("[data-record]").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Select all 220" }).click();
  await page.getByText("220 selected").waitFor();
  await page.keyboard.press("a");
  await page.getByText("Archived 220 records").waitFor();
  let requests = 0;
  await page.route("**/api/activity/undo", (route) => {
    requests += 1;
    return requests === 1 ? route.continue() : undefined;
  });
  await page.keyboard.press("u");
  await page.getByRole("listitem").filter({ hasText: "Undoing 100 of 220" }).waitFor();
  expect(await countOf("archived")).toBe(120);
  await page.unroute("**/api/activity/undo");
  await page.reload();
  await expect.poll(() => countOf("archived")).toBe(0);
  expect(await countOf("active")).toBe(220);
  await expect.poll(() => stored(page, "commonplace-steps", "steps")).toEqual([]);
});

/** A page with this script misses what other tabs announce. */
const DEAF = `const { addEventListener } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.addEventListener = function (...given) {
    if (this.name !== "commonplace-steps") addEventListener.apply(this, given);
  };`;

test("a tab that finds that another one has sent a change shows what came of it", async () => {
  const { page, context, ask, close } = await reader("One.\n", "One.");
  const topic = "Send Grace the slides";
  const record = { memory_type: "commitment", topic, content: "As promised", due_date: "2020-01-01" };
  await ask("POST", "/api/memories", record);
  const shown = (tab: Page) => tab.getByRole("link", { name: topic });
  await page.goto("/");
  await shown(page).waitFor();
  await expect.poll(async () => (await copiesIn(page)).readable).toContain(topic);
  const other = await context.newPage();
  await other.addInitScript(DEAF);
  const goOnline = await goOffline(context);
  await shown(page).focus();
  await page.keyboard.press("a");
  await page.getByText(`Archived “${topic}”. It will sync when you’re back online.`).waitFor();
  await other.goto("/");
  await bar(other).getByText("1 change will sync").waitFor();
  expect(await shown(other).count()).toBe(0);
  await goOnline();
  for (const tab of [page, other]) {
    await bar(tab).waitFor({ state: "hidden" });
    await expect.poll(() => shown(tab).count()).toBe(0);
  }
  await close();
});

/** Collects the notices of a tab from now on. */
const NOTED = `
  globalThis.noted = [];
  new MutationObserver(() => {
    for (const one of document.querySelectorAll("[role=status] p, [role=status] li"))
      if (!noted.includes(one.innerText)) noted.push(one.innerText);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;
const noted = (tab: Page) => tab.evaluate<string[]>("noted");

test("what one tab is sending is left to it, and no tab says that it waits", async () => {
  const { page, context, ask, close } = await reader("One.\n", "One.");
  for (const topic of ["Call Bob", "Pay the bill", "Order the boots"])
    await ask("POST", "/api/memories", {
      memory_type: "commitment",
      topic,
      content: topic,
      due_date: "2020-01-01",
    });
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto("/");
    await tab.getByRole("link", { name: "Call Bob" }).waitFor();
    await tab.evaluate(NOTED);
  }
  const { promise: seen, resolve: goOn } = Promise.withResolvers<void>();
  await context.route("**/api/memories/bulk", async (route) => {
    await seen;
    await route.continue();
  });
  for (const topic of ["Call Bob", "Pay the bill", "Order the boots"])
    await page.getByRole("button", { name: `Resolve ${topic}` }).click();
  await expect.poll(() => other.getByRole("link", { name: "Call Bob" }).count()).toBe(0);
  goOn();
  await page.getByText("Resolved 3 records").waitFor();
  expect((await noted(page)).filter((text) => !/^Resolved/.test(text))).toEqual([]);
  expect(await noted(other)).toEqual([]);
  await close();
});

/** Stores entries by their keys, in the form of an earlier release. */
const keep = (page: Page, database: string, store: string, entries: { key: string }[]) =>
  page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open(${JSON.stringify(database)});
    opening.onsuccess = () => {
      const writing = opening.result.transaction("${store}", "readwrite");
      for (const one of ${JSON.stringify(entries)}) {
        const file = "${store}" === "files" ? { bytes: new Blob(["kept"], { type: "text/plain" }) } : {};
        writing.objectStore("${store}").put({ ...one, ...file }, one.key);
      }
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  })`);

test("what an earlier release has left in the browser is sent once, and only for its account", async () => {
  const { page, context, ask, id } = await reader("One.\n", "One.");
  const me = await ask<{ id: string }>("GET", "/api/auth/me");
  const commitment = (topic: string) => ({ memory_type: "commitment", topic, content: topic });
  const [slides, notes] = [
    await ask<{ id: number }>("POST", "/api/memories", commitment("Slides")),
    await ask<{ id: number }>("POST", "/api/memories", commitment("Notes")),
  ];
  const { items: documents } = await ask<{ items: { id: string; content?: unknown }[] }>(
    "GET",
    "/api/documents",
  );
  const document = { ...documents.find((one) => one.id === id), content: undefined };
  const left = (key: string, more: object) => ({ key, account: me.id, at: Date.now(), ...more });
  const stepOn = (record: number, operation: string) => ({
    operations: [{ operation, id: record }],
    ...{ rows: [{ id: record }], shown: { status: "archived" }, text: `Archive ${record}` },
  });
  const tag = { step: "s1", change: { kind: "tag", tag: "kept" }, documents: [document], isGuarded: false };
  const other = "0193a000-0000-7000-8000-000000000001";
  await keep(page, "commonplace-outbox", "captures", [
    left("c1", { record: commitment("Captured"), text: "Captured" }),
    left("c2", { record: commitment("Sent before"), text: "Sent before", sent: Date.now() }),
    left("c3", { record: commitment("Rejected"), text: "Rejected", refused: "Too many records" }),
    left("c4", { record: commitment("Another’s"), text: "Another’s", account: other }),
  ]);
  await keep(page, "commonplace-steps", "steps", [
    left("s1", stepOn(slides.id, "archive")),
    left("s2", { ...stepOn(notes.id, "archive"), isSent: true, isWithdrawn: true }),
  ]);
  await keep(page, "commonplace-changes", "changes", [left("d1", tag)]);
  await keep(page, "commonplace-files", "files", [left("f1", { name: "kept.txt", to: { document: id } })]);
  const second = await context.newPage();
  await Promise.all([page.reload(), second.goto("/records")]);

  await bar(page).getByText("1 change needs your attention").waitFor();
  await expect
    .poll(async () => {
      const records = await ask<{ items: { topic: string; status: string }[] }>(
        "GET",
        "/api/memories?sort=created_at&order=asc",
      );
      return records.items.map(({ topic, status }) => `${topic}: ${status}`);
    })
    .toEqual(["Slides: archived", "Notes: active", "Captured: active", "Sent before: active"]);
  await expect
    .poll(async () => (await ask<{ tags: string[] }>("GET", `/api/documents/${id}`)).tags)
    .toEqual(["kept"]);
  const names = async () =>
    (await ask<{ items: { name: string }[] }>("GET", `/api/files?document_id=${id}`)).items;
  await expect.poll(async () => (await names()).map(({ name }) => name)).toEqual(["kept.txt"]);
  await bar(page).getByRole("button", { name: "Show" }).click();
  const lines = page.getByRole("dialog").getByRole("listitem");
  await expect.poll(() => lines.allInnerTexts()).toEqual([expect.stringContaining("Too many records")]);
  await page.getByRole("button", { name: "Discard Rejected" }).click();
  await bar(page).waitFor({ state: "hidden" });
  await bar(second).waitFor({ state: "hidden" });
});

test("a change that is stopped before it is answered leaves what was there", async () => {
  const { page, ask, id } = await reader("---\nstate: draft\n---\n\nOne.\n", "One.");
  await page.route(`**/api/documents/${id}`, (route) =>
    route.request().method() === "PUT" ? route.abort() : route.fallback(),
  );
  const properties = page.getByRole("region", { name: "Properties" });
  await properties.getByRole("button", { name: "state: draft", exact: true }).click();
  await properties.getByRole("textbox", { name: "state" }).fill("done");
  await page.keyboard.press("Enter");
  await bar(page).getByText("1 change will sync").waitFor();
  await bar(page).getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: /^Stop A change/ }).click();
  await page.getByText("Stopped. The server did not answer").waitFor();
  await properties.getByRole("button", { name: "state: draft", exact: true }).waitFor();
  expect(await textOf(ask, id)).toContain("state: draft");
});
