import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as auth from "../../../src/features/auth/routes.ts";
import {
  createDocumentRoute,
  getDocumentRoute,
  listDocumentsRoute,
} from "../../../src/features/documents/routes.ts";
import { exportAccountRoute } from "../../../src/features/export/routes.ts";
import { APP_HEADERS, AppPage, personInApp } from "../../kit/app-page.ts";
import { BASE, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { OPERATIONS, partsOf } from "../../kit/description.ts";
import { meterDatabase } from "../../kit/meter.ts";

// The browser's session: one opaque cookie, which only our own pages can use, and what ends it.

const EMAIL = "ada@example.com";
const SECURE =
  /^__Host-commonplace=cps_1\.\d+\.[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/;
const CLEARED = /^__Host-commonplace=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/;
const PLAIN = /^commonplace=cps_1\.\d+\.[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/;

const statusOf = async (page: AppPage) => (await page.call(auth.getMeRoute)).status;

/** Simulates that the sessions were last used this long ago. */
const age = (hours: number) =>
  env.DB.prepare(
    `UPDATE sessions SET last_used_at = strftime('%Y-%m-%dT%H:%M:%fZ', last_used_at, ?1),
      expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', expires_at, ?1)`,
  )
    .bind(`-${hours} hours`)
    .run();

describe("signing in from the app", () => {
  test("answers the account, sets one cookie, and gives out no token", async () => {
    const page = new AppPage();
    const json = { email: EMAIL, password: PASSWORD, session: "cookie" };
    const registered = await page.call(auth.registerRoute, { json });
    expect(registered.status).toBe(201);
    expect(registered.headers.getSetCookie()).toEqual([expect.stringMatching(SECURE)]);
    expect(registered.body).toEqual(await page.ok(auth.getMeRoute));
    const first = page.copy();
    const again = new AppPage();
    const signedIn = await again.call(auth.loginRoute, { json });
    expect(signedIn.status).toBe(200);
    expect(signedIn.headers.getSetCookie()).toEqual([expect.stringMatching(SECURE)]);
    expect(signedIn.body).toEqual(registered.body);
    expect(again.cookie).not.toBe(first.cookie);
    expect(await statusOf(first)).toBe(200);
  });

  test("answers tokens, and sets no cookie, by default", async () => {
    const ada = await person({ email: EMAIL });
    const answer = await ada.call(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.body).toHaveProperty("access_token");
  });

  test("over plain HTTP uses a cookie without the prefix, unless a proxy in front ends TLS", async () => {
    const base = "http://192.168.0.7:8000";
    const page = await personInApp(EMAIL, { base, env: { API_URL: "" } });
    expect(page.setCookie).toMatch(PLAIN);
    expect(await statusOf(page)).toBe(200);
    const behind = await personInApp("bob@example.com", { base, env: { API_URL: "https://notes.example" } });
    expect(behind.setCookie).toMatch(SECURE);
    const MCP_URL = "https://mcp.example/mcp";
    const host = await personInApp("eve@example.com", {
      base: "http://mcp.example",
      env: { API_URL: "", MCP_URL },
    });
    expect(host.setCookie).toMatch(SECURE);
    const beside = await personInApp("eda@example.com", { base, env: { API_URL: "", MCP_URL } });
    expect(beside.setCookie).toMatch(PLAIN);
    expect(await statusOf(behind)).toBe(200);
  });

  test("over HTTPS, a cookie without the prefix signs in nobody: another host may have set it", async () => {
    const page = await personInApp();
    page.cookie = page.cookie?.replace("__Host-", "");
    expect(await statusOf(page)).toBe(401);
  });

  test("leaves no trace of the secret in the database, only its hash", async () => {
    const page = await personInApp();
    const { results: tables } = await env.DB.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_cf_%' AND name NOT LIKE 'search_%'",
    ).all<{ name: string }>();
    const rows = await Promise.all(tables.map(({ name }) => env.DB.prepare(`SELECT * FROM ${name}`).all()));
    const text = JSON.stringify(rows.map(({ results }) => results));
    expect(text).toContain(EMAIL);
    expect(text).not.toContain(page.secret);
    const { results } = await env.DB.prepare("SELECT cookie_hash FROM sessions").all();
    expect(results).toEqual([{ cookie_hash: expect.stringMatching(/^[\w-]{43}$/) }]);
  });

  test("again in the same browser ends the session before", async () => {
    const page = await personInApp();
    const before = page.copy();
    await page.ok(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD, session: "cookie" } });
    expect([await statusOf(page), await statusOf(before)]).toEqual([200, 401]);
  });
});

