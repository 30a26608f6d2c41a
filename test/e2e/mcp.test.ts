import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Account, launch, signIn } from "./browser.ts";
import { callbackServer, type Loopback } from "./loopback.ts";
import { OAuthPerson } from "./oauth-person.ts";
import { callEveryTool, connect, connectAgain, connectWith, INFO, KINDS, use } from "./official-clients.ts";
import { freePorts, type Ports, register, type Service, startService, temporaryFolder } from "./service.ts";

// The official clients against `npm start`, authorized on the pages that a person sees.

const ADA: Account = { email: "ada@example.com", password: "correct horse battery staple" };
const BOB: Account = { email: "bob@example.com", password: "another horse battery staple" };
/** Every client of these tests has the same address. */
const ROOMY = {
  RATE_LIMIT_MCP_LOGIN: "1000/60",
  RATE_LIMIT_CLIENT_REGISTRATION: "1000/60",
  RATE_LIMIT_REGISTER: "1000/60",
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ports: Ports;
let service: Service;
let browser: Browser;
let callback: Loopback;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  folder = await temporaryFolder();
  ports = await freePorts();
  [service, browser, callback] = await Promise.all([
    startService(folder.path, ROOMY, ports),
    launch(),
    callbackServer(),
  ]);
  for (const account of [ADA, BOB]) tokens[account.email] = await register(service.apiUrl, account);
});

afterAll(async () => {
  await browser?.close();
  await callback?.close();
  await service?.stop();
  await folder?.remove();
});

const personOf = (account: Account) => new OAuthPerson(`${callback.url}/callback`, browser, account);

test("a client that is pinned to the older generation signs in by itself and calls every tool", async () => {
  const client = await connect("SDK v2 pinned to 2025-11-25", service.mcpUrl, personOf(ADA));
  expect(await callEveryTool(client)).toEqual([]);
  await client.close();
});

test.for(KINDS)("%s signs in at an address that was typed with a slash", async (kind) => {
  const client = await connect(kind, `${service.mcpUrl}/mcp/`, personOf(ADA));
  expect(await use(client, "whoami")).toMatchObject({ email: ADA.email });
  await client.close();
});

test.for(KINDS)(
  "%s in several windows with the same tokens refreshes them at once, and goes on",
  async (kind) => {
    const person = personOf(BOB);
    const first = await connect(kind, service.mcpUrl, person);
    const others = [1, 2].map(() => connectAgain(kind, service.mcpUrl, person));
    const windows = [first, ...(await Promise.all(others))];
    for (const _ of [1, 2]) {
      person.given = { ...person.given, access_token: "over" };
      const answers = await Promise.all(windows.map((client) => use(client, "whoami")));
      expect(answers.map(({ email }) => email)).toEqual(windows.map(() => BOB.email));
    }
    expect(person.asked).toBe(1);
    await Promise.all(windows.map((client) => client.close()));
  },
);

test("two people with 50 concurrent calls each and the same JSON-RPC ids get their own answers", async () => {
  const people = await Promise.all(
    KINDS.flatMap((kind) => [ADA, BOB].map(async (account) => ({ kind, account }))),
  );
  const clients = await Promise.all(
    people.map(async ({ kind, account }) => ({
      account,
      client: await connectWith(kind, service.mcpUrl, tokens[account.email] ?? ""),
    })),
  );
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, call) => {
      const { account, client } = clients[call % clients.length] as (typeof clients)[number];
      const { email } = await use(client, "whoami");
      return [account.email, email];
    }),
  );
  for (const [asked, answered] of answers) expect(answered).toBe(asked);
  await Promise.all(clients.map(({ client }) => client.close()));
});

test("the lost answer to a change is sent again to a client that asks for it", async () => {
  const ask = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${service.mcpUrl}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${tokens[ADA.email]}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
  const opened = await ask({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  await opened.text();
  const session = {
    "Mcp-Session-Id": opened.headers.get("Mcp-Session-Id") ?? "",
    "MCP-Protocol-Version": "2025-11-25",
  };
  const leave = new AbortController();
  const noted = { memory_type: "decision", topic: `Write to ${ADA.email}`, content: "On paper" };
  const call = {
    jsonrpc: "2.0",
    id: 41,
    method: "tools/call",
    params: { name: "remember", arguments: noted },
  };
  const dropped = await ask(call, session, leave.signal);
  const first = await dropped.body?.getReader().read();
  leave.abort();
  const [, id = ""] = /^id: (\S+)/.exec(new TextDecoder().decode(first?.value)) ?? [];

  const again = await fetch(`${service.mcpUrl}/mcp`, {
    headers: {
      Authorization: `Bearer ${tokens[ADA.email]}`,
      Accept: "text/event-stream",
      ...session,
      "Last-Event-ID": id,
    },
  });
  const reader = again.body?.getReader();
  const replayed = new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  expect(replayed).toContain('"id":41');
  expect(replayed).toContain(ADA.email);
});

/** How many controls have no name, whether the page fits its width, and how high the touch targets are. */
const UNNAMED = `[...document.querySelectorAll("input:not([type=hidden]), button")].filter((element) =>
  !element.textContent.trim() && !element.labels?.length && !element.getAttribute("aria-label")).length`;
const FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
const HEIGHTS = `[...document.querySelectorAll("button:not(.link), label.choice")].map((element) =>
  element.getBoundingClientRect().height)`;

describe("the consent page", () => {
  async function consentUrl(redirect = `${callback.url}/callback`): Promise<string> {
    const registered = await fetch(`${service.mcpUrl}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        client_name: "A client with quite a long name that has to fit on a phone",
        redirect_uris: [redirect],
        token_endpoint_auth_method: "none",
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: redirect,
      state: "s",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    });
    return `${service.mcpUrl}/authorize?${query}`;
  }

  test("can be used with only the keyboard", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
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
    const { items } = (await (
      await fetch(`${service.apiUrl}/api/connections`, {
        headers: { Authorization: `Bearer ${tokens[ADA.email]}` },
      })
    ).json()) as { items: { scopes: string[] }[] };
    expect(items[0]?.scopes).toEqual(["docs:read", "memory:read", "memory:write"]);
  });

  test("redirects the browser to an app with its own URL scheme", async () => {
    const redirect = "cursor://anysphere.cursor-mcp/oauth/callback";
    const context = await browser.newContext();
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

  test("is accessible to screen readers and fits a phone, in light and dark mode", async () => {
    const grounds = new Set<string>();
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 320, height: 640 } });
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
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      await page.waitForLoadState("load");
      expect(await page.evaluate<number>(UNNAMED)).toBe(0);
      expect(await page.evaluate<boolean>(FITS)).toBe(true);
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
