import { z } from "@hono/zod-openapi";
import { Timestamp, Uuid } from "./fields.ts";

const Base64UrlBytes = (bytes: number) => {
  const length = Math.ceil((bytes * 4) / 3);
  return z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${length}}=*$`), `must be ${bytes} bytes in base64url`)
    .transform((text) => text.replace(/=+$/, ""));
};

export const PushSubscribeRequest = z
  .strictObject({
    endpoint: z.url().max(2000).meta({
      description: "URL of the subscription at the browser's push service",
      example: "https://push.example.com/send/abc",
    }),
    keys: z
      .strictObject({
        p256dh: Base64UrlBytes(65).openapi({
          type: "string",
          description: "The browser's public key",
          example: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        }),
        auth: Base64UrlBytes(16).openapi({
          type: "string",
          description: "The browser's secret for this subscription",
          example: "tBHItJI5svbpez7KI4CCXg",
        }),
      })
      .meta({
        description: "The keys for encrypting messages, as returned by `PushSubscription.toJSON()`",
      }),
  })
  .meta({ id: "PushSubscribeRequest" });
export type PushSubscribeRequest = z.infer<typeof PushSubscribeRequest>;

export const PushSubscription = z
  .strictObject({
    id: Uuid,
    endpoint: z.string().meta({ description: "URL of the subscription at the browser's push service" }),
    created_at: Timestamp,
  })
  .meta({ id: "PushSubscription" });
export type PushSubscription = z.infer<typeof PushSubscription>;

export const PushSubscriptionList = z
  .strictObject({
    public_key: z.string().meta({
      description: "The service's public key, to be passed as `applicationServerKey` when subscribing",
    }),
    items: z.array(PushSubscription),
  })
  .meta({ id: "PushSubscriptionList" });
export type PushSubscriptionList = z.infer<typeof PushSubscriptionList>;

export const PushParams = z.object({ subscription_id: Uuid });
