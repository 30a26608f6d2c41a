import type * as push from "../../../src/contract/push.ts";
import { get, postOnce, remove } from "./client.ts";

export const pushApi = {
  list: () => get<push.PushSubscriptionList>("/api/push"),
  subscribe: (subscription: PushSubscriptionJSON) =>
    postOnce<push.PushSubscription>("/api/push", {
      endpoint: subscription.endpoint,
      keys: subscription.keys,
    }),
  unsubscribe: (id: string) => remove(`/api/push/${id}`),
};
