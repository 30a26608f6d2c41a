import { afterAll, describe, expect, test } from "vitest";
import { overflow, violations } from "./app.ts";
import { askWith } from "./ask.ts";
import { type Account, signIn } from "./browser.ts";
import { callbackServer, type Loopback } from "./loopback.ts";
import { OAuthPerson } from "./oauth-person.ts";
import { callEveryTool, connect, connectAgain, KINDS, use } from "./official-clients.ts";
import { register } from "./service.ts";
import { stageFor } from "./stage.ts";

// The official clients against `npm start`, authorized on the pages that a person sees.

const ADA: Account = { email: "ada@example.com", password: "correct horse battery staple" };
const BOB: Account = { email: "bob@example.com", password: "another horse battery staple" };
/** Every client of these tests has the same address. */
const ROOMY = {
  RATE_LIMIT_MCP_LOGIN: "1000/60",
  RATE_LIMIT_CLIENT_REGISTRATION: "1000/60",
  RATE_LIMIT_REGISTER: "1000/60",
};

let callback: Loopback;
const tokens: Record<string, string> = {};

const stage = stageFor(ROOMY, async ({ service }) => {
  callback = await callbackServer();
  for (const account of [ADA, BOB]) tokens[account.email] = await register(service.apiUrl, account);
});
afterAll(() => callback?.close());

const personOf = (account: Account) => new OAuthPerson(`${callback.url}/callback`, stage.browser, account);

test.for(KINDS)("%s signs in at an address with a slash at its end, and calls every tool", async (kind) => {
  const client = await connect(kind, `${stage.service.mcpUrl}/mcp/`, personOf(ADA));
  expect(await use(client, "whoami")).toMatchObject({ email: ADA.email });
  expect(await callEveryTool(client)).toEqual([]);
  await client.close();
});

test.for(KINDS)("%s refreshes the same tokens in several windows at once, and goes on", async (kind) => {
  const { mcpUrl } = stage.service;
  const person = personOf(BOB);
  const first = await connect(kind, mcpUrl, person);
  const windows = [first, ...(await Promise.all([1, 2].map(() => connectAgain(kind, mcpUrl, person))))];
  for (const _ of [1, 2]) {
    person.given = { ...person.given, access_token: "over" };
    const answers = await Promise.all(windows.map((client) => use(client, "whoami")));
    expect(answers.map(({ email }) => email)).toEqual(windows.map(() => BOB.email));
  }
  expect(person.asked).toBe(1);
  await Promise.all(windows.map((client) => client.close()));
});

/** How high the touch targets are. */
const HEIGHTS = `[...document.querySelectorAll("button:not(.link), label.choice")].map((element) =>
  element.getBoundingClientRect().height)`;

describe("the consent page", () => {
  async function consentUrl(redirect = `${callback.url}/callback`): Promise<string> {
    const client_name = "A client with quite a long name that has to fit on a phone";
    const client = { client_name, redirect_uris: [redirect], token_endpoint_auth_method: "none" };
    const ask = askWith(stage.service.mcpUrl, "");
    const { client_id } = await ask<{ client_id: string }>("POST", "/oauth/register", client);
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: redirect,
      state: "s",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    return `${stage.service.mcpUrl}/authorize?${query}`;
  }

  test("can be used with only the keyboard", async () => {
    const context = await stage.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(await consentUrl());
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // The browser moves the focus to the email field a moment after the page has loaded.
    await page.locator("input[type=email]:focus").waitFor();
    await page.keyboard.type(ADA.email);
    await press("Tab");
    await page.keyboard.type(ADA.password);
    await press("Enter");
    await page.getByRole("heading", { name: /^Allow/ }).waitFor();
    // Unticks the second box, and presses the button after the four boxes.
    await press("Tab", "Tab", "Space", "Tab", "Tab", "Tab", "Enter");
    await page.waitForURL(/code=/);
    await context.close();
    const ask = askWith(stage.service.apiUrl, tokens[ADA.email] ?? "");
    const { items } = await ask<{ items: { scopes: string[] }[] }>("GET", "/api/connections");
    expect(items[0]?.scopes).toEqual(["docs:read", "memory:read", "memory:write"]);
  });

  test("redirects the browser to an app with its own URL scheme", async () => {
    const redirect = "cursor://anysphere.cursor-mcp/oauth/callback";
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(await consentUrl(redirect));
    await signIn(page, ADA);
    // No such app is installed, so the browser's request for it fails.
    const opened = page.waitForEvent("requestfailed", (request) => request.url().startsWith(redirect));
    await page.getByRole("button", { name: "Allow" }).click();
    expect((await opened).url()).toContain("?code=");
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("is accessible and fits a phone, in light and dark mode", async () => {
    const grounds = new Set<string>();
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await stage.browser.newContext({ colorScheme, viewport: { width: 320, height: 640 } });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(await consentUrl());
      await page.getByLabel("Password").fill("wrong password");
      await page.getByLabel("Email").fill(ADA.email);
      await page.getByRole("button", { name: "Sign in" }).click();
      expect(await page.getByRole("alert").textContent()).toContain("Email or password is wrong");
      expect(await page.getByLabel("Email").inputValue()).toBe(ADA.email);
      await signIn(page, ADA);
      const group = page.getByRole("group", { name: "It will be able to" });
      await expect.poll(() => group.getByRole("checkbox").count()).toBe(4);
      await page.waitForLoadState("load");
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
      for (const height of await page.evaluate<number[]>(HEIGHTS)) expect(height).toBeGreaterThanOrEqual(44);
      grounds.add(await page.evaluate<string>("getComputedStyle(document.body).backgroundColor"));
      await page.getByRole("button", { name: "Deny" }).click();
      await page.waitForURL(/error=access_denied/);
      expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
      await context.close();
    }
    expect(grounds.size).toBe(2);
  });
});
