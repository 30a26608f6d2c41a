import { Button } from "../../kit/button.tsx";
import { fullDay } from "../../kit/dates.ts";
import { Plus } from "../../kit/icons.tsx";
import { Empty, Loading } from "../../kit/states.tsx";
import { nowPosition } from "../records/due.ts";
import { RecordList } from "../records/record-list.tsx";
import styles from "./calendar.module.css";
import { RecordChip } from "./chip.tsx";
import type { CalendarEntry } from "./data.ts";
import { dayText, type GridProps } from "./grid.tsx";
import { weekdayName } from "./names.ts";

type Props = GridProps & {
  today: string;
  hasFailed: boolean;
};

type DayProps = Pick<Props, "day" | "today" | "isLoaded" | "onDay"> & {
  of: string;
  isOutside: boolean;
  entries: readonly CalendarEntry[];
};

const MAX_DOTS = 3;

const DayButton = ({ of, day, today, isLoaded, isOutside, entries, onDay }: DayProps) => (
  <button
    type="button"
    className={styles.pick}
    aria-label={dayText(of, entries, isLoaded)}
    aria-pressed={of === day}
    aria-current={of === today ? "date" : undefined}
    data-outside={isOutside || undefined}
    onClick={() => onDay(of)}
  >
    <span>{Number(of.slice(-2))}</span>
    <span className={styles.dots} aria-hidden="true">
      {entries.slice(0, MAX_DOTS).map(({ row, isCopy }) => (
        <i key={`${row.id} ${isCopy}`} data-copy={isCopy || undefined} data-status={row.status} />
      ))}
    </span>
  </button>
);

const Days = ({ range, view, entries, ...props }: Props) => (
  <div className={styles.picks}>
    <div className={styles.weekdays} aria-hidden="true">
      {range.weeks[0]?.map((of) => (
        <span key={of}>{weekdayName(of)}</span>
      ))}
    </div>
    {range.weeks.map((week) => (
      <div key={week[0]} className={styles.strip}>
        {week.map((of) => (
          <DayButton
            key={of}
            of={of}
            isOutside={view === "month" && !of.startsWith(props.day.slice(0, 7))}
            entries={entries.get(of) ?? []}
            {...props}
          />
        ))}
      </div>
    ))}
  </div>
);

/** Future occurrences of repeating records on the day. */
const RepeatedRecords = ({ entries, now }: { entries: readonly CalendarEntry[]; now: string }) => (
  <section className={styles.again} aria-label="Repeats on this day">
    <h2>Repeats on this day</h2>
    <ul>
      {entries.map((entry) => (
        <li key={entry.row.id}>
          <RecordChip entry={entry} now={now} tabIndex={0} />
        </li>
      ))}
    </ul>
  </section>
);

/** Day buttons, and the list of the selected day below them. */
export function PhoneCalendar(props: Props) {
  const { day, today, now, entries, isLoaded, hasFailed, onNew } = props;
  const all = entries.get(day) ?? [];
  const copies = all.filter(({ isCopy }) => isCopy);
  const rows = all.filter(({ isCopy }) => !isCopy).map(({ row }) => row);
  const line = day === today ? nowPosition(rows, now) : undefined;
  return (
    <div className={styles.phone}>
      <Days {...props} />
      <RecordList
        label={fullDay(day)}
        sections={[{ key: day, title: fullDay(day).replace(/ \d+$/, ""), quiet: "when", rows, now: line }]}
      >
        {!isLoaded && !hasFailed && <Loading />}
        {isLoaded && copies.length === 0 && (
          <Empty title={`Nothing on ${fullDay(day)}`}>
            <Button onPress={() => onNew(day)}>
              <Plus size="1rem" /> New record on this day
            </Button>
          </Empty>
        )}
      </RecordList>
      {copies.length > 0 && <RepeatedRecords entries={copies} now={now} />}
    </div>
  );
}
