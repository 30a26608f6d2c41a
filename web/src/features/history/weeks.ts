import { addDays, dayIn, weekdayOf } from "../../kit/dates.ts";

/** When an item of the history was resolved and last changed, and the days it took. */
type Item = { resolved_at: string | null; updated_at: string; days_to_resolve: number | null };
type Times = Pick<Item, "resolved_at" | "updated_at">;

/** A week by its Monday, and how many records were resolved in it. */
export type Week = { monday: string; count: number };

const MOST_WEEKS = 12;

const mondayOf = (day: string) => addDays(day, 1 - weekdayOf(day));

/**
 * How many records were resolved in each of the last weeks, this one last. `items` are the records closed last; when
 * they are not `total`, only the weeks are counted of which none can be missing: a record that is not listed was resolved
 * before the last of the listed ones was changed.
 */
export function weeksOf(
  items: readonly Times[],
  total: number,
  zone: { timezone: string; today: string },
): Week[] {
  const thisMonday = mondayOf(zone.today);
  const resolved = items.flatMap(({ resolved_at }) =>
    resolved_at ? [mondayOf(dayIn(zone.timezone, resolved_at))] : [],
  );
  const last = items.at(-1);
  const isWhole = items.length >= total;
  const first = isWhole
    ? resolved.toSorted()[0]
    : last && addDays(mondayOf(dayIn(zone.timezone, last.updated_at)), 7);
  const weeks: Week[] = [];
  for (
    let monday = thisMonday;
    first && monday >= first && weeks.length < MOST_WEEKS;
    monday = addDays(monday, -7)
  ) {
    weeks.unshift({ monday, count: resolved.filter((one) => one === monday).length });
  }
  return weeks;
}

/** How long the records took, from the same day to more than a month. */
const SPANS = [
  { name: "same day", most: 0 },
  { name: "1–2", most: 2 },
  { name: "3–7", most: 7 },
  { name: "8–14", most: 14 },
  { name: "15–30", most: 30 },
  { name: "longer", most: Number.POSITIVE_INFINITY },
];

export type Span = { name: string; count: number };

export const spansOf = (items: readonly Pick<Item, "days_to_resolve">[]): Span[] =>
  SPANS.map(({ name, most }, place) => {
    const least = (SPANS[place - 1]?.most ?? -1) + 1;
    const count = items.filter(
      ({ days_to_resolve: days }) => days !== null && days >= least && days <= most,
    ).length;
    return { name, count };
  });
