import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as schema from "../../contract/auth.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { ErrorBody, unauthorized, unprocessable } from "../../platform/core/errors.ts";
import {
  BODY_ERRORS,
  body,
  createRouter,
  errors,
  json,
  optionalBody,
  requireJson,
  tagged,
} from "../../platform/http/openapi.ts";
import { limitByAddress, limitBySubject } from "../../platform/rate-limit/limit.ts";
import { inShardOfAddress, inShardOfSecret } from "../../platform/shards/router.ts";
import { revokeSomeGrants } from "../connections/grants.ts";
import { signInCountingFailures } from "./attempts.ts";
import { emailRoutes } from "./email/routes.ts";
import { meRoutes } from "./me-routes.ts";
import { passkeyRoutes } from "./passkeys/routes.ts";
import type { PasswordCheck } from "./password.ts";
import { REGISTRATION_PENDING, registerAccount, requiresVerifiedEmail } from "./registration.ts";
import { secondFactorRoutes } from "./second-factor/routes.ts";
import {
  clearSessionCookie,
  hasSessionCookie,
  isFromApp,
  requireOwnPage,
  signOutBrowser,
} from "./session-cookie.ts";
import * as sessions from "./session-store.ts";
import { answerSignIn, NOT_FROM_OWN_PAGE, SET_COOKIE_HEADER } from "./sign-in-answer.ts";
import * as store from "./store.ts";
import { signingKeys } from "./token.ts";

export * from "./me-routes.ts";

const operation = tagged("Sign-in");

const DONE = { 204: { description: "Done" } };

export const registerRoute = operation({
  method: "post",
  path: "/register",
  operationId: "register",
  summary: "Create an account and sign in",
  description: "Where registration is not open, this requires the code of an invitation.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_REGISTER")] as const,
  request: { body: body(schema.RegisterRequest) },
  responses: {
    201: {
      ...json(schema.SignInAnswer, "The new account's tokens, or the account"),
      headers: SET_COOKIE_HEADER,
    },
    202: json(schema.RegistrationPending, "Created. Signing in requires confirming the email address first"),
    ...errors(...BODY_ERRORS, 429),
    403: json(
      ErrorBody,
      `Registration is not open on this deployment, the code is not valid, or ${NOT_FROM_OWN_PAGE}`,
    ),
  },
});

const SIGN_IN_CODE = z.object({
  "Error-Code": z
    .enum(["wrong_credentials", "second_factor_required", "wrong_code"])
    .meta({ description: "What is missing or wrong" }),
});

export const loginRoute = operation({
  method: "post",
  path: "/login",
  operationId: "login",
  summary: "Sign in",
  description:
    "Starts a new session and returns its tokens, or sets its cookie in a browser. Other sessions are not affected.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.LoginRequest) },
  responses: {
    200: {
      ...json(schema.SignInAnswer, "The new session's tokens, or the account"),
      headers: SET_COOKIE_HEADER,
    },
    ...errors(...BODY_ERRORS, 429),
    401: {
      ...json(ErrorBody, "The email or password is wrong, or the two-factor `code` is missing or wrong"),
      headers: SIGN_IN_CODE,
    },
    403: json(
      ErrorBody,
      `The account is closed, its email address is not confirmed yet, or ${NOT_FROM_OWN_PAGE}`,
    ),
  },
});

export const refreshRoute = operation({
  method: "post",
  path: "/refresh",
  operationId: "refresh",
  summary: "Exchange a refresh token for a new pair",
  description:
    "A refresh token can be used once. Used again within 30 seconds, it returns the same new token; after that, reusing " +
    "it ends the session.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_REFRESH")] as const,
  request: { body: body(schema.RefreshRequest) },
  responses: {
    200: json(schema.TokenAnswer, "The new pair"),
    ...errors(...BODY_ERRORS, 429),
    401: json(ErrorBody, "The token is no longer valid"),
  },
});

export const logoutRoute = operation({
  method: "post",
  path: "/logout",
  operationId: "logout",
  summary: "End the session of a refresh token or of the session cookie",
  description:
    "The session's tokens become invalid. A token that is already invalid is not an error. Without a `refresh_token`, " +
    "the cookie's session ends and the cookie is deleted.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [requireJson] as const,
  request: { body: optionalBody(schema.LogoutRequest) },
  responses: {
    ...DONE,
    ...errors(...BODY_ERRORS),
    403: json(ErrorBody, "The request has the session cookie but does not come from a page of this service"),
  },
});

export const logoutAllRoute = operation({
  method: "post",
  path: "/logout-all",
  operationId: "logoutAll",
  summary: "End every session and every MCP connection, including this session",
  description: "The calendar feed's URL is revoked too. API keys stay valid: revoke them one by one.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  responses: { ...DONE, ...errors(401) },
});

const CODE_MISSING =
  "This account uses two-factor authentication: send a code from the authenticator app, or a recovery code, as code";

async function logoutBrowser(c: Context<AppEnv>): Promise<void> {
  const isBrowser = c.req.header("Authorization") === undefined && (hasSessionCookie(c) || isFromApp(c));
  if (!isBrowser) throw unprocessable("refresh_token: is required without the session cookie");
  requireOwnPage(c);
  await signOutBrowser(c);
}

export const authRoutes = createRouter()
  .openapi(registerRoute, async (c) => {
    const input = c.req.valid("json");
    if (input.session === "cookie") requireOwnPage(c);
    const signedIn = await registerAccount(c, input);
    if (!signedIn) return c.json({ detail: REGISTRATION_PENDING }, 202);
    return c.json(await answerSignIn(c, input.session, signedIn), 201);
  })
  .openapi(loginRoute, async (c) => {
    const onlyVerified = requiresVerifiedEmail(c.env);
    const input = { ...c.req.valid("json"), userAgent: c.req.header("User-Agent"), onlyVerified };
    if (input.session === "cookie") requireOwnPage(c);
    const keys = await signingKeys(c.env);
    const signIn = (check: PasswordCheck) => store.login(c.var.base, keys, { ...input, check });
    const login = () => signInCountingFailures(c, { email: input.email, limit: "RATE_LIMIT_LOGIN", signIn });
    const signedIn = await inShardOfAddress(c, input.email, login);
    if ("ticket" in signedIn) throw unauthorized(CODE_MISSING, "second_factor_required");
    return c.json(await answerSignIn(c, input.session, signedIn), 200);
  })
  .openapi(refreshRoute, async (c) => {
    const { refresh_token } = c.req.valid("json");
    await limitBySubject(c, "RATE_LIMIT_REFRESH", refresh_token);
    const keys = await signingKeys(c.env);
    const refresh = () => sessions.refresh(c.var.base, keys, refresh_token);
    return c.json(await inShardOfSecret(c, refresh_token, refresh), 200);
  })
  .openapi(logoutRoute, async (c) => {
    const { refresh_token } = c.req.valid("json") ?? {};
    if (refresh_token === undefined) await logoutBrowser(c);
    else await inShardOfSecret(c, refresh_token, () => sessions.logout(c.var.base, refresh_token));
    return c.body(null, 204);
  })
  .openapi(logoutAllRoute, async (c) => {
    await store.logoutAll(c.var.ctx);
    clearSessionCookie(c);
    await revokeSomeGrants(c.env, (await c.var.ctx.user()).id);
    return c.body(null, 204);
  });

for (const routes of [meRoutes, emailRoutes, secondFactorRoutes, passkeyRoutes])
  authRoutes.route("/", routes);