describe("a request with the cookie", () => {
  test("costs one call to the database, also when it extends the session", async () => {
    const page = await personInApp();
    const { id } = await page.ok(createDocumentRoute, { json: { title: "Packing list" } });
    for (const hours of [0, 2]) {
      await age(hours);
      const meter = { calls: 0, rowsRead: 0, rowsWritten: 0 };
      const metered = page.copy({ DB: meterDatabase(env.DB, meter) });
      await metered.ok(getDocumentRoute, { params: { document_id: id } });
      expect(meter.calls, `after ${hours} hours`).toBe(1);
      expect(metered.setCookie !== undefined).toBe(hours > 0);
    }
  });

  test("may do what an access token may: all operations, and the answers are the same", async () => {
    const page = await personInApp();
    const ada = await signIn(EMAIL);
    for (const offered of OPERATIONS.filter(({ method }) => method === "GET")) {
      const { route, operation, path } = offered;
      const wanted = operation.parameters?.filter(({ required }) => required) ?? [];
      const parts = partsOf(offered, {
        parameters: wanted.map(({ name, example }) => [name, example]),
        body: undefined,
      });
      const [mine, theirs] = [await page.call(route, parts), await ada.call(route, parts)];
      expect(mine.status, path).toBe(theirs.status);
    }
    expect((await page.call(exportAccountRoute)).status).toBe(200);
  });

  test("extends the session by 30 days, at most once an hour", async () => {
    const page = await personInApp();
    const row = () =>
      env.DB.prepare("SELECT last_used_at, expires_at FROM sessions").first<{
        last_used_at: string;
        expires_at: string;
      }>();
    const fresh = await row();
    await page.ok(auth.getMeRoute);
    expect(page.setCookie).toBeUndefined();
    expect(await row()).toEqual(fresh);
    await age(29 * 24);
    const value = page.cookie;
    await page.ok(auth.getMeRoute);
    expect(page.setCookie).toMatch(SECURE);
    expect(page.cookie).toBe(value);
    const extended = await row();
    expect(extended && Date.parse(extended.expires_at) - Date.parse(extended.last_used_at)).toBe(
      30 * 86_400_000,
    );
    expect(Date.parse(extended?.expires_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(fresh?.expires_at ?? ""),
    );
    await page.ok(auth.getMeRoute);
    expect(page.setCookie).toBeUndefined();
  });

  test("is a 401 after 30 days without use, and for a cookie that is made up or another user's", async () => {
    const [page, bob] = [await personInApp(), await personInApp("bob@example.com")];
    const [name] = page.cookie?.split("=") ?? [];
    const [mine, his] = [page.cookie?.split("."), bob.cookie?.split(".")];
    for (const value of [
      "",
      "x",
      `cps_1.${his?.[1]}.${mine?.[2]}`,
      `cps_4.${mine?.[1]}.${mine?.[2]}`,
      `cps_1.0.${mine?.[2]}`,
      `cps_1.${mine?.[1]}.${"A".repeat(43)}`,
      `cps_1.${mine?.[1]}.${mine?.[2]}A`,
    ]) {
      const forged = page.copy();
      forged.cookie = `${name}=${value}`;
      expect(await statusOf(forged), value).toBe(401);
    }
    await age(30 * 24 + 1);
    expect(await statusOf(page)).toBe(401);
  });

  test("with an Authorization header is that header's, whatever it says", async () => {
    const page = await personInApp();
    const bob = await person({ email: "bob@example.com" });
    const headers = { Authorization: `Bearer ${bob.tokens?.access_token}` };
    expect(await page.ok(auth.getMeRoute, { headers })).toMatchObject({ email: "bob@example.com" });
    // No header of a page is needed then.
    const foreign = { ...headers, "Sec-Fetch-Site": "cross-site", "X-Requested-With": "" };
    const made = await page.call(createDocumentRoute, { headers: foreign, json: { title: "His" } });
    expect(made.status).toBe(201);
    for (const Authorization of ["", "Basic eDp5", "Bearer wrong"]) {
      expect((await page.call(auth.getMeRoute, { headers: { Authorization } })).status).toBe(401);
    }
  });

  test("is refused to a page that works for another account, whatever that page wants to do", async () => {
    const page = await personInApp();
    const { id } = await page.ok(auth.getMeRoute);
    const bob = await personInApp("bob@example.com");
    const { id: other } = await bob.ok(auth.getMeRoute);
    // Another person has signed in to the same browser, in another tab.
    bob.cookie = page.cookie;
    const wrong = [other, crypto.randomUUID(), "", "null", "%", `${id}, ${other}`, id.toUpperCase()];
    for (const account of wrong) {
      const headers = { "X-Account": account };
      expect((await bob.call(auth.getMeRoute, { headers })).status, account).toBe(401);
      const made = await bob.call(createDocumentRoute, { headers, json: { title: "His" } });
      expect(made.status, account).toBe(401);
    }
    const mine = { "X-Account": id };
    expect((await page.call(auth.getMeRoute, { headers: mine })).status).toBe(200);
    expect((await page.call(createDocumentRoute, { headers: mine, json: { title: "Mine" } })).status).toBe(
      201,
    );
    expect(await page.ok(listDocumentsRoute)).toMatchObject({ total: 1 });
  });

  test("is never read by MCP and its OAuth server", async () => {
    const page = await personInApp();
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: message };
    const [mine, nobody] = [await page.fetch("/mcp", init), await visitor().fetch("/mcp", init)];
    expect([mine.status, await mine.text()]).toEqual([nobody.status, await nobody.text()]);
    expect(mine.status).toBe(401);
    const form = {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "grant_type=authorization_code&code=x&client_id=y",
    };
    for (const path of ["/oauth/token", "/oauth/register"]) {
      const [with_, without] = [await page.fetch(path, form), await visitor().fetch(path, form)];
      expect([with_.status, await with_.text()], path).toEqual([without.status, await without.text()]);
    }
  });
});

