import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { revokeSomeGrants } from "../connections/grants.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { ErrorBody, invalid, unauthorized } from "../../platform/core/errors.ts";
import {
  BODY_ERRORS,
  body,
  createRouter,
  errors,
  json,
  optionalBody,
  requireJson,
  SECURITY,
} from "../../platform/http/openapi.ts";
import { closeAccount, eraseAccount } from "../erasure/store.ts";
import { inHomeOf, inHomeOfAddress, leaveHomes } from "../../platform/homes/router.ts";
import { limitByAddress, limitBySubject } from "../../platform/rate-limit/limit.ts";
import { countingFailures } from "../../auth/attempts.ts";
import { confirmOwner } from "./confirmation.ts";
import { mailNotice } from "./email/links.ts";
import { passwordMail } from "./email/mails.ts";
import { emailRoutes } from "./email/routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { guard } from "./guard.ts";
import { passkeyRoutes } from "./passkeys/routes.ts";
import { isOnlyForVerified, PENDING, registerHere } from "./registration.ts";
import * as schema from "../../contract/auth.ts";
import { factorRoutes } from "./second-factor/routes.ts";
import {
  clearSessionCookie,
  cookieOf,
  hasSessionCookie,
  isFromApp,
  requireOwnPage,
  setSessionCookie,
  signOutBrowser,
} from "./session-cookie.ts";
import * as sessions from "./session-store.ts";
import { answerSignIn, NOT_FROM_PAGE, SET_COOKIE } from "./sign-in-answer.ts";
import * as store from "./store.ts";
import { signingKeys } from "./token.ts";

const tags = ["Sign-in"];
const DONE = { 204: { description: "Done" } };

export const registerRoute = createRoute({
  method: "post",
  path: "/register",
  operationId: "register",
  tags,
  summary: "Create an account and sign in",
  description:
    "Creates an account with everything that belongs to it. Where registration is not open, this needs the code of an " +
    "invitation.",
  middleware: [limitByAddress("RATE_LIMIT_REGISTER")] as const,
  request: { body: body(schema.RegisterRequest) },
  responses: {
    201: { ...json(schema.SignInAnswer, "The new account's tokens, or the account"), headers: SET_COOKIE },
    202: json(
      schema.RegistrationPending,
      "Created; nobody can sign in to it before the address is confirmed",
    ),
    ...errors(...BODY_ERRORS, 429),
    403: json(
      ErrorBody,
      `Registration is not open on this deployment, the code is not valid, or ${NOT_FROM_PAGE}`,
    ),
  },
});

export const loginRoute = createRoute({
  method: "post",
  path: "/login",
  operationId: "login",
  tags,
  summary: "Sign in",
  description:
    "Starts a new session and returns its tokens, or sets its cookie in a browser. Other sessions are not affected.",
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.LoginRequest) },
  responses: {
    200: { ...json(schema.SignInAnswer, "The new session's tokens, or the account"), headers: SET_COOKIE },
    ...errors(...BODY_ERRORS, 429),
    401: json(
      ErrorBody,
      "E-mail or password is wrong, or the `code` of the second factor is missing or wrong",
    ),
    403: json(ErrorBody, `The account is closed or its address not confirmed yet, or ${NOT_FROM_PAGE}`),
  },
});

export const refreshRoute = createRoute({
  method: "post",
  path: "/refresh",
  operationId: "refresh",
  tags,
  summary: "Exchange a refresh token for a new pair",
  description:
    "A refresh token can be used once. If it is used again within 30 seconds, the answer contains the same new token; " +
    "after that, reusing it ends the session.",
  middleware: [limitByAddress("RATE_LIMIT_REFRESH")] as const,
  request: { body: body(schema.RefreshRequest) },
  responses: {
    200: json(schema.TokenAnswer, "The new pair"),
    ...errors(...BODY_ERRORS, 429),
    401: json(ErrorBody, "The token is no longer valid"),
  },
});

