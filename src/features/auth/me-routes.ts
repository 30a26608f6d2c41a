import type { Context } from "hono";
import * as schema from "../../contract/auth.ts";
import { SecurityEventList, SecurityEventListQuery } from "../../contract/security-events.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { ErrorBody } from "../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { createStepBudget } from "../../platform/jobs/run.ts";
import { LEASE_MS } from "../../platform/jobs/store.ts";
import { wakeAccount } from "../../platform/jobs/wake.ts";
import { listSecurityEvents } from "../../platform/security-events/store.ts";
import { forgetInAllShards } from "../../platform/shards/router.ts";
import { cancelAllSubscriptions } from "../billing/checkout.ts";
import { hasStripe } from "../billing/stripe.ts";
import { revokeSomeGrants } from "../connections/grants.ts";
import { continueErasure } from "../erasure/chore.ts";
import { markAccountDeleted } from "../erasure/store.ts";
import { reauthenticate } from "./confirmation.ts";
import { passwordChangedEmail } from "./email/emails.ts";
import { sendNotice } from "./email/links.ts";
import { clearSessionCookie, readSessionCookie, setSessionCookie } from "./session-cookie.ts";
import * as sessions from "./session-store.ts";
import * as store from "./store.ts";

const operation = tagged("Sign-in");
const DONE = { 204: { description: "Done" } };

export const getMeRoute = operation({
  method: "get",
  path: "/me",
  operationId: "getMe",
  summary: "Get the caller's account and settings",
  description: "Returns the account that the token belongs to.",
  rules: { access: "person", daily: "unlimited", primary: true },
  responses: { 200: json(schema.User, "The account"), ...errors(401) },
});

export const updateMeRoute = operation({
  method: "patch",
  path: "/me",
  operationId: "updateMe",
  summary: "Change the account's name, time zone or settings",
  description: "Omitted fields stay as they are.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.UserUpdateRequest) },
  responses: { 200: json(schema.User, "The account"), ...errors(...BODY_ERRORS, 401, 404) },
});

export const deleteMeRoute = operation({
  method: "delete",
  path: "/me",
  operationId: "deleteMe",
  summary: "Erase the account",
  description:
    "Permanently erases everything the caller owns; the email address can be registered again. Requires the password. " +
    "A subscription is cancelled first; if that fails, nothing is erased and the answer is a 503.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.DeleteMeRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 401, 403, 429) },
});

export const changePasswordRoute = operation({
  method: "post",
  path: "/password",
  operationId: "changePassword",
  summary: "Change the password",
  description:
    "Ends every session and MCP connection and revokes the calendar feed's URL: sign in again with the new password. " +
    "A browser that is signed in with the session cookie gets a new one. API keys stay valid.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.PasswordRequest) },
  responses: {
    ...DONE,
    ...errors(...BODY_ERRORS, 401, 429),
    403: json(ErrorBody, "The current password is wrong"),
  },
});

export const listSessionsRoute = operation({
  method: "get",
  path: "/sessions",
  operationId: "listSessions",
  summary: "List sessions",
  description: "The session of this request has `current: true`.",
  rules: { access: "person", daily: "unlimited", primary: true },
  request: { query: schema.SessionListQuery },
  responses: { 200: json(schema.SessionList, "Active sessions, last used first"), ...errors(401, 422) },
});

export const revokeSessionRoute = operation({
  method: "delete",
  path: "/sessions/{session_id}",
  operationId: "revokeSession",
  summary: "End one session",
  description: "Its tokens become invalid.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.SessionParams },
  responses: { ...DONE, ...errors(401, 404, 422) },
});

export const listSecurityEventsRoute = operation({
  method: "get",
  path: "/events",
  operationId: "listSecurityEvents",
  summary: "List security events",
  description: "Sign-ins, failed sign-ins (at most 20 an hour) and access changes from the last 90 days.",
  rules: { access: "person", daily: "unlimited", primary: true },
  request: { query: SecurityEventListQuery },
  responses: { 200: json(SecurityEventList, "A page of events, newest first"), ...errors(401, 422) },
});

const readCallerCookie = (c: Context<AppEnv>) =>
  c.req.header("Authorization") === undefined ? readSessionCookie(c) : undefined;

export const meRoutes = createRouter()
  .openapi(getMeRoute, async (c) => c.json(await store.getMe(c.var.ctx), 200))
  .openapi(updateMeRoute, async (c) => {
    const account = await store.updateMe(c.var.ctx, c.req.valid("json"));
    // In another time zone, days begin at other times.
    wakeAccount(c.var.ctx);
    return c.json(account, 200);
  })
  .openapi(deleteMeRoute, async (c) => {
    const { ctx } = c.var;
    await reauthenticate(c, c.req.valid("json"));
    if (hasStripe(c.env)) await cancelAllSubscriptions(ctx, c.env);
    await markAccountDeleted(ctx);
    wakeAccount(ctx, ctx.now.getTime() + LEASE_MS);
    await forgetInAllShards(c.env, ctx.shard, (await ctx.user()).id);
    clearSessionCookie(c);
    if (!(await continueErasure(ctx, c.env, createStepBudget(ctx, c.env)))) wakeAccount(ctx);
    return c.body(null, 204);
  })
  .openapi(changePasswordRoute, async (c) => {
    const { current_password: password, new_password, current_code } = c.req.valid("json");
    await reauthenticate(c, { password, current_code });
    const signIn = (await readCallerCookie(c)) && {
      session: "cookie" as const,
      userAgent: c.req.header("User-Agent"),
    };
    const session = await store.changePassword(c.var.ctx, new_password, signIn);
    if (session) setSessionCookie(c, session);
    const { id, email } = await c.var.ctx.user();
    sendNotice(c, passwordChangedEmail(email));
    await revokeSomeGrants(c.env, id);
    return c.body(null, 204);
  })
  .openapi(listSessionsRoute, async (c) =>
    c.json(await sessions.listSessions(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(revokeSessionRoute, async (c) => {
    const { session_id } = c.req.valid("param");
    await sessions.revokeSession(c.var.ctx, session_id);
    if ((await c.var.ctx.sessionId()) === session_id) clearSessionCookie(c);
    return c.body(null, 204);
  })
  .openapi(listSecurityEventsRoute, async (c) =>
    c.json(await listSecurityEvents(c.var.ctx, c.req.valid("query")), 200),
  );
