import type { Memory } from "../../contract/memory.ts";
import type { Email, EmailBlock } from "../../platform/email/render.ts";
import { cutToLength } from "../memories/tool-memory.ts";

export type AgendaItem = Pick<Memory, "id" | "topic" | "project" | "due_time"> & {
  due_date: string;
  days_overdue: number;
};

export type AgendaList = { items: AgendaItem[]; total: number };

export type AgendaDay = { today: string; overdue: AgendaList; due: AgendaList; soon: AgendaList };

export type EmailContent = Omit<Email, "to">;

export const MAX_LISTED_ITEMS = 20;
const MAX_IN_NOTIFICATION = 3;

export const formatDay = (day: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));

/** Text without line breaks, which would look like further records. */
const toOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ");
/** A push message has at most 4,096 bytes (RFC 8030, 7.2), and a notification shows less than that. */
const MAX_LETTERS = 120;
export const shortenText = (text: string) => cutToLength(toOneLine(text), MAX_LETTERS);
const topicText = ({ topic, project }: AgendaItem) => toOneLine(project ? `${topic} (${project})` : topic);
const withTime = (item: AgendaItem, text: string) =>
  item.due_time === null ? text : `${item.due_time} ${text}`;
const overdueText = ({ days_overdue }: AgendaItem) =>
  `${days_overdue} ${days_overdue === 1 ? "day" : "days"} overdue`;

function section(
  title: string,
  { items, total }: AgendaList,
  lineOf: (item: AgendaItem) => string,
): EmailBlock[] {
  if (total === 0) return [];
  const lines = items.map((item) => `- ${lineOf(item)}`);
  const more = total > items.length ? [`- and ${total - items.length} more`] : [];
  return [[title, ...lines, ...more].join("\n")];
}

/** Counts such as "2 due today, 1 overdue"; empty if there are none. */
const countSummary = ({ due, overdue }: AgendaDay): string =>
  [
    ...(due.total > 0 ? [`${due.total} due today`] : []),
    ...(overdue.total > 0 ? [`${overdue.total} overdue`] : []),
  ].join(", ");

/** The daily email, or undefined when nothing is due or overdue. `url`: the app, without a trailing slash. */
export function agendaEmail(day: AgendaDay, url: string | undefined): EmailContent | undefined {
  const summary = countSummary(day);
  if (summary === "") return undefined;
  return {
    subject: `${formatDay(day.today)}: ${summary}`,
    body: [
      ...section("Due today", day.due, (item) => withTime(item, topicText(item))),
      ...section("Overdue", day.overdue, (item) => `${topicText(item)}, ${overdueText(item)}`),
      ...section(
        "In the next seven days",
        day.soon,
        (item) => `${topicText(item)}, ${formatDay(item.due_date)}`,
      ),
      ...(url ? [{ text: "Open Today", url: `${url}/` }] : []),
      "You turned this email on in Settings. You can turn it off there.",
      ...(url ? [{ text: "Settings", url: `${url}/settings` }] : []),
    ],
  };
}

export type NotificationContent = { title: string; body: string; path: string; tag: string };

/** The daily notification, or undefined when nothing is due today. */
export function dayNotification({ due }: AgendaDay): NotificationContent | undefined {
  if (due.total === 0) return undefined;
  const named = due.items
    .slice(0, MAX_IN_NOTIFICATION)
    .map((item) => withTime(item, shortenText(item.topic)));
  const more = due.total > named.length ? [`and ${due.total - named.length} more`] : [];
  const title = due.total === 1 ? "Due today" : `${due.total} due today`;
  return { title, body: [...named, ...more].join("\n"), path: "/", tag: "today" };
}
