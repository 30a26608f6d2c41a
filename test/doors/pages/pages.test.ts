import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDestination } from "../../../src/doors/pages/destination.ts";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import { AppPage } from "../../kit/app-page.ts";
import { Browser, fieldsOf, type Page } from "../../kit/browser.ts";
import { BASE, PASSWORD, person } from "../../kit/client.ts";
import { bareId, initialize, use } from "../../kit/mcp.ts";
import { authorizeUrl, connect, newConsent, registerClient, signInOn } from "../../kit/oauth.ts";
import { runs } from "../../kit/time-limits.ts";

// The sign-in pages: one sign-in for the app, for the consent page, and for the links in an assistant's answers.

const ADA = "ada@example.com";
const COOKIE = "__Host-commonplace";

const titleOf = ({ html }: Page) => /<title>(.*?)<\/title>/.exec(html)?.[1];
const inputOf = ({ html }: Page, name: string) =>
  new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? "";

/** A page of the app in this browser. */
function appIn(browser: Browser): AppPage {
  const page = new AppPage();
  page.cookie = `${COOKIE}=${browser.cookies.get(COOKIE)}`;
  return page;
}

describe("the sign-in", () => {
  test("on a page is that of the app, and leads to it; a client is then connected with one click", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    const answer = await browser.submit(await browser.open("/sign-in"), { email: ADA, password: PASSWORD });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/"]);
    expect(answer.headers.get("Set-Cookie")).toMatch(/^__Host-commonplace=cps_1\..*Max-Age=2592000.*Secure/);
    expect(await appIn(browser).ok(getMeRoute)).toMatchObject({ email: ADA });
    const { client_id } = await registerClient();
    expect((await browser.open(await authorizeUrl(client_id))).html).toContain("Allow Test Client");
  });

  test("on a page without TLS works as well", async () => {
    const open = new AppPage({ base: "http://192.168.0.7:8000", env: { API_URL: "", MCP_URL: "" } });
    const form = await open.fetch("/sign-in/register");
    const cookie = form.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/^commonplace-form=/);
    expect(cookie).not.toContain("Secure");
    const secret = /=([^;]+)/.exec(cookie)?.[1] ?? "";
    open.cookie = `commonplace-form=${secret}`;
    const body = new URLSearchParams({ form: secret, email: ADA, password: PASSWORD }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await open.fetch("/sign-in/register", { method: "POST", headers, body })).status).toBe(303);
    expect(open.setCookie).toMatch(/^commonplace=cps_1\./);
    expect((await open.call(getMeRoute)).status).toBe(200);
  });

  test("ends with signing out on a page, in the database too", async () => {
    const { browser, page: consent } = await newConsent();
    const app = appIn(browser);
    await browser.submit(consent, {}, { form: 1 });
    expect(browser.cookies.has(COOKIE)).toBe(false);
    expect((await app.call(getMeRoute)).status).toBe(401);
  });

  test("that has expired is said, and the decision that was interrupted continues", async () => {
    const { browser, page: consent } = await newConsent();
    await env.DB.prepare("UPDATE sessions SET expires_at = '2026-01-01T00:00:00.000Z'").run();
    const EXPIRED = "Your session has expired. Sign in again.";
    expect((await browser.open("/sign-in")).html).toContain(EXPIRED);
    const refused = await browser.submit(consent, { decision: "allow" });
    expect(refused.status).toBe(303);
    browser.cookies.delete(COOKIE);
    const again = await browser.open(refused.headers.get("Location") ?? "");
    expect(again.html).toContain(EXPIRED);
    expect((await signInOn(browser, again, ADA)).html).toContain("Allow Test Client");
    expect((await new Browser().open("/sign-in")).html).not.toContain(EXPIRED);
  });
});

