import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { totpCodeAt } from "../kit/totp.ts";
import { type App, violations } from "./app.ts";
import { signIn } from "./browser.ts";
import { copiesIn } from "./copies.ts";
import { newPerson, openAs, type Person, stageFor } from "./stage.ts";
import { capture, createDocument } from "./steps.ts";

// A browser that several people use: what one of them had on the screen, or kept, is gone with their session.

const SECRET = "Ada thinks of selling the house";

const stage = stageFor({ RATE_LIMIT_MCP_LOGIN: "1000/60" });

type Owner = App & Person & { document: string };

/** A window of an account with a document. */
async function openWithDocument(path = "/"): Promise<Owner> {
  const person = await newPerson(stage);
  const document = await createDocument(person.ask, SECRET, "To whom, and for how much");
  return { ...(await openAs(stage, path, { person })), document };
}

const text = (page: Page) => page.locator("body").innerText();

async function openDocument({ context, document }: Owner): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`/documents/${document}`);
  await page.getByRole("heading", { level: 1, name: SECRET }).waitFor();
  return page;
}

const copies = async (page: Page) => (await copiesIn(page)).readable;

async function keepOffline(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Keep offline" }).click();
  await expect.poll(() => copies(page)).toContain(SECRET);
  expect((await copiesIn(page)).stored, "encrypted").not.toContain(SECRET);
}

/** Ends every session of the app, as one does on another device. */
const endSessions = ({ ask }: Person) => ask("POST", "/api/auth/logout-all");

/** Turns the second factor on; returns a recovery code. */
async function turnFactorOn({ ask, password }: Person): Promise<string> {
  const path = "/api/auth/second-factor";
  const { secret } = await ask<{ secret: string }>("POST", path, { password });
  const code = totpCodeAt(secret, new Date());
  const confirmed = await ask<{ recovery_codes: string[] }>("POST", `${path}/confirm`, { code });
  return confirmed.recovery_codes[0] ?? "";
}

/** Nothing of the API is in the cache of the browser or of the service worker. */
async function keepsNothing({ page }: App, answers: Map<string, string | undefined>): Promise<void> {
  const cached = await page.evaluate<string[]>(`(async () => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const keys = await Promise.all(caches_.map((cache) => cache.keys()));
    return keys.flat().map(({ url }) => new URL(url).pathname);
  })()`);
  expect(cached.filter((path) => path.startsWith("/api/"))).toEqual([]);
  expect(answers.size).toBeGreaterThan(2);
  for (const [url, control] of answers) expect(control, url).toBe("no-store");
}

test("signing out in one tab empties all others, also the page that Back brings up", async () => {
  const ada = await openWithDocument();
  const { page, context } = ada;
  const answers = new Map<string, string | undefined>();
  context.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith("/api/")) answers.set(response.url(), response.headers()["cache-control"]);
  });
  await page.reload();
  const other = await openDocument(ada);
  await keepOffline(other);
  const third = await openDocument(ada);
  await third.goto("/docs");
  await keepsNothing(ada, answers);

  await page.goto("/settings");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await Promise.all([page, other].map((tab) => tab.waitForURL(/\/sign-in/)));
  await third.goBack();
  await third.waitForURL(/\/sign-in/);
  for (const tab of [page, other, third]) {
    expect(await text(tab)).not.toContain("Ada");
    expect(await copies(tab)).not.toContain(SECRET);
  }
});

test("a tab of one person is left when another signs in, sends nothing, and shows that person's own day", async () => {
  const [ada, bob] = [await openWithDocument(), await newPerson(stage)];
  const { page, context } = ada;
  const hers = await openDocument(ada);
  await keepOffline(hers);
  await context.route("**/api/memories", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await capture(page, "Ada waits for the network");
  await page.getByText("1 change will sync").waitFor();
  await page.goto("/sign-in");
  await signIn(page, bob);
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  await context.unroute("**/api/memories");
  // It may be on its way elsewhere first.
  await expect.poll(() => new URL(hers.url()).pathname).toBe("/");
  await hers.getByText(bob.email).waitFor();
  for (const tab of [page, hers]) expect(await text(tab)).not.toContain("Ada");
  expect(await copies(page)).not.toContain(SECRET);
  expect(await bob.ask("GET", "/api/memories")).toMatchObject({ items: [] });
});

test("a session that ends elsewhere takes the copies along, and hides the page until its owner is back", async () => {
  const ada = await openWithDocument();
  const { page } = ada;
  const hers = await openDocument(ada);
  await keepOffline(hers);
  const code = await turnFactorOn(ada);
  await endSessions(ada);
  await page.close();
  await hers.getByRole("link", { name: "Records" }).first().click();
  const dialog = hers.getByRole("alertdialog", { name: "Your session has ended" });
  await dialog.waitFor();
  await expect.poll(() => copies(hers)).not.toContain(SECRET);
  const ground = await hers.evaluate<string>(
    "getComputedStyle(document.querySelector('[role=alertdialog]').closest('[class*=overlay]')).backgroundColor",
  );
  expect(ground, "opaque").toMatch(/^rgb\(|^oklch\([^/]+\)$/);
  expect(await violations(hers)).toEqual([]);
  await dialog.getByLabel("Password").fill("not the password");
  await hers.keyboard.press("Enter");
  await dialog.getByText("Wrong password").waitFor();
  await dialog.getByLabel("Password").fill(ada.password);
  await hers.keyboard.press("Enter");
  await dialog.getByLabel("Code").fill("AAAA");
  await hers.keyboard.press("Enter");
  await dialog.getByText("The code is wrong").waitFor();
  await dialog.getByLabel("Code").fill(code);
  await hers.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await hers.getByRole("heading", { level: 1, name: "Records" }).waitFor();
});

test("the sign-in page deletes the copies of a session that ended while no tab was open", async () => {
  const ada = await openWithDocument();
  const { page } = ada;
  const hers = await openDocument(ada);
  await keepOffline(hers);
  await page.goto("/sign-in/forgot");
  await hers.close();
  expect(await copies(page)).toContain(SECRET);
  await endSessions(ada);
  await page.goto("/");
  await page.waitForURL(/\/sign-in/);
  await expect.poll(() => copies(page)).not.toContain(SECRET);
});

test("who has a passkey goes on with it when the session has ended", async () => {
  const ada = await openWithDocument("/settings");
  const { context, page } = ada;
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const passkeys = page.getByRole("region", { name: "Passkeys" });
  await passkeys.getByRole("button", { name: /add|new|create/i }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").fill(ada.password);
  await dialog.getByRole("button", { name: /add|create/i }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.goto("/documents/new");
  await page.getByRole("textbox", { name: "Title" }).fill("Half a thought");
  await endSessions(ada);
  await page.keyboard.press("Control+s");
  await page.getByRole("alertdialog").getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("alertdialog").waitFor({ state: "hidden" });
  await page.getByText("Saved", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("Half a thought");
});
