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
const PUSH_NAMED = 3;

export const dayName = (day: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));

/** A record's words without line breaks, which would look like further records. */
export const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ");
/** A message has at most 4,096 bytes (RFC 8030, 7.2), and a screen less room than that. */
const MOST_LETTERS = 120;
/** A record's words as a message has room for. */
export const short = (text: string) => cut(onOneLine(text), MOST_LETTERS);
const topicOf = ({ topic, project }: DayItem) => onOneLine(project ? `${topic} (${project})` : topic);
/** With the hour in front, if there is one: the lists have them in this order. */
const timed = (item: DayItem, text: string) => (item.due_time === null ? text : `${item.due_time} ${text}`);
const lateBy = ({ days_overdue }: DayItem) =>
  `${days_overdue} ${days_overdue === 1 ? "day" : "days"} overdue`;

function section(title: string, { items, total }: DayList, lineOf: (item: DayItem) => string): Block[] {
  if (total === 0) return [];
  const lines = items.map((item) => `- ${lineOf(item)}`);
  const more = total > items.length ? [`- and ${total - items.length} more`] : [];
  return [[title, ...lines, ...more].join("\n")];
}

/** What is due and overdue, in few words: "2 due today, 1 overdue"; empty when there is neither. */
function inShort({ due, overdue }: Day): string {
  const parts = [
    ...(due.total > 0 ? [`${due.total} due today`] : []),
    ...(overdue.total > 0 ? [`${overdue.total} overdue`] : []),
  ];
  return parts.join(", ");
}

/** The email about a day, or undefined when nothing is due. `url` of the app has no trailing slash. */
export function agendaOf(day: Day, url: string | undefined): Agenda | undefined {
  const short = inShort(day);
  if (short === "") return undefined;
  return {
    subject: `${dayName(day.today)}: ${short}`,
    body: [
      ...section("Due today", day.due, (item) => timed(item, topicOf(item))),
      ...section("Overdue", day.overdue, (item) => `${topicOf(item)}, ${lateBy(item)}`),
      ...section("In the next seven days", day.soon, (item) => `${topicOf(item)}, ${dayName(item.due_date)}`),
      ...(url ? [{ text: "Open Today", url: `${url}/` }] : []),
      "You turned this email on in Settings. You can turn it off there.",
      ...(url ? [{ text: "Settings", url: `${url}/settings` }] : []),
    ],
  };
}

export type Notice = { title: string; body: string; path: string; tag: string };

/** The notification about what is due today, or undefined when nothing is. */
export function noticeOf({ due }: Day): Notice | undefined {
  if (due.total === 0) return undefined;
  const named = due.items.slice(0, PUSH_NAMED).map((item) => timed(item, short(item.topic)));
  const more = due.total > named.length ? [`and ${due.total - named.length} more`] : [];
  const title = due.total === 1 ? "Due today" : `${due.total} due today`;
  return { title, body: [...named, ...more].join("\n"), path: "/", tag: "today" };
}