describe("a destination", () => {
  const OURS = [
    ..."/ /docs /documents /records/12 /settings/connections /history /open/memory/1".split(" "),
    "/documents/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42?version=2#heading",
    "/search?q=a%20b&type=memories",
    "/share?title=x&url=https%3A%2F%2Fa.example%2F",
    "/open/doc/01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42",
    "/authorize?client_id=x&scope=docs%3Aread",
  ];
  const FOREIGN = [
    ..."https://evil.example/ //evil.example ///evil.example /\\evil.example \\/evil.example".split(" "),
    ..."/documents/..//evil.example /documents/%2e%2e//evil.example /settings/\\evil.example".split(" "),
    ..."/documentsx /authorize /sign-in/out /api/auth/me javascript:1 data:text/html,x /@evil.example".split(
      " ",
    ),
    ...["/\t/evil.example", " /", ""],
  ];

  test("is a page of ours", () => {
    for (const to of OURS) expect(readDestination(to)).toBe(to);
    for (const to of FOREIGN) expect(readDestination(to), to).toBeUndefined();
  });

  test("that is not one of our pages leads to the app", async () => {
    await person({ email: ADA });
    for (const to of ["//evil.example", "/documents/..//evil.example", "/api/auth/me"]) {
      const browser = new Browser();
      const page = await browser.open(`/sign-in?to=${encodeURIComponent(to)}`);
      const answer = await browser.submit(page, { email: ADA, password: PASSWORD });
      expect(answer.headers.get("Location"), to).toBe("/");
    }
  });

  test("is a page of this host in every browser, whatever is made of these pieces", () => {
    const pieces = [
      ..."/\\.@?#:ä\t\n\u0000",
      "..",
      "%2e",
      "%2f",
      "evil.example",
      "documents",
      "settings",
      "https:",
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 9 });
    fc.assert(
      fc.property(text, (parts) => {
        const to = readDestination(`/${parts.join("")}`);
        if (to === undefined) return;
        expect(new URL(to, BASE).href).toBe(BASE + to);
        expect(to).toMatch(/^\/(?![/\\])/);
      }),
      { numRuns: runs(20_000) },
    );
  });
});

describe("the forms", () => {
  test("say which program asks, on every step", async () => {
    await person({ email: ADA });
    const { client_id } = await registerClient({ client_name: "Claude\u202e <b>" });
    const browser = new Browser();
    const NAMED = "An app that calls itself “Claude  &lt;b&gt;”";
    const signIn = await browser.open(await authorizeUrl(client_id));
    expect(signIn.html).toContain(NAMED);
    const wrong = await browser.submit(signIn, { email: ADA, password: "wrong password" });
    expect(wrong.html).toContain(NAMED);
    const link = /href="(\/sign-in\/register[^"]*)"/.exec(signIn.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await browser.open(link)).html).toContain(NAMED);
    // The metadata of a client that is named by a URL are not fetched for strangers.
    const to = encodeURIComponent("/authorize?client_id=https%3A%2F%2Fapp.example%2Fclient.json");
    expect((await browser.open(`/sign-in?to=${to}`)).html).toContain("The app of app.example");
    for (const unknown of ["nobody", "x".repeat(5000), "", "%00", "https://"]) {
      const address = encodeURIComponent(`/authorize?client_id=${unknown}`);
      const page = await browser.open(`/sign-in?to=${address}`);
      expect([page.status, page.html.includes("requesting access")]).toEqual([200, false]);
    }
  });

  test("tell screen readers what is wrong, and with which field", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    const form = await browser.open("/sign-in");
    expect(titleOf(form)).toBe("Sign in – Commonplace");
    expect(inputOf(form, "email")).toContain("autofocus");
    const wrong = await browser.submit(form, { email: ADA, password: "wrong password" });
    expect(titleOf(wrong)).toBe("Error: Email or password is wrong – Sign in – Commonplace");
    for (const name of ["email", "password"]) {
      expect(inputOf(wrong, name)).toContain('aria-invalid="true"');
      expect(inputOf(wrong, name)).toContain('aria-describedby="alert"');
    }
    const register = await browser.open("/sign-in/register");
    const short = await browser.submit(register, { email: "new@example.com", password: "short" });
    expect(titleOf(short)).toContain("Error: Password must be at least 8 characters long");
    expect(inputOf(short, "password")).toContain('aria-describedby="password-error password-rule"');
    expect(short.html).not.toContain('id="alert"');
    expect(inputOf(short, "password")).toContain("autofocus");
    expect(inputOf(short, "email")).not.toContain("aria-invalid");
    // Each mistake is a sentence at its field.
    const both = await browser.submit(register, { email: "new@", password: "password1" });
    expect(both.html).toMatch(/id="email-error"[^>]*>Enter a full email address\.</);
    expect(both.html).toMatch(/id="password-error"[^>]*>Password is too common: choose another one\.</);
    expect(inputOf(both, "email")).toContain("autofocus");
    // Browsers would show their own sentence over the next field.
    for (const { html } of [form, register, both, await browser.open("/sign-in/forgot")])
      expect(html).toMatch(/<form method="post" action="\/sign-in[^>]* novalidate/);
    const empty = await browser.submit(register, { email: "", password: "" });
    expect(empty.html).toMatch(/id="email-error"[^>]*>Enter a full email address\.</);
    expect(empty.html).toMatch(/id="password-error"[^>]*>Enter a password\.</);
    const unsigned = await browser.submit(form, { email: ADA, password: "" });
    expect(unsigned.html).toMatch(/id="password-error"[^>]*>Enter a password\.</);
    const taken = await browser.submit(register, { email: ADA, password: PASSWORD });
    expect(inputOf(taken, "email")).toContain('aria-invalid="true"');
  });

  test("take the time zone of the browser", async () => {
    for (const [timezone, expected] of Object.entries({
      "Asia/Tokyo": "Asia/Tokyo",
      "Mars/Olympus": "UTC",
    })) {
      const browser = new Browser();
      const email = `${timezone.slice(0, 4)}@example.com`;
      const form = await browser.open("/sign-in/register");
      expect(fieldsOf(form.html).fields).toContainEqual(["timezone", ""]);
      await browser.submit(form, { email, password: PASSWORD, timezone });
      expect(await appIn(browser).ok(getMeRoute)).toMatchObject({ timezone: expected });
    }
  });

  test("may load our own scripts, which the other pages may not, and no page says “log in”", async () => {
    const { browser, page, client_id } = await newConsent();
    const form = await new Browser().open(await authorizeUrl(client_id));
    expect(form.headers.get("Content-Security-Policy")).toContain("script-src 'self'");
    expect(form.html.match(/<script[^>]*>/g)).toEqual([
      '<script src="/pages/forms.js" defer="">',
      '<script src="/pages/passkey.js" defer="">',
    ]);
    expect(page.headers.get("Content-Security-Policy")).not.toContain("script-src");
    const others = ["/sign-in/register", "/sign-in/nothing", "/authorize"].map((path) => browser.open(path));
    for (const { html } of [form, page, ...(await Promise.all(others))])
      expect(html).not.toMatch(/log(ged)?[ -]?(in|out)\b/i);
  });
});

