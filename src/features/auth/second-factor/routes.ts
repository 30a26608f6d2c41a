import * as schema from "../../../contract/second-factor.ts";
import { ErrorBody, notFound } from "../../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../../platform/http/openapi.ts";
import { limitCallerFailures } from "../attempts.ts";
import { reauthenticate } from "../confirmation.ts";
import { checkPassword } from "../store.ts";
import { signingKeys } from "../token.ts";
import * as store from "./store.ts";

const operation = tagged("Sign-in");
const WRONG_PASSWORD = json(ErrorBody, "The current password is wrong");

export const getSecondFactorRoute = operation({
  method: "get",
  path: "/second-factor",
  operationId: "getSecondFactor",
  summary: "Get two-factor authentication status",
  description: "Passkeys need no code: a passkey already counts as two factors.",
  rules: { access: "person", daily: "unlimited", primary: true },
  responses: { 200: json(schema.SecondFactor, "The status"), ...errors(401) },
});

export const startSecondFactorRoute = operation({
  method: "post",
  path: "/second-factor",
  operationId: "startSecondFactor",
  summary: "Start two-factor authentication: get a secret for an authenticator app",
  description: "No code is required until the first one has been confirmed.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.SecondFactorRequest) },
  responses: {
    200: json(schema.NewSecondFactor, "The secret (TOTP: SHA-1, 6 digits, 30 seconds)"),
    ...errors(...BODY_ERRORS, 401, 429),
    403: WRONG_PASSWORD,
  },
});

export const confirmSecondFactorRoute = operation({
  method: "post",
  path: "/second-factor/confirm",
  operationId: "confirmSecondFactor",
  summary: "Turn on two-factor authentication with the first code",
  description:
    "Afterwards, signing in with the password requires a code. Sessions, connections and API keys stay valid.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.SecondFactorConfirmRequest) },
  responses: {
    200: json(schema.RecoveryCodes, "The recovery codes"),
    ...errors(...BODY_ERRORS, 401, 412, 429),
  },
});

export const renewRecoveryCodesRoute = operation({
  method: "post",
  path: "/second-factor/recovery-codes",
  operationId: "renewRecoveryCodes",
  summary: "Replace the recovery codes",
  description: "The previous codes no longer work.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.SecondFactorChangeRequest) },
  responses: {
    200: json(schema.RecoveryCodes, "The recovery codes"),
    ...errors(...BODY_ERRORS, 401, 404, 429),
    403: WRONG_PASSWORD,
  },
});

export const removeSecondFactorRoute = operation({
  method: "delete",
  path: "/second-factor",
  operationId: "removeSecondFactor",
  summary: "Turn off two-factor authentication",
  description: "Afterwards, signing in requires only the password. The recovery codes are deleted.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.SecondFactorChangeRequest) },
  responses: {
    204: { description: "Done" },
    ...errors(...BODY_ERRORS, 401, 404, 429),
    403: WRONG_PASSWORD,
  },
});

export const secondFactorRoutes = createRouter()
  .openapi(getSecondFactorRoute, async (c) => c.json(await store.getSecondFactor(c.var.ctx), 200))
  .openapi(startSecondFactorRoute, async (c) => {
    const { password } = c.req.valid("json");
    await limitCallerFailures(c, "password", () => checkPassword(c.var.ctx, password));
    return c.json(await store.startSecondFactor(c.var.ctx, await signingKeys(c.env)), 200);
  })
  .openapi(confirmSecondFactorRoute, async (c) => {
    const keys = await signingKeys(c.env);
    const { code } = c.req.valid("json");
    const confirm = () => store.confirmSecondFactor(c.var.ctx, keys, code);
    return c.json({ recovery_codes: await limitCallerFailures(c, "code", confirm) }, 200);
  })
  .openapi(renewRecoveryCodesRoute, async (c) => {
    if (!(await reauthenticate(c, c.req.valid("json"))).hasFactor) throw notFound();
    return c.json({ recovery_codes: await store.renewRecoveryCodes(c.var.ctx) }, 200);
  })
  .openapi(removeSecondFactorRoute, async (c) => {
    if (!(await reauthenticate(c, c.req.valid("json"))).hasFactor) throw notFound();
    await store.removeSecondFactor(c.var.ctx);
    return c.body(null, 204);
  });
