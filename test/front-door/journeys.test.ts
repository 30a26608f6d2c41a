import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Locator, Page } from "@playwright/test";
import { type App, enter, isFocused, overflow, violationsInBoth } from "../e2e/app.ts";
import type { Account } from "../e2e/browser.ts";
import { OAuthPerson } from "../e2e/oauth-person.ts";
import { expect, test } from "./fixtures.ts";

// Days with the app: without a mouse, with an assistant, on a phone.

const PASSWORD = "correct horse battery";
const HOSTILE = `<img src=x onerror="alert(1)"> "Official" & client`;

/** Whether one sees where the focus is: an outline on it or around it, or the caret of a text field. */
const FOCUS_IS_VISIBLE = `(() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return false;
  const { top, bottom, width, height } = focused.getBoundingClientRect();
  if (width === 0 || height === 0 || bottom <= 0 || top >= innerHeight) return false;
  if (focused.matches("input:not([type=checkbox], [type=radio]), textarea, select")) return true;
  const outlined = (element) => ["", "::after"].some((part) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
    return outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  });
  const around = [focused];
  while (around.length < 4 && around.at(-1).parentElement) around.push(around.at(-1).parentElement);
  return around.some(outlined);
})()`;

/** Presses a key, after which the focus is to be seen. */
async function pressSeen(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  const isVisible = () => page.evaluate<boolean>(FOCUS_IS_VISIBLE);
  await expect.poll(isVisible, { message: `The focus after ${key}` }).toBe(true);
}

/** Goes to something with Tab. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < 40; pressed++) {
    if (await isFocused(target)) return;
    await pressSeen(page, "Tab");
  }
  throw new Error(`Tab does not lead to ${target}`);
}

const row = (page: Page, topic: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: topic }).getByRole("link");

async function resolveWith(page: Page, topic: string, note: string): Promise<void> {
  await row(page, topic).waitFor();
  await pressSeen(page, "j");
  await pressSeen(page, "Shift+E");
  await page.getByLabel("Add a note (optional)").and(page.locator(":focus")).waitFor();
  await page.keyboard.type(note);
  await pressSeen(page, "Enter");
  await page.getByText(`Resolved “${topic}”`).waitFor();
  await row(page, topic).waitFor({ state: "hidden" });
}

test("without a mouse: from nothing to a promise that was kept", async ({ start, folder, open }) => {
  const { apiUrl } = await start(folder);
  const app = await open({ viewport: { width: 1280, height: 800 } }, apiUrl);
  const { page } = app;
  await page.goto("/");
  await page.waitForURL(/\/sign-in/);
  await page.getByRole("heading", { name: "Create the first account" }).waitFor();
  expect([await violationsInBoth(page), await overflow(page)]).toEqual([[], 0]);
  await page.getByLabel("Email").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("keyboard@example.com");
  await pressSeen(page, "Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Everything you’ve promised, in one place" }).waitFor();

  await pressSeen(page, "n");
  await page.keyboard.type("Send Grace the slides by tomorrow #apollo");
  await page.getByRole("list", { name: "Understood as" }).getByText("#apollo").waitFor();
  await pressSeen(page, "Enter");
  await page.getByText("Saved “Send Grace the slides”").waitFor();
  await page.keyboard.press("Escape");
  await resolveWith(page, "Send Grace the slides", "She was busy");
  await page.keyboard.press("u");
  await resolveWith(page, "Send Grace the slides", "She liked the third one");

  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL("**/history");
  await page.getByText("She liked the third one").waitFor();
  await tabTo(page, row(page, "Send Grace the slides"));
  await page.keyboard.press("Enter");
  await page.waitForURL("**/records/*");
  await page.getByText("She was busy").waitFor();

  await pressSeen(page, "Control+k");
  await page.getByRole("dialog", { name: "Palette" }).locator("input:focus").waitFor();
  await page.keyboard.type("sign out");
  await page.getByRole("menuitem", { name: "Sign out" }).and(page.locator("[data-focused]")).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/sign-in**");
  await page.getByLabel("Email").and(page.locator(":focus")).waitFor();
  expect(app.complaints).toEqual([]);
});

/** An official client whose person is signed in already: its page needs one click. */
class SignedInPerson extends OAuthPerson {
  readonly app: App;

  constructor(app: App, redirectUrl: string, account: Account) {
    super(redirectUrl, app.context.browser() as never, account);
    this.app = app;
  }

