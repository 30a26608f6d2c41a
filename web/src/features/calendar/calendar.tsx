import { useState } from "react";
import { Button, IconButton } from "../../kit/button.tsx";
import { fullDay } from "../../kit/dates.ts";
import { ChevronLeft, ChevronRight, Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { KeysButton } from "../../kit/keys-button.tsx";
import { useMedia } from "../../kit/media.ts";
import { PHONE } from "../../kit/phone.ts";
import { Screen } from "../../kit/screen.tsx";
import { Problem } from "../../kit/states.tsx";
import { useNow, useToday } from "../../kit/time.tsx";
import type { RecordItem } from "../records/row.ts";
import { canApplyStep, type RecordActionName } from "../records/step-actions.ts";
import { StepDialog, startStep } from "../records/step-dialog.tsx";
import type { StepRequest } from "../records/step-dialogs.tsx";
import { applyStep } from "../records/steps.ts";
import styles from "./calendar.module.css";
import { type CalendarRange, shiftDay, useCalendarView, type View, visibleRange } from "./calendar-view.ts";
import { type CalendarEntry, useCalendarEntries } from "./data.ts";
import { CalendarGrid, type GridProps } from "./grid.tsx";
import { type KeyProps, useGridKeys } from "./keys.ts";
import { monthName, rangeName } from "./names.ts";
import { NewRecord } from "./new-record.tsx";
import { PhoneCalendar } from "./on-phone.tsx";
import { ViewChoice } from "./view-choice.tsx";

const rangeTitle = ({ first, last }: CalendarRange, day: string, view: View) =>
  view === "month" ? monthName(day) : rangeName(first, last);

type BarProps = Pick<GridProps, "day" | "view"> & Omit<KeyProps, "onStep"> & { name: string };

const Bar = ({ name, day, view, today, go }: BarProps) => (
  <div className={styles.bar}>
    <h2 aria-live="polite">{name}</h2>
    <div className={styles.ways}>
      <IconButton
        label={`Previous ${view}`}
        shortcut="PgUp"
        onPress={() => go({ day: shiftDay(day, view, -1) })}
      >
        <ChevronLeft />
      </IconButton>
      <Button onPress={() => go({ day: today })}>
        Today <Key>t</Key>
      </Button>
      <IconButton label={`Next ${view}`} shortcut="PgDn" onPress={() => go({ day: shiftDay(day, view, 1) })}>
        <ChevronRight />
      </IconButton>
    </div>
    <ViewChoice view={view} onView={(next) => go({ view: next })} />
  </div>
);

/** The grid with its keyboard shortcuts; the list on phones has its own. */
function KeyedGrid({ today, go, onStep, ...shown }: GridProps & KeyProps) {
  useGridKeys({ ...shown, today, go, onStep });
  return <CalendarGrid {...shown} />;
}

const isEmpty = (entries: ReadonlyMap<string, readonly CalendarEntry[]>, { first, last }: CalendarRange) =>
  ![...entries.keys()].some((day) => day >= first && day <= last);

/** Records by due date, a month or a week at a time. */
export default function Calendar() {
  const today = useToday();
  const now = useNow();
  const isPhone = useMedia(PHONE);
  const { day, view, go } = useCalendarView(today, isPhone ? "week" : "month");
  const range = visibleRange(day, view);
  const { entries, left, isLoading, problem, retry } = useCalendarEntries({ ...range, today });
  const [asked, setAsked] = useState<StepRequest>();
  const [newOn, setNewOn] = useState<string>();
  const name = rangeTitle(range, day, view);
  const step = (row: RecordItem, action: RecordActionName) => {
    if (canApplyStep(row, action)) startStep(action, [row], setAsked);
  };
  const moveTo = (id: number, to: string) => {
    const entry = [...entries.values()].flat().find(({ row, isCopy }) => row.id === id && !isCopy);
    if (entry) void applyStep([entry.row], { action: "reschedule", day: to });
  };
  const shown: GridProps = {
    range,
    view,
    day,
    now,
    entries,
    isLoaded: !isLoading,
    onMove: moveTo,
    onNew: setNewOn,
    onDay: (next, other) => go({ day: next, ...(other && { view: other }) }),
  };
  return (
    <Screen
      title="Calendar"
      actions={
        <>
          <Button kind="primary" onPress={() => setNewOn(day)}>
            <Plus size="1rem" /> New
            <span className="visually-hidden"> record on {fullDay(day)}</span> <Key>n</Key>
          </Button>
          <KeysButton />
        </>
      }
    >
      <div className={styles.calendar} data-beside aria-busy={isLoading && !problem}>
        <Bar name={name} day={day} view={view} today={today} go={go} />
        {problem && <Problem problem={problem} retry={retry} />}
        {!isPhone && <KeyedGrid {...shown} {...{ today, go }} onStep={step} />}
        {isPhone && <PhoneCalendar {...shown} today={today} hasFailed={problem !== undefined} />}
        {!isPhone && !isLoading && isEmpty(entries, range) && (
          <p className={styles.quiet} role="status">
            Nothing due this {view}. Press <Key>n</Key> to add a record for {fullDay(day)}.
          </p>
        )}
        {left > 0 && (
          <p className={styles.quiet} role="status">
            {left.toLocaleString("en-GB")} more records due this {view} aren’t shown.
          </p>
        )}
      </div>
      {asked && <StepDialog {...asked} onClose={() => setAsked(undefined)} />}
      {newOn && <NewRecord day={newOn} onClose={() => setNewOn(undefined)} />}
    </Screen>
  );
}
