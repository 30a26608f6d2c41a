import type { Context } from "hono";
import { accountName, FIRST_HOME } from "../../../contract/home.ts";
import type { AppEnv } from "../../../platform/core/ctx.ts";
import { hashSecret } from "../../../platform/core/secret.ts";
import { claimChange, requireFree, settle } from "../../../platform/homes/address-book-store.ts";
import { baseIn, inHomeOf, inHomeOfAddress } from "../../../platform/homes/router.ts";
import { publicOrigin } from "../../../platform/http/origin.ts";
import type { Mail } from "../../../platform/mail/letter.ts";
import { hasMailServer, requireMail, sendMail } from "../../../platform/mail/send.ts";
import { hasAttempt, releaseAttempt, takeAttempt } from "../../../platform/rate-limit/limit.ts";
import { revokeSomeGrants } from "../../connections/grants.ts";
import { rememberOrigin } from "../attempts.ts";
import { confirmOwner, type Proof } from "../confirmation.ts";
import { startPasswordReset } from "./link-store.ts";
import * as emails from "./mails.ts";
import * as store from "./store.ts";

// Addresses in emails come from the settings: the Host header can be forged by the sender of the request.

/** Key for limiting emails to an address, registered or not, so that no mailbox can be flooded. */
export const countedBy = (purpose: "reset" | "verify" | "change", to: string) =>
  hashSecret(`${purpose}:${to}`);

const LIMIT = "RATE_LIMIT_MAIL";

/** Emails a reset link to the account's owner. The answer does not wait for it, so its timing reveals nothing. */
export async function mailPasswordReset(c: Context<AppEnv>, email: string): Promise<void> {
  requireMail(c.env);
  const origin = publicOrigin(c.env);
  await takeAttempt(c.env, LIMIT, await countedBy("reset", email));
  const send = async () => {
    const start = async () => (await startPasswordReset(c.var.base, email)) ?? false;
    const code = await inHomeOfAddress(c, email, start);
    if (code) await sendMail(c.env, emails.resetMail({ to: email, origin, code }));
  };
  c.executionCtx.waitUntil(send());
}

export function mailNotice(c: Context<AppEnv>, mail: Mail): void {
  if (hasMailServer(c.env)) c.executionCtx.waitUntil(sendMail(c.env, mail));
}

/** Sets a new password with a code from an email. The client's address counts as known from then on. */
export async function resetPassword(c: Context<AppEnv>, code: string, password: string): Promise<void> {
  const { user_id, email, isOpen } = await inHomeOf(c, code, () =>
    store.finishPasswordReset(c.var.base, code, password),
  );
  await rememberOrigin(c, email);
  if (isOpen) mailNotice(c, emails.passwordMail(email));
  await revokeSomeGrants(c.env, user_id);
}

type Recipient = { id: string; email: string };

async function sendVerification(c: Context<AppEnv>, { id, email: to }: Recipient): Promise<void> {
  const code = await store.startVerification(c.var.base, id);
  await sendMail(c.env, emails.verificationMail({ to, origin: publicOrigin(c.env), code }));
}

/** Emails the link that confirms a new account's address, unless the limit is reached. Does not wait for it. */
export async function welcomeByMail(c: Context<AppEnv>, account: Recipient): Promise<void> {
  if (await hasAttempt(c.env, LIMIT, await countedBy("verify", account.email)))
    c.executionCtx.waitUntil(sendVerification(c, account));
}

export async function mailVerificationAgain(c: Context<AppEnv>): Promise<void> {
  requireMail(c.env);
  const { id, email } = await c.var.ctx.user();
  await takeAttempt(c.env, LIMIT, await countedBy("verify", email));
  await sendVerification(c, { id, email });
}

/** Emails a link to the new address, to confirm it, and one to the old address, to undo the change. */
export async function mailEmailChange(c: Context<AppEnv>, email: string, proof: Proof): Promise<void> {
  requireMail(c.env);
  const origin = publicOrigin(c.env);
  const limitKeys = [`change-of:${accountName(c.var.ctx)}`, await countedBy("change", email)];
  for (const one of limitKeys) await takeAttempt(c.env, LIMIT, one);
  // After the limits, because it may use up a code.
  await confirmOwner(c, proof).catch(async (problem: unknown) => {
    for (const one of limitKeys) await releaseAttempt(c.env, LIMIT, one);
    throw problem;
  });
  if (c.var.ctx.home !== FIRST_HOME) {
    const { id } = await c.var.ctx.user();
    await requireFree(baseIn(c, FIRST_HOME), email, id);
  }
  const { old, change, undo } = await store.startEmailChange(c.var.ctx, email);
  await sendMail(c.env, emails.undoMail({ to: old, origin, code: undo }, email));
  await sendMail(c.env, emails.changeMail({ to: email, origin, code: change }));
}

async function changeAddress<Changed extends store.Changing>(
  c: Context<AppEnv>,
  change: (claim: store.Claim) => Promise<Changed>,
): Promise<Changed> {
  const { home } = c.var.base;
  if (home === FIRST_HOME) return change(async () => undefined);
  const first = baseIn(c, FIRST_HOME);
  const changed = await change(({ user_id: userId, email }) => claimChange(first, { email, home, userId }));
  await settle(first, { email: changed.email, home, userId: changed.user_id });
  return changed;
}

/** Undoes a change of the address; returns the code for setting a new password. */
export async function undoEmailChange(c: Context<AppEnv>, code: string): Promise<string> {
  const undo = () => changeAddress(c, (claim) => store.undoEmailChange(c.var.base, code, claim));
  const { user_id, email, reset } = await inHomeOf(c, code, undo);
  await rememberOrigin(c, email);
  await revokeSomeGrants(c.env, user_id);
  return reset;
}

export function verifyEmail(c: Context<AppEnv>, code: string): Promise<void> {
  return inHomeOf(c, code, () => store.finishVerification(c.var.base, code));
}

export async function changeEmail(c: Context<AppEnv>, code: string): Promise<void> {
  await inHomeOf(c, code, () =>
    changeAddress(c, (claim) => store.finishEmailChange(c.var.base, code, claim)),
  );
}
