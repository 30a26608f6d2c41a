import { expect, test } from "vitest";
import { enter, openApp, overflow, violations } from "./app.ts";
import { runScript } from "./script.ts";
import { newPerson, openAs, stageFor } from "./stage.ts";
import { capture } from "./steps.ts";

// What an account is told about the limits of its plan, and what goes with it when it is erased.

const stage = stageFor({
  PLAN_TIER: "pro",
  PLAN_LIMITS: JSON.stringify({ free: { documents: 4 }, pro: { documents: 5 } }),
});

test("the settings say what is almost full, full, and over the limit of a smaller plan", async () => {
  const gil = await newPerson(stage);
  const create = async (count: number) => {
    for (let n = 0; n < count; n++) await gil.ask("POST", "/api/documents", { title: `Document ${n}` });
  };
  await create(4);
  const { page, complaints } = await openAs(stage, "/settings", {
    ...{ person: gil, viewport: { width: 320, height: 700 } },
  });
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
  await runScript("admin", ["plan", gil.email, "free"], { STATE_DIR: stage.stateDir });
  await page.reload();
  await usage.getByText("over the limit · 5 of 4").waitFor();
  await usage.getByText("Delete some to make room").waitFor();
  expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  await page.goto("/documents/new");
  await page.getByText("You have 5 documents; your plan allows 4. Delete some to make room.").waitFor();
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
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
  const [cid, fay] = [await newPerson(stage), await newPerson(stage)];
  const app = await openApp(stage.browser, stage.service.apiUrl);
  const { page, context } = app;
  for (const path of ["memories", "documents"])
    await context.route(`**/api/${path}`, (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
  for (const [name, account] of [
    ["cid", cid],
    ["fay", fay],
  ] as const) {
    await context.clearCookies();
    await enter(app, account);
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
  await page.getByText("Your account has been deleted.").waitFor();
  const texts = ["fay", fay.email, "cid waits", "cid has not", "cid writes"];
  const left = async () => {
    const kept = await page.evaluate<string>(KEPT);
    return texts.filter((text) => kept.includes(text));
  };
  // The page is still on its way to a new document: what runs in the old one ends with it.
  await expect.poll(left).toEqual(texts.slice(2));
  // A page that ended before it had deleted everything leaves that to the next one, of any account.
  await enter(app, cid);
  await page.evaluate(
    "localStorage.setItem('commonplace-erased', localStorage.getItem('commonplace-account'))",
  );
  await page.reload();
  await expect.poll(left).toEqual([]);
  await app.close();
});
