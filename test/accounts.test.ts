import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { createApiKeyRoute, listApiKeysRoute } from "../src/features/api-keys/routes.ts";
import * as email from "../src/features/auth/email/routes.ts";
import { listSecurityEventsRoute } from "../src/features/auth/event-routes.ts";
import { addPasskeyRoute, listPasskeysRoute, passkeyOptionsRoute } from "../src/features/auth/passkeys/routes.ts";
import * as auth from "../src/features/auth/routes.ts";
import { codeAt } from "../src/features/auth/second-factor/code.ts";
import { confirmSecondFactorRoute, startSecondFactorRoute } from "../src/features/auth/second-factor/routes.ts";
import { listConnectionsRoute } from "../src/features/connections/routes.ts";
import { listDocumentsRoute } from "../src/features/documents/routes.ts";
import type { Env } from "../src/env.ts";
import { listWebhooksRoute, updateWebhookRoute } from "../src/features/webhooks/routes.ts";
import { AppPage } from "./kit/app-page.ts";
import { Authenticator } from "./kit/authenticator.ts";
import { Browser } from "./kit/browser.ts";
import { BASE, type Client, PASSWORD, person, signIn, visitor } from "./kit/client.ts";
import { openHomes } from "./kit/homes.ts";
import { hookOf } from "./kit/hooks.ts";
import { CHANGE, codeFor, linkIn, mailService, mailTo, RESET, UNDO, VERIFY } from "./kit/mailbox.ts";
import { connect } from "./kit/oauth.ts";

// What a person can do with nothing but their e-mail: reset the password, confirm the address, change it, undo that.

const ADA = "ada@example.com";
const NEXT = "a quite different password";

const eventsOf = async (client: Client) =>
  (await client.ok(listSecurityEventsRoute)).items.map(({ event }) => event);

/** Somebody on a deployment with other settings. */
const visitorWith = (settings: Partial<Env>) => new AppPage({ env: settings });

const requestReset = (of = ADA, from = visitor()) =>
  from.call(email.resetPasswordRoute, { json: { email: of } });

const resetWith = (reset_token: string, new_password = NEXT) =>
  visitor().call(email.confirmPasswordResetRoute, { json: { reset_token, new_password } });

/** Makes every mailed link older. */
const age = (minutes: number) =>
  env.DB.prepare("UPDATE email_links SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', expires_at, ?)")
    .bind(`-${minutes} minutes`)
    .run();

describe("a forgotten password", () => {
  test("is reset by a mailed link, which ends everything that the old one allowed", async () => {
    const ada = await person({ email: ADA });
    await visitor().ok(email.verifyEmailRoute, { json: { verification_token: await codeFor(ADA, VERIFY) } });
    const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
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
    const headers = { Authorization: `Bearer ${key}` };
    expect((await visitor().call(listDocumentsRoute, { headers })).status).toBe(200);
    expect((await eventsOf(again)).slice(0, 4)).toEqual([
      "signed_in",
      "sign_in_failed",
      "password_reset",
      "password_reset_requested",
    ]);
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
    expect(weak.html).toContain("most common passwords");
    expect(weak.html).toContain(`value="${code}"`);
    const done = await browser.submit(weak, { password: NEXT });
    expect(done.html).toContain("Your new password is set");
    expect(done.headers.get("Referrer-Policy")).toBe("same-origin");
    await signIn(ADA, NEXT);
    const twice = await browser.submit(page, { code, password: NEXT });
    expect([twice.status, twice.html]).toEqual([400, expect.stringContaining("already been used")]);
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

  test("answers the same for an e-mail that nobody has, and mails nothing", async () => {
    await person({ email: ADA });
    const [known, unknown] = [await requestReset(), await requestReset("nobody@example.com")];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
    await mailTo(ADA, RESET);
    expect(await mailService.count("nobody@example.com")).toBe(0);
  });

  test("fills nobody's mailbox: three mails in a quarter of an hour, whoever asks", async () => {
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
    // An e-mail that nobody has is looked for in any home.
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
      detail: "This deployment cannot send e-mail: ask its operator for help",
    });
    expect(await (await page.fetch("/sign-in")).text()).not.toContain("Forgot");
    await page.ok(auth.registerRoute, { json: { email: ADA, password: PASSWORD, session: "cookie" } });
  });
});

