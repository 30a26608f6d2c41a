import { describe, expect, test } from "vitest";
import { isAllowedRedirect } from "../../../src/doors/oauth/redirect.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import { publicOnly } from "../../../src/platform/http/outbound.ts";
import { isPublicHost } from "../../../src/shared/public-host.ts";
import { Browser } from "../../kit/browser.ts";
import { BASE, Client, person } from "../../kit/client.ts";
import {
  authorize,
  authorizeUrl,
  consentPage,
  exchange,
  newConsent,
  refresh,
  registerClient,
  signedIn,
  whoamiWith,
} from "../../kit/oauth.ts";

// Clients that are identified by the URL of their metadata document, and native apps.

const ADA = "ada@example.com";
const CLIENT = "https://app.example.com/client.json";
const SCOPE = { scope: "docs:read memory:read" };

describe("a client that is identified by the URL of its metadata document", () => {
  test("is authorized without registration, under its domain", async () => {
    const ada = await person({ email: ADA });
    const { browser, page } = await consentPage(ADA, CLIENT);
    expect(page.html).toContain("Allow Public App to use your Commonplace?");
    expect(page.html).toContain("published by <strong>app.example.com</strong>");
    expect(page.html).not.toContain("nobody has verified its name");
    const tokens = await exchange(CLIENT, await authorize(ADA, CLIENT, { browser }));
    expect(await whoamiWith(tokens)).toMatchObject({ email: ADA });
    expect((await refresh(CLIENT, tokens.refresh_token)).status).toBe(200);
    const { items } = await ada.ok(listConnectionsRoute);
    expect(items).toMatchObject([{ client_name: "Public App", client_domain: "app.example.com" }]);
  });

  test("is refused at a private address, one that leads elsewhere or to nothing, and without TLS", async () => {
    await person({ email: ADA });
    const browser = await signedIn(ADA);
    for (const client_id of [
      "https://localhost/client.json",
      "https://2130706433/client.json",
      "https://[::ffff:10.0.0.1]/client.json",
      "https://metadata.google.internal/client.json",
      "https://app.example.com/moved.json",
      "https://app.example.com/nothing.json",
      "http://app.example.com/client.json",
    ]) {
      const page = await browser.send(await authorizeUrl(client_id));
      expect([page.status, page.headers.get("Location")], client_id).toEqual([400, null]);
      expect(page.html).toContain("Start again from the app");
      expect((await exchange(client_id, "a-code")).error).toMatch(/^invalid_(client|grant)$/);
    }
  });

  test("is not looked up before its user has signed in, however it is named", async () => {
    for (const suffix of ["", "&client_id=abc", `&client_id=${encodeURIComponent(CLIENT)}`]) {
      const page = await new Browser().send(`${await authorizeUrl(CLIENT)}${suffix}`);
      expect([page.status, page.headers.get("Location")?.split("?")[0]]).toEqual([303, "/sign-in"]);
    }
  });

  test("has its document fetched at most thirty times a minute per person, and by token requests only for an existing grant", async () => {
    await person({ email: ADA });
    const browser = await signedIn(ADA);
    for (let index = 0; index < 31; index++) {
      const { status } = await browser.send(
        await authorizeUrl(`https://app${index}.example.com/nothing.json`),
      );
      expect(status, `${index}`).toBe(index < 30 ? 400 : 429);
    }
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
  [true, "app.example.com example.com. 8.8.8.8 [2606:4700::1111]"],
  [false, "localhost localhost. app.localhost router printer.local printer.local. nas.lan nas.home.arpa .."],
  [false, "metadata.google.internal 0.0.0.0 127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254"],
  [false, "100.64.0.1 224.0.0.1 255.255.255.255 [::] [::1] [fd00::1] [fe80::1] [::ffff:10.0.0.1]"],
  [false, "[64:ff9b::a00:1] [::127.0.0.1] [::808:808] [2002:a00:1::]"],
] as const)("that these hosts are public is %s: %s", ([expected, hosts]) => {
  for (const host of hosts.split(" ")) expect(isPublicHost(host), host).toBe(expected);
  expect(isPublicHost("")).toBe(false);
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
const KNOWN: [client: string, used: string, redirect_uris: string[], fields?: object][] = [
  ["Claude", "https://claude.ai/api/mcp/auth_callback", ["https://claude.ai/api/mcp/auth_callback"], SCOPE],
  ["Claude Code", "http://localhost:51234/callback", ["http://localhost:51234/callback"]],
  [
    "Cursor",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
  ],
  [
    "Visual Studio Code",
    "http://127.0.0.1:33418/",
    [
      "https://insiders.vscode.dev/redirect",
      "https://vscode.dev/redirect",
      "http://127.0.0.1/",
      "http://127.0.0.1:33418/",
    ],
    { client_uri: "https://code.visualstudio.com", application_type: "native" },
  ],
  // Another port, because the registered one was in use: on loopback any port is allowed (RFC 8252 section 7.3).
  ["Another client", "http://127.0.0.1:50111/", ["http://127.0.0.1:33418/"]],
];

test.for(KNOWN)(
  "%s registers itself, is authorized at %s, and renews its tokens",
  async ([client_name, redirect_uri, redirect_uris, fields]) => {
    await person({ email: ADA });
    const { client_id, status } = await registerClient({ client_name, redirect_uris, ...fields });
    expect(status).toBe(201);
    const redirected = await authorize(ADA, client_id, { fields: { redirect_uri } });
    expect(redirected.href.startsWith(`${redirect_uri}?`)).toBe(true);
    expect(redirected.searchParams.get("state")).toBe("the-state");
    expect(redirected.searchParams.get("iss")).toBe(BASE);
    const tokens = await exchange(client_id, redirected, { redirect_uri });
    expect(await whoamiWith(tokens)).toMatchObject({ email: ADA });
    const next = await refresh(client_id, tokens.refresh_token);
    expect(next.access_token).not.toBe(tokens.access_token);
    expect(await whoamiWith(next)).toMatchObject({ email: ADA });
  },
);

describe("an app with its own URL scheme", () => {
  test.for([
    ["com.example.app:/oauth", "com.example.app:"],
    ["raycast://oauth?package_name=notes", "raycast:"],
  ] as const)("is authorized at %s, by its scheme and with a warning", async ([redirect_uri, scheme]) => {
    const client = { redirect_uris: [redirect_uri] };
    const { ada, browser, page, client_id } = await newConsent(client, { redirect_uri });
    expect(page.html).toContain(`The app on this device that handles <strong>${scheme}</strong> links`);
    expect(page.html).toContain("program on this device");
    expect(page.html).toContain(
      `Any app can claim ${scheme} links, so it can’t be verified which one this is.`,
    );
    expect(page.headers.get("Content-Security-Policy")).toMatch(new RegExp(`form-action 'self' ${scheme}$`));
    const allowed = await browser.submit(page, { decision: "allow" });
    const location = new URL(allowed.headers.get("Location") ?? "");
    expect(location.href.startsWith(redirect_uri)).toBe(true);
    expect((await exchange(client_id, location, { redirect_uri })).status).toBe(200);
    expect((await ada.ok(listConnectionsRoute)).items).toMatchObject([{ redirect_host: scheme }]);
  });

  test("receives a refusal or an error at its own scheme", async () => {
    const redirect_uri = "claude://oauth/callback";
    const client = { redirect_uris: [redirect_uri] };
    const { browser, page, client_id } = await newConsent(client, { redirect_uri });
    const denied = await browser.submit(page, { decision: "deny" });
    expect(denied.headers.get("Location")).toContain(`${redirect_uri}?error=access_denied`);
    const wrong = await browser.send(await authorizeUrl(client_id, { redirect_uri, response_type: "token" }));
    expect(wrong.headers.get("Location")).toContain(`${redirect_uri}?error=unsupported_response_type`);
  });
});

/** What browsers and systems handle themselves, and what looks like the web. */
const NO_APPS =
  `javascript:alert(1) JavaScript:alert(1) data:text/html,x vbscript:x file:///etc/passwd about:blank
  blob:https://client.example/x mailto:eve@example.com tel:112 sms:112 ssh://evil.example ftp://evil.example/x
  ws://evil.example/x wss://evil.example/x smb://evil.example/x view-source:https://evil.example chrome://settings
  intent://x#Intent;end ms-msdt:/id ms-settings:x microsoft-edge:https://evil.example search-ms:query=x
  itms-services://?action=download-manifest x-apple.:/x x-apple.systempreferences:x httpss://evil.example/x
  https.://evil.example/x https-://evil.example/x hxxps://evil.example/x htps://evil.example/x
  ttps://evil.example/x http+app://evil.example/x web+notes://x c:/windows/x.exe`.split(/\s+/);

test.for(NO_APPS)("an address such as %s is not one of an app", (redirect_uri) =>
  expect(isAllowedRedirect(redirect_uri)).toBe(false),
);

test("such an address is not registered on its own, and receives neither code nor error", async () => {
  await person({ email: ADA });
  const browser = await signedIn(ADA);
  for (const redirect_uri of ["javascript:alert(1)", "ms-msdt:/id", "httpss://evil.example/x"]) {
    expect((await registerClient({ redirect_uris: [redirect_uri] })).status).toBe(400);
    // It may be registered beside a valid one, because clients list addresses for other services, but is never used.
    const redirect_uris = ["https://client.example/callback", redirect_uri];
    const { client_id } = await registerClient({ redirect_uris });
    for (const response_type of ["code", "token"]) {
      const page = await browser.send(await authorizeUrl(client_id, { redirect_uri, response_type }));
      expect([page.status, page.headers.get("Location")], redirect_uri).toEqual([400, null]);
    }
  }
});
