import type { Context } from "hono";
import { z } from "zod";
import { countingFailures, rememberOrigin } from "../../auth/attempts.ts";
import { Assertion } from "../../contract/passkeys.ts";
import { loginWithPasskey, userIdOf } from "../../features/auth/passkeys/store.ts";
import { isOnlyForVerified, PENDING, registerHere, stateOf } from "../../features/auth/registration.ts";
import { LoginRequest, RegisterRequest, RegistrationCode } from "../../contract/auth.ts";
import { readTicket, signTicket } from "../../features/auth/second-factor/ticket.ts";
import { hasSessionCookie, signInBrowser, signOutBrowser } from "../../features/auth/session-cookie.ts";
import { finishLogin, login } from "../../features/auth/store.ts";
import { signingKeys } from "../../features/auth/token.ts";
import { findAsker } from "../authorize/asker.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { badRequest, forbidden } from "../../platform/core/errors.ts";
import { FIRST_HOME } from "../../contract/home.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { relyingParty } from "../../platform/http/origin.ts";
import { isTimeZone } from "../../contract/time-zone.ts";
import { offersEu } from "../../platform/homes/choice.ts";
import { baseIn, enterHome, enterHomeOfUser, inHomeOfAddress } from "../../platform/homes/router.ts";
import { canSendMail } from "../../platform/mail/send.ts";
import { formSecret, onlyOwnForms, userOfBrowser } from "../pages/browser.ts";
import { readDestination } from "../pages/destination.ts";
import { answerPage } from "../pages/layout.tsx";
import { answerProblem, answerProblemOn } from "../pages/problems.tsx";
import { limitByAddress, limitBySubject } from "../../platform/rate-limit/limit.ts";
import { entered, fieldsOf, read } from "./fields.ts";
import { DonePage } from "./mail-pages.tsx";
import { mailRoutes } from "./mail-routes.ts";
import { CodeStepPage, type FormPage, RegisterPage, SignInPage } from "./pages.tsx";

async function formOf(c: Context<AppEnv>): Promise<FormPage> {
  const to = readDestination(c.req.query("to"));
  const asker = await findAsker(c, to);
  const offered = { canMail: canSendMail(c.env), offersEu: offersEu(c.env) };
  return { form: formSecret(c), to, asker, ...(await stateOf(c)), ...offered };
}

const FORMS: Record<string, typeof SignInPage> = {
  "/sign-in": SignInPage,
  "/sign-in/passkey": SignInPage,
  "/sign-in/register": RegisterPage,
};

/** Redirects the browser after a sign-in. */
const goOn = (c: Context<AppEnv>) => c.redirect(readDestination(c.req.query("to")) ?? "/", 303);

/** The pages sign in with the session cookie. */
const signInOf = (c: Context<AppEnv>) =>
  ({ session: "cookie", userAgent: c.req.header("User-Agent") }) as const;

/** The visitor's time zone according to the browser or Cloudflare; without either, the user sets it later. */
async function zoneOf(c: Context<AppEnv>): Promise<string | undefined> {
  const { timezone } = await c.req.parseBody();
  const guessed = (c.req.raw as { cf?: { timezone?: string } }).cf?.timezone;
  return [timezone, guessed].find((zone): zone is string => typeof zone === "string" && isTimeZone(zone));
}

/** The sign-in pages: for the app, to authorize an MCP client, and to open an assistant's links. */
export const signInRoutes = createRouter();
signInRoutes.route("/", mailRoutes);

/** A refused form, with what was entered. */
async function refused(c: Context<AppEnv>, error: Error, message: string) {
  const [email, code, region] = [
    await entered(c, "email"),
    await entered(c, "code"),
    await entered(c, "region"),
  ];
  const page = { ...(await formOf(c)), email, code, region, alert: message, invalid: fieldsOf(error) };
  const form = FORMS[c.req.path];
  return form ? form(page) : CodeStepPage({ page, ticket: await entered(c, "ticket") });
}

