import { z } from "@hono/zod-openapi";
import { ChangeBody, Text, Timestamp } from "./fields.ts";
import { Id, MemoryStatus } from "./memory-fields.ts";
import { Duration } from "./remind.ts";

const Hour = z.int().min(0).max(23);

const shown = {
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
  remind_before: Duration.nullable().meta({
    description:
      "How long before its hour you are reminded of a record that has one and says nothing about reminders, as a duration: " +
      "`PT0S` for at the due time, `PT1H` for an hour before. Null for not at all",
    example: "PT0S",
  }),
  mail_reminders: z.boolean().meta({
    description: "Whether the reminders of records come by email, too",
    example: false,
  }),
};

export const Reminders = z
  .strictObject({
    ...shown,
    mail_available: z.boolean().meta({ description: "Whether this deployment can send email" }),
    next_mail_at: Timestamp.nullable().meta({
      description: "When the next email is due; null when it is off",
    }),
    next_push_at: Timestamp.nullable().meta({
      description: "When subscribed browsers are next notified; null when there are none",
    }),
  })
  .meta({ id: "Reminders" });
export type Reminders = z.infer<typeof Reminders>;

const changes = z.strictObject({
  mail_hour: shown.mail_hour.optional(),
  push_hour: shown.push_hour.optional(),
  remind_before: shown.remind_before.optional(),
  mail_reminders: shown.mail_reminders.optional(),
});

export const RemindersUpdateRequest = ChangeBody(changes, Reminders).meta({ id: "RemindersUpdateRequest" });
export type RemindersUpdateRequest = z.infer<typeof RemindersUpdateRequest>;

/** What can be done from a notification or an email: close the record, be reminded in an hour, have it due tomorrow. */
export const REMINDER_ACTIONS = ["done", "hour", "tomorrow"] as const;
export type ReminderAction = (typeof REMINDER_ACTIONS)[number];

export const ReminderActRequest = z
  .strictObject({
    reminder_token: Text(1, 512).meta({
      description: "What the notification or the email came with; it can do nothing else",
    }),
    action: z.enum(REMINDER_ACTIONS).meta({
      description:
        "`done` resolves the record, `hour` reminds of it again in an hour, `tomorrow` makes it due then",
    }),
  })
  .meta({
    id: "ReminderActRequest",
    example: { reminder_token: "eyJhbGciOiJIUzI1NiJ9.e30.x", action: "done" },
  });

export const ReminderActed = z
  .strictObject({
    id: Id,
    topic: z.string(),
    status: MemoryStatus,
    due_date: z.string().nullable(),
    remind_at: Timestamp.nullable().meta({ description: "When the next reminder comes; null for none" }),
  })
  .meta({ id: "ReminderActed" });
export type ReminderActed = z.infer<typeof ReminderActed>;
