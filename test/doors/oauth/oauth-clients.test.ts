import { describe, expect, test } from "vitest";
import { isAllowedRedirect } from "../../../src/doors/oauth/redirect.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import { publicOnly } from "../../../src/platform/http/outbound.ts";
import { isPublicHost } from "../../../src/shared/public-host.ts";
import { Browser } from "../../kit/browser.ts";
import { Client, person } from "../../kit/client.ts";
import { initialize, use } from "../../kit/mcp.ts";
import {
  authorize,
  authorizeUrl,
  bearer,
  exchange,
  refresh,
  registerClient,
  signInOn,
} from "../../kit/oauth.ts";

// Clients that are identified by the URL of their metadata document, and native apps.

const ADA = "ada@example.com";
const CLIENT = "https://app.example.com/client.json";

describe("a client that is identified by the URL of its metadata document", () => {
  test("is authorized without registration, under its domain", async () => {
    const ada = await person({ email: ADA });
    const browser = new Browser();
    const page = await signInOn(browser, await browser.open(await authorizeUrl(CLIENT)), ADA);
    expect(page.html).toContain("Allow Public App to use your Commonplace?");
    expect(page.html).toContain("published by <strong>app.example.com</strong>");
    expect(page.html).not.toContain("nobody has verified its name");

    const redirected = await authorize(ADA, CLIENT, { browser });
    const tokens = await exchange(CLIENT, redirected.searchParams.get("code"));
    expect(tokens.status).toBe(200);
    expect(await use(await initialize(bearer(tokens.access_token)), "whoami")).toMatchObject({ email: ADA });
    expect((await refresh(CLIENT, tokens.refresh_token)).status).toBe(200);
    const { items } = await ada.ok(listConnectionsRoute);
    expect(items).toMatchObject([{ client_name: "Public App", client_domain: "app.example.com" }]);
  });

  test.for([
    ["this machine", "https://localhost/client.json"],
    ["a name below this machine", "https://app.localhost/client.json"],
    ["a loopback address", "https://127.0.0.1/client.json"],
    ["a loopback address as a number", "https://2130706433/client.json"],
    ["a loopback address in hexadecimal", "https://0x7f.1/client.json"],
    ["a private address", "https://192.168.1.1/client.json"],
    ["the address of cloud metadata", "https://169.254.169.254/client.json"],
    ["a loopback address of IPv6", "https://[::1]/client.json"],
    ["a unique local address", "https://[fd00::1]/client.json"],
    ["an IPv4 address in IPv6", "https://[::ffff:10.0.0.1]/client.json"],
    ["a name without a dot", "https://router/client.json"],
    ["a name of mDNS", "https://printer.local/client.json"],
    ["an internal name", "https://metadata.google.internal/client.json"],
    ["a name that ends with a dot", "https://printer.local./client.json"],
    ["an address that leads elsewhere", "https://app.example.com/moved.json"],
    ["an address with nothing there", "https://app.example.com/nothing.json"],
    ["plain http", "http://app.example.com/client.json"],
  ])("is refused at %s, on the page and for tokens", async ([, client_id = ""]) => {
    await person({ email: ADA });
    const browser = new Browser();
    await signInOn(browser, await browser.open("/sign-in"), ADA);
    const page = await browser.send(await authorizeUrl(client_id));
    expect(page.status).toBe(400);
    expect(page.headers.get("Location")).toBeNull();
    expect(page.html).toContain("Start again from the app");
    expect((await exchange(client_id, "a-code")).error).toMatch(/^invalid_(client|grant)$/);
  });

  test.for([
    ["its name", [""]],
    ["its name beside another", ["&client_id=abc", `&client_id=${encodeURIComponent(CLIENT)}`]],
  ] as const)("is asked for by nobody who has not signed in: %s", async ([, more]) => {
    for (const suffix of more) {
      const page = await new Browser().send(`${await authorizeUrl(CLIENT)}${suffix}`);
      expect([page.status, page.headers.get("Location")?.split("?")[0]]).toEqual([303, "/sign-in"]);
    }
  });

  test("has its document fetched at most thirty times a minute per person, and by token requests only for an existing grant", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    await signInOn(browser, await browser.open("/sign-in"), ADA);
    const statuses: number[] = [];
    for (let index = 0; index < 31; index++) {
      const client = `https://app${index}.example.com/nothing.json`;
      statuses.push((await browser.send(await authorizeUrl(client))).status);
    }
    expect(statuses).toEqual([...Array(30).fill(400), 429]);
    const basic = `Basic ${btoa(`${encodeURIComponent(CLIENT)}:x`)}`;
    const assertion = { client_assertion: "x", client_assertion_type: "y" };
    for (const [fields, headers] of [
      [{ client_id: CLIENT, code: "a:b:c" }, {}],
      [{ client_id: CLIENT, token: "a:b:c" }, {}],
      [{ client_id: CLIENT }, {}],
      [{ code: "a:b:c" }, { Authorization: basic }],
      [{ refresh_token: "a:b:c", ...assertion }, {}],
    ] as [Record<string, string>, Record<string, string>][]) {
      const answer = await new Client().fetch("/oauth/token", {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams({ grant_type: "refresh_token", ...fields }).toString(),
      });
      expect(await answer.json(), JSON.stringify(fields)).toMatchObject({
        error_description: "No such code or token",
      });
    }
  });
});