export const logoutRoute = createRoute({
  method: "post",
  path: "/logout",
  operationId: "logout",
  tags,
  summary: "End the session of a refresh token or of the session cookie",
  description:
    "The session's tokens become invalid. A token that is already invalid is not an error. Without a `refresh_token`, " +
    "this ends the session of the cookie and deletes the cookie.",
  middleware: [requireJson] as const,
  request: { body: optionalBody(schema.LogoutRequest) },
  responses: {
    ...DONE,
    ...errors(...BODY_ERRORS),
    403: json(ErrorBody, "The request has the session cookie and does not come from a page of this service"),
  },
});

export const logoutAllRoute = createRoute({
  method: "post",
  path: "/logout-all",
  operationId: "logoutAll",
  tags,
  summary: "End every session and every MCP connection, including this session",
  description: "The calendar feed's URL is revoked too. API keys stay valid: revoke them one by one.",
  security: SECURITY,
  middleware: [guard] as const,
  responses: { ...DONE, ...errors(401) },
});

export const getMeRoute = createRoute({
  method: "get",
  path: "/me",
  operationId: "getMe",
  tags,
  summary: "The caller's account and settings",
  description: "Whose token it is.",
  security: SECURITY,
  middleware: [guard] as const,
  responses: { 200: json(schema.User, "The account"), ...errors(401) },
});

export const updateMeRoute = createRoute({
  method: "patch",
  path: "/me",
  operationId: "updateMe",
  tags,
  summary: "Change name, time zone or settings",
  description: "Omitted fields stay as they are.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { body: body(schema.UserUpdateRequest) },
  responses: { 200: json(schema.User, "The account"), ...errors(...BODY_ERRORS, 401, 404) },
});

export const deleteMeRoute = createRoute({
  method: "delete",
  path: "/me",
  operationId: "deleteMe",
  tags,
  summary: "Erase the account",
  description:
    "Permanently erases everything that the caller owns; the e-mail address can be registered again. Requires the password.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { body: body(schema.DeleteMeRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 401, 403, 429) },
});

export const changePasswordRoute = createRoute({
  method: "post",
  path: "/password",
  operationId: "changePassword",
  tags,
  summary: "Change the password",
  description:
    "Ends every session and MCP connection and revokes the calendar feed's URL: sign in again with the new password. " +
    "A browser that is signed in with the session cookie gets a new one. API keys stay valid.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { body: body(schema.PasswordRequest) },
  responses: {
    ...DONE,
    ...errors(...BODY_ERRORS, 401, 429),
    403: json(ErrorBody, "The current password is wrong"),
  },
});

export const listSessionsRoute = createRoute({
  method: "get",
  path: "/sessions",
  operationId: "listSessions",
  tags,
  summary: "Where the caller is signed in",
  description: "The session of this request has `current: true`.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { query: schema.SessionListQuery },
  responses: { 200: json(schema.SessionList, "Active sessions, last used first"), ...errors(401, 422) },
});

export const revokeSessionRoute = createRoute({
  method: "delete",
  path: "/sessions/{session_id}",
  operationId: "revokeSession",
  tags,
  summary: "End one session",
  description: "Its tokens become invalid.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { params: schema.SessionParams },
  responses: { ...DONE, ...errors(401, 404, 422) },
});

const CODE_MISSING =
  "This account has a second factor: send the code of its authenticator app, or a recovery code, as code";

/** The cookie that a caller without an Authorization header is signed in with. */
const cookieOfCaller = (c: Context<AppEnv>) =>
  c.req.header("Authorization") === undefined ? cookieOf(c) : undefined;

/** Ends the session of the cookie. A browser whose cookie has expired is signed out already. */
async function logoutBrowser(c: Context<AppEnv>): Promise<void> {
  const isBrowser = c.req.header("Authorization") === undefined && (hasSessionCookie(c) || isFromApp(c));
  if (!isBrowser) throw invalid("refresh_token: is required without the session cookie");
  requireOwnPage(c);
  await signOutBrowser(c);
}

