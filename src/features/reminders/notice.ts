import { REMINDER_ACTIONS, type ReminderAction } from "../../contract/reminders.ts";
import type { Block } from "../../platform/mail/letter.ts";
import { dayName, short } from "./agenda.ts";
import type { Reminder } from "./give-store.ts";

// What is said about reminders whose time has come, in a notification and in a mail.

export const ACTION_WORDS: Record<ReminderAction, string> = {
  done: "Done",
  hour: "In an hour",
  tomorrow: "Tomorrow",
};

/** What a browser shows (web/worker/sw.ts). */
export type Notice = {
  title: string;
  body: string;
  path: string;
  tag: string;
  token?: string;
  actions?: { action: string; title: string }[];
};

const topicOf = ({ topic, project }: Reminder) => short(project ? `${topic} (${project})` : topic);

/** When a record is due, from the day `today` on: "due at 17:00", "due on Friday 27 November at 17:00", "2 days overdue". */
export function dueText({ due_date, due_time }: Reminder, today: string): string {
  if (due_date === null) return "";
  const hour = due_time === null ? "" : ` at ${due_time}`;
  if (due_date === today) return due_time === null ? "Due today" : `Due${hour}`;
  return `${due_date < today ? "Was due" : "Due"} on ${dayName(due_date)}${hour}`;
}

export const noticeOfReminder = (
  reminder: Reminder,
  { today, token }: { today: string; token: string },
): Notice => ({
  title: short(reminder.topic),
  body: [dueText(reminder, today), short(reminder.project ?? "")].filter(Boolean).join("\n"),
  path: `/records/${reminder.id}`,
  tag: `memory-${reminder.id}`,
  token,
  actions: REMINDER_ACTIONS.map((action) => ({ action, title: ACTION_WORDS[action] })),
});

const NAMED = 5;

const linesOf = (reminders: readonly Reminder[], today: string, named: number): string[] => [
  ...reminders.slice(0, named).map((one) => [topicOf(one), dueText(one, today)].filter(Boolean).join(", ")),
  ...(reminders.length > named ? [`and ${reminders.length - named} more`] : []),
];

/** One notification about several reminders. */
export const noticeOfReminders = (reminders: readonly Reminder[], today: string): Notice => ({
  title: `${reminders.length} reminders`,
  body: linesOf(reminders, today, NAMED).join("\n"),
  path: "/",
  tag: "reminders",
});

type Written = { subject: string; body: Block[] };

const TURN_OFF = "You turned these emails on in Settings. You can turn them off there.";

export const mailOfReminder = (
  reminder: Reminder,
  { today, token, origin }: { today: string; token: string; origin: string },
): Written => ({
  subject: `Reminder: ${short(reminder.topic)}`,
  body: [
    [topicOf(reminder), dueText(reminder, today)].filter(Boolean).join("\n"),
    ...REMINDER_ACTIONS.map((action) => ({
      text: ACTION_WORDS[action],
      url: `${origin}/sign-in/reminder-${action}#${token}`,
    })),
    { text: "Open it", url: `${origin}/records/${reminder.id}` },
    `The links work for a week. If a page asks for a code, paste this one:\n${token}`,
    TURN_OFF,
  ],
});

const MAIL_NAMED = 50;

export const mailOfReminders = (
  reminders: readonly Reminder[],
  { today, origin }: { today: string; origin: string },
): Written => ({
  subject: `${reminders.length} reminders`,
  body: [
    linesOf(reminders, today, MAIL_NAMED)
      .map((line) => `- ${line}`)
      .join("\n"),
    { text: "Open Today", url: `${origin}/` },
    TURN_OFF,
  ],
});
