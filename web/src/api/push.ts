import type * as push from "../../../src/contract/push.ts";
import { get, post } from "./ask.ts";
import { request } from "./request.ts";

export const pushApi = {
  list: () => get<push.PushSubscriptionList>("/api/push"),
  subscribe: (subscription: PushSubscriptionJSON) =>
    post<push.PushSubscription>("/api/push", { endpoint: subscription.endpoint, keys: subscription.keys }),
  unsubscribe: (id: string) => request<void>(`/api/push/${id}`, { method: "DELETE" }),
};
