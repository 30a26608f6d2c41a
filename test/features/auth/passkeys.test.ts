import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import * as passkeys from "../../../src/features/auth/passkeys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import * as factor from "../../../src/features/auth/second-factor/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { addSecondFactor, eventsOf } from "../../kit/accounts.ts";
import { AppPage } from "../../kit/app-page.ts";
import { atOnce } from "../../kit/at-once.ts";
import { Authenticator } from "../../kit/authenticator.ts";
import { Browser } from "../../kit/browser.ts";
import { type Client, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { keyOf } from "../../kit/scopes.ts";

// Passkeys, which need no second factor: adding one, signing in with it, and attacks on that.

/** Failed sign-ins are counted by email, so each test has its own. */
let ADA: string;
beforeEach(() => {
  ADA = `${crypto.randomUUID()}@example.com`;
});

const lastEvents = async (client: Client, count: number) => (await eventsOf(client)).slice(0, count);

/** A person with a passkey. */
async function keyed() {
  const ada = await person({ email: ADA });
  const authenticator = new Authenticator();
  const { challenge, user } = await ada.ok(passkeys.passkeyOptionsRoute, { json: { password: PASSWORD } });
  authenticator.userHandle = user.id;
  const attestation = await authenticator.create(challenge);
  const passkey = await ada.ok(passkeys.addPasskeyRoute, { json: { name: "Laptop", attestation } });
  return { ada, authenticator, attestation, passkey };
}

const challengeToSignIn = async () => (await visitor().ok(passkeys.passkeyLoginOptionsRoute)).challenge;
const loginWith = (assertion: unknown, from: Client = visitor()) =>
  from.call(passkeys.passkeyLoginRoute, { json: { assertion } });

describe("a passkey", () => {
  test("signs in without a password and without a second factor, until it is removed", async () => {
    const { ada, authenticator, passkey } = await keyed();
    await addSecondFactor(ada);
    const answer = await loginWith(await authenticator.sign(await challengeToSignIn()));
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ token_type: "bearer" })]);
    const params = { passkey_id: passkey.id };
    await ada.ok(passkeys.renamePasskeyRoute, { params, json: { name: "Old laptop" } });
    expect(await ada.ok(passkeys.listPasskeysRoute)).toMatchObject({
      items: [{ name: "Old laptop", last_used_at: expect.any(String) }],
      total: 1,
    });
    expect((await ada.call(passkeys.removePasskeyRoute, { params })).status).toBe(204);
    expect((await loginWith(await authenticator.sign(await challengeToSignIn()))).status).toBe(401);
    expect(await lastEvents(ada, 2)).toEqual(["passkey_removed", "signed_in"]);
  });

  test("makes its address known, so that strangers' wrong passwords do not keep the owner out there", async () => {
    const { authenticator } = await keyed();
    const away = new AppPage({ env: { RATE_LIMIT_ACCOUNT: "2/900" } });
    await loginWith(await authenticator.sign(await challengeToSignIn()), away);
    const login = (page: AppPage, password: string) =>
      page.call(auth.loginRoute, { json: { email: ADA, password } });
    const stranger = () => new AppPage({ env: { RATE_LIMIT_ACCOUNT: "2/900" } });
    for (const status of [401, 401, 429])
      expect((await login(stranger(), "wrong password")).status).toBe(status);
    expect((await login(away, PASSWORD)).status).toBe(200);
  });

  test("whose signature is wrong is logged for its owner", async () => {
    const { ada, authenticator } = await keyed();
    const copy = await authenticator.sign(await challengeToSignIn(), { counter: 1 });
    expect((await loginWith(copy)).status).toBe(401);
    expect(await lastEvents(ada, 1)).toEqual(["sign_in_failed"]);
  });

  test("signs in on the sign-in page, and in the app", async () => {
    const { authenticator } = await keyed();
    const browser = new Browser();
    const page = await browser.open("/sign-in?to=%2Fhistory");
    expect(page.html).toContain("Use a passkey");
    expect(page.headers.get("Content-Security-Policy")).toContain("connect-src 'self'");
    const { id, response } = await authenticator.sign(await challengeToSignIn());
    const fields = { ...response, userHandle: response.userHandle ?? "" };
    const done = await browser.submit(page, { id, ...fields }, { form: 1 });
    expect([done.status, done.headers.get("Location")]).toEqual([303, "/history"]);
    const again = await browser.submit(page, { id, ...fields }, { form: 1 });
    expect([again.status, again.html]).toEqual([401, expect.stringContaining("signing in took too long")]);

    const app = new AppPage();
    const assertion = await authenticator.sign(await challengeToSignIn());
    await app.ok(passkeys.passkeyLoginRoute, { json: { assertion, session: "cookie" } });
    expect(await app.ok(auth.getMeRoute)).toMatchObject({ email: ADA });
  });

  test.for([
    ["from another site", { origin: "https://evil.example" }],
    ["from a site of a similar name", { origin: "https://commonplace.test.evil.example" }],
    ["for another domain", { rpId: "evil.example" }],
    ["without the person's consent", { userVerified: false }],
    ["of another kind", { type: "webauthn.create" }],
    ["with a counter that does not grow, as that of a copy", { counter: 1 }],
  ] as const)("is refused %s", async ([, wrong]) => {
    const { authenticator } = await keyed();
    expect((await loginWith(await authenticator.sign(await challengeToSignIn(), wrong))).status).toBe(401);
    expect((await loginWith(await authenticator.sign(await challengeToSignIn()))).status).toBe(200);
  });

  test("is refused with a challenge that was answered before, is another person's, or nobody's", async () => {
    const { ada, authenticator } = await keyed();
    const assertion = await authenticator.sign(await challengeToSignIn());
    const answers = await atOnce(3, () => loginWith(assertion));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const { challenge } = await ada.ok(passkeys.passkeyOptionsRoute, { json: { password: PASSWORD } });
    expect((await loginWith(await authenticator.sign(challenge))).status).toBe(401);
    expect((await loginWith(await authenticator.sign("A".repeat(43)))).status).toBe(401);
    const late = await challengeToSignIn();
    await env.DB.prepare("UPDATE passkey_challenges SET expires_at = '2026-01-01'").run();
    expect((await loginWith(await authenticator.sign(late))).status).toBe(401);
  });

  test("is refused when its answer names another owner, or none", async () => {
    const { authenticator } = await keyed();
    const eve = await person();
    const { id } = await eve.ok(auth.getMeRoute);
    const names = [id, crypto.randomUUID(), "nobody"].map((name) => btoa(name).replaceAll("=", ""));
    for (const userHandle of [...names, "", null]) {
      const assertion = await authenticator.sign(await challengeToSignIn());
      const response = { ...assertion.response, userHandle };
      expect((await loginWith({ ...assertion, response })).status).toBe(401);
    }
    expect((await loginWith(await authenticator.sign(await challengeToSignIn()))).status).toBe(200);
  });

  test("is refused when its answer was changed, or signed by another key", async () => {
    const { authenticator } = await keyed();
    const stranger = Object.assign(new Authenticator(), { id: authenticator.id });
    expect((await loginWith(await stranger.sign(await challengeToSignIn()))).status).toBe(401);
    const assertion = await authenticator.sign(await challengeToSignIn());
    for (const field of ["clientDataJSON", "authenticatorData", "signature"] as const) {
      const value = assertion.response[field];
      const changed = { ...assertion.response, [field]: `${value.slice(0, -6)}AAAAAA` };
      expect((await loginWith({ ...assertion, response: changed })).status, field).toBe(401);
    }
  });

  test("is added with the password, by who asked for it, once", async () => {
    const { attestation } = await keyed();
    const bob = await person({ email: "bob@example.com" });
    const wrong = { json: { password: "wrong password" } };
    expect((await bob.refusal(passkeys.passkeyOptionsRoute, wrong)).status).toBe(403);
    const add = (one: unknown, client = bob) =>
      client.call(passkeys.addPasskeyRoute, { json: { name: "Mine", attestation: one } });
    expect((await add(attestation)).status).toBe(400);
    const options = async () => bob.ok(passkeys.passkeyOptionsRoute, { json: { password: PASSWORD } });
    const authenticator = new Authenticator();
    const evil = [{ origin: "https://evil.example" }, { rpId: "evil.example" }, { userVerified: false }];
    for (const wrong of evil)
      expect((await add(await authenticator.create((await options()).challenge, wrong))).status).toBe(400);
    const theirs = await person({ email: "eve@example.com" });
    expect((await add(await authenticator.create((await options()).challenge), theirs)).status).toBe(400);
    const mine = await authenticator.create((await options()).challenge);
    expect((await add(mine)).status).toBe(201);
    expect((await add(mine)).status).toBe(400);
    expect((await options()).excludeCredentials).toMatchObject([{ id: mine.id }]);
  });

  test("is refused when its answer is no answer at all", async () => {
    const { authenticator } = await keyed();
    const assertion = await authenticator.sign(await challengeToSignIn());
    const response = { clientDataJSON: "a", authenticatorData: "a", signature: "a" };
    expect((await loginWith({ ...assertion, response })).status).toBe(401);
  });

  test("of another person is not found", async () => {
    const { passkey } = await keyed();
    const bob = await person({ email: "bob@example.com" });
    const params = { passkey_id: passkey.id };
    expect((await bob.call(passkeys.renamePasskeyRoute, { params, json: { name: "x" } })).status).toBe(404);
    expect((await bob.call(passkeys.removePasskeyRoute, { params })).status).toBe(404);
    expect((await bob.ok(passkeys.listPasskeysRoute)).total).toBe(0);
  });

  test("signs in to an account without an address that was confirmed only where that is allowed", async () => {
    const { authenticator } = await keyed();
    const strict = new AppPage({ env: { REGISTRATION: "verified" } });
    const assertion = await authenticator.sign(await challengeToSignIn());
    expect((await loginWith(assertion, strict)).status).toBe(403);
  });
});

test("an API key manages neither second factors nor passkeys", async () => {
  const ada = await person();
  const script = await keyOf(ada, ["docs:read", "docs:write", "memory:read", "memory:write"]);
  expect((await script.call(listDocumentsRoute)).status).toBe(200);
  expect((await script.call(factor.getSecondFactorRoute)).status).toBe(403);
  expect((await script.call(passkeys.listPasskeysRoute)).status).toBe(403);
  expect((await signIn((await ada.ok(auth.getMeRoute)).email)).tokens).toBeDefined();
});
