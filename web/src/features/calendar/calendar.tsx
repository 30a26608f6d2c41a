import { useState } from "react";
import { Button, IconButton } from "../../kit/button.tsx";
import { fullDay } from "../../kit/dates.ts";
import { ChevronLeft, ChevronRight, Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { KeysButton } from "../../kit/keys-button.tsx";
import { useMedia } from "../../kit/media.ts";
import { PHONE } from "../../kit/phone.ts";
import { Screen } from "../../kit/screen.tsx";
import { Segments } from "../../kit/segments.tsx";
import { Problem } from "../../kit/states.tsx";
import { useNow, useToday } from "../../kit/time.tsx";
import { move } from "../records/move.ts";
import type { Row } from "../records/row.ts";
import { begin, StepDialog } from "../records/step-dialog.tsx";
import type { Asked } from "../records/step-dialogs.tsx";
import { canTake, type Step } from "../records/steps.ts";
import styles from "./calendar.module.css";
import { type Entry, useEntries } from "./data.ts";
import { Grid, type GridProps } from "./grid.tsx";
import { useGridKeys } from "./keys.ts";
import { daysName, monthName } from "./names.ts";
import { NewRecord } from "./new-record.tsx";
import { OnPhone } from "./on-phone.tsx";
import { type Range, rangeOf, stepped, usePlace, type View } from "./place.ts";

const VIEWS: Record<View, string> = { month: "Month", week: "Week" };

const nameOf = ({ first, last }: Range, day: string, view: View) =>
  view === "month" ? monthName(day) : daysName(first, last);

type BarProps = {
  name: string;
  day: string;
  view: View;
  today: string;
  go: (next: { day?: string; view?: View }) => void;
};

/** The current range, and navigation to others. */
const Bar = ({ name, day, view, today, go }: BarProps) => (
  <div className={styles.bar}>
    <h2 aria-live="polite">{name}</h2>
    <div className={styles.ways}>
      <IconButton
        label={`Previous ${view}`}
        shortcut="PgUp"
        onPress={() => go({ day: stepped(day, view, -1) })}
      >
        <ChevronLeft aria-hidden="true" />
      </IconButton>
      <Button onPress={() => go({ day: today })}>
        Today <Key>t</Key>
      </Button>
      <IconButton label={`Next ${view}`} shortcut="PgDn" onPress={() => go({ day: stepped(day, view, 1) })}>
        <ChevronRight aria-hidden="true" />
      </IconButton>
    </div>
    <Segments label="View" value={view} options={VIEWS} onChange={(next) => go({ view: next })} />
  </div>
);

/** The grid with its keyboard shortcuts; the list on phones has its own. */
function KeyedGrid(props: GridProps & { keys: Parameters<typeof useGridKeys>[0] }) {
  const { keys, ...shown } = props;
  useGridKeys(keys);
  return <Grid {...shown} />;
}

const isEmpty = (entries: ReadonlyMap<string, readonly Entry[]>, { first, last }: Range) =>
  ![...entries.keys()].some((day) => day >= first && day <= last);

/** Records by due date, a month or a week at a time. */
export default function Calendar() {
  const today = useToday();
  const now = useNow();
  const isPhone = useMedia(PHONE);
  const { day, view, go } = usePlace(today, isPhone ? "week" : "month");
  const range = rangeOf(day, view);
  const { entries, left, isLoading, problem, retry } = useEntries({ ...range, today });
  const [asked, setAsked] = useState<Asked>();
  const [newOn, setNewOn] = useState<string>();
  const name = nameOf(range, day, view);
  const step = (row: Row, action: Step["action"]) => {
    if (canTake(row, action)) begin(action, [row], setAsked);
  };
  const moveTo = (id: number, to: string) => {
    const entry = [...entries.values()].flat().find(({ row, isCopy }) => row.id === id && !isCopy);
    if (entry) void move(entry.row, to);
  };
  const shown: GridProps = {
    range,
    view,
    day,
    now,
    entries,
    onMove: moveTo,
    onNew: setNewOn,
    onDay: (next, other) => go({ day: next, ...(other && { view: other }) }),
  };
  const keys = {
    day,
    view,
    today,
    entries,
    go,
    onStep: step,
    onNew: setNewOn,
    onMove: (row: Row, to: string) => void move(row, to),
  };
  return (
    <Screen
      title="Calendar"
      actions={
        <>
          <Button kind="primary" onPress={() => setNewOn(day)}>
            <Plus aria-hidden="true" size="1rem" /> New
            <span className="visually-hidden"> record on {fullDay(day)}</span> <Key>n</Key>
          </Button>
          <KeysButton />
        </>
      }
    >
      <div className={styles.calendar} data-beside aria-busy={isLoading}>
        <Bar name={name} day={day} view={view} today={today} go={go} />
        {problem && <Problem problem={problem} retry={retry} />}
        {isPhone ? <OnPhone {...shown} today={today} /> : <KeyedGrid {...shown} keys={keys} />}
        {!isPhone && !isLoading && !problem && isEmpty(entries, range) && (
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
