import type { Browser, BrowserContextOptions, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, complete, enter, openApp, told, violations } from "./app.ts";
import { type Account, launch } from "./browser.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";

// The day of a person who has a keyboard, and no network now and then. The keys, dialogs and messages of lists and of the
// quick entry are in web/test.

type Memory = { id: number; topic: string; content: string; status: string; [field: string]: unknown };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;

/** Somebody who has just registered, with the app open on a path. */
async function somebody(
  name: string,
  records: Record<string, unknown>[] = [],
  options: BrowserContextOptions = {},
) {
  const account: Account = { email: `${name}@example.com`, password: "correct horse battery" };
  const token = await register(service.apiUrl, account);
  const api = async (method: string, at: string, body?: unknown) => {
    const answer = await fetch(`${service.apiUrl}${at}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<{ items: Memory[] }>;
  };
  for (const record of records)
    await api("POST", "/api/memories", { memory_type: "commitment", content: "As promised", ...record });
  const app = await openApp(browser, service.apiUrl, options);
  await enter(app, account);
  const list = async (): Promise<Memory[]> =>
    (await api("GET", "/api/memories?sort=created_at&order=asc&limit=100")).items;
  return { app, page: app.page, api, list };
}

async function press(app: App, ...keys: string[]): Promise<void> {
  for (const key of keys) await app.page.keyboard.press(key);
}

const LATE = [
  { topic: "Send Grace the slides", due_date: "2020-01-01" },
  { topic: "Pay the bill", due_date: "2020-01-02" },
  { topic: "Order the boots", due_date: "2020-01-03" },
  { topic: "Call the dentist", due_date: "2020-01-04" },
];

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

test("a day is worked off without a mouse", async () => {
  const { app, page, list } = await somebody("keys", LATE);
  const row = (topic: string) => page.getByRole("link", { name: topic });
  await row("Send Grace the slides").waitFor();
  await press(app, "j", "e");
  await page.getByLabel("Add a note (optional)").waitFor();
  await page.keyboard.type("Sent as a PDF");
  await press(app, "Enter");
  await page.getByText("Resolved “Send Grace the slides”").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Pay the bill");

  await press(app, "d");
  await page.getByLabel("Defer until…").waitFor();
  await page.keyboard.type("in 2 weeks");
  await page.getByText(/^Comes back on .* in 14 days\.$/).waitFor();
  await press(app, "Enter");
  await page.getByText("Deferred “Pay the bill”").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Order the boots");

  await press(app, "x", "j", "x", "a");
  await page.getByText("Archived 2 records").waitFor();
  await expect
    .poll(async () => (await list()).map(({ status }) => status))
    .toEqual(["resolved", "deferred", "archived", "archived"]);
  expect((await list())[0]?.resolution_note).toBe("Sent as a PDF");

  await press(app, "u");
  await row("Call the dentist").waitFor();
  await press(app, "z");
  await row("Pay the bill").waitFor();
  await expect
    .poll(async () => (await list()).map(({ status }) => status))
    .toEqual(["resolved", "active", "active", "active"]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("what is put off by a few days goes straight to what wakes soon, and the cursor goes on", async () => {
  const { app, page } = await somebody("waking", LATE.slice(0, 2));
  const waking = page.getByRole("region", { name: "Coming back soon" });
  const inWaking = (topic: string) => waking.getByRole("link", { name: topic });
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  const held: Route[] = [];
  await page.route("**/api/memories/bulk", (route) => void held.push(route));
  for (const [at, topic] of ["Send Grace the slides", "Pay the bill"].entries()) {
    if (at === 0) await press(app, "j");
    await press(app, "d");
    await page.getByLabel("Defer until…").fill("in 3 days");
    await press(app, "Enter");
    await inWaking(topic).waitFor();
    if (at === 0)
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Pay the bill");
  }
  // From here on until all is answered: never a moment without the two.
  await page.evaluate(
    `window.seen = new Set();
    new MutationObserver(() => seen.add(document.querySelector("main [data-record]") ? "records" : document.querySelector("main").innerText))
      .observe(document.body, { childList: true, subtree: true })`,
  );
  await expect.poll(() => held.length).toBe(1);
  await held.shift()?.continue();
  await expect.poll(() => held.length).toBe(1);
  const lists = ["status=deferred", "due_before="].map((query) =>
    page.waitForResponse((answer) => answer.url().includes(query)),
  );
  await held.shift()?.continue();
  await page.getByText("Deferred 2 records").waitFor();
  await Promise.all(lists);
  expect(await waking.getByRole("link").allInnerTexts()).toEqual(["Send Grace the slides", "Pay the bill"]);
  expect(await page.evaluate("[...seen]")).toEqual(["records"]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

test("two texts of one record are both kept", async () => {
  const { app, page, api, list } = await somebody("both", LATE.slice(0, 1));
  await page.getByRole("link", { name: "Send Grace the slides" }).waitFor();
  await press(app, "j", "Enter");
  await page.getByRole("button", { name: "Edit the text" }).click();
  await page.getByLabel("Content").fill("What I wrote");
  const [record] = await list();
  await api("PATCH", `/api/memories/${record?.id}`, { content: "What Claude wrote" });
  await page.reload();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "This record changed while you were editing" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Keep both" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Edit the text" }).waitFor();
  expect((await list())[0]?.content).toBe("What Claude wrote\n\nWhat I wrote");
  await app.close();
});

test("more than a page of records wakes, and one that is resolved leaves a long list without reading it again", async () => {
  const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const { app, page, api } = await somebody("many");
  for (const name of ["first", "second"]) {
    const created = await api("POST", "/api/memories/bulk", {
      operations: Array.from({ length: 100 }, (_, at) => ({
        operation: "create",
        memory_type: "pattern",
        topic: `The ${name} ${at}`,
        content: "As it was said",
      })),
    });
    const { results } = created as unknown as { results: { id: number }[] };
    await api("POST", "/api/memories/bulk", {
      operations: results.flatMap(({ id }, at) => {
        if (name === "second" && at > 5) return [];
        const deferred_until = name === "first" && at === 0 ? later(2) : later(60);
        return [{ operation: "defer", id, deferred_until }];
      }),
    });
  }
  await page.reload();
  await page.getByRole("link", { name: "The first 0" }).waitFor();

  await page.goto("/records?status=all");
  await page.getByRole("button", { name: "Show 100 more" }).click();
  await page.getByText("200 records").waitFor();
  await page.getByRole("link", { name: "The first 9", exact: false }).first().waitFor();
  await complete(page);
  await told(page);
  const read: string[] = [];
  page.on("request", (request) => read.push(request.url()));
  await page.getByRole("link", { name: "The second 50" }).focus();
  await press(app, "a");
  await page.getByText("Archived “The second 50”").waitFor();
  await expect.poll(() => read.filter((url) => url.includes("/api/dashboard/summary"))).toHaveLength(1);
  await complete(page);
  await told(page);
  expect(read.filter((url) => url.includes("/api/memories?"))).toEqual([]);
  await app.close();
});

test("a new account is filled with sample data; a record of another account says so", async () => {
  const { app, page, list } = await somebody("new", []);
  // The records are created, and the answer never arrives.
  await page.route(
    "**/api/memories/bulk",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "Add sample data" }).click();
  await page.getByRole("heading", { name: /^Overdue/ }).waitFor();
  const count = (await list()).length;
  expect(count).toBeGreaterThan(40);
  expect(count).toBeLessThan(60);
  expect(app.complaints.filter((complaint) => !/ERR_FAILED|Service Worker/.test(complaint))).toEqual([]);
  await page.goto("/records/4711");
  await page.getByText("This record isn’t in the account new@example.com.").waitFor();
  await app.close();
});
