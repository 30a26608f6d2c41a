import type { DashboardItem } from "../../api/dashboard.ts";
import { addDays, dayIn } from "../../kit/dates.ts";
import { dueKey, isLate } from "../records/due.ts";
import type { Section } from "../records/record-list.tsx";
import { type Row, staleRow } from "../records/row.ts";
import { DAYS_AHEAD } from "./asked.ts";

/** The lists that the day is made of; what the service has not answered yet is empty. */
export type Lists = Record<"due" | "blockers" | "deferred" | "lately", { items: readonly Row[] }> & {
  /** They do not say which of them are blockers. */
  alerts: { items: readonly DashboardItem[] };
};

/** The records of all lists, each once, with what each list says of it. */
export function recordsOf({ due, alerts, blockers, deferred, lately }: Lists): Row[] {
  const blocking = new Set(blockers.items.map(({ id }) => id));
  const stale = alerts.items.filter((item) => "days_stale" in item).map((item) => staleRow(item, blocking));
  const all = new Map(stale.map((row) => [row.id, row]));
  for (const row of [due, blockers, deferred, lately].flatMap(({ items }) => items))
    all.set(row.id, { ...all.get(row.id), ...row });
  return [...all.values()];
}

/** Sorts by a text, such as a day, as the service does: of the same, the older record is first. */
const by = (text: (row: Row) => string | null | undefined) => (a: Row, b: Row) => {
  const [one, other] = [text(a) ?? "", text(b) ?? ""];
  if (one === other) return a.id - b.id;
  return one < other ? -1 : 1;
};

/** What time it is, between the hours of a day; nothing on a day without any. */
function nowAmong(rows: readonly Row[], now: string): Pick<Section, "now"> {
  if (!rows.some(({ due_time }) => due_time)) return {};
  const after = rows.filter((row) => !row.due_time || isLate(row, now)).length;
  return { now: { time: now.slice("2026-11-27T".length), after } };
}

/**
 * The sections of the day from the records of all lists, each record in the first one that it belongs to.
 *
 * @param now the person's day and minute, "2026-11-27T17:00"
 */
export function sectionsOf(records: readonly Row[], now: string, timezone: string): Section[] {
  const today = now.slice(0, "2026-11-27".length);
  const [weekAgo, inAWeek] = [addDays(today, -DAYS_AHEAD), addDays(today, DAYS_AHEAD)];
  const active = records.filter(({ status }) => status === "active");
  const dueIn = (isIn: (day: string) => boolean) =>
    active.filter(({ due_date }) => due_date && isIn(due_date)).sort(by(dueKey));
  const ofToday = dueIn((day) => day === today);
  const newOf = (type: Row["memory_type"]) =>
    active
      .filter((row) => row.memory_type === type && dayIn(timezone, row.created_at) > weekAgo)
      .sort(by(({ created_at }) => created_at))
      .reverse();
  const all: Section[] = [
    { key: "overdue", title: "Overdue", tone: "late", rows: dueIn((day) => day < today) },
    { key: "today", title: "Due today", quiet: "when", rows: ofToday, ...nowAmong(ofToday, now) },
    { key: "soon", title: "Due in the next 7 days", rows: dueIn((day) => day > today && day <= inAWeek) },
    {
      key: "undated",
      title: "New, without a date",
      rows: newOf("commitment").filter(({ due_date }) => !due_date),
    },
    {
      key: "stale",
      title: "Stale",
      hint: "confirm, or let it go",
      rows: active.filter(({ days_stale }) => days_stale !== undefined),
    },
    {
      key: "waking",
      title: "Waking soon",
      rows: records
        .filter(({ status, deferred_until: day }) => status === "deferred" && day && day <= inAWeek)
        .sort(by(({ deferred_until }) => deferred_until)),
    },
    {
      key: "decisions",
      title: "Decisions of the last 7 days",
      quiet: "type",
      rows: newOf("decision"),
    },
  ];
  const seen = new Set<number>();
  return all.map((section) => ({
    ...section,
    rows: section.rows.filter(({ id }) => !seen.has(id) && seen.add(id)),
  }));
}