describe("an account that somebody else created with my address", () => {
  test("is mine after a reset: their keys end with their password", async () => {
    const thief = await person({ email: ADA });
    const { key } = await thief.ok(createApiKeyRoute, { json: { name: "Mine", scopes: ["docs:read"] } });
    await hookOf(thief);
    await requestReset();
    await resetWith(await codeFor(ADA, RESET));
    const ada = await signIn(ADA, NEXT);
    expect((await ada.ok(listApiKeysRoute)).total).toBe(0);
    expect((await ada.ok(listWebhooksRoute)).total).toBe(0);
    const headers = { Authorization: `Bearer ${key}` };
    expect((await visitor().call(listDocumentsRoute, { headers })).status).toBe(401);
    expect((await ada.ok(auth.getMeRoute)).email_verified_at).not.toBeNull();
  });
});

describe("an address is confirmed", () => {
  test("by the link that registration mails, or by another one", async () => {
    const ada = await person({ email: ADA });
    expect((await ada.ok(auth.getMeRoute)).email_verified_at).toBeNull();
    const first = await codeFor(ADA, VERIFY);
    expect((await ada.call(email.sendVerificationRoute)).status).toBe(202);
    const second = await mailTo(ADA, VERIFY);
    const browser = new Browser();
    const page = await browser.open("/sign-in/confirm-email");
    expect((await browser.submit(page, { code: linkIn(second).code })).html).toContain("is confirmed");
    expect((await ada.ok(auth.getMeRoute)).email_verified_at).not.toBeNull();
    await visitor().ok(email.verifyEmailRoute, { json: { verification_token: first } });
    expect(await eventsOf(ada)).toEqual(["email_verified", "email_verified", "registered"]);
  });

  test("before anybody is let in, where the operator wants that", async () => {
    const settings = { REGISTRATION: "verified" };
    const page = visitorWith(settings);
    const json = { email: ADA, password: PASSWORD };
    const answer = await page.call(auth.registerRoute, { json });
    expect([answer.status, answer.text]).toEqual([202, expect.stringContaining("open the link")]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await page.refusal(auth.loginRoute, { json })).toMatchObject({
      status: 403,
      detail: expect.stringContaining("Confirm your e-mail address first"),
    });
    const wrong = { json: { ...json, password: "wrong password" } };
    expect((await page.refusal(auth.loginRoute, wrong)).status).toBe(401);
    await page.ok(email.verifyEmailRoute, { json: { verification_token: await codeFor(ADA, VERIFY) } });
    await page.ok(auth.loginRoute, { json });
  });
});

