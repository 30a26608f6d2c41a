import type { Context } from "hono";
import { PlanTier } from "../billing/schema.ts";
import type { AppEnv } from "../core/ctx.ts";
import { forbidden } from "../core/errors.ts";
import { limitBySubject } from "../rate-limit/limit.ts";
import { rememberOrigin } from "./attempts.ts";
import { type RegistrationState, registrationState } from "./registration-store.ts";
import { RegistrationMode } from "./schema.ts";
import { type Registration, register, type SignedIn } from "./store.ts";

// Creates accounts, for the API and for the sign-in pages.

const REFUSED: Record<Exclude<RegistrationMode, "open">, string> = {
  invite: "Accounts are created by invitation here: open the link that the operator of this service gave you",
  closed: "Registration is closed on this deployment: ask its operator for an account",
};

/** Whether people can register here. */
export const stateOf = (c: Context<AppEnv>): Promise<RegistrationState> =>
  registrationState(c.var.base, RegistrationMode.parse(c.env.REGISTRATION));

type Input = Omit<Registration, "planTier" | "userAgent" | "firstIsAdmin" | "mode">;

/** Creates an account and signs in to it. Throws 400, 403 or 429. */
export async function registerHere(c: Context<AppEnv>, input: Input): Promise<SignedIn> {
  const { mode } = await stateOf(c);
  if (mode !== "open" && input.code === undefined) throw forbidden(REFUSED[mode]);
  await limitBySubject(c, "RATE_LIMIT_REGISTER", input.email);
  const signedIn = await register(c.var.base, {
    ...input,
    mode,
    userAgent: c.req.header("User-Agent"),
    planTier: PlanTier.parse(c.env.PLAN_TIER),
    firstIsAdmin: c.env.LOCAL_ONLY === "true",
  });
  await rememberOrigin(c, input.email);
  return signedIn;
}
