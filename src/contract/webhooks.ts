import { z } from "@hono/zod-openapi";
import { ChangeBody, Cursor, Name, NextCursor, Page, RequestQuery, Timestamp, Uuid } from "./fields.ts";
import { EVENT_NAMES, EVENTS, TEST_EVENT } from "./webhook-events.ts";

const MAX_URL = 2000;

const EVENT_LIST = EVENT_NAMES.map((name) => `- \`${name}\`: ${EVENTS[name]}`).join("\n");

const Event = z.enum(EVENT_NAMES);

const Events = z
  .array(Event)
  .min(1)
  .max(EVENT_NAMES.length)
  .transform((events) => EVENT_NAMES.filter((name) => events.includes(name)))
  .openapi({
    type: "array",
    items: { type: "string", enum: [...EVENT_NAMES] },
    minItems: 1,
    maxItems: EVENT_NAMES.length,
    description: `The events that it is sent:\n\n${EVENT_LIST}`,
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
    description: "Where to send events: a public https address. Redirects are not followed",
    example: "https://hooks.example.com/commonplace",
  });

const IncludeContent = z.boolean().meta({
  description:
    "Whether events also carry the content of the document or record as it is when they are sent; one of more than " +
    "256 KiB is left out",
});

const settings = {
  name: Name(200).meta({ description: "A name by which you recognize it", example: "Automation" }),
  url: Url,
  events: Events,
  include_content: IncludeContent,
};

export const WebhookCreateRequest = z
  .strictObject({ ...settings, include_content: IncludeContent.optional().default(false) })
  .meta({ id: "WebhookCreateRequest" });
export type WebhookCreateRequest = z.infer<typeof WebhookCreateRequest>;

const shown = {
  id: Uuid,
  name: z.string(),
  url: z.string().meta({ description: "Where events are sent" }),
  events: z.array(Event).meta({ description: "The events that it is sent" }),
  include_content: IncludeContent,
  status: z.enum(["active", "paused", "switched_off"]).meta({
    description:
      "`switched_off` after 20 failures in a row, or when the receiver answered 410. What happens while it is not " +
      "active is sent when it is made active again",
  }),
  notice: z.string().nullable().meta({
    description: "Why it was switched off, and what to do; null otherwise",
    example: null,
  }),
  failures: z.int().meta({ description: "How many attempts in a row have failed" }),
  last_delivered_at: Timestamp.nullable().meta({
    description: "When an event last reached it; null for never",
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Webhook = z.strictObject(shown).meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

const Secret = z.string().meta({
  description: "The signing secret, for the libraries of Standard Webhooks. It is shown only once",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
});

export const NewWebhook = z.strictObject({ ...shown, secret: Secret }).meta({ id: "NewWebhook" });
export type NewWebhook = z.infer<typeof NewWebhook>;

export const NewWebhookSecret = z
  .strictObject({
    secret: Secret,
    previous_until: Timestamp.meta({
      description: "Until then every message is signed with the previous secret as well",
    }),
  })
  .meta({ id: "NewWebhookSecret" });
export type NewWebhookSecret = z.infer<typeof NewWebhookSecret>;

const changes = z.strictObject({
  name: settings.name.optional(),
  url: Url.optional(),
  events: Events.optional(),
  include_content: IncludeContent.optional(),
  paused: z.boolean().optional().meta({
    description: "`true` stops it for a while; `false` makes it active again, also after it was switched off",
  }),
});

export const WebhookUpdateRequest = ChangeBody(changes, Webhook).meta({ id: "WebhookUpdateRequest" });
export type WebhookUpdateRequest = z.infer<typeof WebhookUpdateRequest>;

export const WebhookList = z
  .strictObject({ items: z.array(Webhook), total: z.int() })
  .meta({ id: "WebhookList" });
export type WebhookList = z.infer<typeof WebhookList>;

const DeliveryStatus = z.enum(["pending", "delivered", "failed"]);

export const WebhookDelivery = z
  .strictObject({
    id: Uuid.meta({ description: "Its id, which is also the `webhook-id` of every attempt" }),
    event: z.enum([...EVENT_NAMES, TEST_EVENT]),
    status: DeliveryStatus.meta({
      description: "`failed` when it was given up: eight attempts within a day. It can be sent again",
    }),
    attempts: z.int().meta({ description: "How often it was tried, since it was last sent again" }),
    next_attempt_at: Timestamp.nullable().meta({
      description: "When it is tried again at the earliest; null if it is not",
    }),
    last_attempt_at: Timestamp.nullable().meta({ description: "When it was last tried; null for never" }),
    response_status: z.int().nullable().meta({
      description: "The status of the last answer; null if there was none",
    }),
    error: z
      .string()
      .nullable()
      .meta({ description: "What went wrong at the last attempt; null if nothing did" }),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: "The `data` of the message, without the content" }),
    occurred_at: Timestamp.meta({ description: "When it happened: the `timestamp` of the message" }),
    created_at: Timestamp,
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryList = z
  .strictObject({ items: z.array(WebhookDelivery), total: z.int(), next_cursor: NextCursor })
  .meta({ id: "WebhookDeliveryList" });
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;

export const WebhookListQuery = RequestQuery(Page);
export const DeliveryListQuery = RequestQuery({
  ...Page,
  cursor: Cursor,
  status: DeliveryStatus.optional().meta({ description: "Only deliveries in this state" }),
});
export type DeliveryListQuery = z.infer<typeof DeliveryListQuery>;

export const WebhookParams = z.object({ webhook_id: Uuid });
export const DeliveryParams = z.object({ webhook_id: Uuid, delivery_id: Uuid });