describe("a change of e-mail", () => {
  const NEW = "ada@new.example";
  const change = (ada: Client, to = NEW, proof: object = { password: PASSWORD }) =>
    ada.call(email.changeEmailRoute, { json: { email: to, ...proof } });

  test("takes effect when the new address is confirmed, and is undone from the old one", async () => {
    const ada = await person({ email: ADA });
    expect((await change(ada)).status).toBe(202);
    expect((await mailTo(ADA, UNDO)).text).toContain(NEW);
    await age(0);
    expect((await ada.ok(auth.getMeRoute)).email).toBe(ADA);
    const change_token = await codeFor(NEW, CHANGE);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token } });
    expect(await ada.ok(auth.getMeRoute)).toMatchObject({ email: NEW, email_verified_at: expect.anything() });
    await signIn(NEW);
    const again = await visitor().refusal(email.confirmEmailChangeRoute, { json: { change_token } });
    expect(again.status).toBe(400);
  });

  test("by a thief is undone for 7 days: everything that they added ends, and the address waits", async () => {
    const ada = await person({ email: ADA });
    const { key: old } = await ada.ok(createApiKeyRoute, { json: { name: "Mine", scopes: ["docs:read"] } });
    const thief = await signIn(ADA);
    await change(thief);
    const undo = await codeFor(ADA, UNDO);
    const change_token = await codeFor(NEW, CHANGE);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token } });
    const { key } = await thief.ok(createApiKeyRoute, { json: { name: "Theirs", scopes: ["docs:read"] } });
    const blocked = await visitor().refusal(auth.registerRoute, { json: { email: ADA, password: PASSWORD } });
    expect(blocked.status).toBe(400);
    // A second change does not save them.
    await change(thief, "further@new.example");
    await age(6 * 1440);
    const browser = new Browser();
    const form = await browser.submit(await browser.open("/sign-in/undo-email"), { code: undo });
    expect(form.html).toContain("Set a new password");
    await browser.submit(form, { password: NEXT });
    const owner = await signIn(ADA, NEXT);
    expect((await thief.call(auth.getMeRoute)).status).toBe(401);
    const use = (one: string) =>
      visitor().call(listDocumentsRoute, { headers: { Authorization: `Bearer ${one}` } });
    expect([(await use(old)).status, (await use(key)).status]).toEqual([200, 401]);
    expect(await eventsOf(owner)).toContain("email_change_undone");
  });

  /** When something is done: before the change is asked for, before it takes effect, and after that. */
  const PHASES = ["before", "meanwhile", "after"] as const;

  type Act = (phase: (typeof PHASES)[number]) => Promise<void>;

  /**
   * Does a thing in each phase of a change, and then undoes the change, and sets a new password.
   *
   * @param codes of a second factor, once there is one
   */
  async function undoing(ada: Client, act: Act, codes: string[] = []) {
    await act("before");
    expect((await change(ada, NEW, { password: PASSWORD, current_code: codes[0] })).status).toBe(202);
    const undo_token = await codeFor(ADA, UNDO);
    await act("meanwhile");
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token: await codeFor(NEW, CHANGE) } });
    await act("after");
    const { reset_token } = await visitor().ok(email.undoEmailChangeRoute, { json: { undo_token } });
    expect(
      (await visitor().refusal(auth.loginRoute, { json: { email: ADA, password: PASSWORD } })).status,
    ).toBe(401);
    expect((await resetWith(reset_token)).status).toBe(204);
  }

  test("that is undone ends what was added or changed since, and keeps what was there before", async () => {
    const ada = await person({ email: ADA });
    const [kept, changed] = [await hookOf(ada), await hookOf(ada)];
    await undoing(ada, async (name) => {
      await ada.ok(createApiKeyRoute, { json: { name, scopes: ["docs:read"] } });
      const { challenge } = await ada.ok(passkeyOptionsRoute, { json: { password: PASSWORD } });
      const attestation = await new Authenticator().create(challenge);
      await ada.ok(addPasskeyRoute, { json: { name, attestation } });
      if (name === "before") return;
      await hookOf(ada);
      const json = { url: `https://their.example/${name}` };
      await ada.ok(updateWebhookRoute, { params: changed.params, json });
    });
    const owner = await signIn(ADA, NEXT);
    const keys = (await owner.ok(listApiKeysRoute)).items.map(({ name }) => name);
    const passkeys = (await owner.ok(listPasskeysRoute)).items.map(({ name }) => name);
    expect([keys, passkeys]).toEqual([["before"], ["before"]]);
    expect((await owner.ok(listWebhooksRoute)).items.map(({ id }) => id)).toEqual([kept.hook.id]);
  });

  test.for(
    PHASES.flatMap((begun, from) => PHASES.slice(from).map((confirmed) => [begun, confirmed] as const)),
  )("that is undone: a second factor begun %s and confirmed %s", async ([begun, confirmed]) => {
    const ada = await person({ email: ADA });
    let secret = "";
    const codes: string[] = [];
    const act: Act = async (phase) => {
      if (phase === begun)
        ({ secret } = await ada.ok(startSecondFactorRoute, { json: { password: PASSWORD } }));
      if (phase !== confirmed) return;
      const json = { code: codeAt(secret, new Date()) };
      codes.push(...(await ada.ok(confirmSecondFactorRoute, { json })).recovery_codes);
    };
    await undoing(ada, act, codes);
    const login = await visitor().call(auth.loginRoute, { json: { email: ADA, password: NEXT } });
    expect(login.status).toBe(confirmed === "before" ? 401 : 200);
  });

  test("that was followed by another one is undone once, by the first link", async () => {
    const ada = await person({ email: ADA });
    await change(ada);
    const first = await codeFor(ADA, UNDO);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token: await codeFor(NEW, CHANGE) } });
    await change(ada, "further@new.example");
    const second = await codeFor(NEW, UNDO);
    const undo = (undo_token: string) => visitor().call(email.undoEmailChangeRoute, { json: { undo_token } });
    const { status, body } = await undo(first);
    expect(status).toBe(200);
    for (const used of [first, second]) expect((await undo(used)).status).toBe(400);
    await resetWith(body.reset_token);
    expect((await (await signIn(ADA, NEXT)).ok(auth.getMeRoute)).email).toBe(ADA);
  });

  test("makes the link void that was to confirm the previous address, and says so", async () => {
    const ada = await person({ email: ADA });
    const verification_token = await codeFor(ADA, VERIFY);
    await change(ada);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token: await codeFor(NEW, CHANGE) } });
    expect(await visitor().refusal(email.verifyEmailRoute, { json: { verification_token } })).toMatchObject({
      status: 400,
    });
  });

  test("keeps the previous address for its owner, and tells others so", async () => {
    const ada = await person({ email: ADA });
    const bob = await person({ email: "bob@example.com" });
    await change(ada);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token: await codeFor(NEW, CHANGE) } });
    const registration = { json: { email: ADA, password: PASSWORD } };
    expect(await visitor().refusal(auth.registerRoute, registration)).toMatchObject({
      status: 400,
      detail: expect.stringContaining("try again in a week"),
    });
    expect((await change(bob, ADA)).status).toBe(400);
    expect((await change(ada, ADA)).status).toBe(202);
    await age(7 * 1440);
    await visitor().ok(auth.registerRoute, registration);
  });

  test("cannot be undone after 7 days", async () => {
    const ada = await person({ email: ADA });
    await change(ada);
    const undo_token = await codeFor(ADA, UNDO);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token: await codeFor(NEW, CHANGE) } });
    await age(7 * 1440);
    expect((await visitor().refusal(email.undoEmailChangeRoute, { json: { undo_token } })).status).toBe(400);
  });

  test("that somebody else asked for is void once the password has been changed", async () => {
    const ada = await person({ email: ADA });
    await change(await signIn(ADA));
    const change_token = await codeFor(NEW, CHANGE);
    await requestReset();
    const code = await codeFor(ADA, RESET);
    await ada.call(auth.changePasswordRoute, { json: { current_password: PASSWORD, new_password: NEXT } });
    const late = await visitor().refusal(email.confirmEmailChangeRoute, { json: { change_token } });
    expect([late.status, (await resetWith(code)).status]).toEqual([400, 400]);
  });

  test("asks for the password, and refuses an address that is taken", async () => {
    const ada = await person({ email: ADA });
    await person({ email: "bob@example.com" });
    expect((await change(ada, NEW, { password: "wrong password" })).status).toBe(403);
    expect((await change(ada, "bob@example.com")).status).toBe(400);
    expect((await change(ada, ADA)).status).toBe(400);
    await change(ada);
    const change_token = await codeFor(NEW, CHANGE);
    await person({ email: NEW });
    const late = await visitor().refusal(email.confirmEmailChangeRoute, { json: { change_token } });
    expect(late).toMatchObject({ status: 400, detail: expect.stringContaining("Another account") });
  });
});

