import { EVENT_NAMES, EVENTS, type WebhookEvent } from "../../../../src/contract/webhook-events.ts";

/** The events that a webhook can receive, each with when it is sent. */
export const EVENT_OPTIONS = EVENT_NAMES.map((value) => ({ value, text: EVENTS[value] }));

export type { WebhookEvent };