describe("a request from another site", () => {
  const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
  /** Nothing is changed by these: what they would need is missing. */
  const PATHS: Record<string, string> = { POST: "/api/documents", PATCH: "/api/auth/me" };
  const SITES = [undefined, "same-origin", "same-site", "cross-site", "none", "Same-Origin"];
  const ORIGINS = [
    undefined,
    BASE,
    "https://evil.example",
    "null",
    "https://commonplace.test:8443",
    "http://commonplace.test",
    `${BASE}.evil.example`,
    "",
  ];
  const PAGES = [undefined, "commonplace", "XMLHttpRequest", "Commonplace", ""];

  /** The rule: what reads is open, and everything else needs both. */
  const isAllowed = (method: string, site?: string, origin?: string, page?: string) => {
    const own = site === undefined ? origin === BASE : site === "same-origin";
    return method === "GET" || method === "HEAD" || (own && page === "commonplace");
  };

  test("is refused with what it lacks, for every method and every combination of headers", async () => {
    const page = await personInApp();
    const one = fc.tuple(...[METHODS, SITES, ORIGINS, PAGES].map((list) => fc.constantFrom(...list)));
    await fc.assert(
      fc.asyncProperty(one, async ([method = "GET", site, origin, sender]) => {
        const given = { "Sec-Fetch-Site": site, Origin: origin, "X-Requested-With": sender };
        const names = Object.entries(given);
        const headers = names.filter((entry): entry is [string, string] => entry[1] !== undefined);
        page.unsent = names.filter(([, value]) => value === undefined).map(([name]) => name);
        const answer = await page.fetch(PATHS[method] ?? "/api/documents/x", { method, headers });
        const detail = method === "HEAD" ? "" : await answer.text();
        expect(answer.status === 403, `${method} ${JSON.stringify(given)}: ${detail}`).toBe(
          !isAllowed(method, site, origin, sender),
        );
        if (answer.status !== 403) return;
        expect(detail.includes("X-Requested-With: commonplace")).toBe(sender !== "commonplace");
        expect(detail.includes("Sec-Fetch-Site")).toBe(!isAllowed("POST", site, origin, "commonplace"));
      }),
      { numRuns: 150 },
    );
  });

  test("cannot sign a browser in: login and registration need the same", async () => {
    await person({ email: EMAIL });
    for (const missing of Object.keys(APP_HEADERS)) {
      const headers = { [missing]: "" };
      const json = { email: EMAIL, password: PASSWORD, session: "cookie" };
      for (const route of [auth.loginRoute, auth.registerRoute]) {
        const page = new AppPage();
        const { status, detail } = await page.refusal(route, { json, headers });
        expect(status).toBe(403);
        expect(detail).toContain(missing);
        expect(page.cookie).toBeUndefined();
      }
    }
  });

  test("is not helped by CORS: no origin may send credentials or the app's header", async () => {
    for (const path of ["/api/documents", "/api/auth/login", "/api/auth/logout"]) {
      const answer = await visitor().fetch(path, {
        method: "OPTIONS",
        headers: {
          Origin: "https://app.commonplace.test",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "x-requested-with",
        },
      });
      expect(answer.headers.get("Access-Control-Allow-Credentials")).toBeNull();
      expect(answer.headers.get("Access-Control-Allow-Headers")?.toLowerCase()).not.toContain("requested");
    }
  });
});

