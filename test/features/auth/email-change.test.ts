import { describe, expect, test } from "vitest";
import { createApiKeyRoute, listApiKeysRoute } from "../../../src/features/api-keys/routes.ts";
import * as email from "../../../src/features/auth/email/routes.ts";
import {
  addPasskeyRoute,
  listPasskeysRoute,
  passkeyOptionsRoute,
} from "../../../src/features/auth/passkeys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import {
  confirmSecondFactorRoute,
  startSecondFactorRoute,
} from "../../../src/features/auth/second-factor/routes.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { listWebhooksRoute, updateWebhookRoute } from "../../../src/features/webhooks/routes.ts";
import { ADA, age, eventsOf, NEXT, requestReset, resetWith } from "../../kit/accounts.ts";
import { Authenticator } from "../../kit/authenticator.ts";
import { Browser } from "../../kit/browser.ts";
import { type Client, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { hookOf } from "../../kit/hooks.ts";
import { CHANGE, codeFor, mailTo, RESET, UNDO, VERIFY } from "../../kit/mailbox.ts";
import { keyOf } from "../../kit/scopes.ts";
import { totpCodeAt } from "../../kit/totp.ts";

// A change of email is confirmed at the new address, and can be undone from the old one.

describe("a change of email", () => {
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
    const mine = await keyOf(ada, ["docs:read"]);
    const thief = await signIn(ADA);
    await change(thief);
    const undo = await codeFor(ADA, UNDO);
    const change_token = await codeFor(NEW, CHANGE);
    await visitor().ok(email.confirmEmailChangeRoute, { json: { change_token } });
    const theirs = await keyOf(thief, ["docs:read"]);
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
    expect((await mine.call(listDocumentsRoute)).status).toBe(200);
    expect((await theirs.call(listDocumentsRoute)).status).toBe(401);
    expect(await eventsOf(owner)).toContain("email_change_undone");
  });

  /** When something is done: before the change is requested, before it takes effect, and after that. */
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
      const json = { code: totpCodeAt(secret, new Date()) };
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

  test("that another person requested is void once the password has been changed", async () => {
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
