import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listConnectionsRoute, revokeConnectionRoute } from "../../../src/features/connections/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { Browser, fieldsOf } from "../../kit/browser.ts";
import { BASE, type Client, PASSWORD, person, visitor } from "../../kit/client.ts";
import { ask } from "../../kit/mcp.ts";
import {
  askForTokens,
  authorize,
  authorizeUrl,
  bearer,
  connect,
  exchange,
  newConsent,
  RESOURCE,
  refresh,
  registerClient,
  signInOn,
  whoamiWith,
} from "../../kit/oauth.ts";

const ADA = "ada@example.com";
const json = async (path: string) => (await visitor().fetch(path)).json() as Promise<Record<string, unknown>>;
const remember = (client: Client) =>
  ask(client, "tools/call", {
    name: "remember",
    arguments: { memory_type: "context", topic: "T", content: "C" },
  });

describe("a new client", () => {
  test("finds the authorization server from the 401", async () => {
    const refused = await visitor().fetch("/mcp", { method: "POST" });
    expect(refused.status).toBe(401);
    const metadata = `${BASE}/.well-known/oauth-protected-resource/mcp`;
    expect(refused.headers.get("WWW-Authenticate")).toContain(`resource_metadata="${metadata}"`);
    expect(await json(metadata)).toMatchObject({ resource: RESOURCE, authorization_servers: [BASE] });
    expect(await json("/.well-known/oauth-authorization-server")).toMatchObject({
      issuer: BASE,
      authorization_endpoint: `${BASE}/authorize`,
      token_endpoint: `${BASE}/oauth/token`,
      registration_endpoint: `${BASE}/oauth/register`,
      code_challenge_methods_supported: ["S256"],
      scopes_supported: ["docs:read", "docs:write", "memory:read", "memory:write", "offline_access"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      response_types_supported: ["code"],
    });
  });

  test("gets the scopes that its user ticked, and asks for more when it needs them", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const every = "docs:read docs:write memory:read memory:write";
    const first = await exchange(client_id, await authorize(ADA, client_id, { browser }));
    expect(first).toMatchObject({ status: 200, expires_in: 86_400, scope: every });
    const all = { scope: `${every} offline_access` };
    const unticked = { fields: all, scope: ["docs:read"], browser };
    expect((await exchange(client_id, await authorize(ADA, client_id, unticked))).scope).toBe(
      "docs:read offline_access",
    );
    const fields = { scope: "docs:read offline_access" };
    const tokens = await exchange(client_id, await authorize(ADA, client_id, { fields, browser }));
    expect(tokens.scope).toBe("docs:read offline_access");
    const refused = await remember(bearer(tokens.access_token));
    expect(refused.status).toBe(403);
    const challenge = refused.headers.get("WWW-Authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    const [, scope] = /scope="([^"]+)"/.exec(challenge) ?? [];
    expect(scope).toBe("docs:read memory:write");

    const more = await exchange(client_id, await authorize(ADA, client_id, { fields: { scope }, browser }));
    expect(more.scope).toBe(scope);
    expect((await remember(bearer(more.access_token))).result?.isError).toBeUndefined();
    // The new grant replaced the old one.
    expect((await ask(bearer(tokens.access_token), "tools/list")).status).toBe(401);
  });
});

describe("the consent page", () => {
  test("shows a signed-in user who asks, where access goes and for what", async () => {
    const { browser, page } = await newConsent({ client_name: "Claude" }, { scope: "docs:read" });
    expect(page.status).toBe(200);
    for (const shown of ["Allow Claude to use your Commonplace?", "client.example", ADA])
      expect(page.html).toContain(shown);
    expect(page.html).not.toContain("program on this device");
    expect(fieldsOf(page.html).fields.filter(([name]) => name === "scope")).toEqual([["scope", "docs:read"]]);
    expect(page.html).not.toMatch(/<script|style=|onclick/i);
    expect(page.headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; " +
        "form-action 'self' https://client.example",
    );
    expect(page.headers.get("X-Frame-Options")).toBe("DENY");
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    for (const cookie of browser.cookies.keys()) expect(cookie).toMatch(/^__Host-/);
  });

  test("warns when access goes to a program on the same device", async () => {
    const redirect_uri = "http://localhost:4321/callback";
    const { page } = await newConsent({ redirect_uris: [redirect_uri] }, { redirect_uri });
    expect(page.html).toContain("program on this device");
    expect(page.headers.get("Content-Security-Policy")).toContain("form-action 'self' http://localhost:4321");
  });

  test("accepts a refusal", async () => {
    const { browser, page } = await newConsent();
    const denied = await browser.submit(page, { decision: "deny" });
    const location = new URL(denied.headers.get("Location") ?? "");
    const answer = { error: "access_denied", state: "the-state", iss: BASE };
    expect(Object.fromEntries(location.searchParams)).toEqual(answer);
    expect((await browser.submit(page, { decision: "allow" })).status).toBe(400);
  });

  test("creates an account where registration is open", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const signIn = await browser.open(await authorizeUrl(client_id));
    const link = /href="(\/sign-in\/register[^"]*)"/.exec(signIn.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const form = await browser.open(link);
    const short = await browser.submit(form, { email: "new@example.com", password: "short" });
    expect(short.status).toBe(422);
    expect(short.html).toContain("at least 8 characters long");
    expect(short.html).toContain('value="new@example.com"');
    const page = await signInOn(browser, form, "new@example.com");
    expect(page.html).toContain("Allow Test Client");
    const code = new URL((await browser.submit(page, { decision: "allow" })).headers.get("Location") ?? "");
    expect(await whoamiWith(await exchange(client_id, code))).toMatchObject({ email: "new@example.com" });
  });

  test("lets another user sign in instead", async () => {
    const { browser, page } = await newConsent();
    await person({ email: "bob@example.com" });
    const out = await browser.submit(page, {}, { form: 1 });
    const again = await browser.open(out.headers.get("Location") ?? "");
    expect(again.html).toContain("<h1>Sign in</h1>");
    const bobs = await signInOn(browser, again, "bob@example.com");
    expect(bobs.html).toContain("bob@example.com");
    // Ada's page is still open in another tab; it must not act for Bob.
    expect((await browser.submit(page, { decision: "allow" })).status).toBe(403);
  });
});

