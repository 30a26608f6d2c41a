import type * as webhooks from "../../../src/contract/webhooks.ts";
import { get, type Input, postWithRetry, type Query, remove, update } from "./client.ts";

export type { Webhook, WebhookDelivery } from "../../../src/contract/webhooks.ts";

export const webhooksApi = {
  list: (query: Query<typeof webhooks.WebhookListQuery> = {}) =>
    get<webhooks.WebhookList>("/api/webhooks", query),
  create: (input: Input<typeof webhooks.WebhookCreateRequest>) =>
    postWithRetry<webhooks.NewWebhook>("/api/webhooks", input),
  update: (id: string, fields: Input<typeof webhooks.WebhookUpdateRequest>) =>
    update<webhooks.Webhook>("PATCH", `/api/webhooks/${id}`, fields),
  remove: (id: string) => remove(`/api/webhooks/${id}`),
  test: (id: string) => postWithRetry<webhooks.WebhookDelivery>(`/api/webhooks/${id}/test`, undefined),
  replaceSecret: (id: string) =>
    postWithRetry<webhooks.NewWebhookSecret>(`/api/webhooks/${id}/secret`, undefined),
  deliveries: (id: string, query: Query<typeof webhooks.DeliveryListQuery> = {}) =>
    get<webhooks.WebhookDeliveryList>(`/api/webhooks/${id}/deliveries`, query),
  replay: (id: string, delivery: string) =>
    postWithRetry<webhooks.WebhookDelivery>(`/api/webhooks/${id}/deliveries/${delivery}/replay`, undefined),
};
