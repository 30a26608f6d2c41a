export const WEBHOOK_EVENTS = {
  "document.created": "A document was created",
  "document.updated": "A document was changed, moved to another folder, or restored to an earlier version",
  "document.deleted": "A document was moved to the trash",
  "document.restored": "A document was restored from the trash",
  "document.erased": "A document was deleted permanently",
  "memory.created": "A record was created",
  "memory.updated": "A record was changed",
  "memory.resolved": "A record was resolved",
  "memory.deferred": "A record was deferred",
  "memory.archived": "A record was archived",
  "memory.reopened": "A closed record was made active again by a person or program",
  "memory.woke": "A deferred record became active again on its day",
  "memory.confirmed": "A record was confirmed as still true",
  "memory.superseded": "A record was replaced by another one",
  "memory.deleted": "A record was moved to the trash",
  "memory.restored": "A record was restored from the trash",
  "memory.erased": "A record was deleted permanently",
  "commitment.due": "A commitment is due today. Sent at 8:00 in the account's time zone",
  "commitment.overdue":
    "A commitment was due yesterday and is still active. Sent at 8:00 in the account's time zone",
  "commitment.reminder": "A reminder of a record of any type is due",
} as const;

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;

export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS) as [WebhookEvent, ...WebhookEvent[]];

export const WEBHOOK_TEST_EVENT = "webhook.test";

export const DUE_EVENT_HOUR = 8;

const isEvent = (name: string): name is WebhookEvent => Object.hasOwn(WEBHOOK_EVENTS, name);

/** The event of an activity entry, if any. A verb without its own event counts as an update. */
export function webhookEventFor(kind: string, verb: string): WebhookEvent | undefined {
  return [`${kind}.${verb}`, `${kind}.updated`].find(isEvent);
}
