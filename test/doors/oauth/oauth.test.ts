import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import {
  changePasswordRoute,
  deleteMeRoute,
  getMeRoute,
  logoutAllRoute,
} from "../../../src/features/auth/routes.ts";
import { listConnectionsRoute, revokeConnectionRoute } from "../../../src/features/connections/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { purge } from "../../../src/purge.ts";
import { Browser, fieldsOf } from "../../kit/browser.ts";
import { BASE, PASSWORD, person, visitor } from "../../kit/client.ts";
import { ask, initialize, use } from "../../kit/mcp.ts";
import {
  askForTokens,
  authorize,
  authorizeUrl,
  bearer,
  connect,
  exchange,
  REDIRECT,
  RESOURCE,
  refresh,
  registerClient,
  signInOn,
} from "../../kit/oauth.ts";

const ADA = "ada@example.com";
const json = async (path: string) => (await visitor().fetch(path)).json() as Promise<Record<string, unknown>>;

describe("a new client", () => {
  test("finds the authorization server from the 401", async () => {
    const refused = await visitor().fetch("/mcp", { method: "POST" });
    expect(refused.status).toBe(401);
    const metadata = `${BASE}/.well-known/oauth-protected-resource/mcp`;
    expect(refused.headers.get("WWW-Authenticate")).toContain(`resource_metadata="${metadata}"`);
    expect(await json("/.well-known/oauth-protected-resource/mcp")).toMatchObject({
      resource: RESOURCE,
      authorization_servers: [BASE],
    });
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

  test("registers, is authorized by its user, and renews its tokens", async () => {
    await person({ email: ADA });
    const { client_id, status } = await registerClient();
    expect(status).toBe(201);
    const redirected = await authorize(ADA, client_id);
    expect(redirected.origin + redirected.pathname).toBe(REDIRECT);
    expect(redirected.searchParams.get("state")).toBe("the-state");
    expect(redirected.searchParams.get("iss")).toBe(BASE);

    const tokens = await exchange(client_id, redirected.searchParams.get("code"));
    expect(tokens).toMatchObject({
      status: 200,
      expires_in: 86_400,
      scope: "docs:read docs:write memory:read memory:write",
    });
    const session = await initialize(bearer(tokens.access_token));
    expect(await use(session, "whoami")).toMatchObject({ email: ADA });

    const next = await refresh(client_id, tokens.refresh_token);
    expect(next.status).toBe(200);
    expect(next.access_token).not.toBe(tokens.access_token);
    expect((await ask(bearer(next.access_token), "tools/list")).status).toBe(200);
    // A lost answer may be requested again; rotation.test.ts says for how long.
    expect(await refresh(client_id, tokens.refresh_token)).toEqual(next);
    expect((await refresh(client_id, next.refresh_token)).status).toBe(200);
  });

  test("gets the scopes that its user ticked, and asks for more when it needs them", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const fields = { scope: "docs:read offline_access" };
    const redirected = await authorize(ADA, client_id, { fields, browser });
    const tokens = await exchange(client_id, redirected.searchParams.get("code"));
    expect(tokens.scope).toBe("docs:read offline_access");
    const refused = await ask(bearer(tokens.access_token), "tools/call", {
      name: "remember",
      arguments: { memory_type: "context", topic: "T", content: "C" },
    });
    expect(refused.status).toBe(403);
    const challenge = refused.headers.get("WWW-Authenticate") ?? "";
    expect(challenge).toContain('error="insufficient_scope"');
    const [, scope] = /scope="([^"]+)"/.exec(challenge) ?? [];
    expect(scope).toBe("docs:read memory:write");

    const again = await authorize(ADA, client_id, { fields: { scope }, browser });
    const more = await exchange(client_id, again.searchParams.get("code"));
    expect(more.scope).toBe(scope);
    const kept = await ask(bearer(more.access_token), "tools/call", {
      name: "remember",
      arguments: { memory_type: "context", topic: "T", content: "C" },
    });
    expect(kept.result?.isError).toBeUndefined();
    // The new grant replaced the old one.
    expect((await ask(bearer(tokens.access_token), "tools/list")).status).toBe(401);
  });

  test("gets none of the scopes that it asks for and its user unticks", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const fields = { scope: "docs:read docs:write memory:read memory:write offline_access" };
    const redirected = await authorize(ADA, client_id, { fields, scope: ["docs:read"] });
    const tokens = await exchange(client_id, redirected.searchParams.get("code"));
    expect(tokens.scope).toBe("docs:read offline_access");
    const refused = await ask(bearer(tokens.access_token), "tools/call", {
      name: "create_document",
      arguments: { title: "T" },
    });
    expect(refused.status).toBe(403);
  });
});

