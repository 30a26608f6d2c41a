import { z } from "@hono/zod-openapi";
import { isCommonPassword } from "./common-passwords.ts";
import { ItemList, Name, PageParams, RequestQuery, Timestamp, UpdateBody, Uuid } from "./fields.ts";
import { isTimeZone } from "./time-zone.ts";

const MAX_PASSWORD_BYTES = 1024;
const byteLength = (password: string) => new TextEncoder().encode(password.normalize("NFC")).length;

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email("must be an email address"))
  .openapi({ type: "string", format: "email", maxLength: 254, example: "ada@example.com" });

/** A password at sign-in. Its length is limited because it is hashed. */
export const Password = z
  .string()
  .min(1)
  .max(MAX_PASSWORD_BYTES)
  .refine((text) => byteLength(text) <= MAX_PASSWORD_BYTES, `must be at most ${MAX_PASSWORD_BYTES} bytes`)
  .meta({ format: "password", example: "correct horse battery staple" });

export const SecondFactorCode = z.string().min(1).max(64).meta({ example: "123456" });

/** The code that confirms a change together with the password; see confirmation.ts. */
export const CurrentCode = SecondFactorCode.optional().meta({
  description:
    "Required for accounts with a second factor: a code from the authenticator app, or a recovery code. Each code works only once",
});

const MIN_PASSWORD_CHARACTERS = 8;
const characterCount = (password: string) => [...password.normalize("NFC")].length;

/** A new password. Characters are counted as code points after NFC (NIST SP 800-63B). */
export const NewPassword = Password.refine(
  (text) => characterCount(text) >= MIN_PASSWORD_CHARACTERS,
  `must be at least ${MIN_PASSWORD_CHARACTERS} characters long`,
)
  .refine((text) => !isCommonPassword(text), "is too common: choose another one")
  .openapi({ minLength: MIN_PASSWORD_CHARACTERS });

export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin")
  .meta({ example: "Europe/Berlin" });

const Days = z.int().min(1).max(3650).meta({ example: 14 });

export const StaleAfterDays = z.strictObject({ commitment: Days, blocker: Days }).meta({
  description:
    "Days after which an active record becomes stale if its text, due date and status did not change and it was not confirmed",
});

export const SessionKindField = z
  .enum(["tokens", "cookie"])
  .optional()
  .default("tokens")
  .meta({
    description:
      "What the response contains: tokens for a program, or the account and a session cookie for a page of this service. " +
      "The cookie requires the headers `Sec-Fetch-Site: same-origin` and `X-Requested-With: commonplace`",
  });
export type SessionKind = z.infer<typeof SessionKindField>;

/** Who can create an account: anyone, anyone who first confirms the address, only people with an invitation link, or no one. */
export const RegistrationMode = z.enum(["open", "verified", "invite", "closed"]);
export type RegistrationMode = z.infer<typeof RegistrationMode>;

export const RegistrationCode = z.string().min(1).max(512);

/** A refresh token, or the code of a link in an email. */
export const Token = RegistrationCode.meta({ example: "Zk3vQ0bT7zRwXc2mJ8sYd1LhNf5PaEgK6tUoVi9xA4" });

export const RegisterRequest = z
  .strictObject({
    email: Email,
    password: NewPassword,
    name: Name(200).optional().meta({ example: "Ada Lovelace" }),
    timezone: TimeZone.optional(),
    code: RegistrationCode.optional().meta({
      description: "The part after `#` of an invitation or setup link. Required unless registration is open",
    }),
    region: z.enum(["eu"]).optional().meta({
      description:
        "Store the account in the European Union, if the service has a database there. The default is the nearest database",
    }),
    session: SessionKindField,
  })
  .meta({
    id: "RegisterRequest",
    example: {
      email: "ada@example.com",
      password: "correct horse battery staple",
      name: "Ada Lovelace",
      timezone: "Europe/Berlin",
    },
  });

export const LoginRequest = z
  .strictObject({
    email: Email,
    password: Password,
    code: SecondFactorCode.optional().meta({
      description: "For accounts with a second factor: a code from the authenticator app, or a recovery code",
    }),
    session: SessionKindField,
  })
  .meta({ id: "LoginRequest" });

export const RefreshRequest = z.strictObject({ refresh_token: Token }).meta({ id: "RefreshRequest" });

export const LogoutRequest = z
  .strictObject({ refresh_token: Token.optional() })
  .meta({ id: "LogoutRequest" });

export const PasswordRequest = z
  .strictObject({
    current_password: Password,
    new_password: NewPassword.meta({ example: "a longer horse battery staple" }),
    current_code: CurrentCode,
  })
  .meta({ id: "PasswordRequest" });

export const DeleteMeRequest = z
  .strictObject({ password: Password, current_code: CurrentCode })
  .meta({ id: "DeleteMeRequest", example: { password: "correct horse battery staple" } });

export const TokenAnswer = z
  .strictObject({
    access_token: z.string().meta({ description: "A JWT for the Authorization header" }),
    refresh_token: z
      .string()
      .meta({ description: "Can be used once, within 30 days, with POST /api/auth/refresh" }),
    token_type: z.literal("bearer"),
    expires_in: z.int().meta({ description: "Seconds until the access token expires", example: 900 }),
  })
  .meta({ id: "TokenAnswer" });
export type TokenAnswer = z.infer<typeof TokenAnswer>;

export const User = z
  .strictObject({
    id: Uuid,
    email: z.email(),
    email_verified_at: Timestamp.nullable().meta({
      description: "When the owner of the address confirmed it; null until then",
    }),
    name: z.string().nullable(),
    role: z.enum(["admin", "member"]),
    timezone: z.string().meta({ example: "Europe/Berlin" }),
    stale_after_days: StaleAfterDays,
    created_at: Timestamp,
  })
  .meta({ id: "User" });
export type User = z.infer<typeof User>;

const changes = z.strictObject({
  name: Name(200).nullable().optional().meta({ example: "Ada Lovelace" }),
  timezone: TimeZone.optional(),
  stale_after_days: StaleAfterDays.partial().optional(),
});

export const UserUpdateRequest = UpdateBody(changes, User).meta({ id: "UserUpdateRequest" });
export type UserUpdateRequest = z.infer<typeof UserUpdateRequest>;

export const SessionParams = z.object({ session_id: Uuid });

export const SessionListQuery = RequestQuery(PageParams);

const Session = z
  .strictObject({
    id: Uuid,
    name: z.string().meta({
      description:
        "What signed in: the `X-Client-Name` of the request, or a name derived from its User-Agent",
      example: "Firefox on Linux",
    }),
    user_agent: z.string().nullable(),
    created_at: Timestamp,
    last_used_at: Timestamp.meta({
      description:
        "When its refresh token or cookie was last used. The use of a cookie is recorded once an hour",
    }),
    expires_at: Timestamp,
    current: z.boolean().meta({ description: "Whether this request came from this session" }),
  })
  .meta({ id: "Session" });

export const SessionList = ItemList("SessionList", Session);

export const RegistrationPending = z
  .strictObject({ detail: z.string().meta({ description: "What to do next" }) })
  .meta({ id: "RegistrationPending" });

export const SignInAnswer = z.union([TokenAnswer, User]);
