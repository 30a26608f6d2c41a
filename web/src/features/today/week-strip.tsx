import { Link } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { Memory } from "../../api/memories.ts";
import { addDays, fullDay, shortDay } from "../../kit/dates.ts";
import { CalendarDays } from "../../kit/icons.tsx";
import styles from "./week-strip.module.css";

const DAYS = 7;

/** "Wed", "25" */
const weekdayAndDate = (day: string) => shortDay(day, day).split(" ").slice(0, 2);

/** The next seven days with the number of records due, each linked to the calendar. */
export function WeekStrip({ due, today }: { due: readonly Memory[]; today: string }) {
  const days = Array.from({ length: DAYS }, (_, offset) => addDays(today, offset));
  return (
    <nav aria-label="The next seven days" className={styles.week}>
      <ul>
        {days.map((day) => {
          const count = due.filter(({ due_date }) => due_date === day).length;
          const [weekday, date] = weekdayAndDate(day);
          return (
            <li key={day}>
              <Link
                href={`${screenPath("calendar")}?view=week&day=${day}`}
                className={styles.day}
                data-today={day === today || undefined}
              >
                <i className="visually-hidden">{`${fullDay(day)}: ${count} due`}</i>
                <small aria-hidden="true">{weekday}</small>
                <span aria-hidden="true">{date}</span>
                <b aria-hidden="true" data-none={count === 0 || undefined}>
                  {count}
                </b>
              </Link>
            </li>
          );
        })}
      </ul>
      <Link href={screenPath("calendar")} className={styles.all}>
        <CalendarDays /> <span>Calendar</span>
      </Link>
    </nav>
  );
}
