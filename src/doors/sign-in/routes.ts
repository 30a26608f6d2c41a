import type { Context } from "hono";
import { z } from "zod";
import { LoginRequest, RegisterRequest, RegistrationCode } from "../../contract/auth.ts";
import { Assertion } from "../../contract/passkeys.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import { isTimeZone } from "../../contract/time-zone.ts";
import { rememberClientAddress, signInCountingFailures } from "../../features/auth/attempts.ts";
import { assertedUserId, loginWithPasskey } from "../../features/auth/passkeys/store.ts";
import type { PasswordCheck } from "../../features/auth/password.ts";
import {
  REGISTRATION_PENDING,
  readRegistrationState,
  registerAccount,
  requiresVerifiedEmail,
} from "../../features/auth/registration.ts";
import { readTicket, signTicket } from "../../features/auth/second-factor/ticket.ts";
import { hasSessionCookie, signInBrowser, signOutBrowser } from "../../features/auth/session-cookie.ts";
import { finishLogin, login } from "../../features/auth/store.ts";
import { signingKeys } from "../../features/auth/token.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { badRequest, forbidden } from "../../platform/core/errors.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { relyingParty } from "../../platform/http/origin.ts";
import { limitByAddress } from "../../platform/rate-limit/limit.ts";
import { offersEu } from "../../platform/shards/choose-shard.ts";
import { baseCtxIn, enterShard, enterShardOfUser, inShardOfAddress } from "../../platform/shards/router.ts";
import { findRequester } from "../authorize/requester.ts";
import { formSecret, readBrowserUser, requireOwnForms } from "../pages/browser.ts";
import { readDestination } from "../pages/destination.ts";
import { answerPage } from "../pages/layout.tsx";
import { answerErrorOn, answerErrorPage } from "../pages/problems.tsx";
import { ConfirmationPage } from "./email-pages.tsx";
import { emailRoutes } from "./email-routes.ts";
import { enteredValue, fieldErrorsOf, invalidFieldsOf, readForm } from "./fields.ts";
import { CodeStepPage, type FormPage, isRegistrationPublic, RegisterPage, SignInPage } from "./pages.tsx";

async function formOf(c: Context<AppEnv>): Promise<FormPage> {
  const to = readDestination(c.req.query("to"));
  const asker = await findRequester(c, to);
  const { isEmpty, ...state } = await readRegistrationState(c);
  // Strangers are not told whether there are accounts: only who sits at the machine is.
  const isFirst = isEmpty && c.env.LOCAL_ONLY === "true" && isRegistrationPublic(state.mode);
  return { form: formSecret(c), to, requester: asker, ...state, isFirst, offersEu: offersEu(c.env) };
}

const FORMS: Record<string, typeof SignInPage> = {
  "/sign-in": SignInPage,
  "/sign-in/passkey": SignInPage,
  "/sign-in/register": RegisterPage,
};

const redirectBack = (c: Context<AppEnv>) => c.redirect(readDestination(c.req.query("to")) ?? "/", 303);

const signInOf = (c: Context<AppEnv>) =>
  ({ session: "cookie", userAgent: c.req.header("User-Agent") }) as const;

/** The visitor's time zone according to the browser or Cloudflare; without either, the user sets it later. */
async function zoneOf(c: Context<AppEnv>): Promise<string | undefined> {
  const { timezone } = await c.req.parseBody();
  const guessed = (c.req.raw as { cf?: { timezone?: string } }).cf?.timezone;
  return [timezone, guessed].find((zone): zone is string => typeof zone === "string" && isTimeZone(zone));
}

export const signInRoutes = createRouter();
signInRoutes.route("/", emailRoutes);

async function refused(c: Context<AppEnv>, error: Error, message: string) {
  const [email, code, region] = [
    await enteredValue(c, "email"),
    await enteredValue(c, "code"),
    await enteredValue(c, "region"),
  ];
  const concerns = { invalid: invalidFieldsOf(error), errors: fieldErrorsOf(error) };
  const page = { ...(await formOf(c)), email, code, region, alert: message, ...concerns };
  const form = FORMS[c.req.path];
  return form ? form(page) : CodeStepPage({ page, ticket: await enteredValue(c, "ticket") });
}

