import { z } from "@hono/zod-openapi";
import { CurrentCode, Password, SecondFactorCode } from "./auth.ts";
import { Timestamp } from "./fields.ts";

export const SecondFactor = z
  .strictObject({
    enabled: z.boolean().meta({ description: "Whether signing in with the password requires a code" }),
    created_at: Timestamp.nullable().meta({ description: "When it was enabled; null if it is not" }),
    recovery_codes_left: z.int().meta({ description: "Number of unused recovery codes" }),
  })
  .meta({ id: "SecondFactor" });
export type SecondFactor = z.infer<typeof SecondFactor>;

export const SecondFactorRequest = z.strictObject({ password: Password }).meta({ id: "SecondFactorRequest" });

export const NewSecondFactor = z
  .strictObject({
    secret: z
      .string()
      .meta({ description: "The secret in base32, for manual entry", example: "JBSWY3DPEHPK3PXP" }),
    otpauth_url: z.string().meta({ description: "The URL to display as a QR code" }),
  })
  .meta({ id: "NewSecondFactor" });

export const SecondFactorConfirmRequest = z
  .strictObject({ code: SecondFactorCode.meta({ description: "The current code of the authenticator app" }) })
  .meta({ id: "SecondFactorConfirmRequest" });

export const RecoveryCodes = z
  .strictObject({
    recovery_codes: z.array(z.string()).meta({
      description: "Ten codes. Each can be used once instead of a code of the app. Shown only once",
    }),
  })
  .meta({ id: "RecoveryCodes" });

export const SecondFactorChangeRequest = z
  .strictObject({ password: Password, current_code: CurrentCode })
  .meta({ id: "SecondFactorChangeRequest" });
