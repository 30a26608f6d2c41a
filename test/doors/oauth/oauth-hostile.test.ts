import { describe, expect, test } from "vitest";
import { listSecurityEventsRoute } from "../../../src/features/auth/event-routes.ts";
import { Browser, fieldsOf } from "../../kit/browser.ts";
import { BASE, person, visitor } from "../../kit/client.ts";
import { ask } from "../../kit/mcp.ts";
import {
  askForTokens,
  authorize,
  authorizeUrl,
  bearer,
  connect,
  exchange,
  REDIRECT,
  refresh,
  registerClient,
  signInOn,
  VERIFIER,
} from "../../kit/oauth.ts";

// Attacks on the OAuth server.

const ADA = "ada@example.com";
const EVIL = "https://evil.example/callback";

describe("a request with a redirect address that is not the client's", () => {
  test.for([
    ["of somebody else", EVIL],
    ["below the registered one", `${REDIRECT}/more`],
    ["through dots", "https://client.example/callback/../other"],
    ["with a query", `${REDIRECT}?next=${EVIL}`],
    ["with a fragment", `${REDIRECT}#x`],
    ["over http", "http://client.example/callback"],
    ["at a subdomain", "https://evil.client.example/callback"],
    ["behind a user name", "https://client.example@evil.example/callback"],
    ["in capitals", "https://client.example/CALLBACK"],
    ["that runs", "javascript:alert(1)"],
    ["that is data", "data:text/html,x"],
    ["that is missing", undefined],
  ])("%s is answered with a page and never followed", async ([, redirect_uri]) => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    await signInOn(browser, await browser.open("/sign-in"), ADA);
    const page = await browser.send(await authorizeUrl(client_id, { redirect_uri }));
    expect(page.status).toBe(400);
    expect(page.headers.get("Location")).toBeNull();
    expect(page.html).toContain("Start again from the app");
  });

  test("next to the right one is not used", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const url = `${await authorizeUrl(client_id)}&redirect_uri=${encodeURIComponent(EVIL)}`;
    const page = await signInOn(browser, await browser.open(url), ADA);
    expect(page.html).not.toContain("evil.example/callback</");
    const answer = await browser.submit(page, { decision: "allow" });
    expect(answer.headers.get("Location") ?? "").not.toContain("https://evil.example");
  });

  test.for([
    ["unknown", "AAAAAAAAAAAAAAAA"],
    ["missing", undefined],
    ["a local address", "https://localhost/client.json"],
  ])("and a client that is %s gets a page", async ([, client_id]) => {
    await person({ email: ADA });
    const browser = new Browser();
    await signInOn(browser, await browser.open("/sign-in"), ADA);
    const page = await browser.send(await authorizeUrl("x", { client_id }));
    expect(page.status).toBe(400);
    expect(page.headers.get("Location")).toBeNull();
    const isUnknown = client_id === "AAAAAAAAAAAAAAAA";
    expect(page.html.includes("remove the connection to Commonplace and add it again")).toBe(isUnknown);
    // It says what to do, and nobody has done anything wrong.
    expect(page.html).toContain(
      `<h1>${isUnknown ? "Add the connection again" : "Start again from the app"}</h1>`,
    );
    expect(page.html).not.toMatch(/went wrong|Error:|role="alert"/);
  });
});

