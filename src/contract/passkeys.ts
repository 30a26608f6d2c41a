import { z } from "@hono/zod-openapi";
import { CurrentCode, Password, SessionKindField } from "./auth.ts";
import { ItemList, Name, PageParams, RequestQuery, Timestamp, UpdateBody, Uuid } from "./fields.ts";

// WebAuthn Level 3 in JSON. Fields that the service does not need are accepted because browsers send them.

const MAX_ID = 1400;
const MAX_DATA = 16_384;
const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, "must be base64url")
    .meta({ example: "Zk3vQ0bT7zRwXc2mJ8sYd1LhNf5PaEgK6tUoVi9xA4" });

const Transports = z
  .array(z.string().max(32))
  .max(10)
  .meta({ example: ["internal"] });

const envelope = {
  id: base64url(MAX_ID),
  rawId: base64url(MAX_ID),
  type: z.literal("public-key"),
  authenticatorAttachment: z.string().max(32).nullish().meta({ example: "platform" }),
  clientExtensionResults: z.record(z.string().max(64), z.unknown()).optional().meta({ example: {} }),
};

export const Attestation = z
  .strictObject({
    ...envelope,
    response: z.strictObject({
      clientDataJSON: base64url(MAX_DATA),
      attestationObject: base64url(MAX_DATA),
      transports: Transports.optional(),
      authenticatorData: base64url(MAX_DATA).optional(),
      publicKey: z.string().max(MAX_DATA).nullish().meta({ example: null }),
      publicKeyAlgorithm: z.int().optional().meta({ example: -7 }),
    }),
  })
  .meta({ id: "PasskeyAttestation" });
export type Attestation = z.infer<typeof Attestation>;

export const Assertion = z
  .strictObject({
    ...envelope,
    response: z.strictObject({
      clientDataJSON: base64url(MAX_DATA),
      authenticatorData: base64url(MAX_DATA),
      signature: base64url(MAX_DATA),
      userHandle: z.string().max(MAX_ID).nullish().meta({ example: null }),
    }),
  })
  .meta({ id: "PasskeyAssertion" });
export type Assertion = z.infer<typeof Assertion>;

const Descriptor = z.strictObject({
  id: z.string(),
  type: z.literal("public-key"),
  transports: z.array(z.string()),
});

export const PasskeyOptionsRequest = z
  .strictObject({ password: Password, current_code: CurrentCode })
  .meta({ id: "PasskeyOptionsRequest" });

export const PasskeyOptions = z
  .strictObject({
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.strictObject({ type: z.literal("public-key"), alg: z.int() })),
    timeout: z.int(),
    excludeCredentials: z.array(Descriptor),
    authenticatorSelection: z.strictObject({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    attestation: z.literal("none"),
  })
  .meta({ id: "PasskeyOptions" });
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;

export const PasskeyLoginOptions = z
  .strictObject({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int(),
    userVerification: z.literal("required"),
    allowCredentials: z.array(Descriptor),
  })
  .meta({ id: "PasskeyLoginOptions" });
export type PasskeyLoginOptions = z.infer<typeof PasskeyLoginOptions>;

const PasskeyName = Name(80).meta({ example: "Laptop" });

export const PasskeyCreateRequest = z
  .strictObject({ name: PasskeyName, attestation: Attestation })
  .meta({ id: "PasskeyCreateRequest" });

export const PasskeyLoginRequest = z
  .strictObject({ assertion: Assertion, session: SessionKindField })
  .meta({ id: "PasskeyLoginRequest" });

export const Passkey = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: "Passkey" });
export type Passkey = z.infer<typeof Passkey>;

export const PasskeyUpdateRequest = UpdateBody(z.strictObject({ name: PasskeyName }), Passkey).meta({
  id: "PasskeyUpdateRequest",
});

export const PasskeyList = ItemList("PasskeyList", Passkey);

export const PasskeyListQuery = RequestQuery(PageParams);
export const PasskeyParams = z.object({ passkey_id: Uuid });