describe("signing in on a page", () => {
  test("allows 5 attempts in 60 seconds for each client address, including successful ones", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    const page = await browser.open("/sign-in");
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await browser.submit(page, { email: ADA, password: "wrong password" })).status).toBe(401);
    const sixth = await browser.submit(page, { email: ADA, password: PASSWORD });
    expect(sixth.status).toBe(429);
    expect(Number(sixth.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(sixth.html).toContain("Too many attempts");
    const elsewhere = new Browser();
    const form = await elsewhere.open("/sign-in");
    expect((await elsewhere.submit(form, { email: ADA, password: PASSWORD })).status).toBe(303);
  });

  test("does not reveal whether an email address has an account", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    const page = await browser.open("/sign-in");
    const wrong = await browser.submit(page, { email: ADA, password: "wrong password" });
    const unknown = await browser.submit(page, { email: "eve@example.com", password: "wrong password" });
    expect(unknown.status).toBe(wrong.status);
    expect(unknown.html.replace("eve@example.com", ADA)).toBe(wrong.html);
  });

  test("accepts only our own forms, from our own pages", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    const page = await browser.open("/sign-in");
    const fields = { email: ADA, password: PASSWORD };
    const foreign = await browser.submit(page, fields, { headers: { Origin: "https://evil.example" } });
    const cross = await browser.submit(page, fields, { headers: { "Sec-Fetch-Site": "cross-site" } });
    const forged = await browser.submit(page, { ...fields, form: "A".repeat(43) });
    const otherBrowser = await new Browser().submit(page, fields);
    for (const answer of [foreign, cross, forged, otherBrowser]) expect(answer.status).toBe(403);
    expect([...browser.cookies.keys()]).toEqual(["__Host-commonplace-form"]);
  });
});