describe("the sessions and the log", () => {
  test.for([
    [{ "User-Agent": "node" }, "A script in Node.js"],
    [
      { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0" },
      "Firefox on Linux",
    ],
    [{ "X-Client-Name": "Backup  script", "User-Agent": "node" }, "Backup  script"],
    [{}, "A program that gave no name"],
  ] as [Record<string, string>, string][])("name a program after %j", async ([headers, name]) => {
    const ada = await person({ email: ADA });
    const json = { email: ADA, password: PASSWORD };
    await visitor().ok(auth.loginRoute, { json, headers });
    const { items } = await ada.ok(auth.listSessionsRoute);
    expect(items.map((one) => one.name)).toContain(name);
    const [signedIn] = (await ada.ok(listSecurityEventsRoute)).items;
    expect(signedIn).toMatchObject({ event: "signed_in", client_name: name });
  });

  test("tell of failed attempts, of at most 20 in an hour, and only to the account's owner", async () => {
    const ada = await person({ email: ADA });
    const bob = await person({ email: "bob@example.com" });
    const json = { email: ADA, password: "wrong password" };
    await visitor().refusal(auth.loginRoute, { json });
    expect((await eventsOf(ada))[0]).toBe("sign_in_failed");
    expect(await eventsOf(bob)).toEqual(["registered"]);
  });
});
