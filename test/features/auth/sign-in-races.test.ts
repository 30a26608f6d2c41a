import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeEach, expect, test } from "vitest";
import type { TokenAnswer } from "../../../src/contract/auth.ts";
import type { Attestation } from "../../../src/contract/passkeys.ts";
import { setClosed } from "../../../src/features/admin/store.ts";
import { openCtx } from "../../../src/features/auth/caller-store.ts";
import * as email from "../../../src/features/auth/email/routes.ts";
import { startEmailChange } from "../../../src/features/auth/email/store.ts";
import { passkeyOptionsRoute } from "../../../src/features/auth/passkeys/routes.ts";
import { addPasskey } from "../../../src/features/auth/passkeys/store.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { changePassword } from "../../../src/features/auth/store.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { openBaseCtx, openSession } from "../../../src/platform/db/session.ts";
import { Authenticator } from "../../kit/authenticator.ts";
import { BASE, Client, PASSWORD, person, signIn, visitor } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { codeFor, RESET, UNDO } from "../../kit/mailbox.ts";
import { openHomes } from "../../kit/shards.ts";

// What ends every session also ends what was on its way at that moment: checking a password takes so long that the
// account can be another one's when it is done.

const NEXT = "a quite different password";
const THEIRS = "a password of a thief";

let ADA: string;
beforeEach(() => {
  ADA = `${crypto.randomUUID()}@example.com`;
});

const login = () => visitor().call(auth.loginRoute, { json: { email: ADA, password: PASSWORD } });
const isAlive = async (tokens: TokenAnswer) =>
  (await new Client(tokens).call(auth.getMeRoute)).status === 200;

/** What an owner does to be the only one who is signed in: prepared, and then done. */
const ENDS: [string, (ada: Client) => Promise<() => Promise<unknown>>][] = [
  [
    "changes the password",
    async (ada) => () =>
      ada.ok(auth.changePasswordRoute, { json: { current_password: PASSWORD, new_password: NEXT } }),
  ],
  [
    "resets the password",
    async () => {
      await visitor().call(email.resetPasswordRoute, { json: { email: ADA } });
      const reset_token = await codeFor(ADA, RESET);
      return () =>
        visitor().ok(email.confirmPasswordResetRoute, { json: { reset_token, new_password: NEXT } });
    },
  ],
  [
    "undoes a change of email",
    async (ada) => {
      const json = { email: `new-${ADA}`, password: PASSWORD };
      await ada.ok(email.changeEmailRoute, { json });
      const undo_token = await codeFor(ADA, UNDO);
      return () => visitor().ok(email.undoEmailChangeRoute, { json: { undo_token } });
    },
  ],
  [
    "has the account closed",
    async () => () => setClosed(openBaseCtx(env.DB), ADA, true, { evenLastAdmin: true }),
  ],
  [
    "deletes the account",
    async (ada) => {
      // An email that nobody has is looked for in any home.
      await openHomes();
      return () => ada.ok(auth.deleteMeRoute, { json: { password: PASSWORD } });
    },
  ],
];

test.for(ENDS)("when the owner %s, no session opened at that moment is left", async ([, prepare]) => {
  const ada = await person({ email: ADA });
  const thief = await signIn(ADA);
  const end = await prepare(ada);
  const stolen = { current_password: PASSWORD, new_password: THEIRS };
  const [hasEnded, changed, , ...logins] = await Promise.all([
    end().then(
      () => true,
      () => false,
    ),
    thief.call(auth.changePasswordRoute, { json: stolen }),
    thief.call(email.changeEmailRoute, { json: { email: `their-${ADA}`, password: PASSWORD } }),
    ...Array.from({ length: 3 }, login),
  ]);
  // The first to succeed ended the sessions of the old password.
  const opened = logins.filter(({ status }) => status === 200).map(({ body }) => body as TokenAnswer);
  expect(await Promise.all(opened.map(isAlive))).toEqual(opened.map(() => false));
  expect([401, 403]).toContain((await login()).status);
  const links = env.DB.prepare("SELECT count(*) AS n FROM email_links WHERE purpose = 'change'");
  expect(await links.first("n")).toBe(0);
  const theirs = await visitor().call(auth.loginRoute, { json: { email: ADA, password: THEIRS } });
  expect(theirs.status === 200).toBe(!hasEnded);
  if (!hasEnded) expect(changed.status).toBe(204);
});

/** What outlives the session that asks for it. */
const LASTING: [string, (ctx: Ctx, attestation: Attestation) => Promise<unknown>][] = [
  ["a new password", (ctx) => changePassword(ctx, THEIRS)],
  ["a change of email", (ctx) => startEmailChange(ctx, `their-${ADA}`)],
  [
    "a passkey",
    (ctx, attestation) =>
      addPasskey(ctx, { id: new URL(BASE).hostname, origins: [BASE] }, { name: "Theirs", attestation }),
  ],
];

test.for(LASTING)("a session that ends after it was checked gives nobody %s", async ([, act]) => {
  const ada = await person({ email: ADA });
  const { challenge } = await ada.ok(passkeyOptionsRoute, { json: { password: PASSWORD } });
  const attestation = await new Authenticator().create(challenge);
  const { id } = await ada.ok(auth.getMeRoute);
  const { sid } = decodeJwt(ada.tokens?.access_token ?? "");
  const owner = await numberOf(ada);
  const ctx = openCtx(openBaseCtx(env.DB), openSession(env.DB), {
    kind: "session",
    shard: 1,
    owner,
    user_id: id,
    session_id: String(sid),
  });
  await ctx.admit();
  await ada.call(auth.logoutAllRoute);
  await expect(act(ctx, attestation)).rejects.toMatchObject({ status: 401 });
  await signIn(ADA);
});

test("of two who change the password at the same time, one does", async () => {
  const ada = await person({ email: ADA });
  const sessions = [ada, await signIn(ADA), await signIn(ADA)];
  const answers = await Promise.all(
    sessions.map((one, n) =>
      one.call(auth.changePasswordRoute, {
        json: { current_password: PASSWORD, new_password: `${NEXT} ${n}` },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401]);
  await signIn(ADA, `${NEXT} ${answers.findIndex(({ status }) => status === 204)}`);
});
