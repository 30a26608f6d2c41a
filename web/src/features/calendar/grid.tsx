import { type DragEvent, Fragment, type MouseEvent, useState } from "react";
import { fullDay } from "../../kit/dates.ts";
import { DRAGGED_RECORD } from "../records/dragged.ts";
import { nowPosition } from "../records/due.ts";
import styles from "./calendar.module.css";
import type { CalendarRange, View } from "./calendar-view.ts";
import { RecordChip } from "./chip.tsx";
import type { CalendarEntry } from "./data.ts";
import { weekdayName } from "./names.ts";

/** Entries per day in the month view; the week view shows all. */
const MAX_PER_DAY = 4;

export type GridProps = {
  range: CalendarRange;
  view: View;
  /** The selected day. */
  day: string;
  /** The local minute, such as 2026-11-27T17:00. */
  now: string;
  entries: ReadonlyMap<string, readonly CalendarEntry[]>;
  /** Whether the records of these days are known. */
  isLoaded: boolean;
  onDay: (day: string, view?: View) => void;
  onMove: (id: number, day: string) => void;
  onNew: (day: string) => void;
};

const dayOfMinute = (now: string) => now.slice(0, "2026-11-27".length);

/** "3 records, 1 that repeats" */
function entryCountText(entries: readonly CalendarEntry[]): string {
  const copies = entries.filter(({ isCopy }) => isCopy).length;
  const records = entries.length - copies;
  const parts = [
    records > 0 && `${records} ${records === 1 ? "record" : "records"}`,
    copies > 0 && `${copies} that ${copies === 1 ? "repeats" : "repeat"}`,
  ].filter(Boolean);
  return parts.join(", ") || "nothing";
}

/** "Friday, 27 November 2026: 3 records". Of a day whose records are not known, nothing is said. */
export const dayText = (of: string, entries: readonly CalendarEntry[], isLoaded: boolean) =>
  isLoaded || entries.length > 0 ? `${fullDay(of)}: ${entryCountText(entries)}` : fullDay(of);

/** Marks the current time between the entries of today. */
const NowLine = ({ now }: { now: string }) => (
  <li className={styles.now}>
    <span className="visually-hidden">Now, {now.slice(-"17:00".length)}</span>
  </li>
);

type EntriesProps = {
  entries: readonly CalendarEntry[];
  now: string;
  /** The index at which to mark the current time. */
  line: number | undefined;
  isCurrent: boolean;
};

function Entries({ entries, now, line, isCurrent }: EntriesProps) {
  return (
    <ul className={styles.entries}>
      {entries.map((entry, place) => (
        <Fragment key={`${entry.row.id} ${entry.isCopy}`}>
          {line === place && <NowLine now={now} />}
          <li>
            <RecordChip entry={entry} now={now} tabIndex={isCurrent ? 0 : -1} />
          </li>
        </Fragment>
      ))}
      {line === entries.length && <NowLine now={now} />}
    </ul>
  );
}

type CellProps = Omit<GridProps, "range" | "entries" | "day"> & {
  of: string;
  month: string;
  isCurrent: boolean;
  entries: readonly CalendarEntry[];
  isOver: boolean;
  onOver: (day: string | undefined) => void;
};

const hasRecord = (event: DragEvent) => event.dataTransfer.types.includes(DRAGGED_RECORD);
const isInside = (event: MouseEvent) => (event.target as Element).closest("a, button") !== null;

function Cell(props: CellProps) {
  const { of, month, view, isCurrent, entries, isLoaded, now, isOver } = props;
  const { onOver, onDay, onMove, onNew } = props;
  const isToday = of === dayOfMinute(now);
  const rows = entries.map(({ row }) => row);
  const shown =
    view === "month" && entries.length > MAX_PER_DAY ? entries.slice(0, MAX_PER_DAY - 1) : entries;
  const more = entries.length - shown.length;
  const drop = (event: DragEvent) => {
    onOver(undefined);
    const id = Number(event.dataTransfer.getData(DRAGGED_RECORD));
    if (!id) return;
    event.preventDefault();
    onMove(id, of);
  };
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a table that is a grid
      role="gridcell"
      className={styles.cell}
      aria-selected={isCurrent}
      aria-current={isToday ? "date" : undefined}
      tabIndex={isCurrent ? 0 : -1}
      data-day={of}
      data-outside={(view === "month" && !of.startsWith(month)) || undefined}
      data-over={isOver || undefined}
      onClick={(event) => !isInside(event) && onDay(of)}
      onDoubleClick={(event) => !isInside(event) && onNew(of)}
      onKeyDown={() => undefined}
      onDragOver={(event) => {
        if (!hasRecord(event)) return;
        event.preventDefault();
        if (!isOver) onOver(of);
      }}
      onDragLeave={(event) =>
        !event.currentTarget.contains(event.relatedTarget as Node | null) && onOver(undefined)
      }
      onDrop={drop}
    >
      <span className="visually-hidden">{dayText(of, entries, isLoaded)}</span>
      <span className={styles.date} aria-hidden="true">
        {Number(of.slice(-2))}
      </span>
      <Entries
        entries={shown}
        now={now}
        line={isToday ? nowPosition(rows, now)?.after : undefined}
        isCurrent={isCurrent}
      />
      {more > 0 && (
        <button
          type="button"
          className={styles.more}
          tabIndex={isCurrent ? 0 : -1}
          onClick={() => onDay(of, "week")}
        >
          {more} more<span className="visually-hidden"> on {fullDay(of)}</span>
        </button>
      )}
    </td>
  );
}

/** The days of a month or week with their records, as a grid for keyboard navigation. */
export function CalendarGrid({ range, entries, day, ...props }: GridProps) {
  const [over, setOver] = useState<string>();
  const { view, now } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of days is what a grid is
    <table role="grid" className={styles.grid} data-view={view} aria-label="Days">
      <thead>
        <tr>
          {range.weeks[0]?.map((of) => (
            <th key={of} scope="col" data-today={(view === "week" && of === dayOfMinute(now)) || undefined}>
              {weekdayName(of)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {range.weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((of) => (
              <Cell
                key={of}
                of={of}
                month={day.slice(0, 7)}
                isCurrent={of === day}
                entries={entries.get(of) ?? []}
                isOver={over === of}
                onOver={setOver}
                {...props}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
