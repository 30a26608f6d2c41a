import type { DashboardItem } from "../../api/dashboard.ts";
import { addDays, dayInZone, shortDay } from "../../kit/dates.ts";
import { dueSortKey, nowPosition } from "../records/due.ts";
import { type RecordItem, staleRecordItem } from "../records/row.ts";
import type { RecordSection } from "../records/section.ts";
import { DAYS_AHEAD } from "./today-queries.ts";

/** The lists that Today combines; those that are not loaded yet are empty. */
export type AgendaItems = Record<
  "overdue" | "due" | "blockers" | "deferred" | "lately",
  { items: readonly RecordItem[] }
> & {
  /** Alerts do not include the type. */
  alerts: { items: readonly DashboardItem[] };
};

/** The records of all lists without duplicates, with the fields from every list. */
export function mergeRecords({
  overdue,
  due,
  alerts,
  blockers,
  deferred,
  lately,
}: AgendaItems): RecordItem[] {
  const blockerIds = new Set(blockers.items.map(({ id }) => id));
  const stale = alerts.items
    .filter((item) => "days_stale" in item)
    .map((item) => staleRecordItem(item, blockerIds));
  const all = new Map(stale.map((row) => [row.id, row]));
  for (const row of [overdue, due, blockers, deferred, lately].flatMap(({ items }) => items))
    all.set(row.id, { ...all.get(row.id), ...row });
  return [...all.values()];
}

/** Sorts by a text, such as a day. As on the server, the older record comes first if they are equal. */
const by = (text: (row: RecordItem) => string | null | undefined) => (a: RecordItem, b: RecordItem) => {
  const [one, other] = [text(a) ?? "", text(b) ?? ""];
  if (one === other) return a.id - b.id;
  return one < other ? -1 : 1;
};

/**
 * Sorts records into the sections of Today, each into the first one that it fits.
 *
 * @param now the local minute, "2026-11-27T17:00"
 */
export function agendaSections(
  records: readonly RecordItem[],
  now: string,
  timezone: string,
): RecordSection[] {
  const today = now.slice(0, "2026-11-27".length);
  const [weekAgo, inAWeek] = [addDays(today, -DAYS_AHEAD), addDays(today, DAYS_AHEAD)];
  const active = records.filter(({ status }) => status === "active");
  const dueIn = (isIn: (day: string) => boolean) =>
    active.filter(({ due_date }) => due_date && isIn(due_date)).sort(by(dueSortKey));
  const dueToday = dueIn((day) => day === today);
  const recent = (type: RecordItem["memory_type"], isIn = (_: RecordItem) => true) =>
    active
      .filter((row) => row.memory_type === type && isIn(row) && dayInZone(timezone, row.created_at) > weekAgo)
      .sort(by(({ created_at }) => created_at))
      .reverse();
  const all: RecordSection[] = [
    { key: "overdue", title: "Overdue", tone: "late", rows: dueIn((day) => day < today) },
    { key: "today", title: "Due today", quiet: "when", rows: dueToday, now: nowPosition(dueToday, now) },
    {
      key: "soon",
      title: "Due in the next 7 days",
      hint: `until ${shortDay(inAWeek, today)}`,
      rows: dueIn((day) => day > today && day <= inAWeek),
    },
    {
      key: "undated",
      title: "New, no date",
      rows: recent("commitment", ({ due_date }) => !due_date),
    },
    {
      key: "stale",
      title: "Stale",
      hint: "confirm or close them",
      rows: active.filter(({ days_stale }) => days_stale !== undefined),
    },
    {
      key: "waking",
      title: "Coming back soon",
      rows: records
        .filter(({ status, deferred_until: day }) => status === "deferred" && day && day <= inAWeek)
        .sort(by(({ deferred_until }) => deferred_until)),
    },
    {
      key: "decisions",
      title: "Decisions from the last 7 days",
      quiet: "type",
      rows: recent("decision"),
    },
  ];
  const seen = new Set<number>();
  return all.map((section) => ({
    ...section,
    rows: section.rows.filter(({ id }) => !seen.has(id) && seen.add(id)),
  }));
}