describe("an error", () => {
  test("of allowing nothing is said on the consent page, which then takes a decision", async () => {
    const { browser, page: consent } = await newConsent();
    const refused = await browser.submit(consent, { decision: "allow", scope: [] });
    expect(refused.status).toBe(400);
    expect(titleOf(refused)).toContain("Error: Choose at least one permission");
    expect(refused.html).toContain('role="alert"');
    expect(fieldsOf(refused.html).fields.filter(([name]) => name === "scope")).toEqual([]);
    const allowed = await browser.submit(refused, { decision: "allow", scope: ["docs:read"] });
    expect(allowed.status).toBe(302);
    expect(allowed.headers.get("Location")).toContain("code=");
  });

  test("always leads onward", async () => {
    const { browser, page: consent } = await newConsent();
    const pages = [
      await browser.open("/authorize"),
      await browser.open("/authorize?client_id=nobody"),
      await browser.open("/sign-in/nothing"),
      await browser.open("/open/nothing"),
      await browser.submit(consent, { decision: "allow", form: "forged" }),
      await browser.submit(consent, { decision: "allow", account: "other" }),
    ];
    for (const page of pages) {
      expect(page.status).toBeGreaterThanOrEqual(400);
      if (page.html.startsWith("{")) continue;
      expect(page.html, page.url).toMatch(/<main>[\s\S]*<a class="button primary" href="\/[^"]*">/);
      expect(titleOf(page)).toMatch(/^Error: .* – Commonplace$/);
    }
  });
});

describe("a link in an assistant's answer", () => {
  test("leads to the app, through the sign-in where needed", async () => {
    await person({ email: ADA });
    const { mcp } = await connect(ADA);
    const session = await initialize(mcp);
    const made = await use(session, "create_document", { title: "Packing list", text: "passport" });
    const id = bareId(made.id);
    const found = (await use(session, "search", { query: "passport" })) as { results: { url: string }[] };
    const url = found.results[0]?.url ?? "";
    expect(url).toBe(`${BASE}/open/doc/${id}`);
    const browser = new Browser();
    const first = await browser.send(new URL(url).pathname);
    expect(first.headers.get("Location")).toBe(`/sign-in?to=${encodeURIComponent(`/documents/${id}`)}`);
    const form = await browser.open(first.headers.get("Location") ?? "");
    const signedIn = await browser.submit(form, { email: ADA, password: PASSWORD });
    expect(signedIn.headers.get("Location")).toBe(`/documents/${id}`);
    for (const [path, target] of [
      [`/open/doc/${id}`, `/documents/${id}`],
      ["/open/memory/7", "/records/7"],
      ["/open/memory/%2F%2Fevil.example", "/records/%2F%2Fevil.example"],
    ] as const) {
      const answer = await browser.send(path);
      expect([answer.status, answer.headers.get("Location")]).toEqual([303, target]);
    }
  });
});
