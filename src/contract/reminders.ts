import { z } from "@hono/zod-openapi";
import { ChangeBody, Timestamp } from "./fields.ts";

const Hour = z.int().min(0).max(23);

const shown = {
  mail_hour: Hour.nullable().meta({
    description:
      "At which hour, in the account's time zone, the day comes by mail: what is overdue and what is due today. Null " +
      "for never. A day without either has no mail",
    example: null,
  }),
  push_hour: Hour.meta({
    description:
      "At which hour, in the account's time zone, subscribed browsers show what is due today, if anything is",
    example: 8,
  }),
};

export const Reminders = z
  .strictObject({
    ...shown,
    mail_available: z.boolean().meta({ description: "Whether this deployment can send mail" }),
    next_mail_at: Timestamp.nullable().meta({ description: "When the next mail is due; null for never" }),
    next_push_at: Timestamp.nullable().meta({
      description: "When subscribed browsers are next notified; null without any",
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