test("an origin behind a proxy that ends TLS is the service's own where browsers send no Sec-Fetch-Site", async () => {
  const API_URL = "https://notes.example";
  const page = await personInApp(EMAIL, { base: "http://notes.example", env: { API_URL } });
  page.unsent = ["Sec-Fetch-Site"];
  const json = { title: "Packing list" };
  for (const [Origin, status] of [
    ["https://notes.example", 201],
    ["https://evil.example", 403],
  ] as const) {
    expect((await page.call(createDocumentRoute, { json, headers: { Origin } })).status).toBe(status);
  }
});

describe("signing out", () => {
  test("ends the cookie's session and deletes the cookie", async () => {
    const page = await personInApp();
    const stolen = page.copy();
    expect((await page.call(auth.logoutRoute, { json: {} })).status).toBe(204);
    expect(page.setCookie).toMatch(CLEARED);
    expect(await statusOf(stolen)).toBe(401);
    // Signed out already: nothing is wrong with that.
    expect((await page.call(auth.logoutRoute)).status).toBe(204);
    expect((await stolen.call(auth.logoutRoute)).status).toBe(204);
  });

  test("without anything to end says what to send, and another site cannot do it", async () => {
    const { status, detail } = await visitor().refusal(auth.logoutRoute, { json: {} });
    expect([status, detail]).toEqual([422, "refresh_token: is required without the session cookie"]);
    const page = await personInApp();
    const refused = await page.call(auth.logoutRoute, { headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(refused.status).toBe(403);
    expect(await statusOf(page)).toBe(200);
  });

  test("of a refresh token leaves the browser's session alone", async () => {
    const page = await personInApp();
    const refresh_token = (await signIn(EMAIL)).tokens?.refresh_token;
    expect((await page.call(auth.logoutRoute, { json: { refresh_token } })).status).toBe(204);
    expect(await statusOf(page)).toBe(200);
  });

  test("everywhere ends every browser's session, and nobody else's", async () => {
    const [page, bob] = [await personInApp(), await personInApp("bob@example.com")];
    const other = new AppPage();
    await other.ok(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD, session: "cookie" } });
    await page.call(auth.logoutAllRoute);
    expect(page.setCookie).toMatch(CLEARED);
    expect([await statusOf(other), await statusOf(bob)]).toEqual([401, 200]);
  });

  test("of one session in the list, which shows browsers and programs", async () => {
    const page = await personInApp();
    const ada = await signIn(EMAIL);
    const { items } = await page.ok(auth.listSessionsRoute);
    expect(items.map(({ current }) => current).sort()).toEqual([false, true]);
    const program = items.find(({ current }) => !current);
    await page.call(auth.revokeSessionRoute, { params: { session_id: program?.id ?? "" } });
    expect(page.setCookie).toBeUndefined();
    expect((await ada.call(auth.getMeRoute)).status).toBe(401);
    const mine = items.find(({ current }) => current);
    const stolen = page.copy();
    await page.call(auth.revokeSessionRoute, { params: { session_id: mine?.id ?? "" } });
    expect(page.setCookie).toMatch(CLEARED);
    expect(await statusOf(stolen)).toBe(401);
  });

  test("by a new password keeps this browser signed in, with a new cookie, and no other", async () => {
    const page = await personInApp();
    const stolen = page.copy();
    const ada = await signIn(EMAIL);
    const json = { current_password: PASSWORD, new_password: "a longer horse battery staple" };
    await page.call(auth.changePasswordRoute, { json });
    expect(page.setCookie).toMatch(SECURE);
    expect(page.cookie).not.toBe(stolen.cookie);
    expect([await statusOf(page), await statusOf(stolen)]).toEqual([200, 401]);
    expect((await ada.call(auth.getMeRoute)).status).toBe(401);
    expect((await page.ok(auth.listSessionsRoute)).total).toBe(1);
  });

  test("by the end of the account", async () => {
    const page = await personInApp();
    const stolen = page.copy();
    await page.call(auth.deleteMeRoute, { json: { password: PASSWORD } });
    expect(page.setCookie).toMatch(CLEARED);
    expect(await statusOf(stolen)).toBe(401);
  });
});
