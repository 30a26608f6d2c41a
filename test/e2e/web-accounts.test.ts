import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enter, openApp, overflow, violations } from "./app.ts";
import { type Account, launch, signInElsewhere } from "./browser.ts";
import { runScript } from "./script.ts";
import { register, type Service, startService, temporaryFolder } from "./service.ts";
import { capture } from "./steps.ts";

// Two people, one after the other, in one browser: nothing of the first is shown to the second, or sent as the second's.
// And what an account is told about the limits of its plan.

const ADA: Account = { email: "ada@example.com", password: "correct horse battery" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startService(folder.path, {
    PLAN_TIER: "pro",
    PLAN_LIMITS: JSON.stringify({ free: { documents: 4 }, pro: { documents: 5 } }),
  });
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await folder?.remove();
});

/** The records of whoever has this token. */
async function topicsOf(token: string): Promise<string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.apiUrl}/api/memories`, { headers });
  return ((await answer.json()) as { items: { topic: string }[] }).items.map(({ topic }) => topic);
}

test("the settings say what is almost full, full, and over the limit of a smaller plan", async () => {
  const gil = { ...ADA, email: "gil@example.com" };
  const token = await register(service.apiUrl, gil);
  const create = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        fetch(`${service.apiUrl}/api/documents`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
          body: JSON.stringify({ title: `Document ${n}` }),
        }),
      ),
    );
  await create(4);
  const app = await openApp(browser, service.apiUrl, { viewport: { width: 320, height: 700 } });
  const { page } = app;
  await enter(app, gil);
  await page.goto("/settings#data");
  const usage = page.getByRole("region", { name: "Usage" });
  await usage.getByText("almost full · 4 of 5").waitFor();
  expect(await usage.getByText("Delete some to make room").count()).toBe(0);
  await create(1);
  await page.reload();
  await usage.getByText("full · 5 of 5", { exact: true }).waitFor();
  await usage
    .getByText("Your usage of the Pro plan. Nothing can be added where a limit is reached.")
    .waitFor();
  await runScript("admin", ["plan", gil.email, "free"], { STATE_DIR: folder.path });
  await page.reload();
  await usage.getByText("over the limit · 5 of 4").waitFor();
  await usage.getByText("Delete some to make room").waitFor();
  expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  await page.goto("/documents/new");
  await page.getByText("You have 5 documents; your plan allows 4. Delete some to make room.").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

/** What this browser keeps of its own: the keys of every store, and of the local storage. */
const KEPT = `(async () => {
  const of = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
  const keys = Object.keys(localStorage);
  for (const { name } of await indexedDB.databases()) {
    const database = await of(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const rows = database.transaction(store).objectStore(store);
      keys.push(...(await of(rows.getAllKeys())).map(String), JSON.stringify(await of(rows.getAll())));
    }
    database.close();
  }
  return keys.join("\\n");
})()`;

test("what was written and not sent goes with an erased account, and stays with the others", async () => {
  const [cid, fay] = ["cid", "fay"].map((name) => ({ ...ADA, email: `${name}@example.com` })) as [
    Account,
    Account,
  ];
  const app = await openApp(browser, service.apiUrl);
  const { page, context } = app;
  for (const path of ["memories", "documents"])
    await context.route(`**/api/${path}`, (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
  for (const account of [cid, fay]) {
    await register(service.apiUrl, account);
    await context.clearCookies();
    await enter(app, account);
    const name = account.email.split("@")[0];
    await capture(page, `${name} waits for the network`);
    await page.getByText(/\d changes? will sync/).waitFor();
    await page.getByLabel("New record").fill(`${name} has not decided yet`);
    await page.goto("/documents/new");
    await page.getByRole("textbox", { name: "Title" }).fill(`${name} writes`);
    await page.getByRole("button", { name: account.email }).click();
    await page.getByRole("menuitem", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Delete my account…" }).waitFor();
    await expect.poll(() => page.evaluate<string>(KEPT)).toMatch(new RegExp(`${name} writes`));
  }
  const kept = await page.evaluate<string>(KEPT);
  for (const text of ["cid waits", "cid has not", "fay waits", "fay has not"]) expect(kept).toContain(text);
  // Another tab is in the middle of a text, and leaves with the account.
  const other = await context.newPage();
  await other.goto("/documents/new");
  await other.getByRole("textbox", { name: "Title" }).fill("fay writes on");
  await page.getByRole("button", { name: "Delete my account…" }).click();
  await page.getByLabel(`Type ${fay.email} to confirm`).fill(fay.email);
  await page.getByRole("alertdialog").getByLabel("Password").fill(fay.password);
  await other.getByRole("textbox", { name: "Title" }).press("End");
  await Promise.all([
    page.getByRole("button", { name: "Delete permanently" }).click(),
    other.keyboard.type(" and on"),
  ]);
  for (const tab of [page, other]) await expect.poll(() => tab.url()).toMatch(/\/sign-in/);
  const texts = ["fay", "cid waits", "cid has not", "cid writes"];
  const left = async () => {
    const kept = await page.evaluate<string>(KEPT);
    return texts.filter((text) => kept.includes(text));
  };
  // The page is still on its way to a new document: what runs in the old one ends with it.
  await expect.poll(left).toEqual(texts.slice(1));
  // A page that ended before it had deleted everything leaves that to the next one, whoever's it is.
  await enter(app, cid);
  await page.evaluate(
    "localStorage.setItem('commonplace-erased', localStorage.getItem('commonplace-account'))",
  );
  await page.reload();
  await expect.poll(left).toEqual([]);
  await app.close();
});

test("a page that is still open for one person sends nothing once another has signed in", async () => {
  const [eve, dan] = ["eve", "dan"].map((name) => ({ ...ADA, email: `${name}@example.com` })) as [
    Account,
    Account,
  ];
  await register(service.apiUrl, eve);
  const dans = await register(service.apiUrl, dan);
  // Requests that go through the service worker cannot be broken from here.
  const app = await openApp(browser, service.apiUrl);
  const { page, context } = app;
  await enter(app, eve);
  await context.route("**/api/memories", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await capture(page, "Eve waits for the network");
  await page.getByText(/\d changes? will sync/).waitFor();
  await signInElsewhere(context, dan);
  await context.unroute("**/api/memories");
  // The page is left for Dan's day.
  await page.getByText(dan.email).waitFor();
  expect(await page.locator("body").innerText()).not.toContain("Eve");
  expect(await topicsOf(dans)).toEqual([]);
  await app.close();
});
