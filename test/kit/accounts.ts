import { env } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import * as email from "../../src/features/auth/email/routes.ts";
import { listSecurityEventsRoute } from "../../src/features/auth/me-routes.ts";
import * as factor from "../../src/features/auth/second-factor/routes.ts";
import { AppPage } from "./app-page.ts";
import { type Client, PASSWORD, visitor } from "./client.ts";
import { codeFor, VERIFY } from "./mailbox.ts";
import { totpCodeAt } from "./totp.ts";

// What people do with their email and their second factor.

export const ADA = "ada@example.com";
export const NEXT = "a quite different password";

export const eventsOf = async (client: Client) =>
  (await client.ok(listSecurityEventsRoute)).items.map(({ event }) => event);

/** A visitor of a deployment with other settings. */
export const visitorWith = (settings: Partial<Env>) => new AppPage({ env: settings });

export const requestReset = (of = ADA, from = visitor()) =>
  from.call(email.resetPasswordRoute, { json: { email: of } });

export const resetWith = (reset_token: string, new_password = NEXT) =>
  visitor().call(email.confirmPasswordResetRoute, { json: { reset_token, new_password } });

/** Confirms an address by the last link that was mailed to it. */
export const confirmAddress = async (of = ADA) =>
  visitor().ok(email.verifyEmailRoute, { json: { verification_token: await codeFor(of, VERIFY) } });

/** Gives an account a second factor, whose first code is used up. */
export async function addSecondFactor(client: Client) {
  const started = await client.ok(factor.startSecondFactorRoute, { json: { password: PASSWORD } });
  const json = { code: totpCodeAt(started.secret, new Date()) };
  return { ...started, ...(await client.ok(factor.confirmSecondFactorRoute, { json })) };
}

/** Makes every mailed link older. */
export const age = (minutes: number) =>
  env.DB.prepare("UPDATE email_links SET expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', expires_at, ?)")
    .bind(`-${minutes} minutes`)
    .run();
