import type { Context } from "hono";
import { PlanTier } from "../billing/schema.ts";
import type { AppEnv } from "../core/ctx.ts";
import { forbidden } from "../core/errors.ts";
import { publicOrigin } from "../core/origin.ts";
import type { Env } from "../env.ts";
import { hasMailServer, requireMail } from "../mail/send.ts";
import { limitBySubject } from "../rate-limit/limit.ts";
import { rememberOrigin } from "./attempts.ts";
import { welcomeByMail } from "./email-links.ts";
import { type Registration, register, registerPending, type SignedIn } from "./store.ts";

// Who may create an account here, for the API and for the sign-in pages.

/** Whether people can create accounts. */
export const isOpen = ({ REGISTRATION }: Env): boolean => ["open", "verified"].includes(REGISTRATION);

/** Whether people have to confirm their address before they can sign in. */
export const isOnlyForVerified = ({ REGISTRATION }: Env): boolean => REGISTRATION === "verified";

export const PENDING = "The account is created: open the link that was mailed to you, then sign in";

/** Throws 403 where registration is closed. */
export function requireOpen(env: Env): void {
  if (!isOpen(env))
    throw forbidden("Registration is closed on this deployment: ask its operator for an account");
}

/**
 * Creates an account and signs in to it; undefined where its address has to be confirmed first. The link for that is
 * mailed wherever mail is configured. Throws 400, 403 or 429.
 */
export async function registerHere(
  c: Context<AppEnv>,
  input: Omit<Registration, "planTier" | "userAgent">,
): Promise<SignedIn | undefined> {
  requireOpen(c.env);
  await limitBySubject(c, "RATE_LIMIT_REGISTER", input.email);
  const userAgent = c.req.header("User-Agent");
  const account = { ...input, userAgent, planTier: PlanTier.parse(c.env.PLAN_TIER) };
  if (isOnlyForVerified(c.env)) {
    requireMail(c.env);
    publicOrigin(c.env);
    welcomeByMail(c, await registerPending(c.var.base, account));
    return undefined;
  }
  const signedIn = await register(c.var.base, account);
  await rememberOrigin(c, input.email);
  if (hasMailServer(c.env) && (c.env.API_URL || c.env.MCP_URL)) welcomeByMail(c, signedIn.user);
  return signedIn;
}
