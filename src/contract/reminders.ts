import { z } from "@hono/zod-openapi";
import { Text, Timestamp, UpdateBody } from "./fields.ts";
import { MemoryRecordId, MemoryStatus } from "./memory-fields.ts";
import { ReminderDuration } from "./remind.ts";

const Hour = z.int().min(0).max(23);

const settingFields = {
  mail_hour: Hour.nullable().meta({
    description:
      "Hour of the daily email, in the account's time zone: what is overdue and what is due today. Null turns it off. " +
      "No email is sent when nothing is due",
    example: null,
  }),
  push_hour: Hour.meta({
    description:
      "Hour of the daily notification in subscribed browsers, in the account's time zone. None is sent when nothing is due",
    example: 8,
  }),
  remind_before: ReminderDuration.nullable().meta({
    description:
      "Default reminder of records with a due time and no reminders of their own, as a duration before the due time: " +
      "`PT0S` at the due time, `PT1H` an hour before. Null for none",
    example: "PT0S",
  }),
  mail_reminders: z.boolean().meta({
    description: "Whether the reminders of records are also sent by email",
    example: false,
  }),
};

export const Reminders = z
  .strictObject({
    ...settingFields,
    mail_available: z.boolean().meta({ description: "Whether this deployment can send email" }),
    next_mail_at: Timestamp.nullable().meta({
      description: "When the next email is due; null if it is off",
    }),
    next_push_at: Timestamp.nullable().meta({
      description: "When subscribed browsers are next notified; null if there are none",
    }),
  })
  .meta({ id: "Reminders" });
export type Reminders = z.infer<typeof Reminders>;

const changes = z.strictObject(settingFields).partial();

export const RemindersUpdateRequest = UpdateBody(changes, Reminders).meta({ id: "RemindersUpdateRequest" });
export type RemindersUpdateRequest = z.infer<typeof RemindersUpdateRequest>;

/** Actions in a notification or email: resolve the record, remind again in an hour, make it due tomorrow. */
export const REMINDER_ACTIONS = ["done", "hour", "tomorrow"] as const;
export type ReminderAction = (typeof REMINDER_ACTIONS)[number];

export const ReminderActRequest = z
  .strictObject({
    reminder_token: Text(1, 512).meta({
      description: "The token in the notification or email. It is only valid for these actions",
    }),
    action: z.enum(REMINDER_ACTIONS).meta({
      description:
        "`done` resolves the record, `hour` repeats the reminder in an hour, `tomorrow` makes the record due tomorrow",
    }),
  })
  .meta({
    id: "ReminderActRequest",
    example: { reminder_token: "eyJhbGciOiJIUzI1NiJ9.e30.x", action: "done" },
  });

export const ReminderActed = z
  .strictObject({
    id: MemoryRecordId,
    topic: z.string(),
    status: MemoryStatus,
    due_date: z.string().nullable(),
    remind_at: Timestamp.nullable().meta({ description: "When the next reminder is sent; null if none" }),
  })
  .meta({ id: "ReminderActed" });
