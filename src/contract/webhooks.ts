import { z } from "@hono/zod-openapi";
import {
  Cursor,
  ItemList,
  Name,
  NextCursor,
  PageParams,
  RequestQuery,
  SomeOf,
  Timestamp,
  UpdateBody,
  Uuid,
} from "./fields.ts";
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS, WEBHOOK_TEST_EVENT } from "./webhook-events.ts";

const MAX_URL = 2000;

const EVENT_LIST = WEBHOOK_EVENT_NAMES.map((name) => `- \`${name}\`: ${WEBHOOK_EVENTS[name]}`).join("\n");

const Event = z.enum(WEBHOOK_EVENT_NAMES);

const Events = SomeOf(WEBHOOK_EVENT_NAMES).openapi({
  description: `The events to send:\n\n${EVENT_LIST}`,
  example: ["document.created", "commitment.due"],
});

const Url = z
  .string()
  .trim()
  .max(MAX_URL)
  .refine((url) => URL.canParse(url), "must be a URL")
  .transform((url) => new URL(url).href)
  .openapi({
    type: "string",
    format: "uri",
    maxLength: MAX_URL,
    description: "Where to send events: a public https URL. Redirects are not followed",
    example: "https://hooks.example.com/commonplace",
  });

const IncludeContent = z.boolean().meta({
  description:
    "Whether events include the content of the document or record at the time of sending. Content of more than 256 KiB " +
    "is omitted",
});

const settingFields = {
  name: Name(200).meta({ description: "A name for your reference", example: "Automation" }),
  url: Url,
  events: Events,
  include_content: IncludeContent,
};

export const WebhookCreateRequest = z
  .strictObject({ ...settingFields, include_content: IncludeContent.optional().default(false) })
  .meta({ id: "WebhookCreateRequest" });
export type WebhookCreateRequest = z.infer<typeof WebhookCreateRequest>;

const webhookFields = {
  id: Uuid,
  name: z.string(),
  url: z.string().meta({ description: "Where events are sent" }),
  events: z.array(Event).meta({ description: "The events sent to it" }),
  include_content: IncludeContent,
  status: z.enum(["active", "paused", "switched_off"]).meta({
    description:
      "`switched_off` after 20 failures in a row, or after the receiver responded 410. Events that occur while it is not " +
      "active are sent when it becomes active again",
  }),
  notice: z.string().nullable().meta({
    description: "Why it was switched off, and what to do; null otherwise",
    example: null,
  }),
  failures: z.int().meta({ description: "Number of failed attempts in a row" }),
  last_delivered_at: Timestamp.nullable().meta({
    description: "When an event was last delivered; null if never",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Webhook = z.strictObject(webhookFields).meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

const Secret = z.string().meta({
  description: "The signing secret, for Standard Webhooks libraries. Shown only once",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
});

export const NewWebhook = z.strictObject({ ...webhookFields, secret: Secret }).meta({ id: "NewWebhook" });
export type NewWebhook = z.infer<typeof NewWebhook>;

export const NewWebhookSecret = z
  .strictObject({
    secret: Secret,
    previous_until: Timestamp.meta({
      description: "Until then, every message is also signed with the previous secret",
    }),
  })
  .meta({ id: "NewWebhookSecret" });
export type NewWebhookSecret = z.infer<typeof NewWebhookSecret>;

const changes = z
  .strictObject(settingFields)
  .partial()
  .extend({
    paused: z.boolean().optional().meta({
      description: "`true` pauses it; `false` makes it active again, even after it was switched off",
    }),
  });

export const WebhookUpdateRequest = UpdateBody(changes, Webhook).meta({ id: "WebhookUpdateRequest" });
export type WebhookUpdateRequest = z.infer<typeof WebhookUpdateRequest>;

export const WebhookList = ItemList("WebhookList", Webhook);
export type WebhookList = z.infer<typeof WebhookList>;

const DeliveryStatus = z.enum(["pending", "delivered", "failed"]);

export const WebhookDelivery = z
  .strictObject({
    id: Uuid.meta({ description: "Id of the delivery, which is also the `webhook-id` of every attempt" }),
    event: z.enum([...WEBHOOK_EVENT_NAMES, WEBHOOK_TEST_EVENT]),
    status: DeliveryStatus.meta({
      description: "`failed` after eight attempts within a day. It can be sent again",
    }),
    attempts: z.int().meta({ description: "Number of attempts since it was created or sent again" }),
    next_attempt_at: Timestamp.nullable().meta({
      description: "Earliest time of the next attempt; null if there is none",
    }),
    last_attempt_at: Timestamp.nullable().meta({ description: "Time of the last attempt; null if none" }),
    response_status: z.int().nullable().meta({
      description: "HTTP status of the last response; null if there was none",
    }),
    error: z.string().nullable().meta({ description: "Error of the last attempt; null if it succeeded" }),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: "The `data` of the message, without the content" }),
    occurred_at: Timestamp.meta({ description: "When the event happened: the `timestamp` of the message" }),
    created_at: Timestamp,
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryList = ItemList("WebhookDeliveryList", WebhookDelivery, {
  next_cursor: NextCursor,
});
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;

export const WebhookListQuery = RequestQuery(PageParams);
export const DeliveryListQuery = RequestQuery({
  ...PageParams,
  cursor: Cursor,
  status: DeliveryStatus.optional().meta({ description: "Only deliveries with this status" }),
});
export type DeliveryListQuery = z.infer<typeof DeliveryListQuery>;

export const WebhookParams = z.object({ webhook_id: Uuid });
export const DeliveryParams = z.object({ webhook_id: Uuid, delivery_id: Uuid });
