import { z } from "@hono/zod-openapi";
import { ItemList, PageParams, RequestQuery, Timestamp, Uuid } from "./fields.ts";

export const SECURITY_EVENTS = [
  "registered",
  "signed_in",
  "sign_in_failed",
  "session_ended",
  "signed_out_everywhere",
  "password_changed",
  "password_reset_requested",
  "password_reset",
  "email_verified",
  "email_change_requested",
  "email_changed",
  "email_change_undone",
  "second_factor_added",
  "second_factor_removed",
  "recovery_codes_created",
  "recovery_code_used",
  "passkey_added",
  "passkey_removed",
  "api_key_created",
  "api_key_revoked",
  "connection_made",
  "connection_ended",
  "connection_token_reused",
  "calendar_address_created",
  "export_taken",
] as const;

export type SecurityEventName = (typeof SECURITY_EVENTS)[number];

const SecurityEvent = z
  .strictObject({
    id: Uuid,
    event: z.enum(SECURITY_EVENTS),
    detail: z.string().nullable().meta({
      description: "The affected item, such as the name of a key",
      example: "Backup script",
    }),
    client_name: z.string().nullable().meta({ example: "Firefox on Linux" }),
    created_at: Timestamp,
  })
  .meta({ id: "SecurityEvent" });

export const SecurityEventList = ItemList("SecurityEventList", SecurityEvent);

export const SecurityEventListQuery = RequestQuery(PageParams);
