import { describe, expect, test } from "vitest";
import { listSecurityEventsRoute } from "../../../src/features/auth/me-routes.ts";
import { fieldsOf } from "../../kit/browser.ts";
import { BASE, person, visitor } from "../../kit/client.ts";
import { ask } from "../../kit/mcp.ts";
import {
  askForTokens,
  authorize,
  authorizeUrl,
  bearer,
  connect,
  consentPage,
  exchange,
  newConsent,
  REDIRECT,
  refresh,
  registerClient,
  signedIn,
  type Tokens,
  VERIFIER,
} from "../../kit/oauth.ts";

// Attacks on the OAuth server.

const ADA = "ada@example.com";
const EVIL = "https://evil.example/callback";
const OTHER_VERIFIER = "another-verifier-of-at-least-forty-three-characters";

/** Ada, and a client that she may authorize. */
async function start() {
  const ada = await person({ email: ADA });
  return { ada, client_id: (await registerClient()).client_id };
}

describe("a request with a redirect address that is not the client's", () => {
  test("is answered with a page and never followed", async () => {
    const { client_id } = await start();
    const browser = await signedIn(ADA);
    for (const redirect_uri of [
      EVIL,
      `${REDIRECT}/more`,
      "https://client.example/callback/../other",
      `${REDIRECT}?next=${EVIL}`,
      `${REDIRECT}#x`,
      "http://client.example/callback",
      "https://evil.client.example/callback",
      "https://client.example@evil.example/callback",
      "https://client.example/CALLBACK",
      "javascript:alert(1)",
      undefined,
    ]) {
      const page = await browser.send(await authorizeUrl(client_id, { redirect_uri }));
      expect([page.status, page.headers.get("Location")], redirect_uri).toEqual([400, null]);
      expect(page.html).toContain("Start again from the app");
    }
  });

  test("next to the right one is not used", async () => {
    const { client_id } = await start();
    const browser = await signedIn(ADA);
    const page = await browser.open(
      `${await authorizeUrl(client_id)}&redirect_uri=${encodeURIComponent(EVIL)}`,
    );
    expect(page.html).not.toContain("evil.example/callback</");
    const answer = await browser.submit(page, { decision: "allow" });
    expect(answer.headers.get("Location") ?? "").not.toContain("https://evil.example");
  });

  test.for([
    ["unknown", "AAAAAAAAAAAAAAAA", "Add the connection again"],
    ["missing", undefined, "Start again from the app"],
  ])("and a client that is %s gets a page, which says what to do", async ([, client_id, title]) => {
    await person({ email: ADA });
    const page = await (await signedIn(ADA)).send(await authorizeUrl("x", { client_id }));
    expect([page.status, page.headers.get("Location")]).toEqual([400, null]);
    expect(page.html).toContain(`<h1>${title}</h1>`);
    expect(page.html.includes("remove the connection to Commonplace and add it again")).toBe(
      client_id !== undefined,
    );
    expect(page.html).not.toMatch(/went wrong|role="alert"/);
  });
});

