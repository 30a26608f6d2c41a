import * as schema from "../../../contract/auth-email.ts";
import { ErrorBody } from "../../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../../platform/http/openapi.ts";
import { limitByAddress } from "../../../platform/rate-limit/limit.ts";
import * as links from "./links.ts";

const operation = tagged("Sign-in");
const DONE = { 204: { description: "Done" } };
const NO_MAIL = json(ErrorBody, "This deployment cannot send email");
const UNSENT = json(ErrorBody, "The email could not be sent: try again later");

export const resetPasswordRoute = operation({
  method: "post",
  path: "/password-reset",
  operationId: "resetPassword",
  summary: "Email a password reset link",
  description: "The answer is the same whether or not the address is registered.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_PASSWORD_RESET")] as const,
  request: { body: body(schema.PasswordResetRequest) },
  responses: {
    202: {
      description: "If the address is registered, an email is on its way. Its link works for 30 minutes",
    },
    ...errors(...BODY_ERRORS, 429),
    403: NO_MAIL,
  },
});

export const confirmPasswordResetRoute = operation({
  method: "post",
  path: "/password-reset/confirm",
  operationId: "confirmPasswordReset",
  summary: "Set a new password with the code from an email",
  description:
    "Ends every session and MCP connection and revokes the calendar feed's URL. API keys, passkeys, webhooks and " +
    "two-factor authentication stay, unless the account's address was never confirmed.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.PasswordResetConfirmRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 429) },
});

export const changeEmailRoute = operation({
  method: "post",
  path: "/email",
  operationId: "changeEmail",
  summary: "Change the email address",
  description:
    "Emails a link to both addresses. The change takes effect when the new one is confirmed, within 24 hours. The link " +
    "to the old address undoes it, until 7 days later.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: [], changes: [] },
  request: { body: body(schema.EmailChangeRequest) },
  responses: {
    202: { description: "The emails have been sent" },
    ...errors(...BODY_ERRORS, 401, 429),
    403: json(ErrorBody, "The password is wrong, or this deployment cannot send email"),
    503: UNSENT,
  },
});

export const confirmEmailChangeRoute = operation({
  method: "post",
  path: "/email/confirm",
  operationId: "confirmEmailChange",
  summary: "Confirm a new email address with the code from an email",
  description: "The account has the new address from now on.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.EmailChangeConfirmRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 429) },
});

export const undoEmailChangeRoute = operation({
  method: "post",
  path: "/email/undo",
  operationId: "undoEmailChange",
  summary: "Undo an email address change",
  description:
    "Restores the previous address and invalidates the password. Ends every session and MCP connection, and removes API " +
    "keys, passkeys, webhooks and two-factor authentication that were added or changed since the change was requested.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.EmailChangeUndoRequest) },
  responses: {
    200: json(schema.EmailChangeUndoAnswer, "The code for setting a new password"),
    ...errors(...BODY_ERRORS, 429),
  },
});

export const sendVerificationRoute = operation({
  method: "post",
  path: "/email/verification",
  operationId: "sendVerification",
  summary: "Resend the email that confirms the address",
  description: "The first one is sent at registration if the deployment can send email.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  responses: {
    202: { description: "The email has been sent. Its link expires after 7 days" },
    ...errors(401, 429),
    403: NO_MAIL,
    503: UNSENT,
  },
});

export const verifyEmailRoute = operation({
  method: "post",
  path: "/email/verify",
  operationId: "verifyEmail",
  summary: "Confirm the email address with the code from an email",
  description: "Sets the account's `email_verified_at`.",
  rules: { access: "anyone", daily: "unlimited", body: "16 KiB", adds: [], changes: [] },
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.EmailVerifyRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 429) },
});

export const emailRoutes = createRouter()
  .openapi(resetPasswordRoute, async (c) => {
    await links.sendPasswordReset(c, c.req.valid("json").email);
    return c.body(null, 202);
  })
  .openapi(confirmPasswordResetRoute, async (c) => {
    const { reset_token, new_password } = c.req.valid("json");
    await links.resetPassword(c, reset_token, new_password);
    return c.body(null, 204);
  })
  .openapi(changeEmailRoute, async (c) => {
    const { email, ...proof } = c.req.valid("json");
    await links.sendEmailChangeLinks(c, email, proof);
    return c.body(null, 202);
  })
  .openapi(confirmEmailChangeRoute, async (c) => {
    await links.changeEmail(c, c.req.valid("json").change_token);
    return c.body(null, 204);
  })
  .openapi(undoEmailChangeRoute, async (c) =>
    c.json({ reset_token: await links.undoEmailChange(c, c.req.valid("json").undo_token) }, 200),
  )
  .openapi(sendVerificationRoute, async (c) => {
    await links.resendVerification(c);
    return c.body(null, 202);
  })
  .openapi(verifyEmailRoute, async (c) => {
    await links.verifyEmail(c, c.req.valid("json").verification_token);
    return c.body(null, 204);
  });
