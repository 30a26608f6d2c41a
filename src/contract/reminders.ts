import { z } from "@hono/zod-openapi";
import { ChangeBody, Timestamp } from "./fields.ts";

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
});

export const RemindersUpdateRequest = ChangeBody(changes, Reminders).meta({ id: "RemindersUpdateRequest" });
export type RemindersUpdateRequest = z.infer<typeof RemindersUpdateRequest>;
