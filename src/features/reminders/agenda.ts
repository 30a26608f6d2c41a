import type { Block } from "../../platform/mail/letter.ts";
import { cut } from "../memories/tool-memory.ts";

export type DayItem = {
  id: number;
  topic: string;
  project: string | null;
  due_date: string;
  due_time: string | null;
  days_overdue: number;
};

export type DayList = { items: DayItem[]; total: number };

export type Day = { today: string; overdue: DayList; due: DayList; soon: DayList };

export type Agenda = { subject: string; body: Block[] };

export const NAMED = 20;
const MAX_IN_NOTIFICATION = 3;

export const dayName = (day: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));

/** Text without line breaks, which would look like further records. */
export const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ");
/** A push message has at most 4,096 bytes (RFC 8030, 7.2), and a notification shows less than that. */
const MAX_LETTERS = 120;
export const short = (text: string) => cut(onOneLine(text), MAX_LETTERS);
const topicText = ({ topic, project }: DayItem) => onOneLine(project ? `${topic} (${project})` : topic);
const withTime = (item: DayItem, text: string) =>
  item.due_time === null ? text : `${item.due_time} ${text}`;
const overdueText = ({ days_overdue }: DayItem) =>
  `${days_overdue} ${days_overdue === 1 ? "day" : "days"} overdue`;

function section(title: string, { items, total }: DayList, lineOf: (item: DayItem) => string): Block[] {
  if (total === 0) return [];
  const lines = items.map((item) => `- ${lineOf(item)}`);
  const more = total > items.length ? [`- and ${total - items.length} more`] : [];
  return [[title, ...lines, ...more].join("\n")];
}

/** Counts such as "2 due today, 1 overdue"; empty if there are none. */
function countSummary({ due, overdue }: Day): string {
  const parts = [
    ...(due.total > 0 ? [`${due.total} due today`] : []),
    ...(overdue.total > 0 ? [`${overdue.total} overdue`] : []),
  ];
  return parts.join(", ");
}

/** The daily email, or undefined when nothing is due or overdue. `url`: the app, without a trailing slash. */
export function agendaOf(day: Day, url: string | undefined): Agenda | undefined {
  const summary = countSummary(day);
  if (summary === "") return undefined;
  return {
    subject: `${dayName(day.today)}: ${summary}`,
    body: [
      ...section("Due today", day.due, (item) => withTime(item, topicText(item))),
      ...section("Overdue", day.overdue, (item) => `${topicText(item)}, ${overdueText(item)}`),
      ...section(
        "In the next seven days",
        day.soon,
        (item) => `${topicText(item)}, ${dayName(item.due_date)}`,
      ),
      ...(url ? [{ text: "Open Today", url: `${url}/` }] : []),
      "You turned this email on in Settings. You can turn it off there.",
      ...(url ? [{ text: "Settings", url: `${url}/settings` }] : []),
    ],
  };
}

export type Notice = { title: string; body: string; path: string; tag: string };

/** The daily notification, or undefined when nothing is due today. */
export function noticeOf({ due }: Day): Notice | undefined {
  if (due.total === 0) return undefined;
  const named = due.items.slice(0, MAX_IN_NOTIFICATION).map((item) => withTime(item, short(item.topic)));
  const more = due.total > named.length ? [`and ${due.total - named.length} more`] : [];
  const title = due.total === 1 ? "Due today" : `${due.total} due today`;
  return { title, body: [...named, ...more].join("\n"), path: "/", tag: "today" };
}