test.for([
  ["app.example.com", true],
  ["example.com.", true],
  ["8.8.8.8", true],
  ["[2606:4700::1111]", true],
  ["0.0.0.0", false],
  ["10.1.2.3", false],
  ["100.64.0.1", false],
  ["172.16.0.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["[::]", false],
  ["[fe80::1]", false],
  ["[64:ff9b::a00:1]", false],
  ["[::127.0.0.1]", false],
  ["[::808:808]", false],
  ["[2002:a00:1::]", false],
  ["nas.home.arpa", false],
  ["nas.lan", false],
  ["..", false],
  ["", false],
] as const)("the host %s is out in the world: %s", ([host, expected]) => {
  expect(isPublicHost(host)).toBe(expected);
});

test("outbound requests use https, go to public hosts and follow no redirects", async () => {
  const sent: Request[] = [];
  const outbound = publicOnly(async (input) => {
    sent.push(input as Request);
    return new Response("ok");
  });
  await outbound("https://app.example.com/jwks.json", { headers: { Accept: "application/json" } });
  expect(sent.map(({ url, redirect, headers }) => [url, redirect, headers.get("Accept")])).toEqual([
    ["https://app.example.com/jwks.json", "manual", "application/json"],
  ]);
  for (const url of [
    "https://10.0.0.1/jwks.json",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://[::ffff:10.0.0.1]/",
    "http://app.example.com/",
    "https://router/",
  ]) {
    await expect(outbound(url)).rejects.toThrow("Not a public address");
  }
  expect(sent).toHaveLength(1);
});

/** How the clients that README.md names register themselves, and the redirect address that they then use. */
const KNOWN: [string, string, Record<string, unknown>][] = [
  [
    "Claude",
    "https://claude.ai/api/mcp/auth_callback",
    { redirect_uris: ["https://claude.ai/api/mcp/auth_callback"], scope: "docs:read memory:read" },
  ],
  ["Claude Code", "http://localhost:51234/callback", { redirect_uris: ["http://localhost:51234/callback"] }],
  [
    "ChatGPT",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    { redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"] },
  ],
  [
    "Cursor",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    {
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
    },
  ],
  [
    "Visual Studio Code",
    "http://127.0.0.1:33418/",
    {
      client_uri: "https://code.visualstudio.com",
      application_type: "native",
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
    },
  ],
  // Another port, because the registered one was in use: on loopback any port is allowed (RFC 8252 section 7.3).
  ["Another client", "http://127.0.0.1:50111/", { redirect_uris: ["http://127.0.0.1:33418/"] }],
];

test.for(KNOWN)(
  "%s registers itself and is authorized at %s",
  async ([client_name, redirect_uri, fields]) => {
    await person({ email: ADA });
    const { client_id, status } = await registerClient({ client_name, ...fields });
    expect(status).toBe(201);
    const redirected = await authorize(ADA, client_id, { fields: { redirect_uri } });
    expect(redirected.href.startsWith(`${redirect_uri}?`)).toBe(true);
    const tokens = await exchange(client_id, redirected.searchParams.get("code"), { redirect_uri });
    expect(await use(await initialize(bearer(tokens.access_token)), "whoami")).toMatchObject({ email: ADA });
  },
);

const APPS = [
  ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor:"],
  ["com.example.app:/oauth", "com.example.app:"],
  ["vscode://vscode.github-authentication/did-authenticate", "vscode:"],
  ["claude://oauth/callback", "claude:"],
  ["myapp://callback", "myapp:"],
  ["raycast://oauth?package_name=notes", "raycast:"],
] as const;

describe("an app with its own URL scheme", () => {
  test.for(APPS)("is authorized at %s, by its scheme and with a warning", async ([redirect_uri, scheme]) => {
    const ada = await person({ email: ADA });
    const { client_id, status } = await registerClient({ redirect_uris: [redirect_uri] });
    expect(status).toBe(201);
    const browser = new Browser();
    const page = await signInOn(
      browser,
      await browser.open(await authorizeUrl(client_id, { redirect_uri })),
      ADA,
    );
    expect(page.html).toContain(`The app on this device that handles <strong>${scheme}</strong> links`);
    expect(page.html).toContain("program on this device");
    expect(page.html).toContain(
      `Any app can claim ${scheme} links, so it can’t be verified which one this is.`,
    );
    expect(page.headers.get("Content-Security-Policy")).toMatch(new RegExp(`form-action 'self' ${scheme}$`));
    const allowed = await browser.submit(page, { decision: "allow" });
    const location = new URL(allowed.headers.get("Location") ?? "");
    expect(location.href.startsWith(redirect_uri)).toBe(true);
    const tokens = await exchange(client_id, location.searchParams.get("code"), { redirect_uri });
    expect(await use(await initialize(bearer(tokens.access_token)), "whoami")).toMatchObject({ email: ADA });
    expect((await ada.ok(listConnectionsRoute)).items).toMatchObject([{ redirect_host: scheme }]);
  });

  test("receives a refusal or an error at its own scheme", async () => {
    await person({ email: ADA });
    const [[redirect_uri]] = APPS;
    const { client_id } = await registerClient({ redirect_uris: [redirect_uri] });
    const browser = new Browser();
    const page = await signInOn(
      browser,
      await browser.open(await authorizeUrl(client_id, { redirect_uri })),
      ADA,
    );
    const denied = await browser.submit(page, { decision: "deny" });
    expect(denied.headers.get("Location")).toContain(`${redirect_uri}?error=access_denied`);
    const wrong = await browser.send(await authorizeUrl(client_id, { redirect_uri, response_type: "token" }));
    expect(wrong.headers.get("Location")).toContain(`${redirect_uri}?error=unsupported_response_type`);
  });
});

const NO_APPS = [
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://client.example/x",
  "about:blank",
  "mailto:eve@example.com",
  "tel:112",
  "ssh://evil.example",
  "ftp://evil.example/x",
  "ws://evil.example/x",
  "view-source:https://evil.example",
  "chrome://settings",
  "intent://x#Intent;end",
  "ms-msdt:/id",
  "search-ms:query=x",
  "x-apple.:/x",
  "x-apple.systempreferences:x",
  "httpss://evil.example/x",
  "https.://evil.example/x",
  "https-://evil.example/x",
  "hxxps://evil.example/x",
  "htps://evil.example/x",
  "ttps://evil.example/x",
  "http+app://evil.example/x",
  "web+notes://x",
  "c:/windows/x.exe",
  "wss://evil.example/x",
  "smb://evil.example/x",
  "ms-settings:x",
  "microsoft-edge:https://evil.example",
  "sms:112",
  "itms-services://?action=download-manifest",
];

describe("a redirect address with another scheme", () => {
  test.for(NO_APPS)(
    "such as %s is not registered on its own, and receives neither code nor error",
    async (redirect_uri) => {
      await person({ email: ADA });
      expect(isAllowedRedirect(redirect_uri)).toBe(false);
      expect((await registerClient({ redirect_uris: [redirect_uri] })).status).toBe(400);
      // It may be registered beside a valid one, because clients list addresses for other services, but is never used.
      const { client_id } = await registerClient({
        redirect_uris: ["https://client.example/callback", redirect_uri],
      });
      const browser = new Browser();
      await signInOn(browser, await browser.open("/sign-in"), ADA);
      for (const response_type of ["code", "token"]) {
        const fields = { redirect_uri, response_type };
        const page = await browser.send(await authorizeUrl(client_id ?? "nobody", fields));
        expect(page.status).toBe(400);
        expect(page.headers.get("Location")).toBeNull();
      }
    },
  );
});
