import type { Context } from "hono";
import { RegistrationMode, type User } from "../../contract/auth.ts";
import { PlanTier } from "../../contract/billing.ts";
import { FIRST_HOME } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import type { AppEnv, BaseCtx } from "../../platform/core/ctx.ts";
import { forbidden } from "../../platform/core/errors.ts";
import { settle } from "../../platform/homes/address-book-store.ts";
import { chooseHome, requireWish, type Wish } from "../../platform/homes/choice.ts";
import { baseIn, enterHome } from "../../platform/homes/router.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { hasMailServer, requireMail } from "../../platform/mail/send.ts";
import { limitBySubject } from "../../platform/rate-limit/limit.ts";
import { rememberOrigin } from "./attempts.ts";
import { welcomeByMail } from "./email/links.ts";
import { amongStrangers } from "./password.ts";
import { claimAddress, findLink, type RegistrationState, registrationState } from "./registration-store.ts";
import { type Registration, register, registerPending, type SignedIn } from "./store.ts";

const REFUSAL_TEXTS: Record<"invite" | "closed", string> = {
  invite: "Accounts are created by invitation only: open the link that the operator of this service gave you",
  closed: "Registration is closed on this deployment: ask its operator for an account",
};

export const stateOf = (c: Context<AppEnv>): Promise<RegistrationState> =>
  registrationState(baseIn(c, FIRST_HOME), RegistrationMode.parse(c.env.REGISTRATION));

export const isOnlyForVerified = ({ REGISTRATION }: Env): boolean => REGISTRATION === "verified";

export const PENDING = "Your account has been created: open the link we sent you, then sign in";

type RegionField = { region?: Wish | undefined };

/** `isForFirst`: the account must be in the first shard, as the admin's is. */
type Placement = { isForFirst: boolean } & RegionField;

type RegistrationInput = Omit<
  Registration,
  "planTier" | "userAgent" | "firstIsAdmin" | "mode" | "isVouchedFor" | "invitation"
> &
  RegionField;

async function prepareRegistration(
  c: Context<AppEnv>,
  input: RegistrationInput,
): Promise<Registration & Placement> {
  const { mode, needsSetUp } = await stateOf(c);
  if ((mode === "invite" || mode === "closed") && input.code === undefined)
    throw forbidden(REFUSAL_TEXTS[mode]);
  const link = input.code === undefined ? undefined : await findLink(baseIn(c, FIRST_HOME), input.code);
  const firstIsAdmin = c.env.LOCAL_ONLY === "true";
  return {
    ...input,
    mode,
    isForFirst: link?.role === "admin" || (firstIsAdmin && needsSetUp),
    isVouchedFor: link?.isVouchedFor ?? false,
    invitation: link && input.code,
    userAgent: c.req.header("User-Agent"),
    planTier: PlanTier.parse(c.env.PLAN_TIER),
    firstIsAdmin,
  };
}

/** Creates an account in its shard. Outside the first shard, its address is claimed there before and confirmed after. */
async function createInShard<Created extends { user: User }>(
  c: Context<AppEnv>,
  { isForFirst, region, ...account }: Registration & Placement,
  create: (ctx: BaseCtx, account: Registration) => Promise<Created>,
): Promise<Created> {
  const first = baseIn(c, FIRST_HOME);
  const { email } = account;
  const chosen = isForFirst ? FIRST_HOME : await chooseHome(c, email, region);
  requireWish(c.env, chosen, region);
  const shard = chosen === FIRST_HOME ? chosen : await claimAddress(first, { ...account, home: chosen });
  enterHome(c, shard);
  if (shard === FIRST_HOME) return create(c.var.base, account);
  const created = await create(c.var.base, { ...account, code: undefined, firstIsAdmin: false });
  await settle(first, { email, home: shard, userId: created.user.id });
  return created;
}

/** Creates an account and signs in; undefined if the address must be confirmed first. Throws 400, 403, 429, 503. */
export async function registerHere(
  c: Context<AppEnv>,
  input: RegistrationInput,
): Promise<SignedIn | undefined> {
  const account = await prepareRegistration(c, input);
  const create = () => createAccount(c, account);
  return account.invitation !== undefined ? create() : amongStrangers(create);
}

async function createAccount(
  c: Context<AppEnv>,
  account: Registration & Placement,
): Promise<SignedIn | undefined> {
  const { email } = account;
  await limitBySubject(c, "RATE_LIMIT_REGISTER", email);
  if (isOnlyForVerified(c.env) && !account.isVouchedFor) {
    requireMail(c.env);
    publicOrigin(c.env);
    const { user } = await createInShard(c, account, registerPending);
    await welcomeByMail(c, user);
    return undefined;
  }
  const signedIn = await createInShard(c, account, register);
  await rememberOrigin(c, email);
  const canSendEmail = hasMailServer(c.env) && (c.env.API_URL || c.env.MCP_URL);
  if (canSendEmail && !account.isVouchedFor) await welcomeByMail(c, signedIn.user);
  return signedIn;
}