export const authRoutes = createRouter()
  .openapi(registerRoute, async (c) => {
    const input = c.req.valid("json");
    if (input.session === "cookie") requireOwnPage(c);
    const signedIn = await registerHere(c, input);
    if (!signedIn) return c.json({ detail: PENDING }, 202);
    return c.json(await answerSignIn(c, input.session, signedIn), 201);
  })
  .openapi(loginRoute, async (c) => {
    const onlyVerified = isOnlyForVerified(c.env);
    const input = { ...c.req.valid("json"), userAgent: c.req.header("User-Agent"), onlyVerified };
    if (input.session === "cookie") requireOwnPage(c);
    await limitBySubject(c, "RATE_LIMIT_LOGIN", input.email);
    const keys = await signingKeys(c.env);
    const login = () => countingFailures(c, input.email, () => store.login(c.var.base, keys, input));
    const signedIn = await inHomeOfAddress(c, input.email, login);
    if ("codeMissing" in signedIn) throw unauthorized(CODE_MISSING);
    return c.json(await answerSignIn(c, input.session, signedIn), 200);
  })
  .openapi(refreshRoute, async (c) => {
    const { refresh_token } = c.req.valid("json");
    await limitBySubject(c, "RATE_LIMIT_REFRESH", refresh_token);
    const keys = await signingKeys(c.env);
    const refresh = () => sessions.refresh(c.var.base, keys, refresh_token);
    return c.json(await inHomeOf(c, refresh_token, refresh), 200);
  })
  .openapi(logoutRoute, async (c) => {
    const { refresh_token } = c.req.valid("json") ?? {};
    if (refresh_token === undefined) await logoutBrowser(c);
    else await inHomeOf(c, refresh_token, () => sessions.logout(c.var.base, refresh_token));
    return c.body(null, 204);
  })
  .openapi(logoutAllRoute, async (c) => {
    await store.logoutAll(c.var.ctx);
    clearSessionCookie(c);
    await revokeSomeGrants(c.env, (await c.var.ctx.user()).id);
    return c.body(null, 204);
  })
  .openapi(getMeRoute, async (c) => c.json(await store.getMe(c.var.ctx), 200))
  .openapi(updateMeRoute, async (c) => c.json(await store.updateMe(c.var.ctx, c.req.valid("json")), 200))
  .openapi(deleteMeRoute, async (c) => {
    const { ctx } = c.var;
    await confirmOwner(c, c.req.valid("json"));
    await closeAccount(ctx);
    const hasLeft = await leaveHomes(c.env, ctx.home, (await ctx.user()).id);
    clearSessionCookie(c);
    await eraseAccount(ctx, async (userId) => !hasLeft || revokeSomeGrants(c.env, userId));
    return c.body(null, 204);
  })
  .openapi(changePasswordRoute, async (c) => {
    const { current_password: password, new_password, current_code } = c.req.valid("json");
    await confirmOwner(c, { password, current_code });
    const signIn = (await cookieOfCaller(c)) && {
      session: "cookie" as const,
      userAgent: c.req.header("User-Agent"),
    };
    const session = await store.changePassword(c.var.ctx, new_password, signIn);
    if (session) setSessionCookie(c, session);
    const { id, email } = await c.var.ctx.user();
    mailNotice(c, passwordMail(email));
    await revokeSomeGrants(c.env, id);
    return c.body(null, 204);
  })
  .openapi(listSessionsRoute, async (c) => {
    return c.json(await sessions.listSessions(c.var.ctx, c.req.valid("query")), 200);
  })
  .openapi(revokeSessionRoute, async (c) => {
    const { session_id } = c.req.valid("param");
    await sessions.revokeSession(c.var.ctx, session_id);
    if ((await c.var.ctx.sessionId()) === session_id) clearSessionCookie(c);
    return c.body(null, 204);
  });

authRoutes.route("/", emailRoutes);
authRoutes.route("/", eventRoutes);
authRoutes.route("/", factorRoutes);
authRoutes.route("/", passkeyRoutes);
