import { addDays, fullDay } from "../../kit/dates.ts";
import { dueSortKey, nowPosition } from "../records/due.ts";
import type { RecordItem } from "../records/row.ts";
import type { RecordSection } from "../records/section.ts";
import { entriesByDay } from "./data.ts";

/** Days that are shown without records too, so that records can be put on them. */
const NEAR_DAYS = 14;

/** "Today, Saturday, 21 November"; with the year if it is not this year. */
function dayTitle(day: string, today: string): string {
  const full = fullDay(day);
  const name = day.slice(0, 4) === today.slice(0, 4) ? full.replace(/ \d+$/, "") : full;
  if (day === today) return `Today, ${name}`;
  return day === addDays(today, 1) ? `Tomorrow, ${name}` : name;
}

/** The near days, and the later ones that have records. */
function shownDays(byDay: ReadonlyMap<string, unknown>, today: string): string[] {
  const near = Array.from({ length: NEAR_DAYS }, (_, more) => addDays(today, more));
  const last = near.at(-1) ?? today;
  return [...near, ...[...byDay.keys()].filter((day) => day > last).sort()];
}

type Options = {
  /** The local minute, such as 2026-11-27T17:00. */
  now: string;
  onNew: (day: string) => void;
};

/** The records that are due from today on, day by day, with the names of those that repeat on a day. */
export function upcomingSections(
  rows: readonly RecordItem[],
  repeating: readonly RecordItem[],
  { now, onNew }: Options,
): RecordSection[] {
  const today = now.slice(0, "2026-11-27".length);
  const due = rows.filter(({ status, due_date }) => status === "active" && due_date && due_date >= today);
  const byDay = Map.groupBy(due, ({ due_date }) => due_date ?? today);
  const days = shownDays(byDay, today);
  const copies = entriesByDay([], repeating, { first: today, last: days.at(-1) ?? today, today });
  return days.map((day): RecordSection => {
    const ofDay = (byDay.get(day) ?? []).sort((one, other) =>
      dueSortKey(one) === dueSortKey(other)
        ? one.id - other.id
        : dueSortKey(one) < dueSortKey(other)
          ? -1
          : 1,
    );
    const again = copies.get(day)?.map(({ row }) => row.topic) ?? [];
    return {
      key: day,
      day,
      title: dayTitle(day, today),
      quiet: "when",
      rows: ofDay,
      now: day === today ? nowPosition(ofDay, now) : undefined,
      onNew: () => onNew(day),
      ...(ofDay.length === 0 && { total: "unknown" }),
      ...(again.length > 0 && { hint: `Repeats: ${again.join(", ")}` }),
    };
  });
}