signInRoutes.onError((error, c) => {
  const isForm = c.req.path in FORMS || c.req.path === "/sign-in/code";
  if (c.req.method !== "POST" || !isForm) {
    const { search } = new URL(c.req.url);
    return answerErrorPage(error, c, { onward: { href: `/sign-in${search}`, text: "Sign in" } });
  }
  return answerErrorOn(c, error, async (message) => ({
    page: await refused(c, error, message),
    scripts: true,
  }));
});
signInRoutes.on("POST", ["/", "/code", "/passkey"], limitByAddress("RATE_LIMIT_MCP_LOGIN"));
signInRoutes.post("/register", limitByAddress("RATE_LIMIT_REGISTER"));
signInRoutes.use(requireOwnForms);

signInRoutes.get("/", async (c) => {
  const form = await formOf(c);
  if (form.isFirst) return c.redirect(`/sign-in/register${new URL(c.req.url).search}`, 303);
  const hasCookie = hasSessionCookie(c);
  const isSignedOut = !hasCookie || !(await readBrowserUser(c));
  const isDeleted = c.req.query("deleted") !== undefined;
  const isExpired = !isDeleted && ((hasCookie && isSignedOut) || c.req.query("expired") !== undefined);
  return answerPage(c, SignInPage({ ...form, isExpired, isDeleted, isSignedOut }), { scripts: true });
});

signInRoutes.post("/", async (c) => {
  const input = await readForm(c, LoginRequest.pick({ email: true, password: true }));
  const onlyVerified = requiresVerifiedEmail(c.env);
  const keys = await signingKeys(c.env);
  const form = { ...input, ...signInOf(c), onlyVerified };
  const signIn = (check: PasswordCheck) => login(c.var.base, keys, { ...form, check });
  const result = await inShardOfAddress(c, input.email, () =>
    signInCountingFailures(c, { email: input.email, limit: "RATE_LIMIT_MCP_LOGIN", signIn }),
  );
  if ("ticket" in result) {
    const ticket = await signTicket(keys, result.ticket, c.var.base.now);
    return answerPage(c, CodeStepPage({ page: await formOf(c), ticket }), { scripts: true });
  }
  await signInBrowser(c, result);
  return redirectBack(c);
});

const SecondStep = z.object({ code: z.string().trim().min(1, "must not be empty").max(64) });

signInRoutes.post("/code", async (c) => {
  const { code } = await readForm(c, SecondStep);
  const keys = await signingKeys(c.env);
  const first = await readTicket(keys, await enteredValue(c, "ticket"), c.var.base.now);
  enterShard(c, first.shard);
  const signIn = () => finishLogin(c.var.base, keys, { ...first, ...signInOf(c), code });
  const attempt = { email: first.email, limit: "RATE_LIMIT_MCP_LOGIN", signIn } as const;
  await signInBrowser(c, await signInCountingFailures(c, attempt));
  return redirectBack(c);
});

signInRoutes.post("/passkey", async (c) => {
  const { id, clientDataJSON, authenticatorData, signature, userHandle } = await c.req.parseBody();
  const response = { clientDataJSON, authenticatorData, signature, userHandle };
  const { data: assertion } = Assertion.safeParse({ id, rawId: id, type: "public-key", response });
  if (!assertion) throw badRequest("This browser's passkey could not be read: sign in with your password");
  await enterShardOfUser(c, assertedUserId(assertion));
  const first = baseCtxIn(c, FIRST_SHARD);
  const login = { assertion, first, ...signInOf(c), onlyVerified: requiresVerifiedEmail(c.env) };
  const signedIn = await loginWithPasskey(c.var.base, relyingParty(c), login);
  await rememberClientAddress(c, signedIn.user.email);
  await signInBrowser(c, signedIn);
  return redirectBack(c);
});

signInRoutes.get("/register", async (c) => {
  const form = await formOf(c);
  if (form.mode === "closed" && !form.needsSetUp)
    throw forbidden("Registration is closed: ask the operator for an account");
  return answerPage(c, RegisterPage(form), { scripts: true });
});

const RegisterForm = RegisterRequest.pick({ email: true, password: true, region: true }).extend({
  code: z
    .string()
    .trim()
    .transform((code) => code || undefined)
    .pipe(RegistrationCode.optional())
    .optional(),
});

signInRoutes.post("/register", async (c) => {
  const form = await readForm(c, RegisterForm);
  const signedIn = await registerAccount(c, { ...form, session: "cookie", timezone: await zoneOf(c) });
  if (!signedIn)
    return answerPage(c, ConfirmationPage({ title: "Check your inbox", texts: [REGISTRATION_PENDING] }));
  await signInBrowser(c, signedIn);
  return redirectBack(c);
});

signInRoutes.post("/out", async (c) => {
  await signOutBrowser(c);
  return redirectBack(c);
});
