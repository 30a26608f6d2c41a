import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { listApiKeysRoute } from "../../../src/features/api-keys/routes.ts";
import * as email from "../../../src/features/auth/email/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { listWebhooksRoute } from "../../../src/features/webhooks/routes.ts";
import {
  ADA,
  age,
  confirmAddress,
  eventsOf,
  NEXT,
  requestReset,
  resetWith,
  visitorWith,
} from "../../kit/accounts.ts";
import { AppPage } from "../../kit/app-page.ts";
import { Browser } from "../../kit/browser.ts";
import { BASE, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { hookOf } from "../../kit/hooks.ts";
import { codeFor, linkIn, mailService, mailTo, RESET, VERIFY } from "../../kit/mailbox.ts";
import { connect } from "../../kit/oauth.ts";
import { keyOf } from "../../kit/scopes.ts";
import { openHomes } from "../../kit/shards.ts";

// A forgotten password is reset by a mailed link.

describe("a forgotten password", () => {
  test("is reset by a mailed link, which ends everything that the old one allowed", async () => {
    const ada = await person({ email: ADA });
    await confirmAddress();
    const script = await keyOf(ada, ["docs:read"]);
    await connect(ADA);
    expect((await requestReset()).status).toBe(202);
    const mail = await mailTo(ADA, RESET);
    const { link, code } = linkIn(mail);
    expect(link).toBe(`${BASE}/sign-in/new-password#${code}`);
    expect(mail.html).toContain(link);
    expect(mail.from).toEqual({ name: "Commonplace", email: "notes@commonplace.test" });
    expect((await resetWith(code)).status).toBe(204);
    await mailTo(ADA, "Your password was changed");

    expect((await ada.call(auth.getMeRoute)).status).toBe(401);
    const old = await visitor().refusal(auth.loginRoute, { json: { email: ADA, password: PASSWORD } });
    expect(old.status).toBe(401);
    const again = await signIn(ADA, NEXT);
    expect((await again.ok(listConnectionsRoute)).total).toBe(0);
    expect((await script.call(listDocumentsRoute)).status).toBe(200);
    const events = ["signed_in", "sign_in_failed", "password_reset", "password_reset_requested"];
    expect((await eventsOf(again)).slice(0, 4)).toEqual(events);
  });

  test("is reset on the pages, without scripts", async () => {
    await person({ email: ADA });
    const browser = new Browser();
    const form = await browser.open("/sign-in");
    expect(form.html).toContain('href="/sign-in/forgot"');
    const told = await browser.submit(await browser.open("/sign-in/forgot"), { email: ADA });
    expect(told.html).toContain("Check your inbox");
    const { code } = linkIn(await mailTo(ADA, RESET));
    const page = await browser.open("/sign-in/new-password");
    const weak = await browser.submit(page, { code, password: "password1" });
    expect(weak.status).toBe(422);
    expect(weak.html).toContain("too common");
    expect(weak.html).toContain(`value="${code}"`);
    const done = await browser.submit(weak, { password: NEXT });
    expect(done.html).toContain("Your new password is set");
    expect(done.headers.get("Referrer-Policy")).toBe("same-origin");
    await signIn(ADA, NEXT);
    const twice = await browser.submit(page, { code, password: NEXT });
    expect([twice.status, twice.html]).toEqual([400, expect.stringContaining("already been used")]);
    expect(twice.html).toContain('<a href="/sign-in/forgot">Request a new link</a>');
  });

  test("is reset once: of five parallel requests with one link, one succeeds", async () => {
    await person({ email: ADA });
    await requestReset();
    const code = await codeFor(ADA, RESET);
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => resetWith(code, `${NEXT} ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400, 400]);
  });

  test("is not reset by a link that is too old, was replaced by its use, or is for something else", async () => {
    await person({ email: ADA });
    expect((await resetWith(await codeFor(ADA, VERIFY))).status).toBe(400);
    await requestReset();
    const first = await codeFor(ADA, RESET);
    await requestReset();
    const second = await codeFor(ADA, RESET);
    expect((await resetWith(second)).status).toBe(204);
    expect((await resetWith(first)).status).toBe(400);
    await requestReset();
    const third = await codeFor(ADA, RESET);
    await age(30);
    expect((await resetWith(third)).status).toBe(400);
  });

  test("is stored as a hash, and its code is in no log and no answer", async () => {
    await person({ email: ADA });
    const log = ["log", "info", "warn", "error"].map((name) => vi.spyOn(console, name as "log"));
    const answer = await requestReset();
    const code = await codeFor(ADA, RESET);
    await resetWith(`${code}x`);
    await resetWith(code);
    expect(JSON.stringify(log.flatMap(({ mock }) => mock.calls))).not.toContain(code);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(code);
    const { results } = await env.DB.prepare("SELECT * FROM email_links").all();
    expect(JSON.stringify(results)).not.toContain(code);
    vi.restoreAllMocks();
  });

  test("leads to the address in the settings, whatever host a request names", async () => {
    await person({ email: ADA });
    for (const name of ["Host", "X-Forwarded-Host", "Forwarded"]) {
      const evil = new AppPage({ base: "https://evil.example" });
      const headers = { [name]: name === "Forwarded" ? "host=evil.example" : "evil.example" };
      await evil.call(email.resetPasswordRoute, { json: { email: ADA }, headers });
      expect(linkIn(await mailTo(ADA, RESET)).link).toMatch(/^https:\/\/commonplace\.test\//);
    }
    const unknown = await visitorWith({ API_URL: "", MCP_URL: "" }).refusal(email.resetPasswordRoute, {
      json: { email: "bob@example.com" },
    });
    expect(unknown).toMatchObject({ status: 403, detail: expect.stringContaining("operator") });
  });

  test("answers the same for an email that nobody has, and mails nothing", async () => {
    await person({ email: ADA });
    const [known, unknown] = [await requestReset(), await requestReset("nobody@example.com")];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    await mailTo(ADA, RESET);
    expect(await mailService.count("nobody@example.com")).toBe(0);
  });

  test("fills nobody's mailbox: three mails in a quarter of an hour, from all requests together", async () => {
    const to = `${crypto.randomUUID()}@example.com`;
    await person({ email: to });
    const statuses = [];
    for (let n = 0; n < 5; n++) {
      const answer = await requestReset(to, visitorWith({ RATE_LIMIT_MAIL: "3/900" }));
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([202, 202, 202, 429, 429]);
    const stranger = visitor();
    const others = Array.from({ length: 12 }, (_, n) => requestReset(`p${n}@example.com`, stranger));
    const limited = (await Promise.all(others)).filter(({ status }) => status === 429);
    expect(limited).toHaveLength(2);
  });

  test("fills nobody's mailbox by accounts that are created and deleted again either", async () => {
    const to = `${crypto.randomUUID()}@example.com`;
    const settings = { RATE_LIMIT_MAIL: "3/900" };
    const json = { email: to, password: PASSWORD, session: "cookie" };
    for (let n = 0; n < 5; n++) {
      const page = visitorWith(settings);
      await page.ok(auth.registerRoute, { json });
      await page.ok(auth.deleteMeRoute, { json: { password: PASSWORD } });
    }
    expect(await mailService.count(to)).toBe(3);
  });

  test("of strangers' asking keeps nobody from confirming an address or changing it", async () => {
    const to = `${crypto.randomUUID()}@example.com`;
    const settings = { RATE_LIMIT_MAIL: "3/900" };
    // An email that nobody has is looked for in any home.
    await openHomes();
    for (let n = 0; n < 4; n++) await requestReset(to, visitorWith(settings));
    const page = visitorWith(settings);
    await page.ok(auth.registerRoute, { json: { email: to, password: PASSWORD, session: "cookie" } });
    await codeFor(to, VERIFY);
    expect((await page.call(email.sendVerificationRoute)).status).toBe(202);
    const bob = visitorWith(settings);
    const own = `${crypto.randomUUID()}@example.com`;
    await bob.ok(auth.registerRoute, { json: { email: own, password: PASSWORD, session: "cookie" } });
    await page.ok(auth.deleteMeRoute, { json: { password: PASSWORD } });
    const change = { email: to, password: PASSWORD };
    expect((await bob.call(email.changeEmailRoute, { json: change })).status).toBe(202);
  });

  test("is refused, with a text that says whom to ask, where no mail can be sent", async () => {
    const mute = { EMAIL: undefined } as unknown as Partial<Env>;
    const page = visitorWith(mute);
    const refusal = await page.refusal(email.resetPasswordRoute, { json: { email: ADA } });
    expect(refusal).toEqual({
      status: 403,
      detail: "This service cannot send email: ask its operator for help",
    });
    expect(await (await page.fetch("/sign-in")).text()).not.toContain("Forgot");
    await page.ok(auth.registerRoute, { json: { email: ADA, password: PASSWORD, session: "cookie" } });
  });
});

describe("an account that another person created with my address", () => {
  test("is mine after a reset: their keys end with their password", async () => {
    const thief = await person({ email: ADA });
    const script = await keyOf(thief, ["docs:read"]);
    await hookOf(thief);
    await requestReset();
    await resetWith(await codeFor(ADA, RESET));
    const ada = await signIn(ADA, NEXT);
    expect((await ada.ok(listApiKeysRoute)).total).toBe(0);
    expect((await ada.ok(listWebhooksRoute)).total).toBe(0);
    expect((await script.call(listDocumentsRoute)).status).toBe(401);
    expect((await ada.ok(auth.getMeRoute)).email_verified_at).not.toBeNull();
  });
});
