import type * as reminders from "../../../src/contract/reminders.ts";
import { get, type Input } from "./ask.ts";
import { request } from "./request.ts";

export type Reminders = reminders.Reminders;

export const remindersApi = {
  get: () => get<Reminders>("/api/reminders"),
  update: (change: Input<typeof reminders.RemindersUpdateRequest>) =>
    request<Reminders>("/api/reminders", { method: "PATCH", body: change }),
};
