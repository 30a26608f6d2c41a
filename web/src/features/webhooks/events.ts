import { EVENT_NAMES, EVENTS, type WebhookEvent } from "../../../../src/contract/webhook-events.ts";

/** The events that can be asked for, with what each is sent for. */
export const EVENT_OPTIONS = EVENT_NAMES.map((value) => ({ value, text: EVENTS[value] }));

export type { WebhookEvent };
