import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import { Button } from "../../kit/button.tsx";
import { fullDay } from "../../kit/dates.ts";
import { Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { KeysButton } from "../../kit/keys-button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { useNow, useToday } from "../../kit/time.tsx";
import type { RecordQuery } from "../../state/cached-lists.ts";
import { BY_OFFSET } from "../../state/queries.ts";
import { readAllRecords, readRecords } from "../../state/read-records.ts";
import { MoreOnScroll } from "../records/more-on-scroll.tsx";
import { useWithOptimisticChanges } from "../records/optimistic-changes.ts";
import { RecordList } from "../records/record-list.tsx";
import type { RecordSection } from "../records/section.ts";
import styles from "./calendar.module.css";
import { useRepeatingRecords } from "./data.ts";
import { NewRecord } from "./new-record.tsx";
import { upcomingSections } from "./upcoming-days.ts";
import { ViewChoice } from "./view-choice.tsx";

const PAGE = 100;

const overdueQuery = (today: string) =>
  ({ status: "active", due_before: today, sort: "due_date", content_length: 0 }) satisfies RecordQuery;
const upcomingQuery = (today: string) =>
  ({ status: "active", due_after: today, sort: "due_date", content_length: 0 }) satisfies RecordQuery;

/** A list by due date, a page at a time. */
function useDated(query: RecordQuery) {
  const list = useInfiniteQuery({
    queryKey: ["memories", "list", query],
    queryFn: (context) => readRecords({ ...query, limit: PAGE, offset: context.pageParam }, context),
    ...BY_OFFSET,
  });
  const rows = [
    ...new Map(list.data?.pages.flatMap(({ items }) => items).map((row) => [row.id, row])).values(),
  ];
  return { ...list, rows, total: list.data?.pages.at(-1)?.total ?? 0 };
}

type Dated = ReturnType<typeof useDated>;

function overdueSection({ rows, total }: Dated, expected: Dated["rows"], today: string): RecordSection {
  const shown = expected.filter(
    ({ status, due_date }) => status === "active" && due_date && due_date < today,
  );
  const left = total - rows.length;
  return {
    key: "overdue",
    title: "Overdue",
    tone: "late",
    fold: "upcoming-overdue",
    rows: shown,
    total: shown.length + left,
    ...(left > 0 && { wholeList: "/records?due=overdue&sort=due_date" }),
    whole: {
      name: "Reschedule all",
      action: "reschedule",
      read: async () => (await readAllRecords(overdueQuery(today))).items,
    },
  };
}

const leadOf = (overdue: number, upcoming: number) =>
  overdue + upcoming === 0
    ? "Nothing has a date yet"
    : `${formatCount(upcoming)} to come${overdue > 0 ? `, ${formatCount(overdue)} overdue` : ""}`;

/** The day that has the focus. */
const focusedDay = () => document.activeElement?.closest<HTMLElement>("[data-day]")?.dataset.day;

function Days({ onNew }: { onNew: (day: string) => void }) {
  const [now, today] = [useNow(), useToday()];
  const overdue = useDated(overdueQuery(today));
  const upcoming = useDated(upcomingQuery(today));
  const repeating = useRepeatingRecords();
  const expected = useWithOptimisticChanges();
  const problem = upcoming.error ?? overdue.error;
  if (!upcoming.data || !overdue.data) {
    const retry = () => void Promise.all([upcoming.refetch(), overdue.refetch()]);
    return problem ? <Problem problem={problem} retry={retry} /> : <Loading />;
  }
  // A record that has just been moved may still be in the other list.
  const rows = expected([
    ...new Map([...overdue.rows, ...upcoming.rows].map((row) => [row.id, row])).values(),
  ]);
  return (
    <>
      <p role="status" className={styles.quiet}>
        {leadOf(overdue.total, upcoming.total)}
      </p>
      <RecordList
        label="Upcoming"
        sections={[
          overdueSection(overdue, rows, today),
          ...upcomingSections(rows, expected(repeating.data?.items ?? []), { now, onNew }),
        ]}
        end={<MoreOnScroll {...upcoming} more="Show later days" />}
      >
        {null}
      </RecordList>
    </>
  );
}

/** The list view of the calendar: everything that is due, day by day, as far as one scrolls. */
export default function Upcoming() {
  const today = useToday();
  const [, navigate] = useLocation();
  const [newOn, setNewOn] = useState<string>();
  const create = () => setNewOn(focusedDay() ?? today);
  useShortcuts({ n: create });
  return (
    <Screen
      title="Upcoming"
      actions={
        <>
          <Button kind="primary" onPress={create}>
            <Plus size="1rem" /> New
            <span className="visually-hidden"> record on {fullDay(today)}</span> <Key>n</Key>
          </Button>
          <KeysButton />
        </>
      }
    >
      <div className={styles.calendar}>
        <div className={styles.bar}>
          <ViewChoice view="list" onView={(view) => navigate(`${screenPath("calendar")}?view=${view}`)} />
        </div>
        <Days onNew={setNewOn} />
      </div>
      {newOn && <NewRecord day={newOn} onClose={() => setNewOn(undefined)} />}
    </Screen>
  );
}