describe("the consent page", () => {
  test("shows a signed-in user who asks, where access goes and for what", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient({ client_name: "Claude" });
    const browser = new Browser();
    const signIn = await browser.open(await authorizeUrl(client_id, { scope: "docs:read" }));
    expect(signIn.html).toContain("<h1>Sign in</h1>");
    const page = await signInOn(browser, signIn, ADA);
    expect(page.status).toBe(200);
    expect(page.html).toContain("Allow Claude to use your Commonplace?");
    expect(page.html).toContain("client.example");
    expect(page.html).toContain(ADA);
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
    await person({ email: ADA });
    const redirect_uri = "http://localhost:4321/callback";
    const { client_id } = await registerClient({ redirect_uris: [redirect_uri] });
    const browser = new Browser();
    const signIn = await browser.open(await authorizeUrl(client_id, { redirect_uri }));
    const page = await signInOn(browser, signIn, ADA);
    expect(page.html).toContain("program on this device");
    expect(page.headers.get("Content-Security-Policy")).toContain("form-action 'self' http://localhost:4321");
  });

  test("accepts a refusal", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const page = await signInOn(browser, await browser.open(await authorizeUrl(client_id)), ADA);
    const denied = await browser.submit(page, { decision: "deny" });
    const location = new URL(denied.headers.get("Location") ?? "");
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: "access_denied",
      state: "the-state",
      iss: BASE,
    });
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
    const tokens = await exchange(client_id, code.searchParams.get("code"));
    expect(await use(await initialize(bearer(tokens.access_token)), "whoami")).toMatchObject({
      email: "new@example.com",
    });
  });

  test("lets somebody else sign in instead", async () => {
    await person({ email: ADA });
    await person({ email: "bob@example.com" });
    const { client_id } = await registerClient();
    const browser = new Browser();
    const page = await signInOn(browser, await browser.open(await authorizeUrl(client_id)), ADA);
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
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      statuses.push((await browser.submit(page, { email: ADA, password: "wrong password" })).status);
    }
    const sixth = await browser.submit(page, { email: ADA, password: PASSWORD });
    expect(statuses).toEqual(Array(5).fill(401));
    expect(sixth.status).toBe(429);
    expect(Number(sixth.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(sixth.html).toContain("Too many attempts");
    const elsewhere = new Browser();
    const answer = await elsewhere.submit(await elsewhere.open("/sign-in"), {
      email: ADA,
      password: PASSWORD,
    });
    expect(answer.status).toBe(303);
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
  test("can be seen and ended only by its user", async () => {
    const ada = await person({ email: ADA });
    const eve = await person();
    const { mcp, tokens, client_id } = await connect(ADA, ["docs:read"]);
    const { items, total } = await ada.ok(listConnectionsRoute);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      client_name: "Test Client",
      client_domain: null,
      redirect_host: "client.example",
      scopes: ["docs:read"],
    });
    expect((await eve.ok(listConnectionsRoute)).items).toEqual([]);
    expect(items[0]?.last_used_at).toBeNull();
    const params = { connection_id: items[0]?.id ?? "" };
    expect((await eve.call(revokeConnectionRoute, { params })).status).toBe(404);
    expect((await ask(mcp, "tools/list")).status).toBe(200);
    const used = await ada.ok(listConnectionsRoute);
    expect(Date.now() - Date.parse(used.items[0]?.last_used_at ?? "")).toBeLessThan(60_000);
    expect(used.mcp_url).toBe("https://commonplace.test/mcp");
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
    const revoked = await askForTokens({ token: tokens.refresh_token, client_id });
    expect(revoked.status).toBe(200);
    expect((await ask(mcp, "tools/list")).status).toBe(401);
    expect((await refresh(client_id, tokens.refresh_token)).status).toBe(400);
  });

  const password = { current_password: PASSWORD, new_password: "another good one" };
  test.for([
    ["a password change", changePasswordRoute, password, 200],
    ["signing out everywhere", logoutAllRoute, undefined, 200],
    ["the end of its account", deleteMeRoute, { password: PASSWORD }, 401],
  ] as const)("ends with %s, in every session, for good", async ([, route, json, keyStatus]) => {
    const ada = await person({ email: ADA });
    await person({ email: "bob@example.com" });
    const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
    const { id } = await ada.ok(getMeRoute);
    const { mcp, tokens, client_id } = await connect(ADA);
    const browser = new Browser();
    const second = await registerClient();
    const code = (await authorize(ADA, second.client_id, { browser })).searchParams.get("code");
    const bobs = await connect("bob@example.com");
    const session = await initialize(mcp);
    expect((await session.ask("tools/list")).status).toBe(200);

    expect((await ada.call(route, json ? { json } : {})).status).toBe(204);
    for (const refused of [await session.ask("tools/list"), await ask(mcp, "tools/list")]) {
      expect(refused.status).toBe(401);
      const challenge = refused.headers.get("WWW-Authenticate");
      expect(challenge).toContain('error="invalid_token"');
      expect(challenge).toContain(`resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`);
    }
    expect(await refresh(client_id, tokens.refresh_token)).toMatchObject({
      status: 400,
      error: "invalid_grant",
    });
    // Nor is anything accepted that was issued before: a code, or a signed-in page.
    expect((await exchange(second.client_id, code)).status).toBe(400);
    const page = await browser.open(await authorizeUrl(client_id));
    expect(page.html).toContain("<h1>Sign in</h1>");
    const kept = await Promise.all(
      ["grant", "token"].map((kind) => env.OAUTH_KV.list({ prefix: `${kind}:${id}` })),
    );
    expect(kept.flatMap(({ keys }) => keys)).toEqual([]);

    expect((await ask(bobs.mcp, "tools/list")).status).toBe(200);
    const script = await bearer(key).call(listDocumentsRoute);
    expect(script.status).toBe(keyStatus);
  });

  test("ends at once even where its grant can still be read", async () => {
    const ada = await person({ email: ADA });
    const { mcp, tokens, client_id } = await connect(ADA);
    const session = await initialize(mcp);
    const grants = await env.OAUTH_KV.list();
    const copies = await Promise.all(
      grants.keys.map(async ({ name }) => [name, (await env.OAUTH_KV.get(name)) ?? ""] as const),
    );
    await ada.call(logoutAllRoute);
    // KV may take up to a minute to reach distant locations.
    for (const [name, value] of copies) await env.OAUTH_KV.put(name, value);
    for (const refused of [await session.ask("tools/list"), await ask(mcp, "tools/list")]) {
      expect(refused.status).toBe(401);
      expect(refused.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    }
    const next = await refresh(client_id, tokens.refresh_token);
    expect((await ask(bearer(next.access_token), "tools/list")).status).toBe(401);
  });

  test("stores no token, code or secret in plain text, and the cron handler removes expired ones", async () => {
    await person({ email: ADA });
    const { tokens } = await connect(ADA);
    const { keys } = await env.OAUTH_KV.list();
    const values = await Promise.all(keys.map(async ({ name }) => name + (await env.OAUTH_KV.get(name))));
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      expect(values.join()).not.toContain(secret.split(":").at(-1));
    }
    await purge(env);
    expect((await refresh("nobody", tokens.refresh_token)).status).toBe(401);
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
  const statuses: number[] = [];
  for (let count = 0; count < 10; count++) statuses.push((await registerClient({}, from)).status);
  expect(statuses).toEqual(Array(10).fill(201));
  const refused = await registerClient({}, from);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
});