describe("a request that weakens the protocol", () => {
  test.for([
    ["asks for a token at once", { response_type: "token" }, "unsupported_response_type"],
    ["asks for nothing", { response_type: undefined }, "invalid_request"],
    ["leaves out PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["takes PKCE in plain text", { code_challenge_method: "plain" }, "invalid_request"],
    ["names no PKCE method", { code_challenge_method: undefined }, "invalid_request"],
    ["is for somebody else's resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["is for our resource's neighbour", { resource: `${BASE}/mcp/more` }, "invalid_target"],
    ["is for what is below it twice", { resource: `${BASE}/mcp//` }, "invalid_target"],
  ] as const)(
    "%s: its client is told so, but only after its user has signed in",
    async ([, fields, error]) => {
      await person({ email: ADA });
      const { client_id } = await registerClient();
      const browser = new Browser();
      const url = await authorizeUrl(client_id, fields);
      const stranger = await browser.send(url);
      expect(stranger.headers.get("Location")).toMatch(/^\/sign-in\?to=/);
      const refused = await signInOn(browser, await browser.open(url), ADA);
      const location = new URL(refused.headers.get("Location") ?? "");
      expect(location.origin + location.pathname).toBe(REDIRECT);
      expect(location.searchParams.get("error")).toBe(error);
      expect(location.searchParams.get("state")).toBe("the-state");
      expect(location.searchParams.get("code")).toBeNull();
    },
  );
});

describe("a registration", () => {
  test.for([
    ["with an address that runs", { redirect_uris: ["javascript:alert(1)"] }],
    ["with an address that is data", { redirect_uris: ["data:text/html,x"] }],
    ["with plain http", { redirect_uris: ["http://client.example/callback"] }],
    ["with a fragment", { redirect_uris: [`${REDIRECT}#x`] }],
    ["with a user name in the address", { redirect_uris: ["https://a:b@client.example/"] }],
    ["without an address", { redirect_uris: [] }],
    ["with no list of addresses", { redirect_uris: REDIRECT }],
    ["for the implicit grant", { grant_types: ["implicit"], response_types: ["token"] }],
    ["with the password grant", { grant_types: ["password"] }],
  ] as const)("%s is refused", async ([, fields]) => {
    expect((await registerClient(fields)).status).toBe(400);
  });

  test("that is not JSON is refused", async () => {
    const answer = await visitor().fetch("/oauth/register", { method: "POST", body: "{" });
    expect(answer.status).toBe(400);
  });

  test("with a script, a quote or bidirectional characters in its name does not alter the page", async () => {
    await person({ email: ADA });
    const client_name = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202eterces\u0007${"x".repeat(500)}`;
    const { client_id } = await registerClient({ client_name, client_uri: "https://evil.example/<script>" });
    const browser = new Browser();
    const page = await signInOn(browser, await browser.open(await authorizeUrl(client_id)), ADA);
    expect(page.status).toBe(200);
    expect(page.html).toContain("&lt;script&gt;");
    expect(page.html).not.toContain("\u0007");
    expect(page.html).not.toMatch(/<script|<img|\u202e|x{100}/);
  });

  test("with a script as its state gets it back unchanged and encoded", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const state = `"><script>alert(1)</script>&code=stolen`;
    const browser = new Browser();
    const page = await signInOn(browser, await browser.open(await authorizeUrl(client_id, { state })), ADA);
    expect(page.html).not.toContain("<script>");
    const location = new URL(
      (await browser.submit(page, { decision: "allow" })).headers.get("Location") ?? "",
    );
    expect(location.searchParams.getAll("state")).toEqual([state]);
    expect(location.searchParams.getAll("code")).toHaveLength(1);
  });
});

describe("a consent", () => {
  async function consentPage() {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const page = await signInOn(browser, await browser.open(await authorizeUrl(client_id)), ADA);
    return { browser, page, client_id };
  }

  test.for([
    ["without a handle", { handle: "" }, 400],
    ["with an invented handle", { handle: "A".repeat(43) }, 400],
    ["without the form's secret", { form: "" }, 403],
    ["for another account", { account: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }, 403],
    ["with nothing ticked", { scope: [] as string[] }, 400],
    ["with a permission that does not exist", { scope: ["admin"] }, 400],
  ] as const)("%s gives nothing", async ([, fields, status]) => {
    const { browser, page } = await consentPage();
    const answer = await browser.submit(page, { decision: "allow", ...(fields as Record<string, string>) });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("Location")).toBeNull();
  });

  test("sent from another site's page is refused", async () => {
    const { browser, page } = await consentPage();
    for (const [name, value] of Object.entries({
      Origin: "https://evil.example",
      "Sec-Fetch-Site": "cross-site",
    })) {
      const answer = await browser.submit(page, { decision: "allow" }, { headers: { [name]: value } });
      expect(answer.status).toBe(403);
    }
  });

  test("from another browser is refused, even if somebody has signed in there", async () => {
    const { page } = await consentPage();
    const eve = new Browser();
    await person({ email: "eve@example.com" });
    await signInOn(eve, await eve.open("/sign-in"), "eve@example.com");
    const { fields } = fieldsOf((await eve.open("/sign-in")).html);
    const form = fields.find(([name]) => name === "form")?.[1] ?? "";
    const stolen = await eve.submit(page, { decision: "allow", form });
    expect(stolen.status).toBe(403);
  });

  test("is given once", async () => {
    const { browser, page } = await consentPage();
    expect((await browser.submit(page, { decision: "allow" })).status).toBe(302);
    expect((await browser.submit(page, { decision: "allow" })).status).toBe(400);
  });

  test("of somebody who has not signed in leads to the sign-in form", async () => {
    const { browser, page } = await consentPage();
    browser.cookies.delete("__Host-commonplace");
    const answer = await browser.submit(page, { decision: "allow" });
    expect(answer.headers.get("Location")).toMatch(/^\/sign-in\?to=/);
  });

  test("is not read from a page that another site frames or changes by method", async () => {
    const { browser, page } = await consentPage();
    expect(page.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    for (const method of ["PUT", "DELETE"]) {
      expect((await browser.send("/authorize", { method })).status).toBe(405);
    }
  });
});

describe("a code", () => {
  async function code() {
    const ada = await person({ email: ADA });
    const { client_id } = await registerClient();
    const redirected = await authorize(ADA, client_id);
    return { ada, client_id, code: redirected.searchParams.get("code") ?? "" };
  }

  test.for([
    ["another verifier", { code_verifier: "another-verifier-of-at-least-forty-three-characters" }],
    ["no verifier", { code_verifier: undefined }],
    ["another redirect address", { redirect_uri: EVIL }],
    ["another resource", { resource: "https://evil.example/mcp" }],
    ["another grant type", { grant_type: "password" }],
  ] as const)("is worth nothing with %s", async ([, fields]) => {
    const given = await code();
    const answer = await exchange(given.client_id, given.code, fields);
    expect(answer.status).toBe(400);
    expect(answer.access_token).toBeUndefined();
  });

  test("cannot be used by another client", async () => {
    const given = await code();
    const other = await registerClient({ client_name: "Other" });
    expect((await exchange(other.client_id, given.code)).status).toBe(400);
  });

  test("used twice revokes everything that was issued for it, and the account is told", async () => {
    const given = await code();
    const tokens = await exchange(given.client_id, given.code);
    expect((await ask(bearer(tokens.access_token), "tools/list")).status).toBe(200);
    expect((await exchange(given.client_id, given.code)).status).toBe(400);
    expect((await ask(bearer(tokens.access_token), "tools/list")).status).toBe(401);
    expect((await refresh(given.client_id, tokens.refresh_token)).status).toBe(400);
    const { items } = await given.ada.ok(listSecurityEventsRoute);
    expect(items[0]).toMatchObject({ event: "connection_token_reused" });
  });

  test("is exchanged once by five concurrent requests, in fifty rounds; its token is valid until the code is replayed", {
    timeout: 120_000,
  }, async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    await signInOn(browser, await browser.open("/sign-in"), ADA);
    for (let round = 0; round < 50; round++) {
      const redirected = await authorize(ADA, client_id, { browser });
      const code = redirected.searchParams.get("code");
      const trades = await Promise.all(Array.from({ length: 5 }, () => exchange(client_id, code)));
      expect(trades.map(({ status }) => status).toSorted(), `round ${round}`).toEqual([
        200, 400, 400, 400, 400,
      ]);
      if (round % 10 > 0) continue;
      const token = trades.find(({ status }) => status === 200)?.access_token ?? "";
      expect((await ask(bearer(token), "tools/list")).status).toBe(200);
      expect((await exchange(client_id, code)).status).toBe(400);
      expect((await ask(bearer(token), "tools/list")).status).toBe(401);
    }
  });

  test("is not lost to invalid concurrent requests, nor exchanged twice by an ambiguous body", async () => {
    const given = await code();
    const other = await registerClient({ client_name: "Other" });
    const wrong = { code_verifier: "another-verifier-of-at-least-forty-three-characters" };
    const trades = await Promise.all([
      exchange(given.client_id, given.code, wrong),
      exchange(other.client_id, given.code),
      exchange(given.client_id, given.code),
      exchange(given.client_id, given.code, { redirect_uri: EVIL }),
    ]);
    expect(trades.map(({ status }) => status)).toEqual([400, 400, 200, 400]);

    const again = await authorize(ADA, given.client_id);
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: given.client_id,
      code: again.searchParams.get("code") ?? "",
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    });
    const bodies = ["", "\uFEFFcode=a:b:c&", "code=a:b:c&", "code=&", "&&", "grant_type=refresh_token&"];
    const answers = await Promise.all(
      bodies.map((prefix) =>
        visitor().fetch("/oauth/token", {
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" },
          body: `${prefix}${form}`,
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("is not accepted as a token", async () => {
    const given = await code();
    expect((await ask(bearer(given.code), "tools/list")).status).toBe(401);
  });
});

describe("a token", () => {
  test("cannot be refreshed by another client, nor beyond its scopes", async () => {
    await person({ email: ADA });
    const { client_id, tokens } = await connect(ADA, ["docs:read"]);
    const other = await registerClient({ client_name: "Other" });
    expect((await refresh(other.client_id, tokens.refresh_token)).status).toBe(400);
    const more = await askForTokens({
      grant_type: "refresh_token",
      client_id,
      refresh_token: tokens.refresh_token,
      scope: "docs:read memory:write",
    });
    expect(more.scope ?? "").not.toContain("memory:write");
  });

  test("works only in the header, only for its purpose, and only unmodified", async () => {
    await person({ email: ADA });
    const { tokens } = await connect(ADA);
    const inQuery = await visitor().fetch(`/mcp?access_token=${encodeURIComponent(tokens.access_token)}`, {
      method: "POST",
    });
    expect(inQuery.status).toBe(401);
    const [user = "", grant = "", secret = ""] = tokens.access_token.split(":");
    const eve = await person({ email: "eve@example.com" });
    const { tokens: eves } = await connect("eve@example.com");
    const [evesId = ""] = eves.access_token.split(":");
    for (const forged of [
      tokens.refresh_token,
      `${user}:${grant}:${secret.slice(1)}`,
      `${evesId}:${grant}:${secret}x`,
      `${user}:${grant}`,
      `${eve.tokens?.refresh_token}`,
      "null",
    ]) {
      expect((await ask(bearer(forged), "tools/list")).status, forged).toBe(401);
    }
  });

  test("is not issued for a GET, nor cached", async () => {
    expect((await visitor().fetch("/oauth/token")).status).toBe(405);
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const answer = await visitor().fetch("/oauth/token", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token: "x" }).toString(),
    });
    expect(answer.headers.get("Cache-Control")).toContain("no-store");
  });
});