describe("a connection", () => {
  test("can be seen and ended only by its user, who sees when it was last used", async () => {
    const [ada, eve] = [await person({ email: ADA }), await person()];
    const { mcp, tokens, client_id } = await connect(ADA, ["docs:read"]);
    const { items, total } = await ada.ok(listConnectionsRoute);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      ...{ client_name: "Test Client", client_domain: null, redirect_host: "client.example" },
      ...{ scopes: ["docs:read"], last_used_at: null },
    });
    expect((await eve.ok(listConnectionsRoute)).items).toEqual([]);
    const params = { connection_id: items[0]?.id ?? "" };
    expect((await eve.call(revokeConnectionRoute, { params })).status).toBe(404);
    expect((await ask(mcp, "tools/list")).status).toBe(200);
    const used = await ada.ok(listConnectionsRoute);
    expect(Date.now() - Date.parse(used.items[0]?.last_used_at ?? "")).toBeLessThan(60_000);
    expect(used.mcp_url).toBe(RESOURCE);
    // Within the hour, this isolate does not write it again; later, it does.
    const lastUsed = () => env.DB.prepare("SELECT last_used_at FROM connection_uses").first("last_used_at");
    await env.DB.exec("UPDATE connection_uses SET last_used_at = '2026-01-01'");
    expect([(await ask(mcp, "tools/list")).status, await lastUsed()]).toEqual([200, "2026-01-01"]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    expect((await ask(mcp, "tools/list")).status).toBe(200);
    vi.useRealTimers();
    expect(await lastUsed()).not.toBe("2026-01-01");
    expect((await ada.call(revokeConnectionRoute, { params })).status).toBe(204);
    expect((await ask(mcp, "tools/list")).status).toBe(401);
    expect((await refresh(client_id, tokens.refresh_token)).status).toBe(400);
    expect((await ada.ok(listConnectionsRoute)).total).toBe(0);
  });

  test("is ended by its client with a revocation", async () => {
    await person({ email: ADA });
    const { mcp, tokens, client_id } = await connect(ADA);
    expect((await askForTokens({ token: tokens.refresh_token, client_id })).status).toBe(200);
    expect((await ask(mcp, "tools/list")).status).toBe(401);
    expect((await refresh(client_id, tokens.refresh_token)).status).toBe(400);
  });

  const password = { current_password: PASSWORD, new_password: "another good one" };
  // That its requests are refused is in mcp-ended.test.ts.
  test.for([
    ["a password change", auth.changePasswordRoute, password, 200],
    ["signing out everywhere", auth.logoutAllRoute, undefined, 200],
    ["the end of its account", auth.deleteMeRoute, { password: PASSWORD }, 401],
  ] as const)("ends with %s, and with it all that was issued before", async ([, route, json, keyStatus]) => {
    const ada = await person({ email: ADA });
    await person({ email: "bob@example.com" });
    const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
    const { id } = await ada.ok(auth.getMeRoute);
    const { tokens, client_id } = await connect(ADA);
    const browser = new Browser();
    const second = await registerClient();
    const code = await authorize(ADA, second.client_id, { browser });
    const bobs = await connect("bob@example.com");

    expect((await ada.call(route, json ? { json } : {})).status).toBe(204);
    const refused = { status: 400, error: "invalid_grant" };
    expect(await refresh(client_id, tokens.refresh_token)).toMatchObject(refused);
    expect((await exchange(second.client_id, code)).status).toBe(400);
    expect((await browser.open(await authorizeUrl(client_id))).html).toContain("<h1>Sign in</h1>");
    for (const kind of ["grant", "token"])
      expect((await env.OAUTH_KV.list({ prefix: `${kind}:${id}` })).keys, kind).toEqual([]);
    expect((await ask(bobs.mcp, "tools/list")).status).toBe(200);
    expect((await bearer(key).call(listDocumentsRoute)).status).toBe(keyStatus);
  });
});

test("API and MCP tokens are not interchangeable, except in the legacy mode", async () => {
  const ada = await person({ email: ADA });
  const { tokens } = await connect(ADA);
  // An MCP token is not accepted by the API.
  expect(await bearer(tokens.access_token).refusal(listDocumentsRoute)).toMatchObject({ status: 401 });
  // An API token is accepted at /mcp (the legacy mode) as long as its session is active.
  expect((await ask(ada, "tools/list")).status).toBe(200);
  await env.DB.prepare("UPDATE sessions SET revoked_at = '2026-01-01T00:00:00.000Z'").run();
  expect((await ask(ada, "tools/list")).status).toBe(401);
});

test("registration allows 10 clients in 60 seconds for each client address", async () => {
  const from = visitor();
  for (let count = 0; count < 10; count++) expect((await registerClient({}, from)).status).toBe(201);
  const refused = await registerClient({}, from);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
});
