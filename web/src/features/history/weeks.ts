import type { CommitmentHistory } from "../../../../src/contract/dashboard.ts";
import { addDays, dayInZone, isoWeekday } from "../../kit/dates.ts";

type HistoryItem = CommitmentHistory["items"][number];

const MAX_WEEKS = 12;

const mondayOf = (day: string) => addDays(day, 1 - isoWeekday(day));

/**
 * The number of records resolved in each of the last weeks, by their Mondays, the current week last. `items` are the most recently
 * closed records. If there are more (`total`), only weeks that must be complete are counted: a record that is not listed was
 * resolved before the last listed one was changed.
 */
export function resolvedPerWeek(
  items: readonly Pick<HistoryItem, "resolved_at" | "updated_at">[],
  total: number,
  zone: { timezone: string; today: string },
) {
  const resolved = items.flatMap(({ resolved_at }) =>
    resolved_at ? [mondayOf(dayInZone(zone.timezone, resolved_at))] : [],
  );
  const last = items.at(-1);
  const isComplete = items.length >= total;
  const first = isComplete
    ? resolved.toSorted()[0]
    : last && addDays(mondayOf(dayInZone(zone.timezone, last.updated_at)), 7);
  const weeks: { monday: string; count: number }[] = [];
  let monday = mondayOf(zone.today);
  while (first && monday >= first && weeks.length < MAX_WEEKS) {
    weeks.unshift({ monday, count: resolved.filter((one) => one === monday).length });
    monday = addDays(monday, -7);
  }
  return weeks;
}

/** Ranges of days until a record was resolved. */
const SPANS = [
  { name: "same day", most: 0 },
  { name: "1–2", most: 2 },
  { name: "3–7", most: 7 },
  { name: "8–14", most: 14 },
  { name: "15–30", most: 30 },
  { name: "longer", most: Number.POSITIVE_INFINITY },
];

export const resolvedPerSpan = (items: readonly Pick<HistoryItem, "days_to_resolve">[]) =>
  SPANS.map(({ name, most }, index) => {
    const least = (SPANS[index - 1]?.most ?? -1) + 1;
    const count = items.filter(
      ({ days_to_resolve: days }) => days !== null && days >= least && days <= most,
    ).length;
    return { name, count };
  });