/** Shows a refused form again; any other error gets its own page. */
signInRoutes.onError((error, c) => {
  const isForm = c.req.path in FORMS || c.req.path === "/sign-in/code";
  if (c.req.method !== "POST" || !isForm) {
    const { search } = new URL(c.req.url);
    return answerProblem(error, c, { href: `/sign-in${search}`, text: "Sign in" });
  }
  const show = async ({ message }: { message: string }) => ({
    page: await refused(c, error, message),
    scripts: true,
  });
  return answerProblemOn(c, error, show);
});
signInRoutes.post("/", limitByAddress("RATE_LIMIT_MCP_LOGIN"));
signInRoutes.post("/code", limitByAddress("RATE_LIMIT_MCP_LOGIN"));
signInRoutes.post("/passkey", limitByAddress("RATE_LIMIT_MCP_LOGIN"));
signInRoutes.post("/register", limitByAddress("RATE_LIMIT_REGISTER"));
signInRoutes.use(onlyOwnForms);

signInRoutes.get("/", async (c) => {
  const hasEnded = hasSessionCookie(c) && !(await userOfBrowser(c));
  const isExpired = hasEnded || c.req.query("expired") !== undefined;
  return answerPage(c, SignInPage({ ...(await formOf(c)), isExpired }), { scripts: true });
});

signInRoutes.post("/", async (c) => {
  const input = await read(c, LoginRequest.pick({ email: true, password: true }));
  await limitBySubject(c, "RATE_LIMIT_MCP_LOGIN", input.email);
  const onlyVerified = isOnlyForVerified(c.env);
  const keys = await signingKeys(c.env);
  const check = () => login(c.var.base, keys, { ...input, ...signInOf(c), onlyVerified });
  const signIn = () => countingFailures(c, input.email, check);
  const result = await inHomeOfAddress(c, input.email, signIn);
  if ("codeMissing" in result) {
    const ticket = await signTicket(keys, result.codeMissing, c.var.base.now);
    return answerPage(c, CodeStepPage({ page: await formOf(c), ticket }), { scripts: true });
  }
  await signInBrowser(c, result);
  return goOn(c);
});

const SecondStep = z.object({ code: z.string().trim().min(1, "is missing").max(64) });

signInRoutes.post("/code", async (c) => {
  const { code } = await read(c, SecondStep);
  const keys = await signingKeys(c.env);
  const first = await readTicket(keys, await entered(c, "ticket"), c.var.base.now);
  await limitBySubject(c, "RATE_LIMIT_MCP_LOGIN", first.email);
  enterHome(c, first.home);
  const signIn = () => finishLogin(c.var.base, keys, { ...first, ...signInOf(c), code });
  await signInBrowser(c, await countingFailures(c, first.email, signIn));
  return goOn(c);
});

signInRoutes.post("/passkey", async (c) => {
  const { id, clientDataJSON, authenticatorData, signature, userHandle } = await c.req.parseBody();
  const response = { clientDataJSON, authenticatorData, signature, userHandle };
  const { data: assertion } = Assertion.safeParse({ id, rawId: id, type: "public-key", response });
  if (!assertion) throw badRequest("This browser's passkey could not be read: sign in with your password");
  await enterHomeOfUser(c, userIdOf(assertion));
  const first = baseIn(c, FIRST_HOME);
  const login = { assertion, first, ...signInOf(c), onlyVerified: isOnlyForVerified(c.env) };
  const signedIn = await loginWithPasskey(c.var.base, relyingParty(c), login);
  await rememberOrigin(c, signedIn.user.email);
  await signInBrowser(c, signedIn);
  return goOn(c);
});

signInRoutes.get("/register", async (c) => {
  const form = await formOf(c);
  if (form.mode === "closed" && !form.needsSetUp)
    throw forbidden("Registration is closed: ask the operator for an account");
  return answerPage(c, RegisterPage(form), { scripts: true });
});

/** An empty field is no code. */
const RegisterForm = RegisterRequest.pick({ email: true, password: true, region: true }).extend({
  code: z
    .string()
    .trim()
    .transform((code) => code || undefined)
    .pipe(RegistrationCode.optional())
    .optional(),
});

signInRoutes.post("/register", async (c) => {
  const form = await read(c, RegisterForm);
  const signedIn = await registerHere(c, { ...form, session: "cookie", timezone: await zoneOf(c) });
  if (!signedIn) return answerPage(c, DonePage({ title: "Check your inbox", texts: [PENDING] }));
  await signInBrowser(c, signedIn);
  return goOn(c);
});

signInRoutes.post("/out", async (c) => {
  await signOutBrowser(c);
  return goOn(c);
});
