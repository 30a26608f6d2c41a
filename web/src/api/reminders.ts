import type * as reminders from "../../../src/contract/reminders.ts";
import { change, get, type Input } from "./ask.ts";

export type Reminders = reminders.Reminders;

export const remindersApi = {
  get: () => get<Reminders>("/api/reminders"),
  update: (fields: Input<typeof reminders.RemindersUpdateRequest>) =>
    change<Reminders>("PATCH", "/api/reminders", fields),
};
