import { describe, expect, test } from "vitest";
import * as email from "../../../src/features/auth/email/routes.ts";
import { listSecurityEventsRoute } from "../../../src/features/auth/me-routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { ADA, eventsOf, visitorWith } from "../../kit/accounts.ts";
import { Browser } from "../../kit/browser.ts";
import { PASSWORD, person, visitor } from "../../kit/client.ts";
import { codeFor, linkIn, mailTo, VERIFY } from "../../kit/mailbox.ts";

// A confirmed address, sessions, and the log of what happened to an account.

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
      detail: expect.stringContaining("Confirm your email address first"),
    });
    const wrong = { json: { ...json, password: "wrong password" } };
    expect((await page.refusal(auth.loginRoute, wrong)).status).toBe(401);
    await page.ok(email.verifyEmailRoute, { json: { verification_token: await codeFor(ADA, VERIFY) } });
    await page.ok(auth.loginRoute, { json });
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
    [{}, "Unnamed program"],
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
