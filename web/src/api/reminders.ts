import type * as push from "../../../src/contract/push.ts";
import type * as reminders from "../../../src/contract/reminders.ts";
import { get, type Input, postWithRetry, remove, update } from "./client.ts";

export type Reminders = reminders.Reminders;

export const remindersApi = {
  get: () => get<Reminders>("/api/reminders"),
  update: (fields: Input<typeof reminders.RemindersUpdateRequest>) =>
    update<Reminders>("PATCH", "/api/reminders", fields),
};

export const pushApi = {
  list: () => get<push.PushSubscriptionList>("/api/push"),
  subscribe: ({ endpoint, keys }: PushSubscriptionJSON) =>
    postWithRetry<push.PushSubscription>("/api/push", { endpoint, keys }),
  unsubscribe: (id: string) => remove(`/api/push/${id}`),
};
