import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { beforeEach, describe, expect, test } from "vitest";
import type { TokenAnswer } from "../../../src/contract/auth.ts";
import { dropSecondFactor, setClosed } from "../../../src/features/admin/store.ts";
import * as email from "../../../src/features/auth/email/routes.ts";
import * as passkeys from "../../../src/features/auth/passkeys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import * as factor from "../../../src/features/auth/second-factor/routes.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import {
  addSecondFactor,
  confirmAddress,
  eventsOf,
  NEXT,
  requestReset,
  resetWith,
} from "../../kit/accounts.ts";
import { AppPage } from "../../kit/app-page.ts";
import { atOnce } from "../../kit/at-once.ts";
import { Authenticator } from "../../kit/authenticator.ts";
import { Browser, fieldsOf } from "../../kit/browser.ts";
import { Client, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { OPERATIONS, resolve } from "../../kit/description.ts";
import { codeFor, RESET } from "../../kit/mailbox.ts";
import { authorizeUrl, registerClient } from "../../kit/oauth.ts";
import { openHomes, personIn } from "../../kit/shards.ts";
import { totpCodeAt } from "../../kit/totp.ts";

// The second factor of passwords: signing in with it, and attacks on it.

/** Failed sign-ins are counted by email, so each test has its own. */
let ADA: string;
let json: { email: string; password: string };
beforeEach(() => {
  ADA = `${crypto.randomUUID()}@example.com`;
  json = { email: ADA, password: PASSWORD };
});

const at = (seconds: number) => new Date(Date.now() + seconds * 1000);

/** A person with a second factor whose first code is used up; `code` is the next one, which is already valid. */
async function guarded(home = 1) {
  const ada = await personIn(home, ADA);
  const { secret, recovery_codes } = await addSecondFactor(ada);
  return { ada, secret, recovery_codes, code: totpCodeAt(secret, at(30)) };
}

const login = (code?: string, from: Client = visitor()) =>
  from.call(auth.loginRoute, { json: { ...json, code } });
const lastEvents = async (client: Client, count: number) => (await eventsOf(client)).slice(0, count);

/** What a session cannot do without the password and a code: the operation, and what it is sent besides the code. */
const SENSITIVE: [name: string, RouteConfig, (email: string) => Record<string, string>][] = [
  ["passkeyOptions", passkeys.passkeyOptionsRoute, () => ({ password: PASSWORD })],
  ["changeEmail", email.changeEmailRoute, (mine) => ({ email: `new-${mine}`, password: PASSWORD })],
  [
    "changePassword",
    auth.changePasswordRoute,
    () => ({ current_password: PASSWORD, new_password: `${PASSWORD} too` }),
  ],
  ["deleteMe", auth.deleteMeRoute, () => ({ password: PASSWORD })],
  ["renewRecoveryCodes", factor.renewRecoveryCodesRoute, () => ({ password: PASSWORD })],
  ["removeSecondFactor", factor.removeSecondFactorRoute, () => ({ password: PASSWORD })],
];

describe("a second factor", () => {
  test("is asked for once its first code has been confirmed", async () => {
    const ada = await person({ email: ADA });
    const wrong = { json: { password: "wrong password" } };
    expect((await ada.refusal(factor.startSecondFactorRoute, wrong)).status).toBe(403);
    const { otpauth_url } = await ada.ok(factor.startSecondFactorRoute, { json: { password: PASSWORD } });
    expect(otpauth_url).toMatch(
      /^otpauth:\/\/totp\/Commonplace:[\w-]+%40example\.com\?issuer=Commonplace&secret=[A-Z2-7]{32}/,
    );
    const wrongCode = { json: { code: "000000" } };
    expect((await ada.refusal(factor.confirmSecondFactorRoute, wrongCode)).status).toBe(400);
    expect((await login()).status).toBe(200);
    expect(await ada.ok(factor.getSecondFactorRoute)).toEqual({
      enabled: false,
      created_at: null,
      recovery_codes_left: 0,
    });
  });

  test("tells an older client what is missing, and lets one in that sends the code", async () => {
    const { ada, code } = await guarded();
    const missing = await visitor().refusal(auth.loginRoute, { json });
    expect(missing).toEqual({ status: 401, detail: expect.stringContaining("as code") });
    expect((await login(code)).status).toBe(200);
    expect(await lastEvents(ada, 2)).toEqual(["signed_in", "second_factor_added"]);
    const state = { enabled: true, recovery_codes_left: 10 };
    expect(await ada.ok(factor.getSecondFactorRoute)).toMatchObject(state);
  });

  test("says by a code what is missing or wrong, which no rewording of the text changes", async () => {
    const { code } = await guarded();
    const codeOf = async (input: object) => {
      const body = JSON.stringify({ ...json, ...input });
      const headers = { "Content-Type": "application/json" };
      const answer = await visitor().fetch("/api/auth/login", { method: "POST", headers, body });
      return [answer.status, answer.headers.get("Error-Code")];
    };
    expect(await codeOf({})).toEqual([401, "second_factor_required"]);
    expect(await codeOf({ code: "AAAA" })).toEqual([401, "wrong_code"]);
    expect(await codeOf({ password: "wrong password", code })).toEqual([401, "wrong_credentials"]);
    expect(await codeOf({ code })).toEqual([200, null]);
  });

  test("does not tell a wrong password from an unknown account", async () => {
    await guarded();
    for (const other of [
      { ...json, password: "wrong password" },
      { ...json, email: "nobody@example.com" },
    ]) {
      const refusal = await visitor().refusal(auth.loginRoute, { json: { ...other, code: "123456" } });
      expect(refusal).toEqual({ status: 401, detail: "Email or password is wrong" });
    }
  });

  test("accepts each code once, also of five parallel requests, and none before the last one", async () => {
    // A new code may become valid meanwhile, which is none of these.
    const start = Date.now();
    const { secret, code } = await guarded();
    const answers = await atOnce(5, () => login(code));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    for (const seconds of [-60, -30, 0, 30, 90]) {
      const other = totpCodeAt(secret, new Date(start + seconds * 1000));
      expect((await login(other)).status, `${seconds}`).toBe(401);
    }
  });

  test("cannot be guessed: after ten wrong codes nobody new may try, from however many addresses", async () => {
    const { code } = await guarded();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      // A request without a code gives no attempt back.
      if (n % 3 === 0) await login();
      statuses.push((await login("111111")).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.slice(10)).toEqual([429, 429]);
    expect((await login(code)).status).toBe(429);
  });

  test("is asked for by every operation that asks for the password, except the one that adds it", () => {
    const asking = OPERATIONS.filter(({ operation: { security, requestBody } }) => {
      const [media] = Object.values(requestBody?.content ?? {});
      const fields = Object.keys(media ? (resolve(media.schema).properties ?? {}) : {});
      return security?.length && fields.some((name) => ["password", "current_password"].includes(name));
    });
    const named = [...SENSITIVE.map(([name]) => name), "startSecondFactor"];
    expect(asking.map(({ operation }) => operation.operationId).sort()).toEqual(named.sort());
  });

  test.for(SENSITIVE)("is asked for by %s", async ([, route, body]) => {
    const { ada, recovery_codes, code } = await guarded();
    const call = (current_code?: string) => ada.call(route, { json: { ...body(ADA), current_code } });
    const missing = await call();
    expect([missing.status, missing.text]).toEqual([422, expect.stringContaining("current_code: ")]);
    const wrong = await call("000000");
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("The code is wrong")]);
    expect((await login(recovery_codes[0])).status).toBe(200);
    expect((await call(recovery_codes[0])).status).toBe(400);
    expect((await call(code)).status).toBeLessThan(300);
    // The code is used up, whether or not the account is still there.
    expect([400, 401, 404]).toContain((await call(code)).status);
  });

  test.for(SENSITIVE)("cannot be guessed by calling %s", async ([name, route, body]) => {
    const { recovery_codes } = await guarded();
    const thief = new AppPage({ env: { RATE_LIMIT_ACCOUNT: "2/900" } });
    await thief.ok(auth.loginRoute, { json: { ...json, code: recovery_codes[0], session: "cookie" } });
    const statuses: number[] = [];
    for (const current_code of ["111111", "AAAA", "111111"]) {
      statuses.push((await thief.call(route, { json: { ...body(ADA), current_code } })).status);
      // What the password alone allows gives no attempt back.
      await login();
      await thief.call(route, { json: body(ADA) });
    }
    expect(statuses).toEqual([400, 400, 429]);
    // Nor are there more of them at another door.
    const [, other = route, otherBody = body] = SENSITIVE.find(([one]) => one !== name) ?? [];
    const right = { json: { ...otherBody(ADA), current_code: recovery_codes[1] } };
    expect((await thief.call(other, right)).status).toBe(429);
  });

  test("stops a passkey that was asked for before there was a code to give", async () => {
    const ada = await person({ email: ADA });
    const thief = await signIn(ADA);
    const { challenge } = await thief.ok(passkeys.passkeyOptionsRoute, { json: { password: PASSWORD } });
    await addSecondFactor(ada);
    const attestation = await new Authenticator().create(challenge);
    const added = await thief.call(passkeys.addPasskeyRoute, { json: { name: "Theirs", attestation } });
    expect(added.status).toBe(400);
    expect((await ada.ok(passkeys.listPasskeysRoute)).total).toBe(0);
  });

  test("is not asked for where there is none, and an unneeded code does no harm", async () => {
    const ada = await person({ email: ADA });
    for (const current_code of [undefined, "123456"])
      await ada.ok(passkeys.passkeyOptionsRoute, { json: { password: PASSWORD, current_code } });
  });

  test("accepts each recovery code once, however it is written", async () => {
    const { ada, recovery_codes } = await guarded();
    expect(new Set(recovery_codes).size).toBe(10);
    const [first = "", second = "", third = ""] = recovery_codes;
    expect((await login(first.toLowerCase().replaceAll("-", " "))).status).toBe(200);
    expect((await login(first)).status).toBe(401);
    expect((await ada.ok(factor.getSecondFactorRoute)).recovery_codes_left).toBe(9);
    const change = { password: PASSWORD, current_code: third };
    const renewed = await ada.ok(factor.renewRecoveryCodesRoute, { json: change });
    expect((await login(second)).status).toBe(401);
    expect((await login(renewed.recovery_codes[0])).status).toBe(200);
    expect(await lastEvents(ada, 2)).toEqual(["signed_in", "recovery_code_used"]);
  });

  test("is stored so that no code can be made from the database", async () => {
    const { secret, recovery_codes } = await guarded();
    const rows = await Promise.all(
      ["second_factors", "recovery_codes"].map((table) => env.DB.prepare(`SELECT * FROM ${table}`).all()),
    );
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(secret);
    for (const code of recovery_codes) expect(stored).not.toContain(code.replaceAll("-", ""));
  });

  test("survives the rotation of the signing key, and recovery codes its loss", async () => {
    const { secret, recovery_codes } = await guarded();
    const lost = { JWT_SECRET: "another secret that has 32 bytes and more" };
    const rotated = { ...lost, JWT_SECRET_PREVIOUS: env.JWT_SECRET };
    expect((await login(totpCodeAt(secret, at(30)), new AppPage({ env: rotated }))).status).toBe(200);
    expect((await login(recovery_codes[0], new AppPage({ env: lost }))).status).toBe(200);
    const forgotten = { JWT_SECRET: "a third secret that has 32 bytes and more" };
    expect((await login(totpCodeAt(secret, at(60)), new AppPage({ env: forgotten }))).status).toBe(401);
    expect((await login(recovery_codes[1], new AppPage({ env: forgotten }))).status).toBe(200);
  });

  test("stays after the password has been reset by mail", async () => {
    const { ada, code } = await guarded();
    await ada.call(email.sendVerificationRoute);
    await confirmAddress(ADA);
    await requestReset(ADA);
    expect((await resetWith(await codeFor(ADA, RESET))).status).toBe(204);
    const fresh = { email: ADA, password: NEXT };
    expect((await visitor().refusal(auth.loginRoute, { json: fresh })).detail).toContain(
      "two-factor authentication",
    );
    await visitor().ok(auth.loginRoute, { json: { ...fresh, code } });
  });

  test("is removed with the password and a code", async () => {
    const { ada, recovery_codes } = await guarded();
    const remove = (password: string, current_code = "") =>
      ada.call(factor.removeSecondFactorRoute, { json: { password, current_code } });
    expect((await remove(PASSWORD, "000000")).status).toBe(400);
    expect((await remove("wrong password", recovery_codes[0])).status).toBe(403);
    expect((await remove(PASSWORD, recovery_codes[0])).status).toBe(204);
    expect((await login()).status).toBe(200);
    expect((await remove(PASSWORD, recovery_codes[1])).status).toBe(404);
  });

  test("is asked for on the sign-in page, on the way to the consent page too", async () => {
    const { code } = await guarded();
    const { client_id } = await registerClient();
    const browser = new Browser();
    const first = await browser.submit(await browser.open(await authorizeUrl(client_id)), json);
    expect([first.status, first.headers.get("Set-Cookie")]).toEqual([200, null]);
    expect(first.html).toContain("Enter your code");
    expect(first.html).not.toContain(PASSWORD);
    const wrong = await browser.submit(first, { code: "000000" });
    expect([wrong.status, wrong.html]).toEqual([401, expect.stringContaining("The code is wrong")]);
    const done = await browser.submit(wrong, { code });
    expect(done.status).toBe(303);
    expect((await browser.open(done.headers.get("Location") ?? "")).html).toContain("Allow Test Client");
    // The same form is good for no second sign-in.
    expect((await new Browser().submit(wrong, { code })).status).toBe(403);
    expect((await browser.submit(wrong, { code })).status).toBe(401);
  });

  test("is asked for on the sign-in page of an account in another shard", async () => {
    await openHomes();
    // The first account of all is not created in another shard.
    await person();
    const { ada, code } = await guarded(2);
    const browser = new Browser();
    const first = await browser.submit(await browser.open("/sign-in"), json);
    const wrong = await browser.submit(first, { code: "000000" });
    expect(wrong.status).toBe(401);
    expect((await browser.submit(wrong, { code })).status).toBe(303);
    expect(await lastEvents(ada, 1)).toEqual(["signed_in"]);
  });

  test("lets nobody in to an account that was closed, or signed out everywhere, after the first step", async () => {
    const { ada, code } = await guarded();
    const browser = new Browser();
    const step = async () => browser.submit(await browser.open("/sign-in"), json);
    const first = await step();
    await setClosed(openBaseCtx(env.DB), ADA, true, { evenLastAdmin: true });
    const closed = await browser.submit(first, { code });
    expect([closed.status, closed.html]).toEqual([403, expect.stringContaining("closed")]);
    await setClosed(openBaseCtx(env.DB), ADA, false);
    const second = await step();
    await ada.call(auth.logoutAllRoute);
    expect((await browser.submit(second, { code })).status).toBe(401);
    expect((await login(code)).status).toBe(200);
  });

  test("is not skipped by a forged, foreign or outdated ticket", async () => {
    const { ada, code, recovery_codes } = await guarded();
    const browser = new Browser();
    const step = await browser.submit(await browser.open("/sign-in"), json);
    const ticket = fieldsOf(step.html).fields.find(([name]) => name === "ticket")?.[1] ?? "";
    const forged = ticket.replace(/\.[^.]+$/, ".AAAA");
    for (const other of [forged, "", ada.tokens?.access_token ?? ""])
      expect((await browser.submit(step, { ticket: other, code })).status).toBe(401);
    const holder = new Client({ ...(ada.tokens as TokenAnswer), access_token: ticket });
    expect((await holder.call(auth.getMeRoute)).status).toBe(401);
    const change = { current_password: PASSWORD, new_password: NEXT, current_code: recovery_codes[0] };
    await ada.ok(auth.changePasswordRoute, { json: change });
    expect((await new Browser(browser.address).send("/sign-in")).status).toBe(200);
    const late = await browser.submit(step, { code });
    expect([late.status, late.html]).toEqual([401, expect.stringContaining("sign in again")]);
  });
});

test("a person who has lost everything but the email address gets in with the operator's help", async () => {
  const { ada: before } = await guarded();
  await before.call(email.sendVerificationRoute);
  await confirmAddress(ADA);
  await requestReset(ADA);
  expect((await resetWith(await codeFor(ADA, RESET), PASSWORD)).status).toBe(204);
  expect(await login()).toMatchObject({ status: 401 });

  await dropSecondFactor(openBaseCtx(env.DB), ADA);
  const ada = await signIn(ADA);
  expect(await ada.ok(factor.getSecondFactorRoute)).toMatchObject({ enabled: false, recovery_codes_left: 0 });
  expect(await lastEvents(ada, 2)).toContain("second_factor_removed");
  await expect(dropSecondFactor(openBaseCtx(env.DB), ADA)).rejects.toThrow("has no second factor");
});
