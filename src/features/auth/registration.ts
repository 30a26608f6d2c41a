import type { Context } from "hono";
import { RegistrationMode, type User } from "../../contract/auth.ts";
import { PlanTier } from "../../contract/billing.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { AppEnv, BaseCtx } from "../../platform/core/ctx.ts";
import { forbidden } from "../../platform/core/errors.ts";
import { hasEmailServer, requireEmail } from "../../platform/email/send.ts";
import { publicOrigin } from "../../platform/http/origin.ts";
import { limitBySubject } from "../../platform/rate-limit/limit.ts";
import { confirmAddress } from "../../platform/shards/address-directory-store.ts";
import { chooseShard, type RegionChoice, requireRegion } from "../../platform/shards/choose-shard.ts";
import { baseCtxIn, enterShard } from "../../platform/shards/router.ts";
import { rememberClientAddress } from "./attempts.ts";
import { sendWelcomeEmail } from "./email/links.ts";
import { limitStrangers } from "./password.ts";
import {
  claimAddress,
  findRegistrationLink,
  type RegistrationState,
  registrationState,
} from "./registration-store.ts";
import { type Registration, register, registerPending, type SignInResult } from "./store.ts";

const REFUSAL_TEXTS: Record<"invite" | "closed", string> = {
  invite: "Accounts are created by invitation only: open the link that the operator of this service gave you",
  closed: "Registration is closed on this deployment: ask its operator for an account",
};

export const readRegistrationState = (c: Context<AppEnv>): Promise<RegistrationState> =>
  registrationState(baseCtxIn(c, FIRST_SHARD), RegistrationMode.parse(c.env.REGISTRATION));

export const requiresVerifiedEmail = ({ REGISTRATION }: Env): boolean => REGISTRATION === "verified";

export const REGISTRATION_PENDING = "Your account has been created: open the link we sent you, then sign in";

type RegionField = { region?: RegionChoice | undefined };

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
  const { mode, needsSetUp } = await readRegistrationState(c);
  if ((mode === "invite" || mode === "closed") && input.code === undefined)
    throw forbidden(REFUSAL_TEXTS[mode]);
  const link =
    input.code === undefined ? undefined : await findRegistrationLink(baseCtxIn(c, FIRST_SHARD), input.code);
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
  const first = baseCtxIn(c, FIRST_SHARD);
  const { email } = account;
  const chosen = isForFirst ? FIRST_SHARD : await chooseShard(c, email, region);
  requireRegion(c.env, chosen, region);
  const shard = chosen === FIRST_SHARD ? chosen : await claimAddress(first, { ...account, home: chosen });
  enterShard(c, shard);
  if (shard === FIRST_SHARD) return create(c.var.base, account);
  const created = await create(c.var.base, { ...account, code: undefined, firstIsAdmin: false });
  await confirmAddress(first, { email, home: shard, userId: created.user.id });
  return created;
}

/** Creates an account and signs in; undefined if the address must be confirmed first. Throws 400, 403, 429, 503. */
export async function registerAccount(
  c: Context<AppEnv>,
  input: RegistrationInput,
): Promise<SignInResult | undefined> {
  const account = await prepareRegistration(c, input);
  const create = () => createAccount(c, account);
  return account.invitation !== undefined ? create() : limitStrangers(create);
}

async function createAccount(
  c: Context<AppEnv>,
  account: Registration & Placement,
): Promise<SignInResult | undefined> {
  const { email } = account;
  await limitBySubject(c, "RATE_LIMIT_REGISTER", email);
  if (requiresVerifiedEmail(c.env) && !account.isVouchedFor) {
    requireEmail(c.env);
    publicOrigin(c.env);
    const { user } = await createInShard(c, account, registerPending);
    await sendWelcomeEmail(c, user);
    return undefined;
  }
  const signedIn = await createInShard(c, account, register);
  await rememberClientAddress(c, email);
  const canSendEmail = hasEmailServer(c.env) && (c.env.API_URL || c.env.MCP_URL);
  if (canSendEmail && !account.isVouchedFor) await sendWelcomeEmail(c, signedIn.user);
  return signedIn;
}
