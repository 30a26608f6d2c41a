import type * as reminders from "../../../src/contract/reminders.ts";
import { get, type Input, update } from "./client.ts";

export type Reminders = reminders.Reminders;

export const remindersApi = {
  get: () => get<Reminders>("/api/reminders"),
  update: (fields: Input<typeof reminders.RemindersUpdateRequest>) =>
    update<Reminders>("PATCH", "/api/reminders", fields),
};
