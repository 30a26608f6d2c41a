import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { TokenAnswer } from "../../../src/contract/auth.ts";
import * as email from "../../../src/features/auth/email/routes.ts";
import { listSecurityEventsRoute } from "../../../src/features/auth/me-routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { getSubscriptionRoute } from "../../../src/features/billing/routes.ts";
import { ADA as EMAIL, eventsOf, visitorWith } from "../../kit/accounts.ts";
import { Browser } from "../../kit/browser.ts";
import { Client, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { codeFor, linkIn, mailTo, VERIFY } from "../../kit/mailbox.ts";

// Accounts with a password: registering, signing in and out, a new password, a confirmed address, and the security log.

describe("an account", () => {
  test("is registered and signed in to, and the first one becomes the admin", async () => {
    const ada = await person({ email: " Ada@Example.com ", timezone: "Europe/Berlin" });
    expect(await ada.ok(auth.getMeRoute)).toMatchObject({
      email: EMAIL,
      role: "admin",
      timezone: "Europe/Berlin",
      stale_after_days: { commitment: 14, blocker: 7 },
    });
    expect(ada.tokens).toMatchObject({ token_type: "bearer", expires_in: 900 });
    const bob = await person();
    expect((await bob.ok(auth.getMeRoute)).role).toBe("member");
    expect((await (await signIn(EMAIL)).ok(auth.getMeRoute)).email).toBe(EMAIL);
  });

  test("has a subscription from the first moment", async () => {
    const ada = await person();
    expect(await ada.ok(getSubscriptionRoute)).toMatchObject({
      plan_tier: "free",
      status: "active",
      billing_interval: null,
      canceled_at: null,
    });
  });

  test("cannot be registered twice, whatever the case of its email", async () => {
    await person({ email: EMAIL });
    const again = await visitor().refusal(auth.registerRoute, {
      json: { email: "ADA@example.com", password: PASSWORD },
    });
    expect(again).toMatchObject({ status: 400, detail: expect.stringContaining("already registered") });
    const { results } = await env.DB.prepare("SELECT count(*) AS n FROM subscriptions").all();
    expect(results).toEqual([{ n: 1 }]);
  });

  test.for([
    [{ email: "no address", password: PASSWORD }, "email"],
    [{ email: EMAIL, password: "short" }, "password"],
    [{ email: EMAIL, password: "ä".repeat(513) }, "password"],
    [{ email: EMAIL, password: "ääää" }, "password"],
    [{ email: EMAIL, password: "\u{1f511}".repeat(7) }, "password"],
    [{ email: EMAIL, password: "e\u0301".repeat(7) }, "password"],
    [{ email: EMAIL, password: PASSWORD, timezone: "Mars/Olympus" }, "timezone"],
    [{ email: EMAIL, password: PASSWORD, timezone: "+01:00" }, "timezone"],
    [{ email: EMAIL, password: PASSWORD, name: "a\u0000b" }, "name"],
    [{ password: PASSWORD }, "email"],
  ] as const)("is refused with a text that names the field: %j", async ([json, field]) => {
    const refusal = await visitor().refusal(auth.registerRoute, { json });
    expect(refusal.status).toBe(422);
    expect(refusal.detail).toMatch(new RegExp(`^${field}: `));
  });

  test("keeps the settings that a change omits", async () => {
    const ada = await person();
    const changed = await ada.ok(auth.updateMeRoute, {
      json: { timezone: "Pacific/Niue", stale_after_days: { blocker: 3 } },
    });
    expect(changed).toMatchObject({
      timezone: "Pacific/Niue",
      stale_after_days: { commitment: 14, blocker: 3 },
    });
    expect(await ada.ok(auth.updateMeRoute, { json: {} })).toEqual(changed);
    expect((await ada.ok(auth.updateMeRoute, { json: { name: "Ada" } })).name).toBe("Ada");
    expect((await ada.ok(auth.updateMeRoute, { json: { name: null } })).name).toBeNull();
    expect(await ada.refusal(auth.updateMeRoute, { json: { timezone: "Nowhere" } })).toMatchObject({
      status: 422,
    });
  });
});

describe("signing in", () => {
  test("gives byte-identical answers for a wrong password and an unknown email", async () => {
    await person({ email: EMAIL });
    const wrong = await visitor().call(auth.loginRoute, {
      json: { email: EMAIL, password: "not the password" },
    });
    const unknown = await visitor().call(auth.loginRoute, {
      json: { email: "eve@example.com", password: PASSWORD },
    });
    expect(wrong.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
    expect(wrong.headers.get("WWW-Authenticate")).toBe("Bearer");
  });

  test("accepts a password of eight characters, whatever their size, and of at most 1,024 bytes", async () => {
    for (const [index, password] of ["\u{1f511}".repeat(8), "b7,fR2xq", "\u{1f511}".repeat(256)].entries()) {
      const email = `p${index}@example.com`;
      await visitor().ok(auth.registerRoute, { json: { email, password } });
      expect((await signIn(email, password)).tokens).toBeDefined();
    }
  });

  test("accepts a password in either Unicode normalization form", async () => {
    const email = EMAIL;
    await visitor().ok(auth.registerRoute, { json: { email, password: "caf\u00e9 noir" } });
    expect((await signIn(email, "cafe\u0301 noir")).tokens).toBeDefined();
  });

  test("works twenty times concurrently, each with its own session", async () => {
    await person({ email: EMAIL });
    const clients = await Promise.all(
      ["198.51.100.1", "198.51.100.2"].flatMap((address) =>
        Array.from({ length: 5 }, async () => {
          const client = new Client(undefined, address);
          const json = { email: EMAIL, password: PASSWORD };
          client.tokens = (await client.ok(auth.loginRoute, { json })) as TokenAnswer;
          return client;
        }),
      ),
    );
    const [first] = clients;
    expect((await first?.ok(auth.listSessionsRoute))?.total).toBe(11);
  });

  test("upgrades a hash that was made with weaker parameters", async () => {
    await person({ email: EMAIL });
    // argon2id, 64 KiB, one pass, of the kit's password.
    const { argon2id } = await import("argon2-wasm-edge");
    const weak = await argon2id({
      password: PASSWORD,
      salt: new Uint8Array(16),
      iterations: 1,
      parallelism: 1,
      memorySize: 64,
      hashLength: 32,
      outputType: "encoded",
    });
    await env.DB.prepare("UPDATE users SET password_hash = ?").bind(weak).run();
    await signIn(EMAIL);
    const row = await env.DB.prepare("SELECT password_hash FROM users").first<{ password_hash: string }>();
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await signIn(EMAIL);
  });
});

describe("signing out", () => {
  test("ends one session at once, and no others", async () => {
    const phone = await person({ email: EMAIL });
    const laptop = await signIn(EMAIL);
    const refresh_token = phone.tokens?.refresh_token ?? "";
    expect((await phone.call(auth.logoutRoute, { json: { refresh_token } })).status).toBe(204);
    expect((await phone.call(auth.getMeRoute)).status).toBe(401);
    expect((await phone.call(auth.refreshRoute, { json: { refresh_token } })).status).toBe(401);
    expect((await laptop.call(auth.getMeRoute)).status).toBe(200);
  });

  test("everywhere ends every session of this person, and nobody else's", async () => {
    const phone = await person({ email: EMAIL });
    const laptop = await signIn(EMAIL);
    const bob = await person();
    expect((await laptop.call(auth.logoutAllRoute)).status).toBe(204);
    for (const client of [phone, laptop]) expect((await client.call(auth.getMeRoute)).status).toBe(401);
    expect((await bob.call(auth.getMeRoute)).status).toBe(200);
  });

  test("everywhere is a 401 when it is repeated, because its token has ended too", async () => {
    const ada = await person({ email: EMAIL });
    const headers = { "Idempotency-Key": "out" };
    expect((await ada.call(auth.logoutAllRoute, { headers })).status).toBe(204);
    expect((await ada.call(auth.logoutAllRoute, { headers })).status).toBe(401);
    expect((await ada.call(auth.logoutAllRoute)).status).toBe(401);
  });

  test("of one session in the list", async () => {
    const phone = await person({ email: EMAIL });
    const laptop = await signIn(EMAIL);
    const { items, total } = await laptop.ok(auth.listSessionsRoute);
    expect(total).toBe(2);
    const other = items.find(({ current }) => !current);
    const params = { session_id: other?.id ?? "" };
    const bob = await person();
    expect((await bob.call(auth.revokeSessionRoute, { params })).status).toBe(404);
    expect((await laptop.call(auth.revokeSessionRoute, { params })).status).toBe(204);
    expect((await phone.call(auth.getMeRoute)).status).toBe(401);
    expect((await laptop.call(auth.revokeSessionRoute, { params })).status).toBe(404);
  });
});

describe("a new password", () => {
  test("is set once: its token ends too, and the database keeps no trace of the request", async () => {
    const ada = await person({ email: EMAIL });
    const json = { current_password: PASSWORD, new_password: "another good one" };
    const parts = { headers: { "Idempotency-Key": "k" }, json };
    expect((await ada.call(auth.changePasswordRoute, parts)).status).toBe(204);
    expect((await ada.call(auth.changePasswordRoute, parts)).status).toBe(401);
    await signIn(EMAIL, "another good one");
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_keys").all();
    expect(results).toEqual([]);
  });

  test("requires the current one, and ends every session", async () => {
    const ada = await person({ email: EMAIL });
    const refresh_token = ada.tokens?.refresh_token ?? "";
    const change = (current_password: string) =>
      ada.call(auth.changePasswordRoute, { json: { current_password, new_password: "another good one" } });
    expect((await change("wrong password")).status).toBe(403);
    expect((await change(PASSWORD)).status).toBe(204);
    expect((await visitor().call(auth.refreshRoute, { json: { refresh_token } })).status).toBe(401);
    const old = await visitor().call(auth.loginRoute, { json: { email: EMAIL, password: PASSWORD } });
    expect(old.status).toBe(401);
    expect((await signIn(EMAIL, "another good one")).tokens).toBeDefined();
  });
});

test("what has expired is purged, and the rest is kept", async () => {
  const ada = await person({ email: EMAIL });
  await signIn(EMAIL);
  const old = "2020-01-01T00:00:00.000Z";
  await env.DB.prepare(
    "UPDATE sessions SET expires_at = ? WHERE id <> (SELECT id FROM sessions ORDER BY created_at, id LIMIT 1)",
  )
    .bind(old)
    .run();
  const { purge } = await import("../../../src/purge.ts");
  await purge(env);
  expect((await ada.ok(auth.listSessionsRoute)).total).toBe(1);
  const rows = await env.DB.prepare("SELECT count(*) AS n FROM refresh_tokens").first();
  expect(rows).toEqual({ n: 1 });
});

test.for(["password", "PASSWORD1", "12345678", "iloveyou", "Qwertyuiop"])(
  "%s is too common for a password",
  async (password) => {
    const refusal = await visitor().refusal(auth.registerRoute, { json: { email: EMAIL, password } });
    expect(refusal).toEqual({ status: 422, detail: "password: is too common: choose another one" });
  },
);

describe("an address is confirmed", () => {
  test("by the link that registration mails, or by another one", async () => {
    const ada = await person({ email: EMAIL });
    expect((await ada.ok(auth.getMeRoute)).email_verified_at).toBeNull();
    const first = await codeFor(EMAIL, VERIFY);
    expect((await ada.call(email.sendVerificationRoute)).status).toBe(202);
    const second = await mailTo(EMAIL, VERIFY);
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
    const json = { email: EMAIL, password: PASSWORD };
    const answer = await page.call(auth.registerRoute, { json });
    expect([answer.status, answer.text]).toEqual([202, expect.stringContaining("open the link")]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await page.refusal(auth.loginRoute, { json })).toMatchObject({
      status: 403,
      detail: expect.stringContaining("Confirm your email address first"),
    });
    const wrong = { json: { ...json, password: "wrong password" } };
    expect((await page.refusal(auth.loginRoute, wrong)).status).toBe(401);
    await page.ok(email.verifyEmailRoute, { json: { verification_token: await codeFor(EMAIL, VERIFY) } });
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
    const ada = await person({ email: EMAIL });
    const json = { email: EMAIL, password: PASSWORD };
    await visitor().ok(auth.loginRoute, { json, headers });
    const { items } = await ada.ok(auth.listSessionsRoute);
    expect(items.map((one) => one.name)).toContain(name);
    const [signedIn] = (await ada.ok(listSecurityEventsRoute)).items;
    expect(signedIn).toMatchObject({ event: "signed_in", client_name: name });
  });

  test("tell of failed attempts, of at most 20 in an hour, and only to the account's owner", async () => {
    const ada = await person({ email: EMAIL });
    const bob = await person({ email: "bob@example.com" });
    const json = { email: EMAIL, password: "wrong password" };
    await visitor().refusal(auth.loginRoute, { json });
    expect((await eventsOf(ada))[0]).toBe("sign_in_failed");
    expect(await eventsOf(bob)).toEqual(["registered"]);
  });
});
