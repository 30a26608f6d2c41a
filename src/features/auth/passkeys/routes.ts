import { SignInAnswer } from "../../../contract/auth.ts";
import * as schema from "../../../contract/passkeys.ts";
import { FIRST_SHARD } from "../../../contract/shard.ts";
import { ErrorBody } from "../../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../../platform/http/openapi.ts";
import { relyingParty } from "../../../platform/http/origin.ts";
import { limitByAddress } from "../../../platform/rate-limit/limit.ts";
import { baseCtxIn, enterShardOfUser } from "../../../platform/shards/router.ts";
import { rememberClientAddress } from "../attempts.ts";
import { reauthenticate } from "../confirmation.ts";
import { requiresVerifiedEmail } from "../registration.ts";
import { requireOwnPage } from "../session-cookie.ts";
import { answerSignIn, NOT_FROM_OWN_PAGE, SET_COOKIE_HEADER } from "../sign-in-answer.ts";
import * as store from "./store.ts";

const operation = tagged("Sign-in");

export const passkeyOptionsRoute = operation({
  method: "post",
  path: "/passkeys/options",
  operationId: "passkeyOptions",
  summary: "Start adding a passkey",
  description:
    "Pass the answer to `PublicKeyCredential.parseCreationOptionsFromJSON`. It expires after 5 minutes.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.PasskeyOptionsRequest) },
  responses: {
    200: json(schema.PasskeyOptions, "Options for the browser"),
    ...errors(...BODY_ERRORS, 401, 429),
    403: json(ErrorBody, "The current password is wrong"),
  },
});

export const addPasskeyRoute = operation({
  method: "post",
  path: "/passkeys",
  operationId: "addPasskey",
  summary: "Add a passkey created by a browser",
  description:
    "Signs in without a password and without a two-factor code: a passkey is two factors by itself.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.PasskeyCreateRequest) },
  responses: { 201: json(schema.Passkey, "The passkey"), ...errors(...BODY_ERRORS, 401) },
});

export const listPasskeysRoute = operation({
  method: "get",
  path: "/passkeys",
  operationId: "listPasskeys",
  summary: "List passkeys",
  description: "Newest first.",
  rules: { access: "person", daily: "unlimited", primary: true },
  request: { query: schema.PasskeyListQuery },
  responses: { 200: json(schema.PasskeyList, "A page of passkeys"), ...errors(401, 422) },
});

export const renamePasskeyRoute = operation({
  method: "patch",
  path: "/passkeys/{passkey_id}",
  operationId: "renamePasskey",
  summary: "Rename a passkey",
  description: "Only its owner sees the name.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { params: schema.PasskeyParams, body: body(schema.PasskeyUpdateRequest) },
  responses: { 200: json(schema.Passkey, "The passkey"), ...errors(...BODY_ERRORS, 401, 404) },
});

export const removePasskeyRoute = operation({
  method: "delete",
  path: "/passkeys/{passkey_id}",
  operationId: "removePasskey",
  summary: "Remove a passkey",
  description: "It no longer works for signing in. Sessions opened with it stay signed in.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.PasskeyParams },
  responses: { 204: { description: "Removed" }, ...errors(401, 404, 422) },
});

export const passkeyLoginOptionsRoute = operation({
  method: "post",
  path: "/login/passkey/options",
  operationId: "passkeyLoginOptions",
  summary: "Start signing in with a passkey",
  description:
    "Pass the answer to `PublicKeyCredential.parseRequestOptionsFromJSON`. It expires after 5 minutes.",
  rules: { access: "anyone", daily: "unlimited", body: "none", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  responses: { 200: json(schema.PasskeyLoginOptions, "Options for the browser"), ...errors(429) },
});

export const passkeyLoginRoute = operation({
  method: "post",
  path: "/login/passkey",
  operationId: "passkeyLogin",
  summary: "Sign in with a passkey",
  description: "Answers like `POST /api/auth/login`.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.PasskeyLoginRequest) },
  responses: {
    200: { ...json(SignInAnswer, "The new session's tokens, or the account"), headers: SET_COOKIE_HEADER },
    ...errors(...BODY_ERRORS, 429),
    401: json(ErrorBody, "The passkey is unknown, or its response is invalid"),
    403: json(ErrorBody, `The email address is not confirmed yet, or ${NOT_FROM_OWN_PAGE}`),
  },
});

export const passkeyRoutes = createRouter()
  .openapi(passkeyOptionsRoute, async (c) => {
    await reauthenticate(c, c.req.valid("json"));
    return c.json(await store.passkeyCreationOptions(c.var.ctx, relyingParty(c)), 200);
  })
  .openapi(addPasskeyRoute, async (c) =>
    c.json(await store.addPasskey(c.var.ctx, relyingParty(c), c.req.valid("json")), 201),
  )
  .openapi(listPasskeysRoute, async (c) =>
    c.json(await store.listPasskeys(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(renamePasskeyRoute, async (c) => {
    const { passkey_id } = c.req.valid("param");
    return c.json(await store.renamePasskey(c.var.ctx, passkey_id, c.req.valid("json").name), 200);
  })
  .openapi(removePasskeyRoute, async (c) => {
    await store.removePasskey(c.var.ctx, c.req.valid("param").passkey_id);
    return c.body(null, 204);
  })
  .openapi(passkeyLoginOptionsRoute, async (c) =>
    c.json(await store.passkeyLoginOptions(c.var.base, relyingParty(c)), 200),
  )
  .openapi(passkeyLoginRoute, async (c) => {
    const { assertion, session } = c.req.valid("json");
    if (session === "cookie") requireOwnPage(c);
    const onlyVerified = requiresVerifiedEmail(c.env);
    await enterShardOfUser(c, store.assertedUserId(assertion));
    const first = baseCtxIn(c, FIRST_SHARD);
    const login = { assertion, first, session, userAgent: c.req.header("User-Agent"), onlyVerified };
    const signedIn = await store.loginWithPasskey(c.var.base, relyingParty(c), login);
    await rememberClientAddress(c, signedIn.user.email);
    return c.json(await answerSignIn(c, session, signedIn), 200);
  });