  override get clientMetadata() {
    return { ...super.clientMetadata, client_name: HOSTILE };
  }

  override async redirectToAuthorization(url: URL): Promise<void> {
    this.asked += 1;
    const page = await this.app.context.newPage();
    page.on("dialog", (dialog) => this.app.complaints.push(`dialog: ${dialog.message()}`));
    page.on("console", (message) => this.app.complaints.push(`console: ${message.text()}`));
    await page.goto(String(url));
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(/[?&]code=/);
    this.back = new URL(page.url()).searchParams;
    await page.close();
  }
}

test("an assistant is let in with one click, its line turns green when it calls, and it is sent away", async ({
  service,
  callback,
  somebody,
  open,
}) => {
  const account = await somebody();
  const app = await open();
  const { page } = app;
  await enter(app, account, "/settings/connections");
  await page.getByText("Waiting for the client").waitFor();

  const authProvider = new SignedInPerson(app, `${callback.url}/callback`, account);
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${service.mcpUrl}/mcp`), { authProvider } as never);
  const first = transport();
  await expect(new Client({ name: "official", version: "1.0.0" }).connect(first)).rejects.toThrow();
  await first.finishAuth(authProvider.back);
  await page.getByText(/has access\. Waiting for its first call/).waitFor();
  const client = new Client({ name: "official", version: "1.0.0" });
  await client.connect(transport());
  await client.callTool({ name: "whoami", arguments: {} });
  await page.getByText(`${HOSTILE} is connected.`).waitFor();
  await page.getByText(/last used/).waitFor();
  expect(authProvider.asked).toBe(1);

  await page.getByRole("button", { name: `Disconnect ${HOSTILE}` }).click();
  await page.getByRole("button", { name: "Disconnect", exact: true }).click();
  await page.getByText("No assistant yet").waitFor();
  const { access_token } = authProvider.tokens() as { access_token: string };
  const refused = await fetch(`${service.mcpUrl}/mcp`, {
    method: "POST",
    headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" },
    body: "{}",
  });
  expect(refused.status).toBe(401);
  await client.close().catch(() => undefined);
  expect(app.complaints).toEqual([]);
});

const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

test("on a phone: the day is worked off, something is written down, and found again", async ({
  somebody,
  open,
}) => {
  const account = await somebody();
  for (const topic of ["Call Grace", "Book the room"]) {
    const record = { memory_type: "commitment", topic, content: "Promised", due_date: "2020-01-31" };
    await account.ask("POST", "/api/memories", record);
  }
  const app = await open(PHONE);
  const { page } = app;
  await enter(app, account);
  await page.getByRole("button", { name: "Resolve Call Grace" }).tap();
  await page.getByText("Resolved “Call Grace”").waitFor();
  await page.getByRole("button", { name: "Actions for Book the room" }).tap();
  await page.getByRole("dialog").getByRole("button", { name: "Defer" }).tap();
  await page.getByRole("button", { name: /^Tomorrow/ }).tap();
  await page.getByText("Deferred “Book the room”").waitFor();
  await page.getByRole("heading", { name: "Coming back soon 1" }).waitFor();
  expect(await overflow(page)).toBe(0);

  const place = (name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });
  await place("Documents").tap();
  await page.getByRole("link", { name: /^New/ }).first().tap();
  await page.getByRole("textbox", { name: "Title" }).fill("Packing list");
  await page.getByRole("textbox", { name: "Text", exact: true }).tap();
  await page.keyboard.insertText("Passport and boots");
  expect(await overflow(page)).toBe(0);
  await page.getByRole("button", { name: "Done" }).tap();
  await page.getByRole("article").getByText("Passport and boots").waitFor();

  await place("Search").tap();
  await page.getByRole("searchbox", { name: "Search documents and records" }).fill("boo");
  await page.getByRole("main").getByRole("link", { name: "Packing list" }).first().tap();
  await page.getByRole("article").getByText("Passport and boots").waitFor();
  expect(await overflow(page)).toBe(0);
  expect(app.complaints).toEqual([]);
  const { items } = await account.ask<{ items: { topic: string; status: string }[] }>("GET", "/api/memories");
  expect(items.map(({ topic, status }) => `${topic}: ${status}`).sort()).toEqual([
    "Book the room: deferred",
    "Call Grace: resolved",
  ]);
});
