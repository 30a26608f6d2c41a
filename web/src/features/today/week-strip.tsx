import { Link } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { Memory } from "../../api/memories.ts";
import { addDays, fullDay, shortDay } from "../../kit/dates.ts";
import { CalendarRange } from "../../kit/icons.tsx";
import type { RecordItem } from "../records/row.ts";
import styles from "./week-strip.module.css";

const DAYS = 7;

/** "Wed", "25" */
const weekdayAndDate = (day: string) => shortDay(day, day).split(" ").slice(0, 2);

type Props = {
  /** Sorted by day; `left`: how many are not loaded yet. */
  due: { items: readonly Memory[]; left: number };
  /** The records of the day as they are shown. */
  records: readonly RecordItem[];
  today: string;
};

/** A week from today with the number of records due, each day linked to the calendar. */
export function WeekStrip({ due: { items, left }, records, today }: Props) {
  const lastLoaded = items.at(-1)?.due_date ?? "";
  const days = Array.from({ length: DAYS }, (_, offset) => addDays(today, offset));
  return (
    <nav aria-label="A week from today" className={styles.week}>
      <ul>
        {days.map((day) => {
          const isDue = ({ status, due_date }: RecordItem) => status === "active" && due_date === day;
          const loaded = records.filter(isDue).length;
          const count = left === 0 || day < lastLoaded ? loaded : undefined;
          const [weekday, date] = weekdayAndDate(day);
          return (
            <li key={day}>
              <Link
                href={`${screenPath("calendar")}?view=week&day=${day}`}
                className={styles.day}
                data-today={day === today || undefined}
              >
                <i className="visually-hidden">{`${fullDay(day)}${count === undefined ? "" : `: ${count} due`}`}</i>
                <small aria-hidden="true">{weekday}</small>
                <span aria-hidden="true">{date}</span>
                <b aria-hidden="true" data-none={count === 0 || undefined}>
                  {count ?? "…"}
                </b>
              </Link>
            </li>
          );
        })}
      </ul>
      <Link href={screenPath("upcoming")} className={styles.all}>
        <CalendarRange /> <span>Upcoming</span>
      </Link>
    </nav>
  );
}
