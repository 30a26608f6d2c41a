import { addDays, dayInZone, isoWeekday } from "../../kit/dates.ts";

type Item = { resolved_at: string | null; updated_at: string; days_to_resolve: number | null };
type ResolvedItem = Pick<Item, "resolved_at" | "updated_at">;

/** A week by its Monday, and the number of records resolved in it. */
export type WeekCount = { monday: string; count: number };

const MOST_WEEKS = 12;

const mondayOf = (day: string) => addDays(day, 1 - isoWeekday(day));

/**
 * The number of records resolved in each of the last weeks, the current week last. `items` are the most recently closed records.
 * If there are more (`total`), only weeks that must be complete are counted: a record that is not listed was resolved before the
 * last listed one was changed.
 */
export function resolvedPerWeek(
  items: readonly ResolvedItem[],
  total: number,
  zone: { timezone: string; today: string },
): WeekCount[] {
  const thisMonday = mondayOf(zone.today);
  const resolved = items.flatMap(({ resolved_at }) =>
    resolved_at ? [mondayOf(dayInZone(zone.timezone, resolved_at))] : [],
  );
  const last = items.at(-1);
  const isComplete = items.length >= total;
  const first = isComplete
    ? resolved.toSorted()[0]
    : last && addDays(mondayOf(dayInZone(zone.timezone, last.updated_at)), 7);
  const weeks: WeekCount[] = [];
  for (
    let monday = thisMonday;
    first && monday >= first && weeks.length < MOST_WEEKS;
    monday = addDays(monday, -7)
  ) {
    weeks.unshift({ monday, count: resolved.filter((one) => one === monday).length });
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

export type SpanCount = { name: string; count: number };

export const resolvedPerSpan = (items: readonly Pick<Item, "days_to_resolve">[]): SpanCount[] =>
  SPANS.map(({ name, most }, index) => {
    const least = (SPANS[index - 1]?.most ?? -1) + 1;
    const count = items.filter(
      ({ days_to_resolve: days }) => days !== null && days >= least && days <= most,
    ).length;
    return { name, count };
  });