test.for([
  ["asks for a token at once", { response_type: "token" }, "unsupported_response_type"],
  ["asks for nothing", { response_type: undefined }, "invalid_request"],
  ["leaves out PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
  ["takes PKCE in plain text", { code_challenge_method: "plain" }, "invalid_request"],
  ["names no PKCE method", { code_challenge_method: undefined }, "invalid_request"],
  ["is for another resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
  ["is for our resource's neighbour", { resource: `${BASE}/mcp/more` }, "invalid_target"],
  ["is for what is below it twice", { resource: `${BASE}/mcp//` }, "invalid_target"],
] as const)(
  "a request that %s: its client is told so, but only after its user has signed in",
  async ([, fields, error]) => {
    const { client_id } = await start();
    const stranger = await visitor().fetch(await authorizeUrl(client_id, fields), { redirect: "manual" });
    expect(stranger.headers.get("Location")).toMatch(/^\/sign-in\?to=/);
    const { page } = await consentPage(ADA, client_id, fields);
    const location = new URL(page.headers.get("Location") ?? "");
    expect(location.origin + location.pathname).toBe(REDIRECT);
    expect(location.searchParams.get("error")).toBe(error);
    expect(location.searchParams.get("state")).toBe("the-state");
    expect(location.searchParams.get("code")).toBeNull();
  },
);

describe("a registration", () => {
  test.for([
    ["with an address that runs", { redirect_uris: ["javascript:alert(1)"] }],
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

  test("with a script in its name, or as its state, does not alter the page", async () => {
    const client_name = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202eterces\u0007${"x".repeat(500)}`;
    const state = `"><script>alert(1)</script>&code=stolen`;
    const client = { client_name, client_uri: "https://evil.example/<script>" };
    const { browser, page } = await newConsent(client, { state });
    expect(page.status).toBe(200);
    expect(page.html).toContain("&lt;script&gt;");
    expect(page.html).not.toContain("\u0007");
    expect(page.html).not.toMatch(/<script|<img|\u202e|x{100}/);
    const allowed = await browser.submit(page, { decision: "allow" });
    const { searchParams } = new URL(allowed.headers.get("Location") ?? "");
    expect(searchParams.getAll("state")).toEqual([state]);
    expect(searchParams.getAll("code")).toHaveLength(1);
  });
});

describe("a consent", () => {
  test.for([
    ["without a handle", { handle: "" }, 400],
    ["with an invented handle", { handle: "A".repeat(43) }, 400],
    ["without the form's secret", { form: "" }, 403],
    ["for another account", { account: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" }, 403],
    ["with a permission that does not exist", { scope: ["admin"] }, 400],
  ] as const)("%s gives nothing", async ([, fields, status]) => {
    const { browser, page } = await newConsent();
    const answer = await browser.submit(page, { decision: "allow", ...(fields as Record<string, string>) });
    expect([answer.status, answer.headers.get("Location")]).toEqual([status, null]);
  });

  test("sent from another site's page is refused, and the right one is accepted once", async () => {
    const { browser, page } = await newConsent();
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    for (const [name, value] of Object.entries(foreign)) {
      const answer = await browser.submit(page, { decision: "allow" }, { headers: { [name]: value } });
      expect(answer.status).toBe(403);
    }
    expect((await browser.submit(page, { decision: "allow" })).status).toBe(302);
    expect((await browser.submit(page, { decision: "allow" })).status).toBe(400);
  });

  test("from another browser is refused, although another user has signed in there", async () => {
    const { page } = await newConsent();
    await person({ email: "eve@example.com" });
    const eve = await signedIn("eve@example.com");
    const { fields } = fieldsOf((await eve.open("/sign-in")).html);
    const form = fields.find(([name]) => name === "form")?.[1] ?? "";
    expect((await eve.submit(page, { decision: "allow", form })).status).toBe(403);
  });
});

describe("a code", () => {
  const issued = async () => {
    const { client_id } = await start();
    return { client_id, code: (await authorize(ADA, client_id)).searchParams.get("code") ?? "" };
  };

  test.for([
    ["another verifier", { code_verifier: OTHER_VERIFIER }],
    ["no verifier", { code_verifier: undefined }],
    ["another redirect address", { redirect_uri: EVIL }],
    ["another resource", { resource: "https://evil.example/mcp" }],
    ["another grant type", { grant_type: "password" }],
  ] as const)("is worth nothing with %s", async ([, fields]) => {
    const { client_id, code } = await issued();
    const answer = await exchange(client_id, code, fields);
    expect([answer.status, answer.access_token]).toEqual([400, undefined]);
  });

  test("is exchanged once by five concurrent requests, in many rounds; used again, it ends what was issued for it, and the account is told", {
    timeout: 120_000,
  }, async () => {
    const { ada, client_id } = await start();
    const browser = await signedIn(ADA);
    for (let round = 0; round < 30; round++) {
      const code = await authorize(ADA, client_id, { browser });
      const trades = await Promise.all(Array.from({ length: 5 }, () => exchange(client_id, code)));
      const statuses = trades.map(({ status }) => status).toSorted();
      expect(statuses, `round ${round}`).toEqual([200, 400, 400, 400, 400]);
      if (round % 10 > 0) continue;
      const issued = trades.find(({ status }) => status === 200) as Tokens;
      expect((await ask(bearer(issued.access_token), "tools/list")).status).toBe(200);
      expect((await exchange(client_id, code)).status).toBe(400);
      expect((await ask(bearer(issued.access_token), "tools/list")).status).toBe(401);
      expect((await refresh(client_id, issued.refresh_token)).status).toBe(400);
      const { items } = await ada.ok(listSecurityEventsRoute);
      expect(items[0]).toMatchObject({ event: "connection_token_reused" });
    }
  });

  test("is not lost to invalid concurrent requests of its client or another, nor exchanged twice by an ambiguous body", async () => {
    const { client_id, code } = await issued();
    const other = await registerClient({ client_name: "Other" });
    const trades = await Promise.all([
      exchange(client_id, code, { code_verifier: OTHER_VERIFIER }),
      exchange(other.client_id, code),
      exchange(client_id, code),
      exchange(client_id, code, { redirect_uri: EVIL }),
    ]);
    expect(trades.map(({ status }) => status)).toEqual([400, 400, 200, 400]);

    const form = new URLSearchParams({
      ...{ grant_type: "authorization_code", client_id, redirect_uri: REDIRECT, code_verifier: VERIFIER },
      code: (await authorize(ADA, client_id)).searchParams.get("code") ?? "",
    });
    const prefixes = ["", "\uFEFFcode=a:b:c&", "code=a:b:c&", "code=&", "&&", "grant_type=refresh_token&"];
    const headers = { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" };
    const answers = await Promise.all(
      prefixes.map((prefix) =>
        visitor().fetch("/oauth/token", { method: "POST", headers, body: `${prefix}${form}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

test("a refresh token is refused to another client, and gives no more scopes", async () => {
  await person({ email: ADA });
  const { client_id, tokens } = await connect(ADA, ["docs:read"]);
  const { refresh_token } = tokens;
  const other = await registerClient({ client_name: "Other" });
  expect((await refresh(other.client_id, refresh_token)).status).toBe(400);
  const scope = "docs:read memory:write";
  const more = await askForTokens({ grant_type: "refresh_token", client_id, refresh_token, scope });
  expect(more.scope ?? "").not.toContain("memory:write");
  const cached = await visitor().fetch("/oauth/token", { method: "POST", body: new URLSearchParams() });
  expect(cached.headers.get("Cache-Control")).toContain("no-store");
});

test("an access token works only in the header, only for its purpose, and only unmodified", async () => {
  const { client_id, ada } = await start();
  const code = (await authorize(ADA, client_id)).searchParams.get("code") ?? "";
  const { tokens } = await connect(ADA);
  const query = `/mcp?access_token=${encodeURIComponent(tokens.access_token)}`;
  expect((await visitor().fetch(query, { method: "POST" })).status).toBe(401);
  const [user = "", grant = "", secret = ""] = tokens.access_token.split(":");
  await person({ email: "eve@example.com" });
  const [evesId = ""] = (await connect("eve@example.com")).tokens.access_token.split(":");
  for (const forged of [
    code,
    tokens.refresh_token,
    `${user}:${grant}:${secret.slice(1)}`,
    `${evesId}:${grant}:${secret}x`,
    `${user}:${grant}`,
    `${ada.tokens?.refresh_token}`,
    "null",
  ])
    expect((await ask(bearer(forged), "tools/list")).status, forged).toBe(401);
});
