import type { Context } from "hono";
import { FIRST_SHARD, globalAccountId } from "../../../contract/shard.ts";
import type { AppEnv } from "../../../platform/core/ctx.ts";
import { hashSecret } from "../../../platform/core/secret.ts";
import type { Email } from "../../../platform/email/render.ts";
import { hasEmailServer, requireEmail, sendEmail } from "../../../platform/email/send.ts";
import { publicOrigin } from "../../../platform/http/origin.ts";
import { releaseAttempt, takeAttempt, tryAttempt } from "../../../platform/rate-limit/limit.ts";
import {
  claimNewAddress,
  confirmAddress,
  requireAddressFree,
} from "../../../platform/shards/address-directory-store.ts";
import { baseCtxIn, inShardOfAddress, inShardOfSecret } from "../../../platform/shards/router.ts";
import { revokeSomeGrants } from "../../connections/grants.ts";
import { rememberClientAddress } from "../attempts.ts";
import { type OwnerProof, reauthenticate } from "../confirmation.ts";
import * as emails from "./emails.ts";
import { startPasswordReset } from "./link-store.ts";
import * as store from "./store.ts";

// Addresses in emails come from the settings: the Host header can be forged by the sender of the request.

/** Key for limiting emails to an address, registered or not, so that no mailbox can be flooded. */
export const emailLimitKey = (purpose: "reset" | "verify" | "change", to: string) =>
  hashSecret(`${purpose}:${to}`);

const LIMIT = "RATE_LIMIT_MAIL";

/** Emails a reset link to the account's owner. The answer does not wait for it, so its timing reveals nothing. */
export async function sendPasswordReset(c: Context<AppEnv>, email: string): Promise<void> {
  requireEmail(c.env);
  const origin = publicOrigin(c.env);
  await takeAttempt(c.env, LIMIT, await emailLimitKey("reset", email));
  const send = async () => {
    const start = async () => (await startPasswordReset(c.var.base, email)) ?? false;
    const code = await inShardOfAddress(c, email, start);
    if (code) await sendEmail(c.env, emails.resetEmail({ to: email, origin, code }));
  };
  c.executionCtx.waitUntil(send());
}

export function sendNotice(c: Context<AppEnv>, mail: Email): void {
  if (hasEmailServer(c.env)) c.executionCtx.waitUntil(sendEmail(c.env, mail));
}

/** Sets a new password with a code from an email. The client's address counts as known from then on. */
export async function resetPassword(c: Context<AppEnv>, code: string, password: string): Promise<void> {
  const { user_id, email, isOpen } = await inShardOfSecret(c, code, () =>
    store.finishPasswordReset(c.var.base, code, password),
  );
  await rememberClientAddress(c, email);
  if (isOpen) sendNotice(c, emails.passwordChangedEmail(email));
  await revokeSomeGrants(c.env, user_id);
}

type Recipient = { id: string; email: string };

async function sendVerification(c: Context<AppEnv>, { id, email: to }: Recipient): Promise<void> {
  const code = await store.startVerification(c.var.base, id);
  await sendEmail(c.env, emails.verificationEmail({ to, origin: publicOrigin(c.env), code }));
}

/** Emails the link that confirms a new account's address, unless the limit is reached. Does not wait for it. */
export async function sendWelcomeEmail(c: Context<AppEnv>, account: Recipient): Promise<void> {
  if (await tryAttempt(c.env, LIMIT, await emailLimitKey("verify", account.email)))
    c.executionCtx.waitUntil(sendVerification(c, account));
}

export async function resendVerification(c: Context<AppEnv>): Promise<void> {
  requireEmail(c.env);
  const { id, email } = await c.var.ctx.user();
  await takeAttempt(c.env, LIMIT, await emailLimitKey("verify", email));
  await sendVerification(c, { id, email });
}

/** Emails a link to the new address, to confirm it, and one to the old address, to undo the change. */
export async function sendEmailChangeLinks(
  c: Context<AppEnv>,
  email: string,
  proof: OwnerProof,
): Promise<void> {
  requireEmail(c.env);
  const origin = publicOrigin(c.env);
  const limitKeys = [`change-of:${globalAccountId(c.var.ctx)}`, await emailLimitKey("change", email)];
  for (const one of limitKeys) await takeAttempt(c.env, LIMIT, one);
  // After the limits, because it may use up a code.
  await reauthenticate(c, proof).catch(async (problem: unknown) => {
    for (const one of limitKeys) await releaseAttempt(c.env, LIMIT, one);
    throw problem;
  });
  if (c.var.ctx.shard !== FIRST_SHARD) {
    const { id } = await c.var.ctx.user();
    await requireAddressFree(baseCtxIn(c, FIRST_SHARD), email, id);
  }
  const { old, change, undo } = await store.startEmailChange(c.var.ctx, email);
  await sendEmail(c.env, emails.undoChangeEmail({ to: old, origin, code: undo }, email));
  await sendEmail(c.env, emails.confirmChangeEmail({ to: email, origin, code: change }));
}

async function changeAddress<Changed extends store.EmailChange>(
  c: Context<AppEnv>,
  change: (claim: store.ClaimEmail) => Promise<Changed>,
): Promise<Changed> {
  const { shard } = c.var.base;
  if (shard === FIRST_SHARD) return change(async () => undefined);
  const first = baseCtxIn(c, FIRST_SHARD);
  const changed = await change(({ user_id: userId, email }) =>
    claimNewAddress(first, { email, home: shard, userId }),
  );
  await confirmAddress(first, { email: changed.email, home: shard, userId: changed.user_id });
  return changed;
}

/** Undoes a change of the address; returns the code for setting a new password. */
export async function undoEmailChange(c: Context<AppEnv>, code: string): Promise<string> {
  const undo = () => changeAddress(c, (claim) => store.undoEmailChange(c.var.base, code, claim));
  const { user_id, email, reset } = await inShardOfSecret(c, code, undo);
  await rememberClientAddress(c, email);
  await revokeSomeGrants(c.env, user_id);
  return reset;
}

export function verifyEmail(c: Context<AppEnv>, code: string): Promise<void> {
  return inShardOfSecret(c, code, () => store.finishVerification(c.var.base, code));
}

export async function changeEmail(c: Context<AppEnv>, code: string): Promise<void> {
  await inShardOfSecret(c, code, () =>
    changeAddress(c, (claim) => store.finishEmailChange(c.var.base, code, claim)),
  );
}
