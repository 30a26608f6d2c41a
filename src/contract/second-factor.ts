import { z } from "@hono/zod-openapi";
import { Code, CurrentCode, Password } from "./auth.ts";
import { Timestamp } from "./fields.ts";

export const SecondFactor = z
  .strictObject({
    enabled: z.boolean().meta({ description: "Whether a sign-in with the password needs a code" }),
    created_at: Timestamp.nullable().meta({ description: "Since when; null without a second factor" }),
    recovery_codes_left: z.int().meta({ description: "How many recovery codes have not been used" }),
  })
  .meta({ id: "SecondFactor" });
export type SecondFactor = z.infer<typeof SecondFactor>;

export const SecondFactorRequest = z.strictObject({ password: Password }).meta({ id: "SecondFactorRequest" });

export const NewSecondFactor = z
  .strictObject({
    secret: z.string().meta({ description: "In base32, to be typed", example: "JBSWY3DPEHPK3PXP" }),
    otpauth_url: z.string().meta({ description: "To be shown as a QR code" }),
  })
  .meta({ id: "NewSecondFactor" });

export const SecondFactorConfirmRequest = z
  .strictObject({ code: Code.meta({ description: "The code that the authenticator app shows now" }) })
  .meta({ id: "SecondFactorConfirmRequest" });

export const RecoveryCodes = z
  .strictObject({
    recovery_codes: z.array(z.string()).meta({
      description:
        "Ten codes, each of which signs in once instead of a code of the app. They are shown only here",
    }),
  })
  .meta({ id: "RecoveryCodes" });

export const SecondFactorChangeRequest = z
  .strictObject({ password: Password, current_code: CurrentCode })
  .meta({ id: "SecondFactorChangeRequest" });
