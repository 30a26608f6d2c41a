import { REMINDER_ACTIONS, type ReminderAction } from "../../contract/reminders.ts";
import { type EmailContent, formatDay, type NotificationContent, shortenText } from "./agenda.ts";
import type { DueReminder } from "./deliver-store.ts";

// Texts of reminders in notifications and emails.

const ACTION_LABELS: Record<ReminderAction, string> = {
  done: "Done",
  hour: "In an hour",
  tomorrow: "Tomorrow",
};

/** Shown by the service worker (web/worker/sw.ts). */
type ReminderNotification = NotificationContent & {
  token?: string;
  actions?: { action: string; title: string }[];
};

const topicText = ({ topic, project }: DueReminder) => shortenText(project ? `${topic} (${project})` : topic);

/** When a record is due: "Due at 17:00", "Due on Friday 27 November at 17:00", "Was due on Monday 23 November". */
export function dueText({ due_date, due_time }: DueReminder, today: string): string {
  if (due_date === null) return "";
  const time = due_time === null ? "" : ` at ${due_time}`;
  if (due_date === today) return due_time === null ? "Due today" : `Due${time}`;
  return `${due_date < today ? "Was due" : "Due"} on ${formatDay(due_date)}${time}`;
}

export const reminderNotification = (
  reminder: DueReminder,
  { today, token }: { today: string; token: string },
): ReminderNotification => ({
  title: shortenText(reminder.topic),
  body: [dueText(reminder, today), shortenText(reminder.project ?? "")].filter(Boolean).join("\n"),
  path: `/records/${reminder.id}`,
  tag: `memory-${reminder.id}`,
  token,
  actions: REMINDER_ACTIONS.map((action) => ({ action, title: ACTION_LABELS[action] })),
});

const MAX_IN_NOTIFICATION = 5;

const reminderLines = (reminders: readonly DueReminder[], today: string, named: number): string[] => [
  ...reminders.slice(0, named).map((one) => [topicText(one), dueText(one, today)].filter(Boolean).join(", ")),
  ...(reminders.length > named ? [`and ${reminders.length - named} more`] : []),
];

export const remindersNotification = (
  reminders: readonly DueReminder[],
  today: string,
): ReminderNotification => ({
  title: `${reminders.length} reminders`,
  body: reminderLines(reminders, today, MAX_IN_NOTIFICATION).join("\n"),
  path: "/",
  tag: "reminders",
});

const TURN_OFF = "You turned these emails on in Settings. You can turn them off there.";

export const reminderEmail = (
  reminder: DueReminder,
  { today, token, origin }: { today: string; token: string; origin: string },
): EmailContent => ({
  subject: `Reminder: ${shortenText(reminder.topic)}`,
  body: [
    [topicText(reminder), dueText(reminder, today)].filter(Boolean).join("\n"),
    ...REMINDER_ACTIONS.map((action) => ({
      text: ACTION_LABELS[action],
      url: `${origin}/sign-in/reminder-${action}#${token}`,
    })),
    { text: "Open record", url: `${origin}/records/${reminder.id}` },
    `The links work for a week. If a page asks for a code, paste this one:\n${token}`,
    TURN_OFF,
  ],
});

const MAX_IN_EMAIL = 50;

export const remindersEmail = (
  reminders: readonly DueReminder[],
  { today, origin }: { today: string; origin: string },
): EmailContent => ({
  subject: `${reminders.length} reminders`,
  body: [
    reminderLines(reminders, today, MAX_IN_EMAIL)
      .map((line) => `- ${line}`)
      .join("\n"),
    { text: "Open Today", url: `${origin}/` },
    TURN_OFF,
  ],
});
