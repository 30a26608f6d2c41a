import {
  WEBHOOK_EVENT_NAMES,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from "../../../../src/contract/webhook-events.ts";

/** The events that a webhook can receive, each with when it is sent. */
export const EVENT_OPTIONS = WEBHOOK_EVENT_NAMES.map((value) => ({ value, text: WEBHOOK_EVENTS[value] }));

export type { WebhookEvent };
