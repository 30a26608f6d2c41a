import { z } from "@hono/zod-openapi";
import { CurrentCode, Email, NewPassword, Password, Token } from "./auth.ts";

const token = (description: string) => Token.meta({ description });

export const PasswordResetRequest = z.strictObject({ email: Email }).meta({ id: "PasswordResetRequest" });

export const PasswordResetConfirmRequest = z
  .strictObject({ reset_token: token("The code in the email"), new_password: NewPassword })
  .meta({ id: "PasswordResetConfirmRequest" });

export const EmailChangeRequest = z
  .strictObject({
    email: Email.openapi({ description: "The new address", example: "ada.lovelace@example.com" }),
    password: Password,
    current_code: CurrentCode,
  })
  .meta({ id: "EmailChangeRequest" });

export const EmailChangeConfirmRequest = z
  .strictObject({ change_token: token("The code in the email to the new address") })
  .meta({ id: "EmailChangeConfirmRequest" });

export const EmailChangeUndoRequest = z
  .strictObject({ undo_token: token("The code in the email to the previous address") })
  .meta({ id: "EmailChangeUndoRequest" });

export const EmailChangeUndoAnswer = z
  .strictObject({
    reset_token: z.string().meta({ description: "Sets a new password. Valid for 30 minutes" }),
  })
  .meta({ id: "EmailChangeUndoAnswer" });

export const EmailVerifyRequest = z
  .strictObject({ verification_token: token("The code in the email") })
  .meta({ id: "EmailVerifyRequest" });
