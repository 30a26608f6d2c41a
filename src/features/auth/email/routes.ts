import { createRoute } from "@hono/zod-openapi";
import { ErrorBody } from "../../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, SECURITY } from "../../../platform/http/openapi.ts";
import { limitByAddress } from "../../../platform/rate-limit/limit.ts";
import { confirmOwner } from "../confirmation.ts";
import { guard } from "../guard.ts";
import * as links from "./links.ts";
import * as schema from "../../../contract/auth-email.ts";

const tags = ["Sign-in"];
const DONE = { 204: { description: "Done" } };
const NO_MAIL = json(ErrorBody, "This deployment cannot send mail");
const UNSENT = json(ErrorBody, "The mail could not be sent; try again later");

export const resetPasswordRoute = createRoute({
  method: "post",
  path: "/password-reset",
  operationId: "resetPassword",
  tags,
  summary: "Mail a link that sets a new password",
  description: "The answer is the same whether or not there is an account with this e-mail.",
  middleware: [limitByAddress("RATE_LIMIT_PASSWORD_RESET")] as const,
  request: { body: body(schema.PasswordResetRequest) },
  responses: {
    202: {
      description: "If there is such an account, a mail is on its way. Its link is good for 30 minutes",
    },
    ...errors(...BODY_ERRORS, 429),
    403: NO_MAIL,
  },
});

export const confirmPasswordResetRoute = createRoute({
  method: "post",
  path: "/password-reset/confirm",
  operationId: "confirmPasswordReset",
  tags,
  summary: "Set a new password with the code from a mail",
  description:
    "Ends every session and MCP connection and revokes the calendar feed's URL. API keys, passkeys, webhooks and the " +
    "second factor stay, unless the account's address had never been confirmed: then they end too.",
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.PasswordResetConfirmRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 429) },
});

export const changeEmailRoute = createRoute({
  method: "post",
  path: "/email",
  operationId: "changeEmail",
  tags,
  summary: "Change the e-mail address",
  description:
    "Mails a link to both addresses. The change takes effect when the new one is confirmed, within 24 hours; from the " +
    "old one it can be undone until 7 days later.",
  security: SECURITY,
  middleware: [guard] as const,
  request: { body: body(schema.EmailChangeRequest) },
  responses: {
    202: { description: "The mails have been sent" },
    ...errors(...BODY_ERRORS, 401, 429),
    403: json(ErrorBody, "The password is wrong, or this deployment cannot send mail"),
    503: UNSENT,
  },
});

export const confirmEmailChangeRoute = createRoute({
  method: "post",
  path: "/email/confirm",
  operationId: "confirmEmailChange",
  tags,
  summary: "Confirm a new e-mail address with the code from a mail",
  description: "The account has this address from now on.",
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.EmailChangeConfirmRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 429) },
});

export const undoEmailChangeRoute = createRoute({
  method: "post",
  path: "/email/undo",
  operationId: "undoEmailChange",
  tags,
  summary: "Undo a change of the e-mail address",
  description:
    "The account has its previous address again, and its password is no longer valid. Every session and MCP connection " +
    "ends, and so do API keys, passkeys, webhooks and a second factor that were added or changed since the change was " +
    "requested.",
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.EmailChangeUndoRequest) },
  responses: {
    200: json(schema.EmailChangeUndoAnswer, "The code with which a new password is set"),
    ...errors(...BODY_ERRORS, 429),
  },
});

export const sendVerificationRoute = createRoute({
  method: "post",
  path: "/email/verification",
  operationId: "sendVerification",
  tags,
  summary: "Mail another link that confirms the e-mail address",
  description: "The first one is mailed at registration, where mail is configured.",
  security: SECURITY,
  middleware: [guard] as const,
  responses: {
    202: { description: "The mail has been sent. Its link is good for 7 days" },
    ...errors(401, 429),
    403: NO_MAIL,
    503: UNSENT,
  },
});

export const verifyEmailRoute = createRoute({
  method: "post",
  path: "/email/verify",
  operationId: "verifyEmail",
  tags,
  summary: "Confirm the e-mail address with the code from a mail",
  description: "`email_verified_at` of the account tells when.",
  middleware: [limitByAddress("RATE_LIMIT_LOGIN")] as const,
  request: { body: body(schema.EmailVerifyRequest) },
  responses: { ...DONE, ...errors(...BODY_ERRORS, 429) },
});

export const emailRoutes = createRouter()
  .openapi(resetPasswordRoute, async (c) => {
    await links.mailPasswordReset(c, c.req.valid("json").email);
    return c.body(null, 202);
  })
  .openapi(confirmPasswordResetRoute, async (c) => {
    const { reset_token, new_password } = c.req.valid("json");
    await links.resetPassword(c, reset_token, new_password);
    return c.body(null, 204);
  })
  .openapi(changeEmailRoute, async (c) => {
    const { email, ...proof } = c.req.valid("json");
    await confirmOwner(c, proof);
    await links.mailEmailChange(c, email);
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
    await links.mailVerificationAgain(c);
    return c.body(null, 202);
  })
  .openapi(verifyEmailRoute, async (c) => {
    await links.verifyEmail(c, c.req.valid("json").verification_token);
    return c.body(null, 204);
  });
