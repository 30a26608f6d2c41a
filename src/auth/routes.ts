import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { PlanTier } from "../billing/schema.ts";
import { revokeSomeGrants } from "../connections/grants.ts";
import type { AppEnv } from "../core/ctx.ts";
import { ErrorBody, forbidden } from "../core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, SECURITY } from "../core/openapi.ts";
import { closeAccount, eraseAccount } from "../erasure/store.ts";
import { limitByAddress, limitBySubject } from "../rate-limit/limit.ts";
import { countingFailures, countingFailuresOfSession, rememberOrigin } from "./attempts.ts";

import { guard } from "./guard.ts";
import * as schema from "./schema.ts";
import * as store from "./store.ts";
import { signingKeys } from "./token.ts";

const tags = ["Sign-in"];
const DONE = { 204: { description: "Done" } };

const isOpen = (c: Context<AppEnv>) => c.env.REGISTRATION === "open";

export const registerRoute = createRoute({
  method: "post",
  path: "/register",
  operationId: "register",
  tags,
  summary: "Create an account and sign in",
  description:
    "Creates an account with everything that belongs to it. A deployment can close its registration.",
  middleware: [limitByAddress("RATE_LIMIT_REGISTER")] as const,
  request: { body: body(schema.RegisterRequest) },
  responses: {
    201: json(schema.TokenAnswer, "The new account's tokens"),
    ...errors(...BODY_ERRORS, 429),
    403: json(ErrorBody, "Registration is closed on this deployment"),
  },
});

export const loginRoute = createRoute({
  method: "post",
  path: "/login",
  operationId: "login",
  tags,
  summary: "Sign in",
  description: "Starts a new session and returns its tokens. Other sessions are not affected.",
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.LoginRequest) },
  responses: {
    200: json(schema.TokenAnswer, "The new session's tokens"),
    ...errors(...BODY_ERRORS, 429),
    401: json(ErrorBody, "E-mail or password is wrong"),
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
  summary: "End the session of a refresh token",
  description: "The session's tokens become invalid. A token that is already invalid is not an error.",
  request: { body: body(schema.RefreshRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS) },
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
    "API keys stay valid.",
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

export const authRoutes = createRouter()
  .openapi(registerRoute, async (c) => {
    if (!isOpen(c))
      throw forbidden("Registration is closed on this deployment: ask its operator for an account");
    const { email } = c.req.valid("json");
    await limitBySubject(c, "RATE_LIMIT_REGISTER", email);
    const registration = {
      ...c.req.valid("json"),
      userAgent: c.req.header("User-Agent"),
      planTier: PlanTier.parse(c.env.PLAN_TIER),
    };
    const answer = await store.register(c.var.base, await signingKeys(c.env), registration);
    await rememberOrigin(c, email);
    return c.json(answer, 201);
  })
  .openapi(loginRoute, async (c) => {
    const input = { ...c.req.valid("json"), userAgent: c.req.header("User-Agent") };
    await limitBySubject(c, "RATE_LIMIT_LOGIN", input.email);
    const keys = await signingKeys(c.env);
    return c.json(await countingFailures(c, input.email, () => store.login(c.var.base, keys, input)), 200);
  })
  .openapi(refreshRoute, async (c) => {
    const { refresh_token } = c.req.valid("json");
    await limitBySubject(c, "RATE_LIMIT_REFRESH", refresh_token);
    return c.json(await store.refresh(c.var.base, await signingKeys(c.env), refresh_token), 200);
  })
  .openapi(logoutRoute, async (c) => {
    await store.logout(c.var.base, c.req.valid("json").refresh_token);
    return c.body(null, 204);
  })
  .openapi(logoutAllRoute, async (c) => {
    await store.logoutAll(c.var.ctx);
    await revokeSomeGrants(c.env, (await c.var.ctx.user()).id);
    return c.body(null, 204);
  })
  .openapi(getMeRoute, async (c) => c.json(await store.getMe(c.var.ctx), 200))
  .openapi(updateMeRoute, async (c) => c.json(await store.updateMe(c.var.ctx, c.req.valid("json")), 200))
  .openapi(deleteMeRoute, async (c) => {
    const { ctx } = c.var;
    await countingFailuresOfSession(c, () => store.checkPassword(ctx, c.req.valid("json").password));
    await closeAccount(ctx);
    await eraseAccount(ctx, (userId) => revokeSomeGrants(c.env, userId));
    return c.body(null, 204);
  })
  .openapi(changePasswordRoute, async (c) => {
    const { current_password, new_password } = c.req.valid("json");
    await countingFailuresOfSession(c, () => store.changePassword(c.var.ctx, current_password, new_password));
    await revokeSomeGrants(c.env, (await c.var.ctx.user()).id);
    return c.body(null, 204);
  })
  .openapi(listSessionsRoute, async (c) => {
    return c.json(await store.listSessions(c.var.ctx, c.req.valid("query")), 200);
  })
  .openapi(revokeSessionRoute, async (c) => {
    await store.revokeSession(c.var.ctx, c.req.valid("param").session_id);
    return c.body(null, 204);
  });
