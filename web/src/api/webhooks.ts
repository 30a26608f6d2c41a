import type * as webhooks from "../../../src/contract/webhooks.ts";
import { get, type Input, post, type Query } from "./ask.ts";
import { request } from "./request.ts";

export type Webhook = webhooks.Webhook;
export type WebhookDelivery = webhooks.WebhookDelivery;

export const webhooksApi = {
  list: (query: Query<typeof webhooks.WebhookListQuery> = {}) =>
    get<webhooks.WebhookList>("/api/webhooks", query),
  create: (input: Input<typeof webhooks.WebhookCreateRequest>) =>
    post<webhooks.NewWebhook>("/api/webhooks", input),
  update: (id: string, change: Input<typeof webhooks.WebhookUpdateRequest>) =>
    request<Webhook>(`/api/webhooks/${id}`, { method: "PATCH", body: change }),
  remove: (id: string) => request<void>(`/api/webhooks/${id}`, { method: "DELETE" }),
  test: (id: string) => post<WebhookDelivery>(`/api/webhooks/${id}/test`, undefined),
  replaceSecret: (id: string) => post<webhooks.NewWebhookSecret>(`/api/webhooks/${id}/secret`, undefined),
  deliveries: (id: string, query: Query<typeof webhooks.DeliveryListQuery> = {}) =>
    get<webhooks.WebhookDeliveryList>(`/api/webhooks/${id}/deliveries`, query),
  replay: (id: string, delivery: string) =>
    post<WebhookDelivery>(`/api/webhooks/${id}/deliveries/${delivery}/replay`, undefined),
};
